// SPDX-License-Identifier: MIT
// Joining of arrays along an existing or a new axis, with NumPy's keywords.
#include <algorithm>
#include <string>
#include <vector>

#include "functions/output.hpp"
#include "functions/rows.hpp"
#include "quern/casting.hpp"
#include "quern/error.hpp"
#include "quern/manipulation.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

void check_casts(std::string_view function, std::span<const Array> arrays, const JoinOptions& options) {
  if (options.out && options.dtype)
    throw ArgumentError(ArgumentError::Kind::type,
                        std::string(function) + ": expected out or dtype, got both");
  if (!options.out && !options.dtype) return;
  const DType& wanted = options.out ? options.out->dtype() : *options.dtype;
  for (const Array& array : arrays) check_cast(function, array.dtype(), wanted, options.casting);
}

Array stored(std::string_view function, Array result, const JoinOptions& options) {
  return functions::written(
      function, std::move(result),
      {.array = functions::address(options.out), .casting = options.casting, .broadcasts = false});
}

Array joined(std::string_view function, std::span<const Array> arrays, std::optional<int> axis,
             const JoinOptions& options) {
  check_casts(function, arrays, options);
  return stored(function, concat(arrays, axis, options.dtype), options);
}

std::size_t depth_of(const Blocks& blocks) {
  if (blocks.array) return 0;
  std::size_t depth = 0;
  for (const Blocks& one : blocks.list) depth = std::max(depth, depth_of(one));
  return depth + 1;
}

std::size_t rank_of(const Blocks& blocks) {
  if (blocks.array) return blocks.array->shape().size();
  std::size_t rank = 0;
  for (const Blocks& one : blocks.list) rank = std::max(rank, rank_of(one));
  return rank;
}

// Blocks whose lists are nested `depth` deep, as an array of this rank.
Array joined(const Blocks& blocks, std::size_t depth, std::size_t rank) {
  const auto refuse = [](const char* text) { throw ArgumentError(ArgumentError::Kind::value, text); };
  if (blocks.array) {
    if (depth != 0) refuse("block: the lists must be nested equally deep");
    Shape shape(rank - blocks.array->shape().size(), 1);
    shape.insert(shape.end(), blocks.array->shape().begin(), blocks.array->shape().end());
    return reshape(*blocks.array, shape);
  }
  if (blocks.list.empty()) refuse("block: lists must not be empty");
  std::vector<Array> parts;
  for (const Blocks& one : blocks.list) parts.push_back(joined(one, depth - 1, rank));
  return concat(parts, -static_cast<int>(depth));
}

template <class F>
std::vector<Array> each(std::span<const Array> arrays, F&& change) {
  std::vector<Array> result;
  result.reserve(arrays.size());
  for (const Array& array : arrays) result.push_back(change(array));
  return result;
}

}  // namespace

Array concat(std::span<const Array> arrays, std::optional<int> axis, const JoinOptions& options) {
  return joined("concat", arrays, axis, options);
}

Array stack(std::span<const Array> arrays, int axis, const JoinOptions& options) {
  check_casts("stack", arrays, options);
  return stored("stack", stack(arrays, axis, options.dtype), options);
}

Array block(const Blocks& blocks) {
  const std::size_t depth = depth_of(blocks), rank = std::max(depth, rank_of(blocks));
  const Array result = joined(blocks, depth, rank);
  return depth == 0 ? copy(result) : result;
}

Array vstack(std::span<const Array> arrays, const JoinOptions& options) {
  return joined("vstack", each(arrays, atleast_2d), 0, options);
}

Array hstack(std::span<const Array> arrays, const JoinOptions& options) {
  const std::vector<Array> parts = each(arrays, atleast_1d);
  const bool are_vectors = parts.empty() || parts.front().shape().size() == 1;
  return joined("hstack", parts, are_vectors ? 0 : 1, options);
}

Array dstack(std::span<const Array> arrays) {
  return joined("dstack", each(arrays, atleast_3d), 2, {});
}

Array column_stack(std::span<const Array> arrays) {
  const auto column = [](const Array& x) {
    return x.shape().size() > 1 ? x : reshape(x, {static_cast<std::int64_t>(x.size()), 1});
  };
  return joined("column_stack", each(arrays, column), 1, {});
}

Array append(const Array& array, const Array& values, std::optional<int> axis) {
  const Array both[] = {array, values};
  return joined("append", both, axis, {});
}

