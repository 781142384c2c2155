// SPDX-License-Identifier: MIT
// Indices of parts of matrices, and conversion between flat and multi-dimensional indices.
#include <algorithm>
#include <string>

#include "array/build.hpp"
#include "array/write.hpp"
#include "base/text.hpp"
#include "functions/operands.hpp"
#include "functions/rows.hpp"
#include "quern/indexing.hpp"
#include "quern/reduce.hpp"

namespace quern {
namespace {

// The axes of a shape; throws if its number of elements overflows.
std::int64_t counted(std::string_view function, std::span<const std::int64_t> lengths) {
  if (lengths.empty())
    functions::value_error(std::string(function) + ": expected a shape with at least one axis, got ()");
  std::int64_t count = 1;
  for (const std::int64_t length : lengths)
    if (length < 0 || __builtin_mul_overflow(count, length, &count))
      functions::value_error(std::string(function) + ": too many elements in an array of shape " +
                             shape_text(lengths));
  return count;
}

Array as_positions(std::string_view function, const Array& given) {
  const bool is_nothing = given.size() == 0 && functions::is_floating(given.dtype());  // an empty list
  if (!is_nothing && !functions::is_integer(given.dtype()))
    functions::type_error(std::string(function) + ": indices must be integers, got " + given.dtype().name());
  return astype(given, functions::index_type());
}

// Throws if an index is out of bounds. Waits for the check.
void check_positions(std::string_view function, std::span<const Array> positions,
                     std::span<const std::int64_t> lengths) {
  std::optional<Array> is_wrong;
  for (std::size_t k = 0; k < positions.size(); ++k) {
    if (positions[k].size() == 0) continue;
    const Array outside = any(apply("logical_or", {positions[k] < 0, positions[k] >= Number(lengths[k])}));
    is_wrong = is_wrong ? apply("logical_or", {*is_wrong, outside}) : outside;
  }
  if (!is_wrong || !functions::truth_of(*is_wrong)) return;
  functions::value_error(std::string(function) + ": an index is out of bounds for the shape " +
                         shape_text(lengths));
}

}  // namespace

std::vector<Array> unravel_index(const Array& positions, std::span<const std::int64_t> lengths,
                                 bool in_fortran_order) {
  const std::int64_t count = counted("unravel_index", lengths);
  Array rest = as_positions("unravel_index", positions);
  check_positions("unravel_index", {&rest, 1}, {&count, 1});
  std::vector<Array> parts(lengths.size(), rest);
  for (std::size_t k = 0; k + 1 < lengths.size(); ++k) {
    const std::size_t axis = in_fortran_order ? k : lengths.size() - 1 - k;
    parts[axis] = apply("remainder", {rest, lengths[axis]});
    rest = apply("floor_divide", {rest, lengths[axis]});
  }
  parts[in_fortran_order ? lengths.size() - 1 : 0] = rest;
  return parts;
}

Array ravel_multi_index(std::span<const Array> positions, std::span<const std::int64_t> lengths,
                        std::span<const IndexMode> modes, bool in_fortran_order) {
  static_cast<void>(counted("ravel_multi_index", lengths));
  if (positions.size() != lengths.size())
    functions::value_error("ravel_multi_index: " + std::to_string(positions.size()) + " indices for " +
                           std::to_string(lengths.size()) + " axes");
  if (modes.size() != lengths.size())
    functions::value_error("ravel_multi_index: " + std::to_string(modes.size()) + " modes for " +
                           std::to_string(lengths.size()) + " axes");
  std::vector<Array> inside, checked;
  std::vector<std::int64_t> checked_lengths;
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    const Array one = as_positions("ravel_multi_index", positions[k]);
    if (modes[k] == IndexMode::raise) {
      checked.push_back(one);
      checked_lengths.push_back(lengths[k]);
    }
    inside.push_back(modes[k] == IndexMode::wrap ? apply("remainder", {one, lengths[k]})
                     : modes[k] == IndexMode::clip
                         ? apply("minimum", {apply("maximum", {one, 0}), lengths[k] - 1})
                         : one);
  }
  check_positions("ravel_multi_index", checked, checked_lengths);
  std::vector<std::int64_t> order(lengths.begin(), lengths.end());
  if (in_fortran_order) {
    std::reverse(order.begin(), order.end());
    std::reverse(inside.begin(), inside.end());
  }
  Array result = inside[0];
  for (std::size_t k = 1; k < inside.size(); ++k) result = result * Number(order[k]) + inside[k];
  return result;
}

