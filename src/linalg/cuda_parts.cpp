// SPDX-License-Identifier: MIT
// Memory of stacks that NVIDIA's libraries factor, and the errors that they report.
#include "linalg/cuda_parts.hpp"

#include <vector>

#include "algorithms/launch/kernel_table.hpp"
#include "linalg/checked.hpp"
#include "quern/arithmetic.hpp"
#include "quern/casting.hpp"
#include "quern/reduce.hpp"
#include "quern/views.hpp"

namespace quern::linalg {

Array own_copy(const Array& array, const Queue& queue) {
  const Array made = copy(array, &queue);
  made.evaluate();
  if (made.contiguous()) return made;
  const Array dense = empty(queue, array.shape(), array.dtype());
  assign(dense, array);
  return dense;
}

std::int64_t count_of(const Shape& stack) {
  std::int64_t count = 1;
  for (const std::int64_t length : stack) count *= length;
  return count;
}

Array first_rows(const Array& array, std::int64_t count) {
  const std::vector<Index> index = {Index::ellipsis(), Index::slice(0, count), Index::slice()};
  return view(array, index);
}

Array new_info(const Queue& queue, std::int64_t count) {
  return empty(queue, {count}, DType::of(Scalar::int32));
}

Array find_not_finite(const Queue& queue, const Array& a) {
  const Array is_finite = all(apply("isfinite", {a}, &queue), {.over = Over{-2, -1}});
  const Array found = astype(apply("logical_not", {is_finite}, &queue), DType::of(Scalar::int32), &queue);
  found.evaluate();
  return found;
}

void report(const Queue& queue, const char* text, const char* function, const Array& info,
            std::initializer_list<Array> results) {
  const auto count = static_cast<std::int64_t>(info.size());
  const auto kernel = algorithms::kernel_of({"linalg_info"}, "first_failure", {});
  info.evaluate();
  run_checked(queue, {text, function, count}, results, [&](const Buffer& slot) {
    return kernel(queue, info.size(), range(256).with_local(256), info.elements(),
                  static_cast<std::uint64_t>(count), slot);
  });
}

}  // namespace quern::linalg
