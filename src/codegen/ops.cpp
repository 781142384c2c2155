// SPDX-License-Identifier: MIT
// The operations on elements: one row each, which expressions, dispatch and tests read.
#include "codegen/ops.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "quern/error.hpp"

namespace quern::codegen {
namespace {

using enum Kinds;
constexpr bool kPromotes = true, kKeeps = false;
constexpr Result kSame = Result::same, kTest = Result::boolean, kPart = Result::part;

// In text, @name is the helper of that name for the type of the operands.
constexpr Op kOps[] = {
    // arithmetic
    {"add", 2, all, kKeeps, kSame, "$0 + $1"},
    {"subtract", 2, numeric, kKeeps, kSame, "$0 - $1"},
    {"multiply", 2, all, kKeeps, kSame, "$0 * $1", {}, "@multiply($0, $1)"},
    {"divide", 2, all, kPromotes, kSame, "$0 / $1", {}, "@divide($0, $1)"},
    {"floor_divide", 2, real, kKeeps, kSame, "@floor_divide($0, $1)", "@int_floor_divide($0, $1)"},
    {"remainder", 2, real, kKeeps, kSame, "@remainder($0, $1)", "@int_remainder($0, $1)"},
    {"fmod", 2, real, kKeeps, kSame, "fmod($0, $1)", "@int_fmod($0, $1)"},
    {"power", 2, numeric, kKeeps, kSame, "pow($0, $1)", "@int_power($0, $1)", "@power($0, $1)"},
    {"negative", 1, numeric, kKeeps, kSame, "-$0"},
    {"positive", 1, numeric, kKeeps, kSame, "$0"},
    {"absolute", 1, numeric, kKeeps, kPart, "fabs($0)", "@int_abs($0)", "hypot($0.x, $0.y)"},
    {"sign", 1, real, kKeeps, kSame, "isnan($0) ? $0 : ($T)(($0 > 0) - ($0 < 0))",
     "($T)(($0 > 0) - ($0 < 0))"},
    {"square", 1, numeric, kKeeps, kSame, "$0 * $0", {}, "@multiply($0, $0)"},
    {"reciprocal", 1, numeric, kKeeps, kSame, "1 / $0", "($T)($0 == 0 ? 0 : 1 / $0)",
     "@divide(($T)(1, 0), $0)"},
    {"sqrt", 1, real, kPromotes, kSame, "sqrt($0)"},
    {"rsqrt", 1, real, kPromotes, kSame, "1 / sqrt($0)"},
    {"cbrt", 1, real, kPromotes, kSame, "cbrt($0)"},
    {"hypot", 2, real, kPromotes, kSame, "hypot($0, $1)"},
    // exponentials and logarithms
    {"exp", 1, all, kPromotes, kSame, "exp($0)", {}, "@exp($0)"},
    {"exp2", 1, real, kPromotes, kSame, "exp2($0)"},
    {"expm1", 1, real, kPromotes, kSame, "expm1($0)"},
    {"log", 1, real, kPromotes, kSame, "log($0)"},
    {"log2", 1, real, kPromotes, kSame, "log2($0)"},
    {"log10", 1, real, kPromotes, kSame, "log10($0)"},
    {"log1p", 1, real, kPromotes, kSame, "log1p($0)"},
    {"logaddexp", 2, real, kPromotes, kSame, "@logaddexp($0, $1)"},
    // angles
    {"sin", 1, real, kPromotes, kSame, "sin($0)"},
    {"cos", 1, real, kPromotes, kSame, "cos($0)"},
    {"tan", 1, real, kPromotes, kSame, "tan($0)"},
    {"arcsin", 1, real, kPromotes, kSame, "asin($0)"},
    {"arccos", 1, real, kPromotes, kSame, "acos($0)"},
    {"arctan", 1, real, kPromotes, kSame, "atan($0)"},
    {"arctan2", 2, real, kPromotes, kSame, "atan2($0, $1)"},
    {"sinh", 1, real, kPromotes, kSame, "sinh($0)"},
    {"cosh", 1, real, kPromotes, kSame, "cosh($0)"},
    {"tanh", 1, real, kPromotes, kSame, "tanh($0)"},
    {"arcsinh", 1, real, kPromotes, kSame, "asinh($0)"},
    {"arccosh", 1, real, kPromotes, kSame, "acosh($0)"},
    {"arctanh", 1, real, kPromotes, kSame, "atanh($0)"},
    // rounding
    {"floor", 1, real, kKeeps, kSame, "floor($0)", "$0"},
    {"ceil", 1, real, kKeeps, kSame, "ceil($0)", "$0"},
    {"trunc", 1, real, kKeeps, kSame, "trunc($0)", "$0"},
    {"round", 1, real, kKeeps, kSame, "rint($0)", "$0"},
    {"rint", 1, real, kPromotes, kSame, "rint($0)"},
    // comparisons, where NaN is equal to nothing
    {"equal", 2, all, kKeeps, kTest, "$0 == $1", {}, "$0.x == $1.x && $0.y == $1.y"},
    {"not_equal", 2, all, kKeeps, kTest, "$0 != $1", {}, "$0.x != $1.x || $0.y != $1.y"},
    {"less", 2, ordered, kKeeps, kTest, "$0 < $1"},
    {"less_equal", 2, ordered, kKeeps, kTest, "$0 <= $1"},
    {"greater", 2, ordered, kKeeps, kTest, "$0 > $1"},
    {"greater_equal", 2, ordered, kKeeps, kTest, "$0 >= $1"},
    // extremes: these pass NaN on, fmin and fmax leave it out
    {"maximum", 2, ordered, kKeeps, kSame, "$0 > $1 || isnan($0) ? $0 : $1", "$0 > $1 ? $0 : $1"},
    {"minimum", 2, ordered, kKeeps, kSame, "$0 < $1 || isnan($0) ? $0 : $1", "$0 < $1 ? $0 : $1"},
    {"fmax", 2, ordered, kKeeps, kSame, "fmax($0, $1)", "$0 > $1 ? $0 : $1"},
    {"fmin", 2, ordered, kKeeps, kSame, "fmin($0, $1)", "$0 < $1 ? $0 : $1"},
    // logic and bits
    {"logical_and", 2, ordered, kKeeps, kTest, "$0 != 0 && $1 != 0"},
    {"logical_or", 2, ordered, kKeeps, kTest, "$0 != 0 || $1 != 0"},
    {"logical_xor", 2, ordered, kKeeps, kTest, "($0 != 0) != ($1 != 0)"},
    {"logical_not", 1, ordered, kKeeps, kTest, "$0 == 0"},
    {"bitwise_and", 2, bits, kKeeps, kSame, "$0 & $1"},
    {"bitwise_or", 2, bits, kKeeps, kSame, "$0 | $1"},
    {"bitwise_xor", 2, bits, kKeeps, kSame, "$0 ^ $1"},
    {"invert", 1, integer, kKeeps, kSame, "~$0"},
    {"left_shift", 2, integer, kKeeps, kSame, "@left_shift($0, $1)"},
    {"right_shift", 2, integer, kKeeps, kSame, "@right_shift($0, $1)"},
    // what a number is
    {"isnan", 1, all, kKeeps, kTest, "isnan($0)", "0", "isnan($0.x) || isnan($0.y)"},
    {"isinf", 1, all, kKeeps, kTest, "isinf($0)", "0", "isinf($0.x) || isinf($0.y)"},
    {"isfinite", 1, all, kKeeps, kTest, "isfinite($0)", "1", "isfinite($0.x) && isfinite($0.y)"},
    {"signbit", 1, real, kKeeps, kTest, "signbit($0)", "$0 < 0"},
    {"copysign", 2, real, kPromotes, kSame, "copysign($0, $1)"},
    {"nextafter", 2, real, kPromotes, kSame, "nextafter($0, $1)"},
    // complex numbers
    {"real", 1, numeric, kKeeps, kPart, "$0", {}, "$0.x"},
    {"imag", 1, numeric, kKeeps, kPart, "0", {}, "$0.y"},
    {"conj", 1, numeric, kKeeps, kSame, "$0", {}, "($T)($0.x, -$0.y)"},
    // special functions
    {"erf", 1, real, kPromotes, kSame, "erf($0)"},
    {"erfc", 1, real, kPromotes, kSame, "erfc($0)"},
    {"gamma", 1, real, kPromotes, kSame, "tgamma($0)"},
    {"lgamma", 1, real, kPromotes, kSame, "lgamma($0)"},
};

// Functions that some texts call, for elements of type $T; $R is the real type of a complex $T.
constexpr std::pair<std::string_view, std::string_view> kHelpers[] = {
    {"multiply",
     "inline $T @multiply($T a, $T b) { return ($T)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }\n"},
    // Smith's way, which neither overflows nor underflows on its way to a result that does not.
    {"divide",
     "inline $T @divide($T a, $T b) {\n"
     "  if (fabs(b.x) >= fabs(b.y)) {\n"
     "    if (b.x == 0 && b.y == 0) return ($T)(a.x / fabs(b.x), a.y / fabs(b.x));\n"
     "    const $R r = b.y / b.x, d = b.x + b.y * r;\n"
     "    return ($T)((a.x + a.y * r) / d, (a.y - a.x * r) / d);\n"
     "  }\n"
     "  const $R r = b.x / b.y, d = b.x * r + b.y;\n"
     "  return ($T)((a.x * r + a.y) / d, (a.y * r - a.x) / d);\n"
     "}\n"},
    {"exp",
     "inline $T @exp($T a) {\n  const $R r = exp(a.x);\n  return a.y == 0 ? ($T)(r, a.y) : ($T)(r * "
     "cos(a.y), r * sin(a.y));\n}\n"},
    {"power",
     "inline $T @power($T a, $T b) {\n"
     "  if (b.x == 0 && b.y == 0) return ($T)(1, 0);\n"
     "  if (a.x == 0 && a.y == 0) return b.x > 0 && b.y == 0 ? ($T)(0, 0) : ($T)(NAN, NAN);\n"
     "  const $R l = log(hypot(a.x, a.y)), t = atan2(a.y, a.x);\n"
     "  const $R r = exp(b.x * l - b.y * t), w = b.y * l + b.x * t;\n"
     "  return ($T)(r * cos(w), r * sin(w));\n"
     "}\n"},
    // As Python: the remainder has the sign of the divisor, and the quotient fits it.
    {"remainder",
     "inline $T @remainder($T a, $T b) {\n"
     "  $T r = fmod(a, b);\n"
     "  if (r != 0) return (r < 0) != (b < 0) ? r + b : r;\n"
     "  return copysign(r, b);\n"
     "}\n"},
    {"floor_divide",
     "inline $T @floor_divide($T a, $T b) {\n"
     "  if (b == 0) return a / b;\n"
     "  $T r = fmod(a, b), q = (a - r) / b;\n"
     "  if (r != 0 && (r < 0) != (b < 0)) q -= 1;\n"
     "  if (q == 0) return copysign(($T)0, a / b);\n"
     "  const $T f = floor(q);\n"
     "  return q - f > ($T)0.5 ? f + 1 : f;\n"
     "}\n"},
    // Division by zero is zero, as in NumPy.
    {"int_floor_divide",
     "inline $T @int_floor_divide($T a, $T b) {\n"
     "  if (b == 0) return 0;\n"
     "  if (b == ($T)-1 && ($T)-1 < 0) return ($T)(0 - a);\n"
     "  const $T q = a / b;\n"
     "  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;\n"
     "}\n"},
    {"int_remainder",
     "inline $T @int_remainder($T a, $T b) {\n"
     "  if (b == 0 || (b == ($T)-1 && ($T)-1 < 0)) return 0;\n"
     "  const $T r = a % b;\n"
     "  return r != 0 && (r < 0) != (b < 0) ? r + b : r;\n"
     "}\n"},
    {"int_fmod",
     "inline $T @int_fmod($T a, $T b) { return b == 0 || (b == ($T)-1 && ($T)-1 < 0) ? ($T)0 : ($T)(a % b); "
     "}\n"},
    {"int_abs", "inline $T @int_abs($T a) { return a < 0 ? ($T)(0 - a) : a; }\n"},
    {"int_power",
     "inline $T @int_power($T a, $T b) {\n"
     "  if (b < 0) return a == 1 ? 1 : a == ($T)-1 ? (b & 1 ? a : ($T)1) : 0;\n"
     "  $T result = 1;\n"
     "  for (; b != 0; b >>= 1) {\n"
     "    if (b & 1) result *= a;\n"
     "    a *= a;\n"
     "  }\n"
     "  return result;\n"
     "}\n"},
    // OpenCL takes the amount modulo the width; NumPy shifts everything out.
    {"left_shift",
     "inline $T @left_shift($T a, $T b) { return b < 0 || b >= ($T)(8 * sizeof($T)) ? ($T)0 : ($T)(a << b); "
     "}\n"},
    {"right_shift",
     "inline $T @right_shift($T a, $T b) {\n"
     "  return b < 0 || b >= ($T)(8 * sizeof($T)) ? ($T)(a < 0 ? -1 : 0) : ($T)(a >> b);\n"
     "}\n"},
    {"logaddexp",
     "inline $T @logaddexp($T a, $T b) {\n"
     "  if (a == b) return a + ($T)0.69314718055994530942;\n"
     "  const $T d = a - b;\n"
     "  return d > 0 ? a + log1p(exp(-d)) : d <= 0 ? b + log1p(exp(d)) : d;\n"
     "}\n"},
};

constexpr int width_of(const DType& dtype) {
  return static_cast<int>(dtype.itemsize) * 8;
}

DType complex_of(int bits) {
  return DType::of(bits <= 64 ? Scalar::complex64 : Scalar::complex128);
}

DType float_of(int bits) {
  return DType::of(bits <= 16 ? Scalar::float16 : bits <= 32 ? Scalar::float32 : Scalar::float64);
}

bool is_unsigned(const DType& dtype) {
  return dtype.scalar == Scalar::uint8 || dtype.scalar == Scalar::uint16 || dtype.scalar == Scalar::uint32 ||
         dtype.scalar == Scalar::uint64;
}

DType signed_of(int bits) {
  return DType::of(bits <= 8    ? Scalar::int8
                   : bits <= 16 ? Scalar::int16
                   : bits <= 32 ? Scalar::int32
                                : Scalar::int64);
}

// The bits of a floating-point number that holds every integer of this type, or is as near as NumPy comes.
int float_bits_for(const DType& integer) {
  return integer.itemsize == 1 ? 16 : integer.itemsize == 2 ? 32 : 64;
}

}  // namespace

std::span<const Op> ops() {
  return kOps;
}

const Op* find_op(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kOps), std::end(kOps), [&](const Op& op) { return op.name == name; });
  return found == std::end(kOps) ? nullptr : found;
}