std::vector<Array> triangle_indices(const Queue& queue, std::int64_t rows, std::int64_t columns,
                                    std::int64_t offset, bool is_lower) {
  const std::int64_t most = rows < 0 || columns < 0 ? 0 : rows + columns;
  const Shape shape = {std::max<std::int64_t>(rows, 0), std::max<std::int64_t>(columns, 0)};
  const Array row = reshape(arange(queue, 0, 1, shape[0], functions::index_type()), {shape[0], 1});
  const Array column = arange(queue, 0, 1, shape[1], functions::index_type());
  const Number limit = std::clamp(offset, -most - 1, most + 1);
  const Array distance = broadcast_to(column - row, shape);
  return nonzero_indices(is_lower ? distance <= limit : distance >= limit);
}

namespace {

std::vector<Array> triangle_of(std::string_view function, const Array& array, std::int64_t offset,
                               bool is_lower) {
  const Shape& shape = array.shape();
  if (shape.size() != 2)
    functions::value_error(std::string(function) + ": expected two dimensions, got " +
                           std::to_string(shape.size()));
  return triangle_indices(array::queue_of(array, nullptr), shape[0], shape[1], offset, is_lower);
}

}  // namespace

std::vector<Array> tril_indices(const Queue& queue, std::int64_t n, std::int64_t k,
                                std::optional<std::int64_t> m) {
  return triangle_indices(queue, n, m.value_or(n), k, true);
}

std::vector<Array> triu_indices(const Queue& queue, std::int64_t n, std::int64_t k,
                                std::optional<std::int64_t> m) {
  return triangle_indices(queue, n, m.value_or(n), k, false);
}

std::vector<Array> tril_indices_from(const Array& array, std::int64_t k) {
  return triangle_of("tril_indices_from", array, k, true);
}

std::vector<Array> triu_indices_from(const Array& array, std::int64_t k) {
  return triangle_of("triu_indices_from", array, k, false);
}

std::vector<Array> diag_indices(const Queue& queue, std::int64_t n, std::int64_t ndim) {
  const auto axes = static_cast<std::size_t>(std::clamp<std::int64_t>(ndim, 0, 64));
  return std::vector<Array>(axes, arange(queue, 0, 1, std::max<std::int64_t>(n, 0), functions::index_type()));
}

std::vector<Array> diag_indices_from(const Array& array) {
  const Shape& shape = array.shape();
  if (shape.size() < 2)
    functions::value_error("diag_indices_from: expected at least two dimensions, got " +
                           std::to_string(shape.size()));
  for (const std::int64_t length : shape)
    if (length != shape[0])
      functions::value_error("diag_indices_from: the axes have different lengths: " + shape_text(shape));
  return diag_indices(array::queue_of(array, nullptr), shape[0], static_cast<std::int64_t>(shape.size()));
}

