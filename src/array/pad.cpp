// SPDX-License-Identifier: MIT
// Pads arrays with numbers or with their own elements.
#include <algorithm>
#include <string>
#include <utility>

#include "array/build.hpp"
#include "array/gather_nd.hpp"
#include "array/write.hpp"
#include "quern/error.hpp"
#include "quern/manipulation.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

Shape padded_shape(const Array& array, const PadWidths& widths) {
  if (widths.size() != array.shape().size())
    throw ArgumentError(ArgumentError::Kind::value, "pad: " + std::to_string(widths.size()) +
                                                        " pairs of widths for an array of " +
                                                        std::to_string(array.shape().size()) + " dimensions");
  Shape shape = array.shape();
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (widths[d].first < 0 || widths[d].second < 0)
      throw ArgumentError(ArgumentError::Kind::value, "pad: widths must not be negative");
    shape[d] += widths[d].first + widths[d].second;
  }
  return shape;
}

// Returns the index of the element that is repeated at position `at`, which may lie outside the array.
std::int64_t source_of(std::int64_t at, std::int64_t length, Padding padding) {
  const auto modulo = [at](std::int64_t period) { return (at % period + period) % period; };
  switch (padding) {
    case Padding::edge:
      return std::clamp<std::int64_t>(at, 0, length - 1);
    case Padding::wrap:
      return modulo(length);
    case Padding::symmetric:
      return std::min(modulo(2 * length), 2 * length - 1 - modulo(2 * length));
    case Padding::reflect:
      break;
  }
  const std::int64_t period = std::max<std::int64_t>(2 * (length - 1), 1);
  return std::min(modulo(period), period - modulo(period)) % length;
}

Array positions_along(std::int64_t length, std::pair<std::int64_t, std::int64_t> width, Padding padding,
                      const Queue& queue) {
  const auto values = std::make_shared<std::vector<std::int64_t>>();
  for (std::int64_t at = -width.first; at < length + width.second; ++at)
    values->push_back(source_of(at, length, padding));
  Array result = empty(queue, {static_cast<std::int64_t>(values->size())}, DType::of(Scalar::int64));
  result.set(queue, values->data(), {}, values);
  return result;
}

Array middle_of(const Array& padded, const Array& array, const PadWidths& widths) {
  std::vector<Index> index;
  for (std::size_t d = 0; d < widths.size(); ++d)
    index.push_back(Index::slice(widths[d].first, widths[d].first + array.shape()[d]));
  return view(padded, index);
}

}  // namespace

Array pad(const Array& array, const PadWidths& widths, Padding padding, const Queue* queue) {
  const Shape shape = padded_shape(array, widths);
  const Queue user = array::queue_of(array, queue);
  Strides strides = array.evaluate().strides;
  std::vector<array::Selector> selectors;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == array.shape()[d]) continue;
    if (array.shape()[d] == 0)
      throw ArgumentError(ArgumentError::Kind::value,
                          "pad: axis " + std::to_string(d) + " has no elements to pad with");
    const Array along = positions_along(array.shape()[d], widths[d], padding, user);
    Strides steps(shape.size(), 0);
    steps[d] = along.strides()[0];
    selectors.push_back({Array(along.buffer(), along.dtype(), shape, std::move(steps), 0),
                         {{array.shape()[d], strides[d]}},
                         false,
                         d});
    strides[d] = 0;
  }
  const Array result = empty(user, shape, array.dtype());
  if (result.size() == 0) return result;
  if (selectors.empty()) return copy(array, &user);
  array::gather_nd(Array(array.buffer(), array.dtype(), shape, std::move(strides), array.offset()), selectors,
                   result, user);
  return result;
}

Array pad(const Array& array, const PadWidths& widths, std::span<const std::pair<Number, Number>> values,
          const Queue* queue) {
  const Shape shape = padded_shape(array, widths);
  if (values.size() != widths.size())
    throw ArgumentError(ArgumentError::Kind::value, "pad: " + std::to_string(values.size()) +
                                                        " pairs of values for " +
                                                        std::to_string(widths.size()) + " axes");
  const Queue user = array::queue_of(array, queue);
  const Array result = empty(user, shape, array.dtype());
  // The last axis comes last, so its values fill the corners.
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::vector<Index> index(d, Index::slice());
    index.push_back(Index::slice(0, widths[d].first));
    if (widths[d].first != 0) assign(view(result, index), values[d].first, &user);
    index.back() = Index::slice(shape[d] - widths[d].second, shape[d]);
    if (widths[d].second != 0) assign(view(result, index), values[d].second, &user);
  }
  if (array.size() != 0) assign(middle_of(result, array, widths), array, &user);
  return result;
}

}  // namespace quern
