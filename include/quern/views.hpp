// SPDX-License-Identifier: MIT
// Views: other shapes and strides for the same elements. What is written to a view is seen by the array.
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

// NumPy's basic indexing. Throws ArgumentError for an index that is out of bounds, or for too many of them.
Array view(const Array& array, std::span<const Index> index);
inline Array view(const Array& array, std::initializer_list<Index> index) {
  return view(array, std::span<const Index>(index.begin(), index.size()));
}
// Axis d of the result is axis axes[d] of the array; all of them backwards when there are none.
Array permute_dims(const Array& array, std::span<const int> axes = {});
Array broadcast_to(const Array& array, const Shape& shape);
// One length may be -1, which is then what the others leave. A view where strides allow, otherwise a copy.
Array reshape(const Array& array, Shape shape, const Queue* queue = nullptr);
// Whether reshape() would be a view.
[[nodiscard]] std::optional<Strides> strides_of_reshaped(const Array& array, const Shape& shape);

// The same bytes as elements of another type. Where the sizes differ, the last axis must have no gaps, and
// its length changes. Throws ArgumentError where the bytes do not divide, or where no kernel could address
// the elements.
Array view_as(const Array& array, const DType& dtype);
// A member of each structure, or of each element at such an offset: a view, whose last axes are the member's
// own. Throws ArgumentError where no kernel could address the elements.
Array field(const Array& array, const StructField& member);
Array field(const Array& array, std::string_view name);
// The same elements, which must not be written through this array.
Array read_only(const Array& array);
// Whether kernels can address the elements of such a type: the first one lies at a multiple of their size,
// and so do all others. Structures are moved word by word where they do not.
[[nodiscard]] bool is_addressable(const DType& dtype, const Strides& strides, std::size_t offset);
// In Fortran's order without gaps.
[[nodiscard]] bool is_fortran_contiguous(const Array& array);

// An axis that counts from the end where it is negative. Throws ArgumentError for one that is not there.
std::size_t checked_axis(std::int64_t axis, std::size_t rank);

}  // namespace quern
