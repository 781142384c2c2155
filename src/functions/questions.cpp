// SPDX-License-Identifier: MIT
// Questions about arrays whose answers are truths.
#include "quern/questions.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "functions/rows.hpp"
#include "quern/arithmetic.hpp"
#include "quern/error.hpp"
#include "quern/reduce.hpp"

namespace quern {
namespace {

// The first byte of the elements and the one behind the last, within the allocation.
std::pair<std::int64_t, std::int64_t> bounds_of(const Array& array) {
  std::int64_t first = static_cast<std::int64_t>(array.buffer().offset() + array.offset());
  std::int64_t last = first;
  for (std::size_t d = 0; d < array.shape().size(); ++d) {
    const std::int64_t reach = (array.shape()[d] - 1) * array.strides()[d];
    (reach < 0 ? first : last) += reach;
  }
  return {first, last + static_cast<std::int64_t>(array.dtype().itemsize)};
}

}  // namespace

bool may_share_memory(const Array& a, const Array& b) {
  if (a.size() == 0 || b.size() == 0) return false;
  if (a.buffer().allocation() != b.buffer().allocation()) return false;
  const auto [first, end] = bounds_of(a);
  const auto [other_first, other_end] = bounds_of(b);
  return first < other_end && other_first < end;
}

bool array_equiv(const Array& a, const Array& b) {
  try {
    const Array same = astype(all(apply("equal", {a, b})), DType::of(Scalar::uint8));
    return same.to_vector<std::uint8_t>(same.queue()).front() != 0;
  } catch (const ArgumentError&) {
    return false;  // Their shapes do not broadcast, or their elements are not compared.
  }
}

namespace registry {
namespace {

const Function kRows[] = {
    {.name = "may_share_memory",
     .parameters = "a: array, b: array, /, max_work: object = None",
     .summary = "Tells whether two arrays may share memory: whether their bytes lie between each other's.",
     .about = "b: Another array.\nmax_work: Accepted for NumPy's sake.",
     .returns = "Whether the first to the last byte of each overlap.",
     .type = "bool",
     .example =
         ">>> x = qn.arange(4)\n>>> qn.may_share_memory(x, x[::2]), qn.may_share_memory(x[:2], x[2:])\n"
         "(True, False)",
     .call = [](const Arguments& a) -> Result { return may_share_memory(a.array(0), a.array(1)); }},
    {.name = "array_equiv",
     .parameters = "a1: array, a2: array",
     .summary = "Tells whether two arrays are equal where they are broadcast. Waits for the answer.",
     .about = "a1: An array, or numbers that become one.\na2: Another one.",
     .returns = "Whether the shapes broadcast and all elements are equal.",
     .type = "bool",
     .example = ">>> qn.array_equiv([1, 2], [[1, 2], [1, 2]])\nTrue",
     .call = [](const Arguments& a) -> Result { return array_equiv(a.array(0), a.array(1)); }},
};

}  // namespace

std::span<const Function> question_rows() {
  return kRows;
}

}  // namespace registry
}  // namespace quern
