// SPDX-License-Identifier: MIT
// Sums, products, maxima and minima along an axis, accumulated by columns.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "codegen/cumulative_form.hpp"
#include "quern/kernel.hpp"

namespace quern::algorithms {

// The number of elements of the axes before the accumulated one, of that axis, and of the axes behind it.
struct AxisLayout {
  std::size_t outer = 1, length = 1, inner = 1;
  [[nodiscard]] std::size_t size() const { return outer * length * inner; }
};

// What is accumulated: the definitions of CumulativeForm, and the arguments of the expression. Without
// definitions it is a contiguous array of the form's items.
struct CumulativeInput {
  std::string definitions;
  std::vector<KernelArgument> arguments;
};
// Whether one scan over all elements is faster than a pass over columns.
bool prefers_scan(const Queue& queue, const AxisLayout& layout);

// `out` is contiguous and has elements.
void accumulate(const Queue& queue, const codegen::CumulativeForm& form, const CumulativeInput& input,
                const AxisLayout& layout, const Array& out);

}  // namespace quern::algorithms
