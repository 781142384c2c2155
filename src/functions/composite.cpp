// SPDX-License-Identifier: MIT
// Elementwise functions composed of several operations.
#include "quern/functions/composite.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "functions/operands.hpp"
#include "functions/output.hpp"
#include "functions/rows.hpp"
#include "quern/reduce.hpp"
#include "quern/ufunc.hpp"

namespace quern {

using functions::is_boolean;
using functions::is_complex;
using functions::is_floating;
using functions::is_integer;

namespace {

Array rounded(const Array& a, std::int64_t decimals) {
  const DType& dtype = a.dtype();
  if (is_boolean(dtype) && decimals != 0)
    functions::type_error("round: booleans cannot be rounded; convert them to numbers");
  if (is_complex(dtype))
    return functions::complex_of(rounded(apply("real", {a}), decimals),
                                 rounded(apply("imag", {a}), decimals));
  const Number scale = std::pow(10.0, static_cast<double>(std::abs(decimals)));
  if (is_integer(dtype)) {
    if (decimals >= 0) return apply("positive", {a});
    return astype(apply("rint", {a / scale}) * scale, dtype);
  }
  if (decimals == 0) return apply("rint", {a});
  return decimals > 0 ? apply("rint", {a * scale}) / scale : apply("rint", {a / scale}) * scale;
}

// Both operations on the same operands, which are converted once.
Pair both(std::string_view first, std::string_view second, std::string_view function,
          std::span<const Operand> operands, const PairOptions& options, const Queue* queue) {
  std::vector<Array> kept;
  kept.reserve(operands.size());
  InlineVector<Operand, 2> given;
  for (const Operand& operand : operands) {
    if (options.dtype && operand.array() != nullptr && operand.array()->dtype() != *options.dtype) {
      check_cast(std::string(function) + ": dtype", operand.array()->dtype(), *options.dtype,
                 options.casting);
      given.push_back(kept.emplace_back(astype(*operand.array(), *options.dtype)));
    } else {
      given.push_back(operand);
    }
  }
  const auto computed = [&](std::string_view name, const std::optional<Array>& out) {
    return elementwise(operation(name), {given.data(), given.size()},
                       {.out = out,
                        .where = options.where,
                        .casting = options.casting,
                        .in_fortran_order = options.in_fortran_order},
                       queue);
  };
  // An output may be an operand: write neither before both results are computed.
  if (!options.first && !options.second) return {computed(first, {}), computed(second, {})};
  const PairOptions plain{.dtype = options.dtype};
  const auto [one, other] = both(first, second, function, operands, plain, queue);
  const auto written = [&](const Array& result, const std::optional<Array>& out) {
    return functions::written(function, result,
                              {functions::address(out), functions::address(options.where), options.casting});
  };
  const Array kept_other = options.first ? copy(other) : other;
  return {written(one, options.first), written(kept_other, options.second)};
}

}  // namespace

Array round(const Array& a, std::int64_t decimals, const std::optional<Array>& out) {
  return functions::written("round", rounded(a, decimals),
                            {.array = functions::address(out), .broadcasts = false});
}

Pair divmod(const Operand& x1, const Operand& x2, const PairOptions& options, const Queue* queue) {
  return both("floor_divide", "remainder", "divmod", std::array<Operand, 2>{x1, x2}, options, queue);
}

Pair modf(const Operand& x, const PairOptions& options, const Queue* queue) {
  return both("modf_fraction", "modf_whole", "modf", {&x, 1}, options, queue);
}

Pair frexp(const Operand& x, const PairOptions& options, const Queue* queue) {
  return both("frexp_mantissa", "frexp_exponent", "frexp", {&x, 1}, options, queue);
}

Array angle(const Array& z, bool deg) {
  const Array result = is_complex(z.dtype()) ? apply("arctan2", {apply("imag", {z}), apply("real", {z})})
                                             : apply("arctan2", {Number(0), z});
  return deg ? result * (180 / std::numbers::pi) : result;
}

Array isclose(const Operand& a, const Operand& b, const Closeness& closeness, const Queue* queue) {
  const Array* const first = a.array() != nullptr ? a.array() : b.array();
  if (first == nullptr && queue == nullptr)
    functions::value_error("isclose: at least one operand must be an array");
  const Queue user = first != nullptr ? first->queue() : *queue;
  // A number beside an array has the array's precision.
  const auto beside = [&](const Number& number, const DType& dtype) {
    return full(user, {}, number, result_type(dtype, number));
  };
  const auto as_inexact = [](const Number& number) {
    return number.kind() == Number::Kind::complex ? number : Number(number.value().real());
  };
  const Array other = functions::as_float(a.array() != nullptr && b.array() == nullptr
                                              ? beside(as_inexact(b.number()), a.array()->dtype())
                                              : functions::array_of(b, user));
  const Array one = a.array() == nullptr && b.array() != nullptr ? beside(a.number(), other.dtype())
                                                                 : functions::array_of(a, user);
  const Array reach = apply("multiply", {closeness.rtol, apply("absolute", {other})});
  const Array near = apply("absolute", {one - other}) <= apply("add", {closeness.atol, reach});
  const Array is_near = apply("logical_and", {near, apply("isfinite", {other})});
  const Array result = apply("logical_or", {is_near, apply("equal", {one, other})});
  if (!closeness.equal_nan) return result;
  const Array are_nan = apply("logical_and", {apply("isnan", {one}), apply("isnan", {other})});
  return apply("logical_or", {result, are_nan});
}

bool allclose(const Operand& a, const Operand& b, const Closeness& closeness, const Queue* queue) {
  return functions::truth_of(all(isclose(a, b, closeness, queue)));
}

bool array_equal(const Array& a1, const Array& a2, bool equal_nan) {
  if (!(a1.shape() == a2.shape())) return false;
  Array same = apply("equal", {a1, a2});
  if (equal_nan) {
    const Array are_nan = apply("logical_and", {apply("isnan", {a1}), apply("isnan", {a2})});
    same = apply("logical_or", {same, are_nan});
  }
  return functions::truth_of(all(same));
}

namespace {

struct Limits {
  double least, greatest;
};
Limits float_limits_of(const DType& dtype) {
  const double most = dtype.scalar == Scalar::float16    ? 65504.0
                      : dtype.scalar == Scalar::bfloat16 ? 0x1.fep127
                      : dtype.scalar == Scalar::float32  ? std::numeric_limits<float>::max()
                                                         : std::numeric_limits<double>::max();
  return {-most, most};
}

Array replaced(const Array& x, std::string_view test, const std::optional<Operand>& given, double otherwise,
               const Array& result) {
  if (!given) return where(apply(test, {x}), Number(otherwise), result);
  if (given->array() != nullptr) {
    check_cast("nan_to_num", given->array()->dtype(), x.dtype());
    const Array values = broadcast_to(astype(*given->array(), x.dtype()), x.shape());
    return where(apply(test, {x}), values, result);
  }
  if (given->number().kind() == Number::Kind::complex)
    check_cast("nan_to_num", DType::of(Scalar::complex128), x.dtype());
  return where(apply(test, {x}), given->number(), result);
}

}  // namespace

Array nan_to_num(const Array& x, const Replacements& replacements) {
  if (is_complex(x.dtype()))
    return functions::complex_of(nan_to_num(apply("real", {x}), replacements),
                                 nan_to_num(apply("imag", {x}), replacements));
  if (is_boolean(x.dtype())) return copy(x);
  if (!is_floating(x.dtype())) return apply("positive", {x});
  const Limits limits = float_limits_of(x.dtype());
  const Array numbers = replaced(x, "isnan", replacements.nan, 0, x);
  const Array below = replaced(x, "isposinf", replacements.posinf, limits.greatest, numbers);
  return replaced(x, "isneginf", replacements.neginf, limits.least, below);
}

Array real_if_close(const Array& a, double tol) {
  if (!is_complex(a.dtype())) return a;
  const bool is_wide = a.dtype().scalar == Scalar::complex128;
  const double step = is_wide ? std::numeric_limits<double>::epsilon()
                              : static_cast<double>(std::numeric_limits<float>::epsilon());
  const Array size = apply("absolute", {apply("imag", {a})});
  return functions::truth_of(all(size < Number(tol > 1 ? tol * step : tol))) ? apply("real", {a}) : a;
}

namespace registry {
namespace {

// x, out, where, casting, order, dtype, from this parameter on
PairOptions pair_options(const Arguments& a, std::size_t k) {
  PairOptions options{.where = a.mask(k + 1),
                      .casting = casting_of(a.text(k + 2), a.function().name),
                      .dtype = a.find<DType>(k + 4),
                      .in_fortran_order = is_fortran(a, k + 3)};
  if (!a.has(k)) return options;
  const std::vector<Array>& out = a.arrays(k);
  if (out.size() != 2)
    functions::value_error(std::string(a.function().name) + ": out must be a tuple of two arrays, got " +
                           std::to_string(out.size()));
  if (out[0].value() != nullptr) options.first = out[0];
  if (out[1].value() != nullptr) options.second = out[1];
  return options;
}

Result tuple_of(const Pair& pair) {
  return std::vector<Array>{pair.first, pair.second};
}

Closeness closeness_of(const Arguments& a) {
  return {a.operand(2), a.operand(3), a.flag(4)};
}

constexpr std::string_view kPairAbout =
    "out: Tuple of two arrays to store the results in; None in it makes a new array.\n"
    "where: Mask, broadcast. Where it is False, an array of `out` keeps its elements, and a new "
    "one holds 0.\n"
    "dtype: Dtype of the computation.";
constexpr std::string_view kUnaryPair =
    "x: operand, /, out: outs = None, *, where: mask = True, casting: str = 'same_kind', order: str = 'K', "
    "dtype: dtype = None, subok: bool = True, signature: object = None";
constexpr std::string_view kClose =
    "a: operand, b: operand, rtol: operand = 1e-05, atol: operand = 1e-08, equal_nan: bool = False";
constexpr std::string_view kCloseAbout =
    "b: Array or number to compare with, broadcast against `a`.\n"
    "rtol: Relative tolerance.\n"
    "atol: Absolute tolerance.\n"
    "equal_nan: Whether NaNs at the same index count as close.";

const Function kCompositeRows[] = {
    {.name = "round",
     .aliases = "around",
     .parameters = "a: array, decimals: int = 0, out: out = None",
     .summary = "Round the elements to a number of decimals; halves round to even.",
     .notes = "Negative `decimals` round to the left of the decimal point: -2 rounds to hundreds.",
     .about = "decimals: Number of digits to keep after the decimal point.",
     .returns = "The rounded elements, in the shape and dtype of `a`.",
     .example = ">>> print(qn.round([1.25, 2.5, -1.75], 1), qn.round([15, 25], -1))\n"
                "[ 1.2  2.5 -1.8] [20 20]",
     .is_method = true,
     .call = [](const Arguments& a) -> Result { return round(a.array(0), a.integer(1), a.find<Array>(2)); }},
    {.name = "divmod",
     .parameters =
         "x1: operand, x2: operand, /, out: outs = None, *, where: mask = True, casting: str = 'same_kind', "
         "order: str = 'K', dtype: dtype = None, subok: bool = True, signature: object = None",
     .summary = "Element-wise quotient and remainder: x1 // x2 and x1 % x2.",
     .about = kPairAbout,
     .returns = "The quotients, rounded towards negative infinity, and the remainders.",
     .type = "tuple[Array, Array]",
     .example = ">>> quotients, rest = qn.divmod([7, -7], 3)\n>>> print(quotients, rest)\n[ 2 -3] [1 2]",
     .call = [](const Arguments& a) -> Result {
       return tuple_of(divmod(a.operand(0), a.operand(1), pair_options(a, 2), &a.queue()));
     }},
    {.name = "modf",
     .parameters = kUnaryPair,
     .summary = "Fractional and integral parts of each element, both with the sign of the element.",
     .about = kPairAbout,
     .returns = "The fractional parts and the integral parts, in floating point.",
     .type = "tuple[Array, Array]",
     .example = ">>> fractions, whole = qn.modf([1.5, -2.25])\n>>> print(fractions, whole)\n"
                "[ 0.5  -0.25] [ 1. -2.]",
     .call = [](const Arguments& a) -> Result {
       return tuple_of(modf(a.operand(0), pair_options(a, 1), &a.queue()));
     }},
    {.name = "frexp",
     .parameters = kUnaryPair,
     .summary = "Decompose each element into mantissa and exponent: x = mantissa * 2**exponent.",
     .about = kPairAbout,
     .returns = "The mantissas, with 0.5 <= |mantissa| < 1, and the exponents as int32.",
     .type = "tuple[Array, Array]",
     .example = ">>> mantissas, exponents = qn.frexp([8.0, -3.0])\n>>> print(mantissas, exponents)\n"
                "[ 0.5  -0.75] [4 2]",
     .call = [](const Arguments& a) -> Result {
       return tuple_of(frexp(a.operand(0), pair_options(a, 1), &a.queue()));
     }},
    {.name = "angle",
     .parameters = "z: array, deg: bool = False",
     .summary = "Angle (argument) of complex numbers, from -pi to pi.",
     .about = "z: Complex or real numbers.\n"
              "deg: If True, the angles are in degrees instead of radians.",
     .returns = "The angles, as real floating-point numbers.",
     .example = ">>> print(qn.angle([1 + 1j, -1j], deg=True))\n[ 45. -90.]",
     .call = [](const Arguments& a) -> Result { return angle(a.array(0), a.flag(1)); }},
    {.name = "isclose",
     .parameters = kClose,
     .summary = "Test element-wise whether two arrays are equal within a tolerance.",
     .notes = "Elements are close if |a - b| <= atol + rtol * |b|. Infinities are close only to equal "
              "infinities.",
     .about = kCloseAbout,
     .returns = "Boolean array of the broadcast shape.",
     .example = ">>> print(qn.isclose([1.0, 1.1], [1.0 + 1e-9, 1.0]))\n[ True False]",
     .call = [](const Arguments& a) -> Result {
       return isclose(a.operand(0), a.operand(1), closeness_of(a), &a.queue());
     }},
    {.name = "allclose",
     .parameters = kClose,
     .summary = "Test whether two arrays are equal within a tolerance; waits for the result.",
     .notes = "All elements must satisfy |a - b| <= atol + rtol * |b|. Infinities are close only to equal "
              "infinities.",
     .about = kCloseAbout,
     .returns = "True if isclose() is True for every pair of elements.",
     .type = "bool",
     .example = ">>> qn.allclose([1.0, 2.0], [1.0, 2.0 + 1e-9])\nTrue",
     .call = [](const Arguments& a) -> Result {
       return allclose(a.operand(0), a.operand(1), closeness_of(a), &a.queue());
     }},
    {.name = "array_equal",
     .parameters = "a1: array, a2: array, equal_nan: bool = False",
     .summary = "Test whether two arrays have the same shape and equal elements; waits for the result.",
     .about = "a1: Input array, or anything that can be converted to one.\n"
              "a2: Array to compare with.\n"
              "equal_nan: Whether NaNs at the same index count as equal.",
     .returns = "True if shapes and elements are equal.",
     .type = "bool",
     .example = ">>> qn.array_equal([1, 2], [1, 2]), qn.array_equal([1, 2], [1, 2, 3])\n(True, False)",
     .call = [](const Arguments& a) -> Result { return array_equal(a.array(0), a.array(1), a.flag(2)); }},
    {.name = "real_if_close",
     .parameters = "a: array, tol: number = 100",
     .summary =
         "Real parts if all imaginary parts are close to 0, otherwise the array; waits for the result.",
     .about = "tol: Tolerance for the imaginary parts: a multiple of the machine epsilon if above 1, "
              "otherwise an absolute value.",
     .returns = "The real parts, or the array itself.",
     .example = ">>> print(qn.real_if_close([2.1 + 4e-14j, 5.2 + 3e-15j], tol=1000))\n[2.1 5.2]",
     .call = [](const Arguments& a) -> Result {
       return real_if_close(a.array(0), a.get<Number>(1).value().real());
     }},
    {.name = "nan_to_num",
     .parameters = "x: array, copy: bool = True, nan: operand = 0.0, posinf: operand = None, "
                   "neginf: operand = None",
     .summary = "Replace NaN and infinities by numbers.",
     .about = "copy: If False, `x` is modified in place and returned.\n"
              "nan: Replacement for NaN: a number, or an array that is broadcast.\n"
              "posinf: Replacement for positive infinity; the largest finite number of the dtype by "
              "default.\n"
              "neginf: Replacement for negative infinity; the most negative finite number of the dtype by "
              "default.",
     .returns = "Array of the same shape and dtype, with finite elements.",
     .example = ">>> print(qn.nan_to_num([1.0, float('nan'), float('inf')], posinf=9.0))\n[1. 0. 9.]",
     .call = [](const Arguments& a) -> Result {
       const Array& x = a.array(0);
       Array result = nan_to_num(x, {find_operand(a, 2), find_operand(a, 3), find_operand(a, 4)});
       if (a.flag(1)) return result;
       assign(x, result);
       return x;
     }},
};

constexpr Function kDivmodOuter = {
    .name = "divmod.outer",
    .parameters =
        "A: array, B: array, /, *, out: outs = None, where: mask = True, casting: str = "
        "'same_kind', order: str = 'K', dtype: dtype = None, subok: bool = True, signature: object "
        "= None",
    .summary = "Apply divmod to all pairs of an element of A and an element of B.",
    .about =
        "A: Dividends.\n"
        "B: Divisors.\n"
        "out: Arrays for the quotients and the remainders.\n"
        "where: Mask, broadcast. Where it is False, `out` keeps its elements, and a new array holds "
        "0.",
    .returns = "The quotients and the remainders, both of shape A.shape + B.shape.",
    .type = "tuple[Array, Array]",
    .example =
        ">>> quotients, rest = qn.divmod.outer([7, 9], [2, 4])\n>>> print(quotients, rest)\n"
        "[[3 1]\n [4 2]] [[1 3]\n [1 1]]",
    // A, B, out, where, casting, order, dtype
    .call = [](const Arguments& a) -> Result {
      return tuple_of(divmod_outer(a.array(0), a.array(1), pair_options(a, 2)));
    }};

}  // namespace

const Function& divmod_outer_row() {
  return kDivmodOuter;
}

std::span<const Function> composite_rows() {
  return kCompositeRows;
}

}  // namespace registry
}  // namespace quern