std::string_view helper_text(std::string_view name) {
  for (const auto& [known, text] : kHelpers)
    if (known == name) return text;
  return {};
}

Kinds kind_of(const DType& dtype) {
  if (dtype.lanes == 1) {
    switch (dtype.scalar) {
      case Scalar::boolean:
        return boolean;
      case Scalar::float16:
      case Scalar::float32:
      case Scalar::float64:
        return floating;
      case Scalar::complex64:
      case Scalar::complex128:
        return complex;
      case Scalar::structure:
      case Scalar::unknown:
        break;
      default:
        return integer;
    }
  }
  throw ArgumentError(ArgumentError::Kind::type, "elements of " + dtype.name() + " are no numbers");
}

DType result_of(const Op& op, const DType& operands) {
  if (op.result == Result::boolean) return DType::of(Scalar::boolean);
  if (op.result == Result::part && operands.scalar == Scalar::complex64) return DType::of(Scalar::float32);
  if (op.result == Result::part && operands.scalar == Scalar::complex128) return DType::of(Scalar::float64);
  return operands;
}

DType promoted(const DType& a, const DType& b) {
  if (a == b) return a;
  const Kinds of_a = kind_of(a), of_b = kind_of(b);
  if (of_a == boolean) return b;
  if (of_b == boolean) return a;
  if (of_a == complex || of_b == complex) {
    const auto bits_of = [](const DType& dtype, Kinds kind) {
      return kind == complex ? width_of(dtype)
                             : 2 * (kind == integer ? float_bits_for(dtype) : width_of(dtype));
    };
    return complex_of(std::max(bits_of(a, of_a), bits_of(b, of_b)));
  }
  if (of_a == floating || of_b == floating) {
    const auto bits_of = [](const DType& dtype, Kinds kind) {
      return kind == integer ? float_bits_for(dtype) : width_of(dtype);
    };
    return float_of(std::max(bits_of(a, of_a), bits_of(b, of_b)));
  }
  if (is_unsigned(a) == is_unsigned(b)) return a.itemsize > b.itemsize ? a : b;
  const DType& unsigned_one = is_unsigned(a) ? a : b;
  const DType& signed_one = is_unsigned(a) ? b : a;
  if (signed_one.itemsize > unsigned_one.itemsize) return signed_one;
  return unsigned_one.itemsize == 8 ? DType::of(Scalar::float64) : signed_of(2 * width_of(unsigned_one));
}

}  // namespace quern::codegen
