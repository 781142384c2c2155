// SPDX-License-Identifier: MIT
// Packing of booleans into the bits of bytes, and unpacking.
#include "quern/bits.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "functions/operands.hpp"
#include "functions/rows.hpp"
#include "quern/manipulation.hpp"
#include "quern/reduce.hpp"

namespace quern {
namespace {

using functions::value_error;

DType byte_type() {
  return DType::of(Scalar::uint8);
}

// The shift of each bit of a byte, in the order along the axis.
Array shifts(const Queue& queue, BitOrder order) {
  std::vector<std::uint8_t> places(8);
  for (std::size_t k = 0; k < 8; ++k)
    places[k] = static_cast<std::uint8_t>(order == BitOrder::big ? 7 - k : k);
  return asarray(queue, places);
}

// The array with the axis last; flattened if no axis is given.
Array with_axis_last(const Array& array, std::optional<int> axis) {
  if (!axis) return functions::flattened(array);
  const auto at = static_cast<int>(checked_axis(*axis, array.shape().size()));
  return moveaxis(array, {at}, {-1});
}

Array with_axis_back(const Array& array, std::optional<int> axis, std::size_t rank) {
  if (!axis) return array;
  return moveaxis(array, {-1}, {static_cast<int>(checked_axis(*axis, rank))});
}

}  // namespace

Array packbits(const Array& a, std::optional<int> axis, BitOrder order) {
  if (!functions::is_boolean(a.dtype()) && !functions::is_integer(a.dtype()))
    functions::type_error("packbits: expected integers or booleans, got " + a.dtype().name());
  const Array x = with_axis_last(apply("not_equal", {a, 0}), axis);
  const std::int64_t length = x.shape().back(), bytes = (length + 7) / 8;
  PadWidths widths(x.shape().size());
  widths.back().second = bytes * 8 - length;
  const std::vector nothing(widths.size(), std::pair(Number(false), Number(false)));
  Shape shape = x.shape();
  shape.back() = bytes;
  shape.push_back(8);
  const Array bits = reshape(bytes * 8 == length ? x : pad(x, widths, nothing), std::move(shape));
  const Array placed = apply("left_shift", {astype(bits, byte_type()), shifts(a.queue(), order)});
  return with_axis_back(sum(placed, {.over = -1, .dtype = byte_type()}), axis, a.shape().size());
}

Array unpackbits(const Array& a, std::optional<int> axis, std::optional<std::int64_t> count, BitOrder order) {
  if (!(a.dtype() == byte_type()))
    functions::type_error("unpackbits: expected elements of uint8, got " + a.dtype().name());
  const Array x = with_axis_last(a, axis);
  const std::int64_t most = x.shape().back() * 8;
  const std::int64_t wanted = !count ? most : *count < 0 ? most + *count : *count;
  if (wanted < 0)
    value_error("unpackbits: count: " + std::to_string(*count) + " bits cannot be omitted from " +
                std::to_string(most));
  Shape shape = x.shape();
  shape.back() = most;
  const Array each = view(x, {Index::ellipsis(), Index::new_axis()});
  const Array bits = apply("bitwise_and", {apply("right_shift", {each, shifts(a.queue(), order)}), 1});
  Array result = reshape(bits, std::move(shape));
  if (wanted < most) result = view(result, {Index::ellipsis(), Index::slice(0, wanted)});
  if (wanted > most) {
    PadWidths widths(x.shape().size());
    widths.back().second = wanted - most;
    result = pad(result, widths, std::vector(widths.size(), std::pair(Number(0), Number(0))));
  }
  return with_axis_back(result, axis, a.shape().size());
}

namespace registry {
namespace {

BitOrder bit_order(const Arguments& a, std::size_t k) {
  if (a.text(k) == "big") return BitOrder::big;
  if (a.text(k) == "little") return BitOrder::little;
  value_error(std::string(a.function().name) + ": bitorder must be 'big' or 'little', got '" +
              std::string(a.text(k)) + "'");
}

constexpr std::string_view kBitOrder =
    "bitorder: 'big': the first element is the most significant bit; 'little': the least "
    "significant.";

const Function kBitRows[] = {
    {.name = "packbits",
     .parameters = "a: array, /, axis: int = None, bitorder: str = 'big'",
     .summary = "Pack the elements, as bits that are set where they are nonzero, into a uint8 array.",
     .notes = "The last byte is padded with zero bits.",
     .about = kBitOrder,
     .returns = "Array of uint8 with an eighth as many elements along the axis, rounded up.",
     .example = ">>> print(qn.packbits([1, 0, 1, 0, 0, 0, 0, 1, 1]))\n[161 128]",
     .call = [](const Arguments& a) -> Result { return packbits(a.array(0), a.axis(1), bit_order(a, 2)); }},
    {.name = "unpackbits",
     .parameters = "a: array, /, axis: int = None, count: int = None, bitorder: str = 'big'",
     .summary = "Unpack the bits of a uint8 array into elements that are 0 or 1.",
     .about = "a: Input array of dtype uint8.\n"
              "count: Number of bits to unpack along the axis, padded with 0; a negative number drops bits "
              "from the end.\n"
              "bitorder: 'big': the first element is the most significant bit; 'little': the least "
              "significant.",
     .returns = "Array of uint8 with eight times as many elements along the axis, or `count`.",
     .example = ">>> print(qn.unpackbits(qn.asarray([161], 'uint8')))\n[1 0 1 0 0 0 0 1]",
     .call = [](const Arguments& a) -> Result {
       return unpackbits(a.array(0), a.axis(1), a.find<std::int64_t>(2), bit_order(a, 3));
     }},
};

}  // namespace

std::span<const Function> bit_rows() {
  return kBitRows;
}

}  // namespace registry
}  // namespace quern
