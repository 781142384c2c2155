// SPDX-License-Identifier: MIT
// Parameters of src/kernels/cumulative.cl: what is accumulated, and how.
#pragma once

#include <string>

#include "codegen/scan_form.hpp"
#include "codegen/sort_form.hpp"

namespace quern::codegen {

struct CumulativeForm {
  DType item, result;  // of the sums, and of the elements that they are stored as
  ScanOperation operation = ScanOperation::sum;

  // `function` defines what `load` calls, and `parameters` are those of the expression that is accumulated.
  [[nodiscard]] std::string definitions(const std::string& function, const std::string& parameters,
                                        const std::string& load) const;
  // Of an array of items in memory, the kernels' only parameter.
  [[nodiscard]] std::string definitions() const;
  [[nodiscard]] Defines defines(bool in_strips) const;
};

// Neighbouring columns that one work-item accumulates together, on devices with few work-items.
inline constexpr std::size_t kCumulativeStrip = 512;

}  // namespace quern::codegen
