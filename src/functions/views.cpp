// SPDX-License-Identifier: MIT
// Views with other axes: moved, swapped, rotated, added, removed, broadcast.
#include "quern/views.hpp"

#include <string>
#include <utility>
#include <vector>

#include "codegen/index_space.hpp"
#include "functions/refuse.hpp"
#include "functions/rows.hpp"
#include "quern/error.hpp"
#include "quern/manipulation.hpp"

namespace quern {
namespace {

using functions::refuse;

Array with_rank(const Array& array, std::size_t rank) {
  const std::size_t own = array.shape().size();
  if (own >= rank) return array;
  const auto size = static_cast<std::int64_t>(array.size());
  if (rank == 1) return reshape(array, {1});
  if (rank == 2) return reshape(array, {1, size});
  if (own == 2) return view(array, {Index::ellipsis(), Index::new_axis()});
  return reshape(array, {1, size, 1});
}

}  // namespace

Array swapaxes(const Array& array, int axis1, int axis2) {
  const std::size_t rank = array.shape().size();
  const std::size_t first = checked_axis(axis1, rank), second = checked_axis(axis2, rank);
  InlineVector<int, 4> axes;
  for (std::size_t d = 0; d < rank; ++d) axes.push_back(static_cast<int>(d));
  std::swap(axes[first], axes[second]);
  return rank == 0 ? array : permute_dims(array, {axes.data(), axes.size()});
}

Array transpose(const Array& array) {
  return permute_dims(array);
}

Array matrix_transpose(const Array& array) {
  const std::size_t rank = array.shape().size();
  if (rank < 2) refuse("matrix_transpose: expected at least two dimensions, got " + std::to_string(rank));
  return swapaxes(array, -1, -2);
}

Array rollaxis(const Array& array, int axis, int start) {
  const std::size_t rank = array.shape().size();
  const auto from = static_cast<int>(checked_axis(axis, rank)), count = static_cast<int>(rank);
  const int to = start < 0 ? start + count : start;
  if (to < 0 || to > count) throw AxisError(start, rank + 1);
  return moveaxis(array, {from}, {from < to ? to - 1 : to});
}

Array rot90(const Array& array, std::int64_t k, std::pair<int, int> axes) {
  const std::size_t rank = array.shape().size();
  const auto first = static_cast<int>(checked_axis(axes.first, rank)),
             second = static_cast<int>(checked_axis(axes.second, rank));
  if (first == second) refuse("rot90: the axes must be two");
  switch ((k % 4 + 4) % 4) {
    case 0:
      return view(array, {Index::ellipsis()});
    case 1:
      return flip(swapaxes(array, first, second), Axes{first});
    case 2:
      return flip(array, Axes{first, second});
    default:
      return swapaxes(flip(array, Axes{first}), first, second);
  }
}

Array atleast_1d(const Array& array) {
  return with_rank(array, 1);
}

Array atleast_2d(const Array& array) {
  return with_rank(array, 2);
}

Array atleast_3d(const Array& array) {
  return with_rank(array, 3);
}

std::vector<Array> broadcast_arrays(std::span<const Array> arrays) {
  std::vector<codegen::View> views;
  for (const Array& array : arrays) views.push_back({array.shape(), {}});
  std::vector<Array> result;
  if (arrays.empty()) return result;
  const Shape shape = codegen::broadcast_shapes(views, "broadcast_arrays");
  for (const Array& array : arrays)
    result.push_back(array.shape() == shape ? array : broadcast_to(array, shape));
  return result;
}

Array sliding_window_view(const Array& x, std::span<const std::int64_t> window,
                          const std::optional<Axes>& axes) {
  const std::string name = "sliding_window_view: ";
  std::vector<std::size_t> along;
  if (axes)
    for (const int axis : *axes) along.push_back(checked_axis(axis, x.shape().size()));
  else
    for (std::size_t d = 0; d < x.shape().size(); ++d) along.push_back(d);
  if (along.size() != window.size())
    refuse(name + std::to_string(window.size()) + " lengths of a window for " + std::to_string(along.size()) +
           " axes");
  Shape shape = x.shape();
  const ArrayMemory& memory = x.evaluate();
  Strides strides = memory.strides;
  for (std::size_t k = 0; k < window.size(); ++k) {
    if (window[k] < 0) refuse(name + "lengths of a window must not be negative");
    if (window[k] > shape[along[k]])
      refuse(name + "the window is longer than axis " + std::to_string(along[k]));
    shape[along[k]] -= window[k] - 1;
    shape.push_back(window[k]);
    strides.push_back(memory.strides[along[k]]);
  }
  return {memory.buffer, x.dtype(), std::move(shape), std::move(strides), memory.offset};
}

namespace registry {
namespace {

template <Array (*function)(const Array&)>
Result call_each(const Arguments& a) {
  std::vector<Array> results;
  for (const Array& array : a.arrays(0)) results.push_back(function(array));
  if (results.size() == 1) return results.front();
  return results;
}

constexpr std::string_view kSource =
    "source: Axis to move, or a sequence of them.\n"
    "destination: New position of each axis, as many as in `source`.";

const Function kViewRows[] = {
    {.name = "permute_dims",
     .aliases = "transpose",
     .parameters = "a: array, axes: ints = None",
     .summary = "Permute the axes of an array; by default they are reversed.",
     .about = "axes: Axis i of the result is axis axes[i] of the array. None: reverse the axes.",
     .returns = "A view of the array.",
     .example = ">>> print(qn.permute_dims(qn.ones((2, 3, 4)), (2, 0, 1)).shape)\n(4, 2, 3)",
     .call = [](const Arguments& a) -> Result {
       const auto axes = a.axes(1);
       if (axes && axes->size() != a.array(0).shape().size())
         refuse("transpose: " + std::to_string(axes->size()) + " axes for an array of " +
                std::to_string(a.array(0).shape().size()) + " dimensions");
       return permute_dims(a.array(0), axes ? std::span<const int>(*axes) : std::span<const int>());
     }},
    {.name = "matrix_transpose",
     .parameters = "x: array, /",
     .summary = "Swap the last two axes.",
     .returns = "A view of the array.",
     .example = ">>> print(qn.matrix_transpose(qn.ones((5, 2, 3))).shape)\n(5, 3, 2)",
     .call = [](const Arguments& a) -> Result { return matrix_transpose(a.array(0)); }},
    {.name = "swapaxes",
     .parameters = "a: array, axis1: int, axis2: int",
     .summary = "Swap two axes.",
     .about = "axis1: First axis.\n"
              "axis2: Second axis.",
     .returns = "A view of the array.",
     .example = ">>> print(qn.swapaxes(qn.ones((2, 3, 4)), 0, 2).shape)\n(4, 3, 2)",
     .is_method = true,
     .call = [](const Arguments& a) -> Result { return swapaxes(a.array(0), *a.axis(1), *a.axis(2)); }},
    {.name = "moveaxis",
     .parameters = "a: array, source: ints, destination: ints",
     .summary = "Move axes to new positions; the other axes keep their order.",
     .about = kSource,
     .returns = "A view of the array.",
     .example = ">>> print(qn.moveaxis(qn.ones((2, 3, 4)), 0, -1).shape)\n(3, 4, 2)",
     .call = [](const Arguments& a) -> Result { return moveaxis(a.array(0), *a.axes(1), *a.axes(2)); }},
    {.name = "rollaxis",
     .parameters = "a: array, axis: int, start: int = 0",
     .summary = "Move an axis before another one.",
     .about = "axis: Axis to move.\n"
              "start: The axis is moved before this one; a.ndim moves it to the end.",
     .returns = "A view of the array.",
     .example = ">>> print(qn.rollaxis(qn.ones((2, 3, 4)), 2).shape)\n(4, 2, 3)",
     .call = [](const Arguments& a) -> Result { return rollaxis(a.array(0), *a.axis(1), *a.axis(2)); }},
    {.name = "squeeze",
     .parameters = "a: array, axis: ints = None",
     .summary = "Remove axes of length 1.",
     .about = "axis: Axes to remove; None: all of length 1.",
     .returns = "A view of the array.",
     .example = ">>> print(qn.squeeze(qn.ones((1, 3, 1)), axis=0).shape)\n(3, 1)",
     .is_method = true,
     .call = [](const Arguments& a) -> Result {
       const Array& x = a.array(0);
       // As in NumPy, a 0-d array has an axis here.
       if (x.shape().empty() && a.is<std::int64_t>(1) && (a.integer(1) == 0 || a.integer(1) == -1))
         return squeeze(x);
       return squeeze(x, a.axes(1));
     }},
    {.name = "expand_dims",
     .parameters = "a: array, axis: ints = 0",
     .summary = "Insert axes of length 1.",
     .about = "axis: Positions of the new axes in the result.",
     .returns = "A view of the array.",
     .example = ">>> print(qn.expand_dims(qn.ones(3), (0, 2)).shape)\n(1, 3, 1)",
     .call = [](const Arguments& a) -> Result { return expand_dims(a.array(0), *a.axes(1)); }},
    {.name = "atleast_1d",
     .parameters = "*arys: array",
     .summary = "View inputs as arrays of at least one dimension.",
     .about = "arys: Arrays, or anything that can be converted to them.",
     .returns = "The array; a tuple if there are several arguments.",
     .type = "Any",
     .example = ">>> print(qn.atleast_1d(3).shape)\n(1,)",
     .call = call_each<atleast_1d>},
    {.name = "atleast_2d",
     .parameters = "*arys: array",
     .summary = "View inputs as arrays of at least two dimensions; a vector becomes a row.",
     .about = "arys: Arrays, or anything that can be converted to them.",
     .returns = "The array; a tuple if there are several arguments.",
     .type = "Any",
     .example = ">>> print(qn.atleast_2d([1, 2]).shape)\n(1, 2)",
     .call = call_each<atleast_2d>},
    {.name = "atleast_3d",
     .parameters = "*arys: array",
     .summary = "View inputs as arrays of at least three dimensions; a matrix gets a new last axis.",
     .about = "arys: Arrays, or anything that can be converted to them.",
     .returns = "The array; a tuple if there are several arguments.",
     .type = "Any",
     .example = ">>> print(qn.atleast_3d([[1, 2]]).shape)\n(1, 2, 1)",
     .call = call_each<atleast_3d>},
    {.name = "flip",
     .parameters = "m: array, axis: ints = None",
     .summary = "Reverse the order of elements along axes.",
     .about = "axis: Axes to reverse; negative values count from the last axis. None: all of them.",
     .returns = "A view of the array.",
     .example = ">>> print(qn.flip([[1, 2], [3, 4]], axis=1))\n[[2 1]\n [4 3]]",
     .call = [](const Arguments& a) -> Result { return flip(a.array(0), a.axes(1)); }},
    {.name = "fliplr",
     .parameters = "m: array",
     .summary = "Reverse the order of elements along the second axis (left to right).",
     .returns = "A view of the array.",
     .example = ">>> print(qn.fliplr([[1, 2], [3, 4]]))\n[[2 1]\n [4 3]]",
     .call = [](const Arguments& a) -> Result { return flip(a.array(0), Axes{1}); }},
    {.name = "flipud",
     .parameters = "m: array",
     .summary = "Reverse the order of elements along the first axis (up to down).",
     .returns = "A view of the array.",
     .example = ">>> print(qn.flipud([[1, 2], [3, 4]]))\n[[3 4]\n [1 2]]",
     .call = [](const Arguments& a) -> Result { return flip(a.array(0), Axes{0}); }},
    {.name = "rot90",
     .parameters = "m: array, k: int = 1, axes: ints = (0, 1)",
     .summary = "Rotate an array by multiples of 90 degrees in the plane of two axes.",
     .about = "k: Number of rotations by 90 degrees.\n"
              "axes: Plane of rotation; the direction is from the first axis towards the second.",
     .returns = "A view of the array.",
     .example = ">>> print(qn.rot90([[1, 2], [3, 4]]))\n[[2 4]\n [1 3]]",
     .call = [](const Arguments& a) -> Result {
       const std::vector<int> axes = *a.axes(2);
       if (axes.size() != 2) refuse("rot90: the axes must be two");
       return rot90(a.array(0), a.integer(1), {axes[0], axes[1]});
     }},
    {.name = "broadcast_to",
     .parameters = "array: array, shape: ints, subok: bool = False",
     .summary = "Broadcast an array to a shape.",
     .about = "shape: Shape of the result.",
     .returns =
         "A read-only view, since several of its elements may refer to one memory location. If the array is "
         "lazy, the result is lazy, too.",
     .example = ">>> print(qn.broadcast_to([1, 2], (2, 2)))\n[[1 2]\n [1 2]]",
     .call = [](const Arguments& a) -> Result {
       const Array view = broadcast_to(a.array(0), Shape(a.integers(1)));
       return view.in_memory() ? read_only(view) : view;
     }},
    {.name = "lib.stride_tricks.sliding_window_view",
     .parameters = "x: array, window_shape: ints, axis: ints = None, *, subok: bool = False, "
                   "writeable: bool = False",
     .summary = "Sliding window view of an array: windows of a given shape at all positions.",
     .about = "window_shape: Length of the window along each axis.\n"
              "axis: Axes that the window slides along; None: all of them.\n"
              "writeable: Accepted for compatibility with NumPy; do not write to overlapping windows.",
     .returns = "A view; the axes of the windows come last.",
     .example =
         ">>> print(qn.lib.stride_tricks.sliding_window_view(qn.arange(4), 2))\n[[0 1]\n [1 2]\n [2 3]]",
     .call = [](const Arguments& a) -> Result {
       return sliding_window_view(a.array(0), a.integers(1), a.axes(2));
     }},
    {.name = "broadcast_arrays",
     .parameters = "*args: array, subok: bool = False",
     .summary = "Broadcast arrays against each other.",
     .about = "args: Arrays to broadcast.",
     .returns = "Views of the common broadcast shape.",
     .type = "tuple[Array, ...]",
     .example = ">>> print(qn.broadcast_arrays([1, 2], [[3], [4]])[0])\n[[1 2]\n [1 2]]",
     .call = [](const Arguments& a) -> Result { return broadcast_arrays(a.arrays(0)); }},
};

}  // namespace

std::span<const Function> view_rows() {
  return kViewRows;
}

}  // namespace registry
}  // namespace quern
