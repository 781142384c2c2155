// SPDX-License-Identifier: MIT
// Decides which values and arrays match which parameters, and explains mismatches.
#pragma once

#include <string>

#include "quern/kernel.hpp"

namespace quern::detail {

std::string describe(const KernelArgument& argument);
std::string number_text(double number);

// Returns whether elements of `pair` are the real and imaginary parts of complex numbers: float2 for
// complex64.
bool is_pair_of_parts(const DType& pair, const DType& complex);

// Returns whether each member that the value's type names is a member of the parameter's structure at the
// same offset. Members that the type does not name count as padding.
bool fits_structure(const DType& wanted, const DType& has);
// Returns the first difference between two structures, for a message; nothing if one of them is not a
// structure.
std::string structure_difference(const DType& wanted, const DType& has);

// Returns whether an array matches T*: its elements are T, or T is a vector of them and the counts divide. A
// vector of three that occupies four elements matches rows of four elements only.
bool fits_pointer(const DType& wanted, const Array& array);
// Returns why an array does not match, for a message that also says what was expected.
std::string pointer_difference(const DType& wanted, const Array& array);

// Returns whether an address, or the offset in an OpenCL memory object, is a multiple of `nbytes`.
bool is_aligned(const Buffer& buffer, std::size_t offset, std::size_t nbytes);

// Returns why a pointer cannot be passed for an array that is not contiguous, and what to pass instead.
std::string layout_difference(const Array& array);

}  // namespace quern::detail
