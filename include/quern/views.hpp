// SPDX-License-Identifier: MIT
// Views: other shapes and strides of the same elements. Writes to a view change the array.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "quern/api.hpp"
#include "quern/array.hpp"

namespace QUERN_API quern {

// One part of an index, as in a[2, 1:8:2, ..., None].
class Index {
 public:
  enum class Kind : std::uint8_t { integer, slice, ellipsis, new_axis };
  Index(std::int64_t at) : kind_(Kind::integer), start_(at) {}
  static Index slice(std::optional<std::int64_t> start = {}, std::optional<std::int64_t> stop = {},
                     std::int64_t step = 1) {
    Index index(Kind::slice);
    index.start_ = start;
    index.stop_ = stop;
    index.step_ = step;
    return index;
  }
  static Index ellipsis() { return Index(Kind::ellipsis); }
  static Index new_axis() { return Index(Kind::new_axis); }

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] std::optional<std::int64_t> start() const noexcept { return start_; }
  [[nodiscard]] std::optional<std::int64_t> stop() const noexcept { return stop_; }
  [[nodiscard]] std::int64_t step() const noexcept { return step_; }

 private:
  explicit Index(Kind kind) : kind_(kind) {}
  Kind kind_;
  std::optional<std::int64_t> start_, stop_;
  std::int64_t step_ = 1;
};

// NumPy's basic indexing. Throws ArgumentError for an index out of bounds and for too many indices.
Array view(const Array& array, std::span<const Index> index);
inline Array view(const Array& array, std::initializer_list<Index> index) {
  return view(array, std::span<const Index>(index.begin(), index.size()));
}
// Axis d of the result is axis axes[d] of the array; without axes, the order is reversed.
Array permute_dims(const Array& array, std::span<const int> axes = {});
Array broadcast_to(const Array& array, const Shape& shape);
// One length may be -1, which is computed from the others. A view if the strides allow it, otherwise a copy.
Array reshape(const Array& array, Shape shape, const Queue* queue = nullptr);
// The strides of the view that reshape() would return; nothing if it would copy. Throws ArgumentError while
// the elements are pending.
[[nodiscard]] std::optional<Strides> strides_of_reshaped(const Array& array, const Shape& shape);

// The same bytes as elements of another dtype. If the sizes differ, the last axis must be contiguous, and its
// length changes. Throws ArgumentError if the bytes do not divide evenly, or if kernels could not address the
// elements.
Array view_as(const Array& array, const DType& dtype);
// A view of a field of each structure, or of each element at this offset; its last axes are the field's own.
// If kernels could not address the elements, as in a packed structure, it is a read-only copy.
Array field(const Array& array, const StructField& member);
Array field(const Array& array, std::string_view name);
// The same elements as a read-only array.
Array read_only(const Array& array);
// Whether kernels can address elements of such a dtype: all of them lie at multiples of their size.
// Misaligned structures are moved word by word.
[[nodiscard]] bool is_addressable(const DType& dtype, const Strides& strides, std::size_t offset);
// Whether the elements are contiguous in Fortran order. Throws ArgumentError while they are pending.
[[nodiscard]] bool is_fortran_contiguous(const Array& array);

// Converts a negative axis, which counts from the end. Throws ArgumentError for an axis out of range.
std::size_t checked_axis(std::int64_t axis, std::size_t rank);

}  // namespace quern
