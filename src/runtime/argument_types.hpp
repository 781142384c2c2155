// SPDX-License-Identifier: MIT
// Which values and arrays fit which parameters, and the words to say why one does not.
#pragma once

#include <string>

#include "quern/kernel.hpp"

namespace quern::detail {

std::string describe(const KernelArgument& argument);
std::string number_text(double number);

// Every member that the value's type names is a member of the parameter's structure at the same place; what
// the type leaves out is padding.
bool fits_structure(const DType& wanted, const DType& has);
// The first difference between two structures, for a message; nothing where one of them is none.
std::string structure_difference(const DType& wanted, const DType& has);

// An array fits T* when its elements are T, or T is a vector of them and the counts divide.
bool fits_pointer(const DType& wanted, const Array& array);

}  // namespace quern::detail
