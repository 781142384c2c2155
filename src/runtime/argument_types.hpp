// SPDX-License-Identifier: MIT
// Which values and arrays fit which parameters, and the words to say why one does not.
#pragma once

#include <string>

#include "quern/kernel.hpp"

namespace quern::detail {

std::string describe(const KernelArgument& argument);
std::string number_text(double number);

// Whether elements of `pair` are the two parts of complex numbers: float2 for complex64.
bool is_pair_of_parts(const DType& pair, const DType& complex);

// Every member that the value's type names is a member of the parameter's structure at the same place; what
// the type leaves out is padding.
bool fits_structure(const DType& wanted, const DType& has);
// The first difference between two structures, for a message; nothing where one of them is none.
std::string structure_difference(const DType& wanted, const DType& has);

// An array fits T* when its elements are T, or T is a vector of them and the counts divide. A vector of three
// that occupies four fits rows of four elements only.
bool fits_pointer(const DType& wanted, const Array& array);
// Why an array does not fit, for a message that says what was expected.
std::string pointer_difference(const DType& wanted, const Array& array);

// Whether an address, or the place in an OpenCL memory object, is a multiple of so many bytes.
bool is_aligned(const Buffer& buffer, std::size_t offset, std::size_t nbytes);

// Why a pointer cannot reach the elements of an array that is not contiguous, and what to pass instead.
std::string layout_difference(const Array& array);

}  // namespace quern::detail
