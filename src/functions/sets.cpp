// SPDX-License-Identifier: MIT
// Set functions, by sorting and searching.
#include "quern/sets.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "array/build.hpp"
#include "codegen/ops.hpp"
#include "functions/operands.hpp"
#include "functions/rows.hpp"
#include "quern/error.hpp"
#include "quern/indexing.hpp"
#include "quern/manipulation.hpp"
#include "quern/select.hpp"
#include "quern/sorting.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

using codegen::Kinds;
using functions::flat;
using functions::is_integer;

Array kept(const Array& x, const Array& mask) {
  return copy_if(array::queue_of(x, nullptr), x, Predicate(as_contiguous(mask)));
}

Array joined(const Array& a, const Array& b) {
  const std::vector<Array> both = {a, b};
  return concat(both, 0);
}

// Like isin(), for each element in C order.
Array is_among(const Array& element, const Array& test_elements) {
  DType dtype = codegen::promoted(element.dtype(), test_elements.dtype());
  std::optional<Array> is_positive;
  Array others = test_elements;
  if (codegen::kind_of(dtype) == Kinds::floating && is_integer(element.dtype()) &&
      is_integer(others.dtype())) {
    // uint64 beside signed integers: no dtype holds both, but negative numbers cannot be in the other array.
    dtype = DType::of(Scalar::uint64);
    is_positive = flat(element) >= Number(0);
    others = flat(others);
    others = kept(others, others >= Number(0));
  }
  const Array elements = flat(element, dtype), known = sort(flat(others, dtype));
  const Array low = searchsorted(known, elements), high = searchsorted(known, elements, true);
  // NaN is equal to nothing, although the search finds an index for it.
  Array found = apply("logical_and", {high > low, apply("equal", {elements, elements})});
  if (is_positive) found = apply("logical_and", {found, *is_positive});
  return found;
}

}  // namespace

Array isin(const Array& element, const Array& test_elements, bool invert) {
  functions::check_beside("isin", element, test_elements);
  const Array found = is_among(element, test_elements);
  return reshape(invert ? apply("logical_not", {found}) : found, element.shape());
}

Array intersect1d(const Array& ar1, const Array& ar2) {
  functions::check_beside("intersect1d", ar1, ar2);
  const Array values = unique_values(flat(ar1, codegen::promoted(ar1.dtype(), ar2.dtype())), true);
  return kept(values, is_among(values, ar2));
}

Intersection intersect1d_indices(const Array& ar1, const Array& ar2) {
  functions::check_beside("intersect1d", ar1, ar2);
  const DType dtype = codegen::promoted(ar1.dtype(), ar2.dtype());
  const Unique first = unique_all(flat(ar1, dtype), true), second = unique_all(flat(ar2, dtype), true);
  const Array in_second = is_among(first.values, second.values);
  const Array in_first = is_among(second.values, first.values);
  return {kept(first.values, in_second), kept(first.indices, in_second), kept(second.indices, in_first)};
}

Array union1d(const Array& ar1, const Array& ar2) {
  functions::check_beside("union1d", ar1, ar2);
  return unique_values(joined(reshape(ar1, {-1}), reshape(ar2, {-1})), true);
}

Array setdiff1d(const Array& ar1, const Array& ar2, bool assume_unique) {
  functions::check_beside("setdiff1d", ar1, ar2);
  const Array values = assume_unique ? flat(ar1) : unique_values(flat(ar1), true);
  return kept(values, apply("logical_not", {is_among(values, ar2)}));
}

Array setxor1d(const Array& ar1, const Array& ar2) {
  functions::check_beside("setxor1d", ar1, ar2);
  // Sorted without removing duplicates again: each array has unique values, and their NaNs are different.
  return sort(joined(setdiff1d(ar1, ar2), setdiff1d(ar2, ar1)));
}

