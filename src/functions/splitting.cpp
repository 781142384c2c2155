// SPDX-License-Identifier: MIT
// Splitting of arrays into views along an axis.
#include <optional>
#include <string>
#include <vector>

#include "functions/refuse.hpp"
#include "functions/rows.hpp"
#include "quern/error.hpp"
#include "quern/manipulation.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

using functions::refuse;

std::int64_t length_of(const Array& array, int axis) {
  return array.shape()[checked_axis(axis, array.shape().size())];
}

}  // namespace

std::vector<Array> unstack(const Array& array, int axis) {
  if (array.shape().empty()) refuse("unstack: a 0-d array has no axis");
  const std::size_t at = checked_axis(axis, array.shape().size());
  std::vector<Index> index(at, Index::slice());
  index.emplace_back(0);
  std::vector<Array> result;
  for (std::int64_t k = 0; k < array.shape()[at]; ++k) {
    index.back() = Index(k);
    result.push_back(view(array, index));
  }
  return result;
}

std::vector<Array> split_at(const Array& array, std::span<const std::int64_t> cuts, int axis) {
  std::vector<Index> index(checked_axis(axis, array.shape().size()), Index::slice());
  index.emplace_back(0);
  std::vector<Array> result;
  for (std::size_t k = 0; k <= cuts.size(); ++k) {
    const std::int64_t start = k == 0 ? 0 : cuts[k - 1];
    index.back() = Index::slice(start, k == cuts.size() ? std::nullopt : std::optional(cuts[k]));
    result.push_back(view(array, index));
  }
  return result;
}

std::vector<Array> array_split(const Array& array, std::int64_t sections, int axis) {
  const std::int64_t length = length_of(array, axis);
  if (sections < 1) refuse("split: " + std::to_string(sections) + " parts");
  const std::int64_t each = length / sections, more = length % sections;
  std::vector<std::int64_t> cuts;
  for (std::int64_t k = 1; k < sections; ++k) cuts.push_back(k * each + std::min(k, more));
  return split_at(array, cuts, axis);
}

std::vector<Array> split(const Array& array, std::int64_t sections, int axis) {
  const std::int64_t length = length_of(array, axis);
  if (sections >= 1 && length % sections != 0)
    refuse("split: " + std::to_string(length) + " elements cannot be split into " + std::to_string(sections) +
           " equal parts; use array_split");
  return array_split(array, sections, axis);
}

namespace registry {
namespace {

// ary, indices_or_sections: a number of parts, or the indices at which to split.
Result parts_of(const Arguments& a, int axis, bool is_even) {
  const Array& array = a.array(0);
  if (!a.is<std::int64_t>(1)) return split_at(array, a.integers(1), axis);
  return is_even ? split(array, a.integer(1), axis) : array_split(array, a.integer(1), axis);
}

void check_rank(const Arguments& a, std::size_t rank, const char* count) {
  if (a.array(0).shape().size() < rank)
    refuse(std::string(a.function().name) + ": expected at least " + count + " dimensions");
}

constexpr std::string_view kSections =
    "ary: Input array, or anything that can be converted to one.\n"
    "indices_or_sections: Number of parts, or the indices along the axis at which to split.\n"
    "axis: Axis to split along.";

const Function kSplittingRows[] = {
    {.name = "unstack",
     .parameters = "x: array, /, *, axis: int = 0",
     .summary = "Split an array into views along an axis, and remove that axis.",
     .about = "axis: Axis to split along.",
     .returns = "A view for each index along the axis.",
     .type = "tuple[Array, ...]",
     .example = ">>> print(*qn.unstack([[1, 2], [3, 4]]))\n[1 2] [3 4]",
     .call = [](const Arguments& a) -> Result { return unstack(a.array(0), *a.axis(1)); }},
    {.name = "array_split",
     .parameters = "ary: array, indices_or_sections: indices, axis: int = 0",
     .summary = "Split an array into views along an axis; lengths that cannot be equal differ by one.",
     .about = kSections,
     .returns = "Views of the parts.",
     .type = "list[Array]",
     .example = ">>> print(*qn.array_split([1, 2, 3, 4, 5], 2))\n[1 2 3] [4 5]",
     .call = [](const Arguments& a) -> Result { return parts_of(a, *a.axis(2), false); }},
    {.name = "split",
     .parameters = "ary: array, indices_or_sections: indices, axis: int = 0",
     .summary = "Split an array into views along an axis, of equal length or at given indices.",
     .about = kSections,
     .returns = "Views of the parts.",
     .type = "list[Array]",
     .example = ">>> print(*qn.split([1, 2, 3, 4], [1, 2]))\n[1] [2] [3 4]",
     .call = [](const Arguments& a) -> Result { return parts_of(a, *a.axis(2), true); }},
    {.name = "vsplit",
     .parameters = "ary: array, indices_or_sections: indices",
     .summary = "Split an array into views vertically, along the first axis.",
     .about = kSections,
     .returns = "Views of the parts.",
     .type = "list[Array]",
     .example = ">>> print(*qn.vsplit([[1, 2], [3, 4]], 2))\n[[1 2]] [[3 4]]",
     .call = [](const Arguments& a) -> Result {
       check_rank(a, 2, "two");
       return parts_of(a, 0, true);
     }},
    {.name = "hsplit",
     .parameters = "ary: array, indices_or_sections: indices",
     .summary = "Split an array into views horizontally, along the second axis; vectors along their only "
                "axis.",
     .about = kSections,
     .returns = "Views of the parts.",
     .type = "list[Array]",
     .example = ">>> print(*qn.hsplit([1, 2, 3, 4], 2))\n[1 2] [3 4]",
     .call = [](const Arguments& a) -> Result {
       return parts_of(a, a.array(0).shape().size() > 1 ? 1 : 0, true);
     }},
    {.name = "dsplit",
     .parameters = "ary: array, indices_or_sections: indices",
     .summary = "Split an array into views depth-wise, along the third axis.",
     .about = kSections,
     .returns = "Views of the parts.",
     .type = "list[Array]",
     .example = ">>> print(*qn.dsplit([[[1, 2]]], 2))\n[[[1]]] [[[2]]]",
     .call = [](const Arguments& a) -> Result {
       check_rank(a, 3, "three");
       return parts_of(a, 2, true);
     }},
};

}  // namespace

std::span<const Function> splitting_rows() {
  return kSplittingRows;
}

}  // namespace registry
}  // namespace quern