namespace registry {
namespace {

bool is_fortran_index(const Arguments& a, std::size_t k) {
  const std::string_view order = a.text(k);
  if (order != "C" && order != "F")
    functions::value_error(std::string(a.function().name) + ": order must be 'C' or 'F', got '" +
                           std::string(order) + "'");
  return order == "F";
}

Result call_ravel(const Arguments& a) {
  const std::vector<std::int64_t> lengths = a.integers(1);
  std::vector<IndexMode> modes;
  if (a.is<std::string>(2)) {
    modes.assign(a.arrays(0).size(), index_mode_of(a.text(2), "ravel_multi_index"));
  } else {
    for (const std::string& mode : a.get<std::vector<std::string>>(2))
      modes.push_back(index_mode_of(mode, "ravel_multi_index"));
  }
  if (modes.empty()) functions::value_error("ravel_multi_index: expected indices along at least one axis");
  return ravel_multi_index(a.arrays(0), lengths, modes, is_fortran_index(a, 3));
}

using Triangle = std::vector<Array> (*)(const Queue&, std::int64_t, std::int64_t,
                                        std::optional<std::int64_t>);
template <Triangle indices>
Result call_triangle(const Arguments& a) {
  return indices(a.queue(), a.integer(0), a.integer(1), a.find<std::int64_t>(2));
}

template <std::vector<Array> (*indices)(const Array&, std::int64_t)>
Result call_triangle_from(const Arguments& a) {
  return indices(a.array(0), a.integer(1));
}

constexpr std::string_view kTriangle =
    "n: Number of rows.\n"
    "k: Offset of the diagonal from the main one: positive above it, negative below.\n"
    "m: Number of columns; as many as rows by default.";
constexpr std::string_view kTriangleFrom =
    "arr: A matrix.\n"
    "k: Offset of the diagonal from the main one: positive above it, negative below.";

const Function kIndexTrickRows[] = {
    {.name = "unravel_index",
     .parameters = "indices: array, shape: ints, order: str = 'C'",
     .summary = "Convert flat indices to a tuple of indices for each axis; waits to check them.",
     .about = "indices: Indices into the flattened array.\n"
              "shape: Shape of the array that is indexed.\n"
              "order: 'C': the last axis varies fastest; 'F': the first axis does.",
     .returns = "int64 indices, one array for each axis.",
     .type = "tuple[Array, ...]",
     .example = ">>> print(*qn.unravel_index([5, 2], (2, 3)))\n[1 0] [2 2]",
     .call = [](const Arguments& a) -> Result {
       return unravel_index(a.array(0), a.integers(1), is_fortran_index(a, 2));
     }},
    {.name = "ravel_multi_index",
     .parameters = "multi_index: arrays, dims: ints, mode: str | texts = 'raise', order: str = 'C'",
     .summary = "Convert a tuple of indices for each axis to flat indices.",
     .notes = "With mode 'raise' the call waits to check the indices.",
     .about = "multi_index: Integer indices, one array for each axis.\n"
              "dims: Shape of the array that is indexed.\n"
              "mode: How to treat out-of-bounds indices: 'raise' an error, 'wrap' around, or 'clip' to the "
              "range; one mode, or one for each axis.\n"
              "order: 'C': the last axis varies fastest; 'F': the first axis does.",
     .returns = "Flat indices as int64.",
     .example = ">>> print(qn.ravel_multi_index([[1, 0], [2, 2]], (2, 3)))\n[5 2]",
     .call = call_ravel},
    {.name = "diag_indices",
     .parameters = "n: int, ndim: int = 2",
     .summary = "Indices of the main diagonal of an array of shape (n, ..., n).",
     .about = "n: Length of each axis.\n"
              "ndim: Number of axes.",
     .returns = "int64 indices, one array for each axis.",
     .type = "tuple[Array, ...]",
     .example = ">>> print(*qn.diag_indices(3))\n[0 1 2] [0 1 2]",
     .call = [](const Arguments& a) -> Result {
       return diag_indices(a.queue(), a.integer(0), a.integer(1));
     }},
    {.name = "diag_indices_from",
     .parameters = "arr: array",
     .summary = "Indices of the main diagonal of a given array.",
     .about = "arr: Array of at least two dimensions, whose axes have the same length.",
     .returns = "int64 indices, one array for each axis.",
     .type = "tuple[Array, ...]",
     .example = ">>> print(*qn.diag_indices_from(qn.ones((2, 2))))\n[0 1] [0 1]",
     .call = [](const Arguments& a) -> Result { return diag_indices_from(a.array(0)); }},
    {.name = "tril_indices",
     .parameters = "n: int, k: offset = 0, m: int = None",
     .summary = "Indices of the lower triangle of an (n, m) matrix.",
     .about = kTriangle,
     .returns = "Row and column indices as int64.",
     .type = "tuple[Array, ...]",
     .example = ">>> print(*qn.tril_indices(2))\n[0 1 1] [0 0 1]",
     .call = call_triangle<&tril_indices>},
    {.name = "triu_indices",
     .parameters = "n: int, k: offset = 0, m: int = None",
     .summary = "Indices of the upper triangle of an (n, m) matrix.",
     .about = kTriangle,
     .returns = "Row and column indices as int64.",
     .type = "tuple[Array, ...]",
     .example = ">>> print(*qn.triu_indices(2))\n[0 0 1] [0 1 1]",
     .call = call_triangle<&triu_indices>},
    {.name = "tril_indices_from",
     .parameters = "arr: array, k: offset = 0",
     .summary = "Indices of the lower triangle of a given matrix.",
     .about = kTriangleFrom,
     .returns = "Row and column indices as int64.",
     .type = "tuple[Array, ...]",
     .example = ">>> print(*qn.tril_indices_from([[1, 2], [3, 4]]))\n[0 1 1] [0 0 1]",
     .call = call_triangle_from<&tril_indices_from>},
    {.name = "triu_indices_from",
     .parameters = "arr: array, k: offset = 0",
     .summary = "Indices of the upper triangle of a given matrix.",
     .about = kTriangleFrom,
     .returns = "Row and column indices as int64.",
     .type = "tuple[Array, ...]",
     .example = ">>> print(*qn.triu_indices_from([[1, 2], [3, 4]]))\n[0 0 1] [0 1 1]",
     .call = call_triangle_from<&triu_indices_from>},
};

}  // namespace

std::span<const Function> index_trick_rows() {
  return kIndexTrickRows;
}

}  // namespace registry
}  // namespace quern
