// SPDX-License-Identifier: MIT
// half: stored as its bits in an unsigned short, and computed in float. Sums, products, quotients and roots
// of halves that are rounded to float and then to half are correctly rounded, because float has more than
// twice the digits. The text does not use any compiler's own half type, so that every compiler gives the same
// bits.
#include "frontend/lower/conversion_writer.hpp"

namespace quern::frontend::lower {
namespace {

constexpr std::string_view kToFloat =
    "const unsigned a = x & 0x7fffu, s = (x & 0x8000u) << 16; const unsigned small = $as_uint((float)(int)a "
    "* "
    "0x1p-24f), r = a < 0x400u ? small : a < 0x7c00u ? (a << 13) + 0x38000000u : (a << 13) | 0x7f800000u; "
    "return $as_float(s | r);";

// Rounds to nearest, ties to even. For results below the normal numbers, adding 0.5f rounds, because the last
// digit of the sum is the smallest half.
constexpr std::string_view kToNearest =
    "const unsigned u = $as_uint(x), a = u & 0x7fffffffu; "
    "const unsigned n = (a + 0xfffu + (a >> 13 & 1u) - 0x38000000u) >> 13; "
    "const unsigned d = $as_uint($as_float(a) + 0.5f) - 0x3f000000u; "
    "const unsigned r = a < 0x38800000u ? d : a < 0x47800000u ? n : a <= 0x7f800000u ? 0x7c00u : 0x7e00u | "
    "(a >> 13 & 0x3ffu); "
    "return (unsigned short)(u >> 16 & 0x8000u | r);";

// Truncates the magnitude, and adds one unit in the last place if digits were lost and `away` is 1.
constexpr std::string_view kDirected =
    "const unsigned u = $as_uint(x), a = u & 0x7fffffffu, s = u >> 31, e = a >> 23; "
    "const unsigned m = e == 0 ? 0 : (a & 0x7fffffu) | 0x800000u, k = e < 113u ? (e > 95u ? 126u - e : 31u) "
    ": "
    "13u; "
    "const unsigned t = e < 113u ? m >> k : (a - 0x38000000u) >> 13; "
    "const unsigned cut = a != 0 && (e < 103u || (m & ((1u << k) - 1u)) != 0); "
    "const unsigned r = a > 0x7f800000u ? 0x7e00u | (a >> 13 & 0x3ffu) : a == 0x7f800000u ? 0x7c00u : a >= "
    "0x47800000u ? 0x7bffu + ($away) : t + (cut & ($away)); "
    "return (unsigned short)(s << 15 | r);";

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

}  // namespace

std::string_view rounding_suffix(Rounding rounding) {
  switch (rounding) {
    case Rounding::to_zero:
      return "rz";
    case Rounding::up:
      return "rp";
    case Rounding::down:
      return "rm";
    default:
      return "rn";
  }
}

std::string ConversionWriter::from_half(const std::string& x) {
  const std::string name = "quern_from_half";
  if (!out_.is_defined(name)) {
    std::string body;
    if (const auto native = dialect_.half_to_float()) {
      body = *native;
    } else {
      const std::string as_float = reinterpret_helper(program_.types.float_, program_.types.uint);
      const std::string as_uint = reinterpret_helper(program_.types.uint, program_.types.float_);
      body = replaced(std::string(kToFloat), "$as_uint", as_uint);
      body = replaced(body, "$as_float", as_float);
    }
    out_.helper(name, "float " + name + "(unsigned short x) { " + body + " }");
  }
  return name + "(" + x + ")";
}

// Converts from float.
std::string ConversionWriter::to_half(const std::string& x, Rounding rounding) {
  const bool directed = rounding != Rounding::none && rounding != Rounding::to_even;
  const std::string name = "quern_to_half" + (directed ? "_" + std::string(rounding_suffix(rounding)) : "");
  if (!out_.is_defined(name)) {
    std::string body;
    if (const auto native = dialect_.float_to_half(rounding)) {
      body = *native;
    } else {
      Types& types = program_.types;
      body = replaced(std::string(directed ? kDirected : kToNearest), "$as_uint",
                      reinterpret_helper(types.uint, types.float_));
      body = replaced(body, "$as_float", reinterpret_helper(types.float_, types.uint));
      body = replaced(body, "$away",
                      rounding == Rounding::up     ? "1u - s"
                      : rounding == Rounding::down ? "s"
                                                   : "0u");
    }
    out_.helper(name, "unsigned short " + name + "(float x) { " + body + " }");
  }
  return name + "(" + x + ")";
}

std::string ConversionWriter::half_convert(const Type* to, const Type* from, const Conversion& mode,
                                           const std::string& x) {
  Types& types = program_.types;
  if (to == from) return x;
  if (from->kind == TypeKind::half) {
    if (to->kind == TypeKind::bool_) return "(" + from_half(x) + " != 0)";
    return conversion(to, types.float_, mode, from_half(x));
  }
  if (from->kind == TypeKind::float_) return to_half(x, mode.rounding);
  if (from->kind == TypeKind::double_) {
    if (const auto native = dialect_.double_to_half(mode.rounding)) {
      const std::string name = "quern_to_half_double_" + std::string(rounding_suffix(mode.rounding));
      out_.helper(name, "unsigned short " + name + "(double x) { " + *native + " }");
      return name + "(" + x + ")";
    }
    // Converts to a float whose last bit is set if the conversion is inexact. The second rounding is then
    // correct.
    const std::string name = "quern_odd_float";
    const std::string bits = reinterpret_helper(types.uint, types.float_);
    out_.helper(name, "float " + name + "(double x) { const float f = (float)x; const unsigned u = " + bits +
                          "(f); const double d = f; const unsigned larger = __builtin_fabs(d) > "
                          "__builtin_fabs(x); return " +
                          reinterpret_helper(types.float_, types.uint) +
                          "(d == x || x != x ? u : (u - larger) | 1u); }");
    return to_half(name + "(" + x + ")", mode.rounding);
  }
  // For an integer: values far out of range are clamped to a number that float represents.
  if (size_of(from) <= 2) return to_half("(float)" + x, mode.rounding);
  const std::string name = "quern_near_" + name_of(from);
  const std::string low = from->is_signed() ? "x < -131072 ? -131072.0f : " : "";
  out_.helper(name, "float " + name + "(" + types_.text(from) + " x) { return " + low +
                        "x > 131072 ? 131072.0f : (float)x; }");
  return to_half(name + "(" + x + ")", mode.rounding);
}

}  // namespace quern::frontend::lower
