// SPDX-License-Identifier: MIT
// Conversions between double and the 16-bit format.
#include "frontend/half.hpp"

#include <algorithm>
#include <cmath>

namespace quern::frontend {
namespace {

constexpr int kMantissaBits = 10;
constexpr int kLeastExponent = -14;  // of normal numbers
constexpr std::uint16_t kInfinity = 0x7c00, kNan = 0x7e00;

}  // namespace

std::uint16_t half_bits(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | kNan);
  if (magnitude >= 65520) return static_cast<std::uint16_t>(sign | kInfinity);
  if (magnitude == 0) return sign;
  const int exponent = std::max(std::ilogb(magnitude), kLeastExponent);
  // In units of the last place the number is an integer below 2048; what it carries goes to the exponent.
  const auto units = static_cast<unsigned>(std::nearbyint(std::ldexp(magnitude, kMantissaBits - exponent)));
  const auto base = static_cast<unsigned>(exponent - kLeastExponent) << kMantissaBits;
  return static_cast<std::uint16_t>(sign | (base + units));
}

double half_value(std::uint16_t bits) {
  const int exponent = bits >> kMantissaBits & 31;
  const double units = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return units != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(units, kLeastExponent - kMantissaBits);
  return sign * std::ldexp(units + 1024, exponent + kLeastExponent - 1 - kMantissaBits);
}

}  // namespace quern::frontend
