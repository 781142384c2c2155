// SPDX-License-Identifier: MIT
// Views of the same bytes as elements of another type, or as one member of each structure.
#include <string>
#include <utility>

#include "array/layout.hpp"
#include "quern/arithmetic.hpp"
#include "quern/error.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

[[noreturn]] void refuse_view(const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::value, text);
}

// Structures need no alignment: they are moved byte by byte.
bool has_addressable(const array::Layout& layout, const DType& dtype) {
  return dtype.scalar == Scalar::structure ||
         is_addressable(dtype, layout.strides, static_cast<std::size_t>(layout.offset));
}

Array viewed(const Array& array, const DType& dtype, array::Layout layout) {
  if (element_count(layout.shape, dtype.itemsize) == 0)
    return {array.buffer(), dtype, std::move(layout.shape)};
  if (!has_addressable(layout, dtype)) {
    refuse_view("view: elements of " + dtype.name() + " must be aligned to " +
                std::to_string(dtype.itemsize) + " bytes; copy the array first");
  }
  return array::array_of(array.buffer(), dtype, std::move(layout));
}

// A copy of elements that kernels cannot address, through their bytes.
Array copied(const Array& array, const DType& dtype, array::Layout layout) {
  const Shape shape = layout.shape;
  layout.shape.push_back(static_cast<std::int64_t>(dtype.itemsize));
  layout.strides.push_back(1);
  const Array bytes = copy(array::array_of(array.buffer(), DType::of(Scalar::uint8), std::move(layout)));
  return {bytes.evaluate().buffer, dtype, shape};
}

}  // namespace

bool is_addressable(const DType& dtype, const Strides& strides, std::size_t offset) {
  if (dtype.itemsize == 0 || offset % dtype.itemsize != 0) return dtype.itemsize == 0;
  for (const std::int64_t stride : strides)
    if (stride % static_cast<std::int64_t>(dtype.itemsize) != 0) return false;
  return true;
}

bool is_fortran_contiguous(const Array& array) {
  const Shape& shape = array.shape();
  const Strides& strides = array.strides();
  auto expected = static_cast<std::int64_t>(array.dtype().itemsize);
  if (array.size() == 0) return true;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] != 1 && strides[d] != expected) return false;
    expected *= shape[d];
  }
  return true;
}

Array view_as(const Array& array, const DType& dtype) {
  const auto old_size = static_cast<std::int64_t>(array.dtype().itemsize),
             new_size = static_cast<std::int64_t>(dtype.itemsize);
  array::Layout layout = array::layout_of(array.evaluate(), array.shape());
  if (new_size == old_size) return viewed(array, dtype, std::move(layout));
  if (layout.shape.empty()) refuse_view("view: a 0-d array can only be viewed as elements of the same size");
  std::int64_t& length = layout.shape.back();
  if (length != 1 && array.size() != 0 && layout.strides.back() != old_size)
    refuse_view(
        "view: to change the size of the elements, the last axis must be contiguous; copy the array first");
  if (new_size == 0 || (new_size < old_size && old_size % new_size != 0))
    refuse_view("view: the size of smaller elements must divide " + std::to_string(old_size) +
                " bytes, got " + std::to_string(new_size));
  const std::int64_t nbytes = length * old_size;
  if (nbytes % new_size != 0)
    refuse_view("view: the " + std::to_string(nbytes) +
                " bytes of the last axis are not a multiple of the new element size, " +
                std::to_string(new_size));
  length = nbytes / new_size;
  layout.strides.back() = new_size;
  return viewed(array, dtype, std::move(layout));
}

Array field(const Array& array, const StructField& member) {
  const std::size_t itemsize = array.dtype().itemsize, nbytes = member.dtype.itemsize * member.count;
  if (member.offset > itemsize || nbytes > itemsize - member.offset)
    refuse_view("field: " + std::to_string(nbytes) + " bytes at byte " + std::to_string(member.offset) +
                " are not within elements of " + std::to_string(itemsize) + " bytes");
  array::Layout layout = array::layout_of(array.evaluate(), array.shape());
  layout.offset += static_cast<std::int64_t>(member.offset);
  Shape own;
  for (const std::size_t length : member.shape) own.push_back(static_cast<std::int64_t>(length));
  if (own.empty() && member.count != 1) own.push_back(static_cast<std::int64_t>(member.count));
  const Strides steps = contiguous_strides(own, member.dtype.itemsize);
  for (std::size_t d = 0; d < own.size(); ++d) {
    layout.shape.push_back(own[d]);
    layout.strides.push_back(steps[d]);
  }
  if (array.size() != 0 && nbytes != 0 && !has_addressable(layout, member.dtype))
    return read_only(copied(array, member.dtype, std::move(layout)));
  return viewed(array, member.dtype, std::move(layout));
}

Array field(const Array& array, std::string_view name) {
  const DType& dtype = array.dtype();
  if (dtype.scalar == Scalar::structure)
    for (const StructField& member : dtype.layout->fields)
      if (member.name == name) return field(array, member);
  throw ArgumentError(ArgumentError::Kind::index,
                      "field: elements of " + dtype.name() + " have no member '" + std::string(name) + "'");
}

Array read_only(const Array& array) {
  const ArrayMemory& memory = array.evaluate();
  return {memory.buffer.read_only(), array.dtype(), array.shape(), memory.strides, memory.offset};
}

}  // namespace quern
