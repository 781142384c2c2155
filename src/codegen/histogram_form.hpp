// SPDX-License-Identifier: MIT
// The elements, bins and weights of a histogram, as defines for histogram.cl.
#pragma once

#include <cstdint>

#include "codegen/sort_form.hpp"
#include "quern/dtype.hpp"

namespace quern::codegen {

struct HistogramForm {
  enum class Rule : std::uint8_t { by_value, uniform, by_edges };

  DType element;
  Rule rule = Rule::by_value;
  DType weight;                // unknown: every element counts as one
  bool has_wide_sums = false;  // of 64 bits

  [[nodiscard]] bool is_weighted() const { return weight.scalar != Scalar::unknown; }
  // The defines that all kernels share.
  [[nodiscard]] Defines defines(bool groups) const;
};

// What elements of this type are compared with edges in.
DType compared_as(const DType& dtype);
// What elements with weights are converted to before they are counted on a CPU.
DType weighted_element(HistogramForm::Rule rule, const DType& dtype);

}  // namespace quern::codegen
