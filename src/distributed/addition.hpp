// SPDX-License-Identifier: MIT
// Sums of elements in host memory, for types that are known at run time.
#pragma once

#include <complex>
#include <cstddef>

#include "quern/dtype.hpp"

namespace quern::distributed {

// Adds scale * from[i] to to[i]. The memory of `from` needs no alignment.
using Addition = void (*)(std::byte* to, const std::byte* from, std::size_t elements,
                          std::complex<double> scale);

// For a type that check_addition() accepts.
Addition addition_of(const DType& dtype) noexcept;
// Throws ArgumentError for a type that has no sum, and for a scale that is not of the type.
void check_addition(const DType& dtype, std::complex<double> scale, const char* operation);

}  // namespace quern::distributed
