// SPDX-License-Identifier: MIT
// Predicates about pairs of arrays.
#include "quern/predicates.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include "functions/rows.hpp"
#include "quern/arithmetic.hpp"
#include "quern/error.hpp"
#include "quern/reduce.hpp"

namespace quern {
namespace {

// The first byte of the elements and the one after the last, within the allocation.
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
  if (a.evaluate().buffer.allocation() != b.evaluate().buffer.allocation()) return false;
  const auto [first, end] = bounds_of(a);
  const auto [other_first, other_end] = bounds_of(b);
  return first < other_end && other_first < end;
}

namespace {

// A term of the sum: a stride and its count.
struct Steps {
  std::int64_t step, most;
};

void add_steps(std::vector<Steps>& all, const Array& array) {
  all.push_back({1, static_cast<std::int64_t>(array.dtype().itemsize) - 1});
  for (std::size_t d = 0; d < array.shape().size(); ++d)
    if (array.shape()[d] > 1 && array.strides()[d] != 0)
      all.push_back({std::abs(array.strides()[d]), array.shape()[d] - 1});
}

// Whether strides from the k-th on can reach an offset. `reach` and `divisor` are those of the remaining
// strides.
struct Search {
  std::vector<Steps> steps;
  std::vector<std::int64_t> reach, divisor;

  explicit Search(std::vector<Steps> all) {
    std::sort(all.begin(), all.end(), [](const Steps& a, const Steps& b) { return a.step > b.step; });
    for (const Steps& one : all)
      if (!steps.empty() && steps.back().step == one.step)
        steps.back().most += one.most;
      else
        steps.push_back(one);
    reach.assign(steps.size() + 1, 0);
    divisor.assign(steps.size() + 1, 0);
    for (std::size_t k = steps.size(); k-- > 0;) {
      reach[k] = reach[k + 1] + steps[k].step * steps[k].most;
      divisor[k] = std::gcd(divisor[k + 1], steps[k].step);
    }
  }
  [[nodiscard]] bool leads_to(std::int64_t place, std::size_t k = 0) const {
    if (place < 0 || place > reach[k]) return false;
    if (k == steps.size()) return true;
    if (place % divisor[k] != 0) return false;
    const auto [step, most] = steps[k];
    const std::int64_t least = std::max<std::int64_t>((place - reach[k + 1] + step - 1) / step, 0);
    for (std::int64_t count = std::min(most, place / step); count >= least; --count)
      if (leads_to(place - count * step, k + 1)) return true;
    return false;
  }
};

}  // namespace

bool shares_memory(const Array& a, const Array& b) {
  if (!may_share_memory(a, b)) return false;
  // A common byte: strides of one array forward from its first byte, of the other backward from its last.
  std::vector<Steps> all;
  add_steps(all, a);
  add_steps(all, b);
  return Search(std::move(all)).leads_to(bounds_of(b).second - 1 - bounds_of(a).first);
}

bool array_equiv(const Array& a, const Array& b) {
  try {
    const Array same = astype(all(apply("equal", {a, b})), DType::of(Scalar::uint8));
    return same.to_vector<std::uint8_t>(same.queue()).front() != 0;
  } catch (const ArgumentError&) {
    return false;  // Their shapes do not broadcast, or their elements cannot be compared.
  }
}

namespace registry {
namespace {

const Function kQuestionRows[] = {
    {.name = "may_share_memory",
     .parameters = "a: array, b: array, /, max_work: object = None",
     .summary = "Test whether two arrays might share memory: whether their memory ranges overlap.",
     .about = "b: Array to compare with.\n"
              "max_work: Accepted for compatibility with NumPy; it has no effect.",
     .returns = "True if the ranges from the first to the last byte overlap.",
     .type = "bool",
     .example =
         ">>> x = qn.arange(4)\n>>> qn.may_share_memory(x, x[::2]), qn.may_share_memory(x[:2], x[2:])\n"
         "(True, False)",
     .call = [](const Arguments& a) -> Result { return may_share_memory(a.array(0), a.array(1)); }},
    {.name = "shares_memory",
     .parameters = "a: array, b: array, /, max_work: object = None",
     .summary = "Test whether two arrays share memory.",
     .about = "b: Array to compare with.\n"
              "max_work: Accepted for compatibility with NumPy; it has no effect.",
     .returns = "True if an element of one array overlaps an element of the other.",
     .type = "bool",
     .example =
         ">>> x = qn.arange(4)\n>>> qn.shares_memory(x[::2], x[1:]), qn.shares_memory(x[::2], x[1::2])\n"
         "(True, False)",
     .call = [](const Arguments& a) -> Result { return shares_memory(a.array(0), a.array(1)); }},
    {.name = "array_equiv",
     .parameters = "a1: array, a2: array",
     .summary = "Test whether two arrays are equal after broadcasting; waits for the result.",
     .about = "a1: Input array, or anything that can be converted to one.\n"
              "a2: Array to compare with.",
     .returns = "True if the shapes broadcast and all elements are equal.",
     .type = "bool",
     .example = ">>> qn.array_equiv([1, 2], [[1, 2], [1, 2]])\nTrue",
     .call = [](const Arguments& a) -> Result { return array_equiv(a.array(0), a.array(1)); }},
};

}  // namespace

std::span<const Function> question_rows() {
  return kQuestionRows;
}

}  // namespace registry
}  // namespace quern
