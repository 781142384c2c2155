// SPDX-License-Identifier: MIT
// The spelling of element types in OpenCL C.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "quern/dtype.hpp"

namespace quern::codegen {

// "float", "uchar" (also for bool), "float2" (for complex64), "uint4"...; for a structure "struct NAME",
// where NAME is the layout's name, or `struct_name` if it is given. Throws ArgumentError for a type without a
// name.
std::string type_name(const DType& dtype, std::string_view struct_name = {});

// The same in a user's snippet, where complex numbers are complex64 and complex128, with their operators and
// functions.
std::string snippet_type(const DType& dtype);

// The text of a program, with the pragma for complex numbers if the text or a build option names their types.
std::string with_complex_types(std::string text, std::span<const std::string> options);

// A preamble, with the pragma for complex numbers if it or a snippet uses the C++ forms T(x) and
// static_cast<T>(x), or abs, conj, real, imag, norm or arg, which then also take real numbers.
std::string with_generic_forms(std::string preamble, std::initializer_list<std::string_view> snippets);

// The alignment of an element in C, which for complex numbers is greater than NumPy's.
std::size_t c_alignment(const DType& dtype);

// The definition of a structure called `name`, with padding members for gaps in the layout; nested structures
// come first and are named after their members. In a snippet, members have snippet_type().
std::string struct_definition(const DType& dtype, std::string_view name, bool in_snippet = false);

// The C type of elements in snippets: snippet_type(), or item_t for a structure, whose definition is put in
// front of the preamble.
std::string item_type(const DType& dtype, std::string& preamble);

// A type with which a kernel can move such elements without interpreting them: a number or vector of the same
// size and alignment if there is one, otherwise a structure of words, defined in `definition`.
struct RawElementType {
  std::string name, definition;
};
RawElementType raw_element_type(const DType& dtype, std::string_view name = "element_t");

// The least or greatest number of a type; infinite if the type has infinities.
std::string limit_text(const DType& dtype, bool is_greatest);

}  // namespace quern::codegen
