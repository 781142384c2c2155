// SPDX-License-Identifier: MIT
// Which elements become which, by NumPy's rules.
#pragma once

#include <cstdint>
#include <string_view>

#include "quern/api.hpp"
#include "quern/dtype.hpp"

namespace QUERN_API quern {

class Number;

enum class Casting : std::uint8_t { no, equiv, safe, same_kind, unsafe };

// By NumPy's name of a rule; throws ArgumentError naming the function for another text.
Casting casting_of(std::string_view name, std::string_view function);
std::string_view name_of(Casting casting);

[[nodiscard]] bool can_cast(const DType& from, const DType& to, Casting casting = Casting::safe);
// Throws ArgumentError naming the function where the rule does not allow it.
void check_cast(std::string_view function, const DType& from, const DType& to,
                Casting casting = Casting::same_kind);

// Whether a finite number becomes an infinite element of this type.
bool overflows(const Number& number, const DType& dtype);

}  // namespace quern
