// SPDX-License-Identifier: MIT
// How element types are spelled in OpenCL C.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "quern/dtype.hpp"

namespace quern::codegen {

// "float", "uchar" (for bool too), "float2" (for complex64), "uint4"...; of a structure "struct NAME", where
// NAME is the layout's name, or `struct_name` where that is given. Throws ArgumentError for what has no name.
std::string type_name(const DType& dtype, std::string_view struct_name = {});

// The same in a user's snippet, where complex numbers are complex64 and complex128, with the operators and
// functions of such.
std::string snippet_type(const DType& dtype);

// The text of a program, which asks for complex numbers where it, or one of the build options, names their
// types.
std::string with_complex_types(std::string text, std::span<const std::string> options);

// A preamble that asks for complex numbers where it, or one of the snippets behind it, uses what C++ has for
// numbers of any type: T(x), static_cast<T>(x), and abs, conj, real, imag, norm or arg, which real numbers
// then have as well.
std::string with_generic_forms(std::string preamble, std::initializer_list<std::string_view> snippets);

// What C aligns an element to, which is more than NumPy asks for of complex numbers.
std::size_t c_alignment(const DType& dtype);

// The definition of a structure called `name`, with padding members where the layout has gaps; nested
// structures come first and are called after their members. In a snippet, members have snippet_type().
std::string struct_definition(const DType& dtype, std::string_view name, bool in_snippet = false);

// A type that a kernel may use to move such elements about without looking into them: a number or vector of
// the same size and alignment where there is one, otherwise a structure of words, defined in `definition`.
struct OpaqueType {
  std::string name, definition;
};
OpaqueType opaque_type(const DType& dtype, std::string_view name = "opaque_t");

// The least or greatest number of a type, infinite where it has infinities.
std::string limit_text(const DType& dtype, bool is_greatest);

}  // namespace quern::codegen
