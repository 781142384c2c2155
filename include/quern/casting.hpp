// SPDX-License-Identifier: MIT
// NumPy's casting rules.
#pragma once

#include <cstdint>
#include <string_view>

#include "quern/api.hpp"
#include "quern/dtype.hpp"

namespace QUERN_API quern {

class Number;

enum class Casting : std::uint8_t { no, equiv, safe, same_kind, unsafe };

// Parses NumPy's name of a rule; throws an ArgumentError that names the function for any other text.
Casting casting_of(std::string_view name, std::string_view function);
std::string_view name_of(Casting casting);

[[nodiscard]] bool can_cast(const DType& from, const DType& to, Casting casting = Casting::safe);
// Throws an ArgumentError that names the function if the rule forbids the cast.
void check_cast(std::string_view function, const DType& from, const DType& to,
                Casting casting = Casting::same_kind);

// Whether a finite number overflows to infinity in this dtype.
bool overflows(const Number& number, const DType& dtype);

}  // namespace quern
