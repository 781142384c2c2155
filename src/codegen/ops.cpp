// SPDX-License-Identifier: MIT
// The operations on elements: one row each, which expressions, dispatch and tests read.
#include "codegen/ops.hpp"

#include <algorithm>
#include <unordered_map>

#include "quern/error.hpp"

namespace quern::codegen {
namespace {

using enum Kinds;
constexpr Promotes kKeeps = Promotes::keeps, kFloats = Promotes::narrow, kDefault = Promotes::default_float;
constexpr Result kSame = Result::same, kTest = Result::boolean, kPart = Result::part;

// In text, @name is the helper of that name for the type of the operands.
constexpr Op kOps[] = {
    // arithmetic
    {"add", 2, all, kKeeps, kSame, "$0 + $1"},
    {"subtract", 2, numeric, kKeeps, kSame, "$0 - $1"},
    {"multiply", 2, all, kKeeps, kSame, "$0 * $1", {}, "@multiply($0, $1)"},
    {"divide", 2, all, kDefault, kSame, "$0 / $1", {}, "@divide($0, $1)"},
    {"floor_divide", 2, real, kKeeps, kSame, "@floor_divide($0, $1)", "@int_floor_divide($0, $1)"},
    {"remainder", 2, real, kKeeps, kSame, "@remainder($0, $1)", "@int_remainder($0, $1)"},
    {"fmod", 2, real, kKeeps, kSame, "fmod($0, $1)", "@int_fmod($0, $1)"},
    {"power", 2, numeric, kKeeps, kSame, "pow($0, $1)", "@int_power($0, $1)", "@power($0, $1)"},
    {"negative", 1, numeric, kKeeps, kSame, "-$0"},
    {"positive", 1, numeric, kKeeps, kSame, "$0"},
    {"absolute", 1, all, kKeeps, kPart, "fabs($0)", "@int_abs($0)", "hypot($0.x, $0.y)"},
    {"fabs", 1, real, kFloats, kSame, "fabs($0)"},
    {"sign", 1, numeric, kKeeps, kSame, "isnan($0) ? $0 : ($T)(($0 > 0) - ($0 < 0))",
     "($T)(($0 > 0) - ($0 < 0))", "@sign($0)"},
    {"square", 1, numeric, kKeeps, kSame, "$0 * $0", {}, "@multiply($0, $0)"},
    {"reciprocal", 1, numeric, kKeeps, kSame, "1 / $0", "($T)($0 == 0 ? 0 : 1 / $0)", "@reciprocal($0)"},
    {"sqrt", 1, numeric, kFloats, kSame, "sqrt($0)", {}, "@sqrt($0)"},
    {"rsqrt", 1, real, kFloats, kSame, "1 / sqrt($0)"},
    {"cbrt", 1, real, kFloats, kSame, "cbrt($0)"},
    {"hypot", 2, real, kFloats, kSame, "hypot($0, $1)"},
    {"gcd", 2, integer, kKeeps, kSame, {}, "@gcd($0, $1)"},
    {"lcm", 2, integer, kKeeps, kSame, {}, "@lcm($0, $1)"},
    {"fdim", 2, real, kFloats, kSame, "fdim($0, $1)"},
    {"fma", 3, real, kFloats, kSame, "fma($0, $1, $2)"},
    {"mad", 3, real, kFloats, kSame, "mad($0, $1, $2)"},
    {"mix", 3, real, kFloats, kSame, "$0 + ($1 - $0) * $2"},
    {"smoothstep", 3, real, kFloats, kSame, "smoothstep($0, $1, $2)"},
    // exponentials and logarithms
    {"exp", 1, numeric, kFloats, kSame, "exp($0)", {}, "@exp($0)"},
    {"exp2", 1, numeric, kFloats, kSame, "exp2($0)", {}, "@exp2($0)"},
    {"exp10", 1, real, kFloats, kSame, "exp10($0)"},
    {"expm1", 1, numeric, kFloats, kSame, "expm1($0)", {}, "@expm1($0)"},
    {"log", 1, numeric, kFloats, kSame, "log($0)", {}, "@log($0)"},
    {"log2", 1, numeric, kFloats, kSame, "log2($0)", {}, "@log2($0)"},
    {"log10", 1, numeric, kFloats, kSame, "log10($0)", {}, "@log10($0)"},
    {"log1p", 1, numeric, kFloats, kSame, "log1p($0)", {}, "@log1p($0)"},
    {"logaddexp", 2, real, kFloats, kSame, "@logaddexp($0, $1)"},
    {"logaddexp2", 2, real, kFloats, kSame, "@logaddexp2($0, $1)"},
    {"powr", 2, real, kFloats, kSame, "powr($0, $1)"},
    {"pown", 2, real, kFloats, kSame, "@pown($0, $1)", {}, {}, {}, 1},
    {"rootn", 2, real, kFloats, kSame, "@root($0, $1)", {}, {}, {}, 1},
    // angles
    {"sin", 1, numeric, kFloats, kSame, "sin($0)", {}, "@sin($0)"},
    {"cos", 1, numeric, kFloats, kSame, "cos($0)", {}, "@cos($0)"},
    {"tan", 1, numeric, kFloats, kSame, "tan($0)", {}, "@tan($0)"},
    {"arcsin", 1, numeric, kFloats, kSame, "asin($0)", {}, "@arcsin($0)"},
    {"arccos", 1, numeric, kFloats, kSame, "acos($0)", {}, "@arccos($0)"},
    {"arctan", 1, numeric, kFloats, kSame, "atan($0)", {}, "@arctan($0)"},
    {"arctan2", 2, real, kFloats, kSame, "atan2($0, $1)"},
    {"sinh", 1, numeric, kFloats, kSame, "sinh($0)", {}, "@sinh($0)"},
    {"cosh", 1, numeric, kFloats, kSame, "cosh($0)", {}, "@cosh($0)"},
    {"tanh", 1, numeric, kFloats, kSame, "tanh($0)", {}, "@tanh($0)"},
    {"arcsinh", 1, numeric, kFloats, kSame, "asinh($0)", {}, "@arcsinh($0)"},
    {"arccosh", 1, numeric, kFloats, kSame, "acosh($0)", {}, "@arccosh($0)"},
    {"arctanh", 1, numeric, kFloats, kSame, "atanh($0)", {}, "@arctanh($0)"},
    {"sinpi", 1, real, kFloats, kSame, "sinpi($0)"},
    {"cospi", 1, real, kFloats, kSame, "cospi($0)"},
    {"tanpi", 1, real, kFloats, kSame, "tanpi($0)"},
    {"asinpi", 1, real, kFloats, kSame, "asinpi($0)"},
    {"acospi", 1, real, kFloats, kSame, "acospi($0)"},
    {"atanpi", 1, real, kFloats, kSame, "atanpi($0)"},
    {"atan2pi", 2, real, kFloats, kSame, "atan2pi($0, $1)"},
    {"deg2rad", 1, real, kFloats, kSame, "$0 * ($T)0.01745329251994329577"},
    {"rad2deg", 1, real, kFloats, kSame, "$0 * ($T)57.29577951308232087680"},
    {"sinc", 1, numeric, kDefault, kSame, "@sinc($0)", {}, "@sinc($0)"},
    // rounding
    {"floor", 1, ordered, kKeeps, kSame, "floor($0)", "$0"},
    {"ceil", 1, ordered, kKeeps, kSame, "ceil($0)", "$0"},
    {"trunc", 1, ordered, kKeeps, kSame, "trunc($0)", "$0"},
    {"round", 1, numeric, kKeeps, kSame, "rint($0)", "$0", "rint($0)"},
    {"rint", 1, numeric, kFloats, kSame, "rint($0)"},
    // comparisons, where NaN is equal to nothing
    {"equal", 2, all, kKeeps, kTest, "$0 == $1", {}, "$0.x == $1.x && $0.y == $1.y"},
    {"not_equal", 2, all, kKeeps, kTest, "$0 != $1", {}, "$0.x != $1.x || $0.y != $1.y"},
    {"less", 2, all, kKeeps, kTest, "$0 < $1", {}, "@less($0, $1)"},
    {"less_equal", 2, all, kKeeps, kTest, "$0 <= $1", {}, "@less_equal($0, $1)"},
    {"greater", 2, all, kKeeps, kTest, "$0 > $1", {}, "@less($1, $0)"},
    {"greater_equal", 2, all, kKeeps, kTest, "$0 >= $1", {}, "@less_equal($1, $0)"},
    // extremes: these pass NaN on, fmin and fmax leave it out
    {"maximum", 2, all, kKeeps, kSame, "$0 > $1 || isnan($0) ? $0 : $1", "$0 > $1 ? $0 : $1",
     "@is_nan($0) || @less_equal($1, $0) ? $0 : $1"},
    {"minimum", 2, all, kKeeps, kSame, "$0 < $1 || isnan($0) ? $0 : $1", "$0 < $1 ? $0 : $1",
     "@is_nan($0) || @less_equal($0, $1) ? $0 : $1"},
    {"fmax", 2, all, kKeeps, kSame, "fmax($0, $1)", "$0 > $1 ? $0 : $1",
     "@is_nan($1) || @less_equal($1, $0) ? $0 : $1"},
    {"fmin", 2, all, kKeeps, kSame, "fmin($0, $1)", "$0 < $1 ? $0 : $1",
     "@is_nan($1) || @less_equal($0, $1) ? $0 : $1"},
    {"maxmag", 2, real, kFloats, kSame, "maxmag($0, $1)"},
    {"minmag", 2, real, kFloats, kSame, "minmag($0, $1)"},
    // logic and bits
    {"logical_and",
     2,
     all,
     kKeeps,
     kTest,
     "$0 != 0 && $1 != 0",
     {},
     "($0.x != 0 || $0.y != 0) && ($1.x != 0 || $1.y != 0)"},
    {"logical_or",
     2,
     all,
     kKeeps,
     kTest,
     "$0 != 0 || $1 != 0",
     {},
     "$0.x != 0 || $0.y != 0 || $1.x != 0 || $1.y != 0"},
    {"logical_xor",
     2,
     all,
     kKeeps,
     kTest,
     "($0 != 0) != ($1 != 0)",
     {},
     "($0.x != 0 || $0.y != 0) != ($1.x != 0 || $1.y != 0)"},
    {"logical_not", 1, all, kKeeps, kTest, "$0 == 0", {}, "$0.x == 0 && $0.y == 0"},
    {"bitwise_and", 2, bits, kKeeps, kSame, "$0 & $1"},
    {"bitwise_or", 2, bits, kKeeps, kSame, "$0 | $1"},
    {"bitwise_xor", 2, bits, kKeeps, kSame, "$0 ^ $1"},
    {"invert", 1, integer, kKeeps, kSame, "~$0"},
    {"left_shift", 2, integer, kKeeps, kSame, {}, "@left_shift($0, $1)"},
    {"right_shift", 2, integer, kKeeps, kSame, {}, "@right_shift($0, $1)"},
    {"bitwise_count", 1, integer, kKeeps, Result::uint8, {}, "popcount(@int_abs($0))"},
    // what a number is
    {"isnan", 1, all, kKeeps, kTest, "isnan($0)", "0", "isnan($0.x) || isnan($0.y)"},
    {"isinf", 1, all, kKeeps, kTest, "isinf($0)", "0", "isinf($0.x) || isinf($0.y)"},
    {"isfinite", 1, all, kKeeps, kTest, "isfinite($0)", "1", "isfinite($0.x) && isfinite($0.y)"},
    {"isneginf", 1, ordered, kKeeps, kTest, "isinf($0) && $0 < 0", "0"},
    {"isposinf", 1, ordered, kKeeps, kTest, "isinf($0) && $0 > 0", "0"},
    {"isreal", 1, all, kKeeps, kTest, "1", {}, "$0.y == 0"},
    {"iscomplex", 1, all, kKeeps, kTest, "0", {}, "$0.y != 0"},
    // gcc 12 fails on the sign of a float that it has just made of a half, in a vector.
    {"signbit", 1, ordered, kKeeps, kTest, "signbit($0)", "$0 < 0", {}, "as_int($0) < 0"},
    {"copysign", 2, real, kFloats, kSame, "copysign($0, $1)"},
    {"heaviside", 2, real, kFloats, kSame, "@heaviside($0, $1)"},
    {"nextafter", 2, real, kFloats, kSame, "nextafter($0, $1)", {}, {}, "@half_nextafter($0, $1)"},
    {"spacing", 1, real, kFloats, kSame, "@spacing($0)", {}, {}, "@half_spacing($0)"},
    {"frexp_mantissa", 1, real, kFloats, kSame, "@frexp_mantissa($0)"},
    {"frexp_exponent", 1, real, kFloats, Result::int32, "@frexp_exponent($0)"},
    {"modf_fraction", 1, real, kFloats, kSame, "@modf_fraction($0)"},
    {"modf_whole", 1, real, kFloats, kSame, "trunc($0)"},
    {"ldexp", 2, real, kFloats, kSame, "@ldexp($0, $1)", {}, {}, {}, 1},
    {"ilogb", 1, real, kFloats, Result::int32, "ilogb($0)"},
    {"logb", 1, real, kFloats, kSame, "logb($0)"},
    // complex numbers
    {"real", 1, all, kKeeps, kPart, "$0", {}, "$0.x"},
    {"imag", 1, all, kKeeps, kPart, "0", {}, "$0.y"},
    {"conj", 1, numeric, kKeeps, kSame, "$0", {}, "($T)($0.x, -$0.y)"},
    // special functions
    {"erf", 1, real, kFloats, kSame, "erf($0)"},
    {"erfc", 1, real, kFloats, kSame, "erfc($0)"},
    {"gamma", 1, real, kFloats, kSame, "tgamma($0)"},
    {"lgamma", 1, real, kFloats, kSame, "lgamma($0)"},
    {"i0", 1, real, kDefault, kSame, "@i0($0)"},
    {"bessel_jn", 2, real, kDefault, kSame, "@bessel_jn($0, $1)", {}, {}, {}, 0},
    {"bessel_yn", 2, real, kDefault, kSame, "@bessel_yn($0, $1)", {}, {}, {}, 0},
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
  static const auto* const known = [] {
    auto* const made = new std::unordered_map<std::string_view, const Op*>;
    for (const Op& op : kOps) made->emplace(op.name, &op);
    return made;
  }();
  const auto found = known->find(name);
  return found == known->end() ? nullptr : found->second;
}

DType part_of(const DType& dtype) {
  if (dtype.scalar == Scalar::complex64) return DType::of(Scalar::float32);
  return dtype.scalar == Scalar::complex128 ? DType::of(Scalar::float64) : dtype;
}

DType result_of(const Op& op, const DType& operands) {
  switch (op.result) {
    case Result::boolean:
      return DType::of(Scalar::boolean);
    case Result::part:
      return part_of(operands);
    case Result::int32:
      return DType::of(Scalar::int32);
    case Result::uint8:
      return DType::of(Scalar::uint8);
    case Result::same:
      break;
  }
  return operands;
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