namespace registry {
namespace {

const std::vector<Array>& listed(const Arguments& a) {
  if (a.arrays(0).empty())
    throw ArgumentError(ArgumentError::Kind::value,
                        std::string(a.function().name) + ": expected at least one array");
  return a.arrays(0);
}

constexpr std::string_view kArrays =
    "arrays: Sequence of arrays.\n"
    "tup: Sequence of arrays.\n"
    "axis: Axis to join along; None: flatten the arrays first.\n"
    "dtype: Dtype of the result; by default the arrays' dtypes are promoted.";

const Function kJoiningRows[] = {
    {.name = "concat",
     .aliases = "concatenate",
     .parameters = "arrays: arrays, /, axis: int | None = 0, out: out = None, *, dtype: dtype = None, "
                   "casting: str = 'same_kind'",
     .summary = "Join arrays along an existing axis.",
     .about = kArrays,
     .returns = "A new array, or `out`.",
     .example = ">>> print(qn.concat([[1, 2], [3]]))\n[1 2 3]",
     .call = [](const Arguments& a) -> Result {
       return concat(
           listed(a), a.axis(1),
           {.dtype = a.find<DType>(3), .out = a.find<Array>(2), .casting = casting_of(a.text(4), "concat")});
     }},
    {.name = "stack",
     .parameters = "arrays: arrays, axis: int = 0, out: out = None, *, dtype: dtype = None, "
                   "casting: str = 'same_kind'",
     .summary = "Join arrays of the same shape along a new axis.",
     .about = "arrays: Sequence of arrays.\n"
              "axis: Position of the new axis in the result.\n"
              "dtype: Dtype of the result; by default the arrays' dtypes are promoted.",
     .returns = "A new array, or `out`.",
     .example = ">>> print(qn.stack([[1, 2], [3, 4]], axis=1))\n[[1 3]\n [2 4]]",
     .call = [](const Arguments& a) -> Result {
       return stack(
           listed(a), *a.axis(1),
           {.dtype = a.find<DType>(3), .out = a.find<Array>(2), .casting = casting_of(a.text(4), "stack")});
     }},
    {.name = "vstack",
     .parameters = "tup: arrays, *, dtype: dtype = None, casting: str = 'same_kind'",
     .summary = "Stack arrays vertically, along the first axis; a vector becomes a row.",
     .about = kArrays,
     .returns = "A new array.",
     .example = ">>> print(qn.vstack([[1, 2], [3, 4]]))\n[[1 2]\n [3 4]]",
     .call = [](const Arguments& a) -> Result {
       return vstack(listed(a), {.dtype = a.find<DType>(1), .casting = casting_of(a.text(2), "vstack")});
     }},
    {.name = "hstack",
     .parameters = "tup: arrays, *, dtype: dtype = None, casting: str = 'same_kind'",
     .summary = "Stack arrays horizontally, along the second axis; vectors are joined end to end.",
     .about = kArrays,
     .returns = "A new array.",
     .example = ">>> print(qn.hstack([[1, 2], [3]]))\n[1 2 3]",
     .call = [](const Arguments& a) -> Result {
       return hstack(listed(a), {.dtype = a.find<DType>(1), .casting = casting_of(a.text(2), "hstack")});
     }},
    {.name = "dstack",
     .parameters = "tup: arrays",
     .summary = "Stack arrays depth-wise, along the third axis.",
     .about = kArrays,
     .returns = "A new array.",
     .example = ">>> print(qn.dstack([[1, 2], [3, 4]]))\n[[[1 3]\n  [2 4]]]",
     .call = [](const Arguments& a) -> Result { return dstack(listed(a)); }},
    {.name = "column_stack",
     .parameters = "tup: arrays",
     .summary = "Stack vectors as columns of a matrix; matrices are joined along the second axis.",
     .about = kArrays,
     .returns = "A new array.",
     .example = ">>> print(qn.column_stack([[1, 2], [3, 4]]))\n[[1 3]\n [2 4]]",
     .call = [](const Arguments& a) -> Result { return column_stack(listed(a)); }},
    {.name = "append",
     .parameters = "arr: array, values: array, axis: int = None",
     .summary = "Append values to the end of an array, in a copy.",
     .about = "arr: Input array, or anything that can be converted to one.\n"
              "values: Values to append.\n"
              "axis: Axis to join along; None: flatten both first.",
     .returns = "A new array.",
     .example = ">>> print(qn.append([1, 2], [[3], [4]]))\n[1 2 3 4]",
     .call = [](const Arguments& a) -> Result { return append(a.array(0), a.array(1), a.axis(2)); }},
};

}  // namespace

std::span<const Function> joining_rows() {
  return kJoiningRows;
}

}  // namespace registry
}  // namespace quern
