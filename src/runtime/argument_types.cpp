// SPDX-License-Identifier: MIT
// Decides which values and arrays match which parameters, and explains mismatches.
#include "runtime/argument_types.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/dtype_kinds.hpp"
#include "runtime/allocation.hpp"

namespace quern::detail {
namespace {

using Kind = KernelArgument::Kind;

std::string show(const StructField& field) {
  return "'" + field.name + "', " + field.dtype.name() +
         (field.count > 1 ? "[" + std::to_string(field.count) + "]" : "") + " at byte " +
         std::to_string(field.offset);
}

}  // namespace

std::string number_text(double number) {
  std::array<char, 32> text{};  // without streams: see docs/decisions.md
  std::snprintf(text.data(), text.size(), "%g", number);
  return text.data();
}

std::string describe(const KernelArgument& argument) {
  switch (argument.kind) {
    case Kind::signed_integer:
      return "the integer " + std::to_string(argument.integer);
    case Kind::unsigned_integer:
      return "the integer " + std::to_string(argument.unsigned_integer);
    case Kind::floating:
      return "the number " + number_text(argument.floating);
    case Kind::raw:
      return argument.dtype ? "a value of " + argument.dtype->name()
                            : std::to_string(argument.size) + " bytes";
    case Kind::buffer:
      return "a buffer";
    case Kind::array:
      return "an array of " + argument.array->dtype().name();
    case Kind::local:
      return "local memory";
    case Kind::address:
      return "an address";
    case Kind::null_pointer:
      return "a null pointer";
  }
  return "something";
}

bool is_pair_of_parts(const DType& pair, const DType& complex) {
  return pair.lanes == 2 && pair.itemsize == complex.itemsize &&
         ((pair.scalar == Scalar::float32 && complex.scalar == Scalar::complex64) ||
          (pair.scalar == Scalar::float64 && complex.scalar == Scalar::complex128));
}

bool fits_structure(const DType& wanted, const DType& has) {
  if (!wanted.layout || !has.layout || wanted.itemsize != has.itemsize) return false;
  const auto& members = wanted.layout->fields;
  return std::all_of(has.layout->fields.begin(), has.layout->fields.end(), [&](const StructField& field) {
    return std::any_of(members.begin(), members.end(), [&](const StructField& member) {
      return member.offset == field.offset && member.count == field.count &&
             (member.dtype == field.dtype || is_pair_of_parts(member.dtype, field.dtype) ||
              fits_structure(member.dtype, field.dtype));
    });
  });
}

std::string structure_difference(const DType& wanted, const DType& has) {
  if (!wanted.layout || !has.layout) return "";
  for (const StructField& field : has.layout->fields) {
    const auto& members = wanted.layout->fields;
    const auto at = std::find_if(members.begin(), members.end(),
                                 [&](const StructField& member) { return member.offset == field.offset; });
    if (at == members.end())
      return ": it has " + show(field) + ", but the kernel's structure has no such member";
    if (at->count != field.count ||
        (!(at->dtype == field.dtype) && !is_pair_of_parts(at->dtype, field.dtype) &&
         !fits_structure(at->dtype, field.dtype))) {
      return ": it has " + show(field) + ", but the kernel's structure has " + show(*at);
    }
  }
  return ": it has " + std::to_string(has.itemsize) + " bytes, but the kernel's structure has " +
         std::to_string(wanted.itemsize);
}

namespace {

// OpenCL's vectors of three occupy four elements. CUDA's own vectors have no padding.
bool is_padded(const DType& vector) {
  return vector.lanes == 3 && vector.itemsize != 3 * DType::of(vector.scalar).itemsize;
}

}  // namespace

bool fits_pointer(const DType& wanted, const Array& array) {
  const DType& has = array.dtype();
  if (wanted.scalar == Scalar::unknown || has == wanted || fits_structure(wanted, has)) return true;
  if (is_complex(has)) {
    const Scalar part = has.scalar == Scalar::complex64 ? Scalar::float32 : Scalar::float64;
    return wanted.scalar == part && !is_padded(wanted) &&
           (wanted.lanes == 1 || array.nbytes() % wanted.itemsize == 0);
  }
  if (has.scalar == Scalar::boolean && wanted.lanes == 1) {
    return wanted.scalar == Scalar::uint8 || wanted.scalar == Scalar::int8;
  }
  if (is_padded(wanted) && (array.shape().empty() || array.shape().back() != 4)) return false;
  return has.scalar == wanted.scalar && has.lanes == 1 && has.scalar != Scalar::structure &&
         wanted.lanes > 1 && array.nbytes() % wanted.itemsize == 0;
}

std::string pointer_difference(const DType& wanted, const Array& array) {
  const DType& has = array.dtype();
  if (wanted.layout && has.layout) return structure_difference(wanted, has);
  if (has.scalar == Scalar::bfloat16)
    return ", which OpenCL C does not have; pass its bits, array.view('uint16'), to a ushort pointer, or "
           "array.astype('float32')";
  if (has.scalar != wanted.scalar || has.lanes != 1 || wanted.lanes == 1) return "";
  if (is_padded(wanted)) {
    return ": a vector of three occupies four elements, so rows of three lie elsewhere; take a pointer to "
           "the "
           "elements and read with vload3, or pass an array whose last dimension has length 4";
  }
  return " whose size is not a multiple of the vector's";
}

std::string layout_difference(const Array& array) {
  const Shape& shape = array.shape();
  const Strides& strides = array.strides();
  auto expected = static_cast<std::int64_t>(array.dtype().itemsize);
  bool is_fortran = true;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    is_fortran &= shape[d] == 1 || strides[d] == expected;
    expected *= shape[d];
  }
  return std::string("the array is ") + (is_fortran ? "in Fortran order" : "a strided view") +
         ", but a pointer needs elements in C order without gaps; pass qn.ascontiguousarray(array), a copy "
         "that "
         "is so";
}

bool is_aligned(const Buffer& buffer, std::size_t offset, std::size_t nbytes) {
  // OpenCL memory objects are handles and are aligned to the largest type.
  const Allocation& allocation = *buffer.allocation();
  const Device& device = allocation.context()->devices()[allocation.device()];
  const bool is_address = device.properties().dialect != Dialect::opencl_c;
  const std::uintptr_t base = is_address ? allocation.memory().native_handle() : 0;
  return (base + buffer.offset() + offset) % nbytes == 0;
}

}  // namespace quern::detail