namespace registry {
namespace {

// element, test_elements, assume_unique, invert, kind
Array call_isin(const Arguments& a) {
  if (a.has(4) && a.text(4) != "sort" && a.text(4) != "table")
    throw ArgumentError(ArgumentError::Kind::value, std::string(a.function().name) +
                                                        ": kind: expected 'sort', 'table' or None, got '" +
                                                        std::string(a.text(4)) + "'");
  return isin(a.array(0), a.array(1), a.flag(3));
}

constexpr std::string_view kSetAbout =
    "ar1: First array, or anything that can be converted to one.\n"
    "ar2: Second array, or anything that can be converted to one.\n"
    "element: Input array, or anything that can be converted to one.\n"
    "test_elements: Values to look for.\n"
    "assume_unique: Accepted for compatibility with NumPy; it has no effect.\n"
    "invert: If True, the result is inverted.\n"
    "kind: 'sort' or 'table'. Accepted for compatibility with NumPy; it has no effect.\n"
    "return_indices: If True, also return the index of the first occurrence of each value in "
    "both arrays.";
constexpr std::string_view kDifferenceAbout =
    "ar1: First array, or anything that can be converted to one.\n"
    "ar2: Second array, or anything that can be converted to one.\n"
    "assume_unique: If True, the values of `ar1` must be unique; the result keeps their order.";
constexpr std::string_view kNotes =
    "The call waits for the number of values, which gives the shape of the result.";

const Function kSetRows[] = {
    {.name = "isin",
     .parameters = "element: array, test_elements: array, assume_unique: bool = False, invert: bool = False, "
                   "*, kind: str = None",
     .summary = "Test for each element whether it occurs in another array.",
     .notes = "NaN never matches.",
     .about = kSetAbout,
     .returns = "Boolean array in the shape of `element`.",
     .example = ">>> print(qn.isin([1, 2, 3], [2, 5]))\n[False  True False]",
     .call = [](const Arguments& a) -> Result { return call_isin(a); }},
    {.name = "in1d",
     .parameters = "ar1: array, ar2: array, assume_unique: bool = False, invert: bool = False, *, "
                   "kind: str = None",
     .summary = "Test for each element of the flattened array whether it occurs in another array.",
     .about = kSetAbout,
     .returns = "One-dimensional boolean array.",
     .example = ">>> print(qn.in1d([[1, 2], [3, 4]], [2, 5]))\n[False  True False False]",
     .call = [](const Arguments& a) -> Result { return reshape(call_isin(a), {-1}); }},
    {.name = "intersect1d",
     .parameters = "ar1: array, ar2: array, assume_unique: bool = False, return_indices: bool = False",
     .summary = "Intersection of two arrays: the sorted unique values that both contain.",
     .notes = kNotes,
     .about = kSetAbout,
     .returns = "The sorted values; with `return_indices` a tuple of them and two arrays of indices.",
     .type = "Any",
     .example = ">>> print(qn.intersect1d([3, 1, 2, 3], [3, 4, 1]))\n[1 3]",
     .call = [](const Arguments& a) -> Result {
       if (!a.flag(3)) return intersect1d(a.array(0), a.array(1));
       Intersection found = intersect1d_indices(a.array(0), a.array(1));
       return std::vector<Array>{found.values, found.first_indices, found.second_indices};
     }},
    {.name = "union1d",
     .parameters = "ar1: array, ar2: array",
     .summary = "Union of two arrays: the sorted unique values that either contains.",
     .notes = kNotes,
     .about = kSetAbout,
     .returns = "The values, as a one-dimensional array.",
     .example = ">>> print(qn.union1d([3, 1], [2, 3]))\n[1 2 3]",
     .call = [](const Arguments& a) -> Result { return union1d(a.array(0), a.array(1)); }},
    {.name = "setdiff1d",
     .parameters = "ar1: array, ar2: array, assume_unique: bool = False",
     .summary = "Set difference: the sorted unique values of `ar1` that are not in `ar2`.",
     .notes = kNotes,
     .about = kDifferenceAbout,
     .returns = "The values, as a one-dimensional array.",
     .example = ">>> print(qn.setdiff1d([3, 1, 2], [2, 5]))\n[1 3]",
     .call = [](const Arguments& a) -> Result { return setdiff1d(a.array(0), a.array(1), a.flag(2)); }},
    {.name = "setxor1d",
     .parameters = "ar1: array, ar2: array, assume_unique: bool = False",
     .summary = "Set exclusive-or: the sorted unique values that exactly one of the arrays contains.",
     .notes = kNotes,
     .about = kSetAbout,
     .returns = "The values, as a one-dimensional array.",
     .example = ">>> print(qn.setxor1d([3, 1, 2], [2, 5]))\n[1 3 5]",
     .call = [](const Arguments& a) -> Result { return setxor1d(a.array(0), a.array(1)); }},
};

}  // namespace

std::span<const Function> set_rows() {
  return kSetRows;
}

}  // namespace registry
}  // namespace quern
