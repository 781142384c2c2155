// SPDX-License-Identifier: MIT
// NumPy's casting rules.
#include "quern/casting.hpp"

#include <array>
#include <cmath>
#include <string>

#include "array/types.hpp"
#include "codegen/ops.hpp"
#include "quern/arithmetic.hpp"
#include "quern/error.hpp"

namespace quern {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"no", "equiv", "safe", "same_kind", "unsafe"};

}  // namespace

Casting casting_of(std::string_view name, std::string_view function) {
  for (std::size_t k = 0; k < kNames.size(); ++k)
    if (kNames[k] == name) return static_cast<Casting>(k);
  throw ArgumentError(ArgumentError::Kind::value, std::string(function) +
                                                      ": casting must be 'no', 'equiv', 'safe', "
                                                      "'same_kind' or 'unsafe', got '" +
                                                      std::string(name) + "'");
}

std::string_view name_of(Casting casting) {
  return kNames[static_cast<std::size_t>(casting)];
}

bool can_cast(const DType& from, const DType& to, Casting casting) {
  if (from == to || casting == Casting::unsafe) return true;
  if (casting == Casting::no || casting == Casting::equiv || !array::is_number(from) || !array::is_number(to))
    return false;
  if (codegen::promoted(from, to) == to) return true;
  return casting == Casting::same_kind && array::is_same_kind(from, to);
}

void check_cast(std::string_view function, const DType& from, const DType& to, Casting casting) {
  if (can_cast(from, to, casting)) return;
  throw ArgumentError(ArgumentError::Kind::type, std::string(function) + ": cannot cast " + from.name() +
                                                     " to " + to.name() + " with the casting rule '" +
                                                     std::string(name_of(casting)) + "'");
}

bool overflows(const Number& number, const DType& dtype) {
  const bool is_half = dtype.scalar == Scalar::float16, is_bfloat16 = dtype.scalar == Scalar::bfloat16;
  const bool is_single = dtype.scalar == Scalar::float32 || dtype.scalar == Scalar::complex64;
  if (!is_half && !is_bfloat16 && !is_single) return false;
  // A number at least half a step above the greatest finite one rounds to infinity.
  const double most = is_half ? 65520.0 : is_bfloat16 ? 0x1.ffp127 : 0x1.ffffffp127;
  const auto is_beyond = [&](double part) { return std::isfinite(part) && std::fabs(part) >= most; };
  return is_beyond(number.value().real()) || is_beyond(number.value().imag());
}

}  // namespace quern
