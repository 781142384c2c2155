// SPDX-License-Identifier: MIT
// The op table: one row for each elementwise operation, which expressions, dispatch and tests read.
#include "codegen/ops.hpp"

#include <algorithm>
#include <unordered_map>

#include "quern/error.hpp"

namespace quern::codegen {
namespace {

using enum Kinds;
constexpr Promotes kKeeps = Promotes::keeps, kFloats = Promotes::narrow, kDefault = Promotes::default_float,
                   kWide = Promotes::wide;
constexpr Result kSame = Result::same, kTest = Result::boolean, kPart = Result::part;

// Adds documentation: a sentence, and an example by its arguments and its output.
constexpr Op documented(Op op, std::string_view summary, std::string_view arguments, std::string_view printed,
                        std::string_view aliases = {}) {
  op.summary = summary;
  op.example_arguments = arguments;
  op.example_printed = printed;
  op.aliases = aliases;
  return op;
}

// Adds the fold that its methods reduce and accumulate use.
constexpr Op folded(Op op, const Folding& folding) {
  op.folding = folding;
  return op;
}

// In text, @name is the helper of that name for the type of the operands.
constexpr Op kOps[] = {
    // arithmetic
    folded(
        documented({"add", 2, all, kKeeps, kSame, "$0 + $1"}, "Element-wise sum: x1 + x2.", "[1, 2, 3], 10",
                   "[11 12 13]"),
        {.is_associative = true, .identity = Identity::zero, .reduction = "sum", .accumulation = "cumsum"}),
    documented({"subtract", 2, numeric, kKeeps, kSame, "$0 - $1"}, "Element-wise difference: x1 - x2.",
               "[1, 2, 3], [3, 2, 1]", "[-2  0  2]"),
    folded(
        documented({"multiply", 2, all, kKeeps, kSame, "$0 * $1", {}, "@multiply($0, $1)"},
                   "Element-wise product: x1 * x2.", "[1, 2, 3], 10", "[10 20 30]"),
        {.is_associative = true, .identity = Identity::one, .reduction = "prod", .accumulation = "cumprod"}),
    documented({"divide", 2, all, kDefault, kSame, "$0 / $1", {}, "@divide($0, $1)"},
               "Element-wise true division, in floating point: x1 / x2.", "[1, 2, 3], 2", "[0.5 1.  1.5]",
               "true_divide"),
    documented({"floor_divide", 2, real, kKeeps, kSame, "@floor_divide($0, $1)", "@int_floor_divide($0, $1)"},
               "Element-wise quotient, rounded towards negative infinity: x1 // x2.", "[7, -7], 2",
               "[ 3 -4]"),
    documented({"remainder", 2, real, kKeeps, kSame, "@remainder($0, $1)", "@int_remainder($0, $1)"},
               "Element-wise remainder of x1 // x2, with the sign of the divisor x2: x1 % x2.", "[7, -7], 3",
               "[1 2]", "mod"),
    documented({"fmod", 2, real, kKeeps, kSame, "fmod($0, $1)", "@int_fmod($0, $1)"},
               "Element-wise remainder with the sign of the dividend x1, like fmod in C.", "[7.0, -7.0], 3.0",
               "[ 1. -1.]"),
    documented({"power", 2, numeric, kKeeps, kSame, "pow($0, $1)", "@int_power($0, $1)", "@power($0, $1)"},
               "Element-wise power: x1 ** x2.", "[1, 2, 3], 2", "[1 4 9]", "pow"),
    documented({"float_power", 2, inexact, kWide, kSame, "pow($0, $1)", {}, "@power($0, $1)"},
               "Element-wise power in float64, or in complex128 for complex operands: x1 ** x2.",
               "[2, 4], -1", "[0.5  0.25]"),
    documented({"negative", 1, numeric, kKeeps, kSame, "-$0"}, "Numerical negative, element-wise: -x.",
               "[1, -2]", "[-1  2]"),
    documented({"positive", 1, numeric, kKeeps, kSame, "$0"},
               "Numerical positive, element-wise: +x, the unchanged elements.", "[1, -2]", "[ 1 -2]"),
    documented({"absolute", 1, all, kKeeps, kPart, "fabs($0)", "@int_abs($0)", "hypot($0.x, $0.y)"},
               "Absolute value, element-wise; for complex numbers the magnitude.", "[-1.5, 2.0]", "[1.5 2. ]",
               "abs"),
    documented({"fabs", 1, real, kFloats, kSame, "fabs($0)"},
               "Absolute value in floating point, element-wise.", "[-1, 2]", "[1. 2.]"),
    documented({"sign", 1, numeric, kKeeps, kSame, "isnan($0) ? $0 : ($T)(($0 > 0) - ($0 < 0))",
                "($T)(($0 > 0) - ($0 < 0))", "@sign($0)"},
               "Sign of each element: -1, 0 or 1; for complex numbers x / abs(x).", "[-1.5, 0.0, 2.0]",
               "[-1.  0.  1.]"),
    documented({"square", 1, numeric, kKeeps, kSame, "$0 * $0", {}, "@multiply($0, $0)"},
               "Element-wise square: x * x.", "[1, -2, 3]", "[1 4 9]"),
    documented(
        {"reciprocal", 1, numeric, kKeeps, kSame, "1 / $0", "($T)($0 == 0 ? 0 : 1 / $0)", "@reciprocal($0)"},
        "Element-wise reciprocal: 1 / x. For integers the result is truncated to an integer.",
        "[1.0, 2.0, 4.0]", "[1.   0.5  0.25]"),
    documented({"sqrt", 1, numeric, kFloats, kSame, "sqrt($0)", {}, "@sqrt($0)"},
               "Square root, element-wise; NaN for negative real numbers.", "[1.0, 4.0, 9.0]", "[1. 2. 3.]"),
    documented({"rsqrt", 1, real, kFloats, kSame, "1 / sqrt($0)"},
               "Reciprocal of the square root, element-wise: 1 / sqrt(x).", "[1.0, 4.0]", "[1.  0.5]"),
    documented({"cbrt", 1, real, kFloats, kSame, "cbrt($0)"}, "Cube root, element-wise.", "[8.0, -27.0]",
               "[ 2. -3.]"),
    folded(documented({"hypot", 2, real, kFloats, kSame, "hypot($0, $1)"},
                      "Hypotenuse sqrt(x1**2 + x2**2), element-wise, without intermediate overflow.",
                      "3.0, [4.0, 5.0]", "[5.         5.83095189]"),
           {.is_associative = true, .identity = Identity::zero}),
    folded(documented({"gcd", 2, integer, kKeeps, kSame, {}, "@gcd($0, $1)"},
                      "Greatest common divisor of integers, element-wise.", "[12, 18], 8", "[4 2]"),
           {.is_associative = true, .identity = Identity::zero}),
    folded(documented({"lcm", 2, integer, kKeeps, kSame, {}, "@lcm($0, $1)"},
                      "Lowest common multiple of integers, element-wise.", "[4, 6], 10", "[20 30]"),
           {.is_associative = true}),
    documented({"fdim", 2, real, kFloats, kSame, "fdim($0, $1)"},
               "Positive difference, element-wise: x1 - x2, or 0 where that is negative.", "[1.0, 5.0], 3.0",
               "[0. 2.]"),
    documented({"fma", 3, real, kFloats, kSame, "fma($0, $1, $2)"},
               "Fused multiply-add, element-wise: x1 * x2 + x3 with a single rounding.",
               "[1.0, 2.0], 3.0, 0.5", "[3.5 6.5]"),
    documented({"mad", 3, real, kFloats, kSame, "mad($0, $1, $2)"},
               "Multiply-add, element-wise: x1 * x2 + x3, fused or not, whichever is faster.",
               "[1.0, 2.0], 3.0, 0.5", "[3.5 6.5]"),
    documented({"mix", 3, real, kFloats, kSame, "$0 + ($1 - $0) * $2"},
               "Linear blend of x1 and x2 by the weight x3, element-wise: x1 + (x2 - x1) * x3.",
               "[0.0, 10.0], 20.0, 0.5", "[10. 15.]"),
    documented({"smoothstep", 3, real, kFloats, kSame, "smoothstep($0, $1, $2)"},
               "Smooth Hermite step, element-wise: 0 for x3 <= x1, 1 for x3 >= x2, a cubic between them.",
               "0.0, 1.0, [-1.0, 0.25, 2.0]", "[0.      0.15625 1.     ]"),
    // exponentials and logarithms
    documented({"exp", 1, numeric, kFloats, kSame, "exp($0)", {}, "@exp($0)"},
               "Exponential, element-wise: e ** x.", "[0.0, 1.0]", "[1.         2.71828183]"),
    documented({"exp2", 1, numeric, kFloats, kSame, "exp2($0)", {}, "@exp2($0)"},
               "Power of two, element-wise: 2 ** x.", "[0.0, 3.0]", "[1. 8.]"),
    documented({"exp10", 1, real, kFloats, kSame, "exp10($0)"}, "Power of ten, element-wise: 10 ** x.",
               "[0.0, 2.0]", "[  1. 100.]"),
    documented({"expm1", 1, numeric, kFloats, kSame, "expm1($0)", {}, "@expm1($0)"},
               "exp(x) - 1, element-wise, accurate for small x too.", "[0.0, 1e-10]", "[0.e+00 1.e-10]"),
    documented({"log", 1, numeric, kFloats, kSame, "log($0)", {}, "@log($0)"},
               "Natural logarithm, element-wise; NaN for negative real numbers.", "[1.0, 10.0]",
               "[0.         2.30258509]"),
    documented({"log2", 1, numeric, kFloats, kSame, "log2($0)", {}, "@log2($0)"},
               "Base-2 logarithm, element-wise.", "[1.0, 8.0]", "[0. 3.]"),
    documented({"log10", 1, numeric, kFloats, kSame, "log10($0)", {}, "@log10($0)"},
               "Base-10 logarithm, element-wise.", "[1.0, 1000.0]", "[0. 3.]"),
    documented({"log1p", 1, numeric, kFloats, kSame, "log1p($0)", {}, "@log1p($0)"},
               "log(1 + x), element-wise, accurate for small x too.", "[0.0, 1e-10]", "[0.e+00 1.e-10]"),
    folded(documented({"logaddexp", 2, real, kFloats, kSame, "@logaddexp($0, $1)"},
                      "log(exp(x1) + exp(x2)), element-wise, without intermediate overflow.",
                      "[0.0, 1000.0], 1000.0", "[1000.         1000.69314718]"),
           {.is_associative = true, .identity = Identity::minus_infinity}),
    folded(documented({"logaddexp2", 2, real, kFloats, kSame, "@logaddexp2($0, $1)"},
                      "log2(2**x1 + 2**x2), element-wise, without intermediate overflow.", "[0.0, 3.0], 3.0",
                      "[3.169925 4.      ]"),
           {.is_associative = true, .identity = Identity::minus_infinity}),
    documented({"powr", 2, real, kFloats, kSame, "powr($0, $1)"},
               "Power of non-negative numbers, element-wise: x1 ** x2; NaN for negative x1.",
               "[4.0, 9.0], 0.5", "[2. 3.]"),
    documented({"pown", 2, real, kFloats, kSame, "@pown($0, $1)", {}, {}, {}, 1},
               "Power with integer exponents, element-wise: x1 ** x2.", "[2.0, -3.0], 3", "[  8. -27.]"),
    documented({"rootn", 2, real, kFloats, kSame, "@root($0, $1)", {}, {}, {}, 1},
               "Root of integer order x2, element-wise: x1 ** (1 / x2).", "[8.0, -27.0], 3", "[ 2. -3.]"),
    // angles
    documented({"sin", 1, numeric, kFloats, kSame, "sin($0)", {}, "@sin($0)"},
               "Sine of angles in radians, element-wise.", "[0.0, 0.5]", "[0.         0.47942554]"),
    documented({"cos", 1, numeric, kFloats, kSame, "cos($0)", {}, "@cos($0)"},
               "Cosine of angles in radians, element-wise.", "[0.0, 0.5]", "[1.         0.87758256]"),
    documented({"tan", 1, numeric, kFloats, kSame, "tan($0)", {}, "@tan($0)"},
               "Tangent of angles in radians, element-wise.", "[0.0, 0.5]", "[0.         0.54630249]"),
    documented({"arcsin", 1, numeric, kFloats, kSame, "asin($0)", {}, "@arcsin($0)"},
               "Inverse sine, element-wise: angles in radians, from -pi/2 to pi/2.", "[0.0, 1.0]",
               "[0.         1.57079633]", "asin"),
    documented({"arccos", 1, numeric, kFloats, kSame, "acos($0)", {}, "@arccos($0)"},
               "Inverse cosine, element-wise: angles in radians, from 0 to pi.", "[0.0, 1.0]",
               "[1.57079633 0.        ]", "acos"),
    documented({"arctan", 1, numeric, kFloats, kSame, "atan($0)", {}, "@arctan($0)"},
               "Inverse tangent, element-wise: angles in radians, from -pi/2 to pi/2.", "[0.0, 1.0]",
               "[0.         0.78539816]", "atan"),
    documented(
        {"arctan2", 2, real, kFloats, kSame, "atan2($0, $1)"},
        "Angle of the point (x2, x1), element-wise: the inverse tangent of x1 / x2, from -pi to pi radians.",
        "[1.0, -1.0], [1.0, -1.0]", "[ 0.78539816 -2.35619449]", "atan2"),
    documented({"sinh", 1, numeric, kFloats, kSame, "sinh($0)", {}, "@sinh($0)"},
               "Hyperbolic sine, element-wise.", "[0.0, 1.0]", "[0.         1.17520119]"),
    documented({"cosh", 1, numeric, kFloats, kSame, "cosh($0)", {}, "@cosh($0)"},
               "Hyperbolic cosine, element-wise.", "[0.0, 1.0]", "[1.         1.54308063]"),
    documented({"tanh", 1, numeric, kFloats, kSame, "tanh($0)", {}, "@tanh($0)"},
               "Hyperbolic tangent, element-wise.", "[0.0, 1.0]", "[0.         0.76159416]"),
    documented({"arcsinh", 1, numeric, kFloats, kSame, "asinh($0)", {}, "@arcsinh($0)"},
               "Inverse hyperbolic sine, element-wise.", "[0.0, 1.0]", "[0.         0.88137359]", "asinh"),
    documented({"arccosh", 1, numeric, kFloats, kSame, "acosh($0)", {}, "@arccosh($0)"},
               "Inverse hyperbolic cosine, element-wise; NaN for real numbers below 1.", "[1.0, 2.0]",
               "[0.        1.3169579]", "acosh"),
    documented({"arctanh", 1, numeric, kFloats, kSame, "atanh($0)", {}, "@arctanh($0)"},
               "Inverse hyperbolic tangent, element-wise; NaN for real numbers outside -1 to 1.",
               "[0.0, 0.5]", "[0.         0.54930614]", "atanh"),
    documented({"sinpi", 1, real, kFloats, kSame, "sinpi($0)"}, "sin(pi * x), element-wise.", "[0.5, 1.0]",
               "[1. 0.]"),
    documented({"cospi", 1, real, kFloats, kSame, "cospi($0)"}, "cos(pi * x), element-wise.", "[0.5, 1.0]",
               "[ 0. -1.]"),
    documented({"tanpi", 1, real, kFloats, kSame, "tanpi($0)"}, "tan(pi * x), element-wise.", "[0.0, 0.25]",
               "[0. 1.]"),
    documented({"asinpi", 1, real, kFloats, kSame, "asinpi($0)"}, "arcsin(x) / pi, element-wise.",
               "[0.5, 1.0]", "[0.16666667 0.5       ]"),
    documented({"acospi", 1, real, kFloats, kSame, "acospi($0)"}, "arccos(x) / pi, element-wise.",
               "[0.5, 1.0]", "[0.33333333 0.        ]"),
    documented({"atanpi", 1, real, kFloats, kSame, "atanpi($0)"}, "arctan(x) / pi, element-wise.",
               "[0.0, 1.0]", "[0.   0.25]"),
    documented({"atan2pi", 2, real, kFloats, kSame, "atan2pi($0, $1)"}, "arctan2(x1, x2) / pi, element-wise.",
               "[1.0, -1.0], 1.0", "[ 0.25 -0.25]"),
    documented({"deg2rad", 1, real, kFloats, kSame, "$0 * ($T)0.01745329251994329577"},
               "Convert angles from degrees to radians.", "[90.0, 180.0]", "[1.57079633 3.14159265]",
               "radians"),
    documented({"rad2deg", 1, real, kFloats, kSame, "$0 * ($T)57.29577951308232087680"},
               "Convert angles from radians to degrees.", "[0.5, 1.0]", "[28.64788976 57.29577951]",
               "degrees"),
    documented({"sinc", 1, numeric, kDefault, kSame, "@sinc($0)", {}, "@sinc($0)"},
               "Normalised sinc function, element-wise: sin(pi * x) / (pi * x), and 1 at x = 0.",
               "[0.0, 0.5]", "[1.         0.63661977]"),
    // rounding
    documented({"floor", 1, ordered, kKeeps, kSame, "floor($0)", "$0"},
               "Floor, element-wise: the largest integer that is not greater than x.", "[-1.5, 1.5]",
               "[-2.  1.]"),
    documented({"ceil", 1, ordered, kKeeps, kSame, "ceil($0)", "$0"},
               "Ceiling, element-wise: the smallest integer that is not less than x.", "[-1.5, 1.5]",
               "[-1.  2.]"),
    documented({"trunc", 1, ordered, kKeeps, kSame, "trunc($0)", "$0"},
               "Truncated value, element-wise: x rounded towards zero.", "[-1.5, 1.5]", "[-1.  1.]", "fix"),
    {"round", 1, numeric, kKeeps, kSame, "rint($0)", "$0", "rint($0)"},
    documented({"rint", 1, numeric, kFloats, kSame, "rint($0)"},
               "Round to the nearest integer, in floating point; halves round to even.", "[0.5, 1.5, 2.7]",
               "[0. 2. 3.]"),
    // comparisons, where NaN is equal to nothing
    documented({"equal", 2, all, kKeeps, kTest, "$0 == $1", {}, "$0.x == $1.x && $0.y == $1.y"},
               "Element-wise x1 == x2, as booleans. NaN is not equal to anything.", "[1, 2, 3], 2",
               "[False  True False]"),
    documented({"not_equal", 2, all, kKeeps, kTest, "$0 != $1", {}, "$0.x != $1.x || $0.y != $1.y"},
               "Element-wise x1 != x2, as booleans.", "[1, 2, 3], 2", "[ True False  True]"),
    documented({"less", 2, all, kKeeps, kTest, "$0 < $1", {}, "@less($0, $1)"},
               "Element-wise x1 < x2, as booleans.", "[1, 2, 3], 2", "[ True False False]"),
    documented({"less_equal", 2, all, kKeeps, kTest, "$0 <= $1", {}, "@less_equal($0, $1)"},
               "Element-wise x1 <= x2, as booleans.", "[1, 2, 3], 2", "[ True  True False]"),
    documented({"greater", 2, all, kKeeps, kTest, "$0 > $1", {}, "@less($1, $0)"},
               "Element-wise x1 > x2, as booleans.", "[1, 2, 3], 2", "[False False  True]"),
    documented({"greater_equal", 2, all, kKeeps, kTest, "$0 >= $1", {}, "@less_equal($1, $0)"},
               "Element-wise x1 >= x2, as booleans.", "[1, 2, 3], 2", "[False  True  True]"),
    // extremes: these propagate NaN, fmin and fmax ignore it
    folded(documented({"maximum", 2, all, kKeeps, kSame, "$0 > $1 || isnan($0) ? $0 : $1",
                       "$0 > $1 ? $0 : $1", "@is_nan($0) || @less_equal($1, $0) ? $0 : $1"},
                      "Element-wise maximum of two arrays; NaN where either element is NaN.", "[1, 5, 3], 2",
                      "[2 5 3]"),
           {.is_associative = true, .reduction = "max", .accumulation = "cummax"}),
    folded(documented({"minimum", 2, all, kKeeps, kSame, "$0 < $1 || isnan($0) ? $0 : $1",
                       "$0 < $1 ? $0 : $1", "@is_nan($0) || @less_equal($0, $1) ? $0 : $1"},
                      "Element-wise minimum of two arrays; NaN where either element is NaN.", "[1, 5, 3], 2",
                      "[1 2 2]"),
           {.is_associative = true, .reduction = "min", .accumulation = "cummin"}),
    folded(documented({"fmax", 2, all, kKeeps, kSame, "fmax($0, $1)", "$0 > $1 ? $0 : $1",
                       "@is_nan($1) || @less_equal($1, $0) ? $0 : $1"},
                      "Element-wise maximum of two arrays, ignoring NaN.", "[1.0, float('nan')], 2.0",
                      "[2. 2.]"),
           {.is_associative = true}),
    folded(documented({"fmin", 2, all, kKeeps, kSame, "fmin($0, $1)", "$0 < $1 ? $0 : $1",
                       "@is_nan($1) || @less_equal($0, $1) ? $0 : $1"},
                      "Element-wise minimum of two arrays, ignoring NaN.", "[1.0, float('nan')], 2.0",
                      "[1. 2.]"),
           {.is_associative = true}),
    documented({"maxmag", 2, real, kFloats, kSame, "maxmag($0, $1)"},
               "Whichever of x1 and x2 has the larger absolute value, element-wise.", "[1.0, -5.0], 2.0",
               "[ 2. -5.]"),
    documented({"minmag", 2, real, kFloats, kSame, "minmag($0, $1)"},
               "Whichever of x1 and x2 has the smaller absolute value, element-wise.", "[1.0, -5.0], 2.0",
               "[1. 2.]"),
    // logic and bits
    folded(documented({"logical_and",
                       2,
                       all,
                       kKeeps,
                       kTest,
                       "$0 != 0 && $1 != 0",
                       {},
                       "($0.x != 0 || $0.y != 0) && ($1.x != 0 || $1.y != 0)"},
                      "Logical AND, element-wise: True where both elements are nonzero.",
                      "[0, 1, 2], [1, 0, 1]", "[False False  True]"),
           {.is_associative = true, .identity = Identity::one, .reduction = "all"}),
    folded(documented({"logical_or",
                       2,
                       all,
                       kKeeps,
                       kTest,
                       "$0 != 0 || $1 != 0",
                       {},
                       "$0.x != 0 || $0.y != 0 || $1.x != 0 || $1.y != 0"},
                      "Logical OR, element-wise: True where at least one element is nonzero.",
                      "[0, 1, 0], [1, 0, 0]", "[ True  True False]"),
           {.is_associative = true, .identity = Identity::zero, .reduction = "any"}),
    folded(documented({"logical_xor",
                       2,
                       all,
                       kKeeps,
                       kTest,
                       "($0 != 0) != ($1 != 0)",
                       {},
                       "($0.x != 0 || $0.y != 0) != ($1.x != 0 || $1.y != 0)"},
                      "Logical XOR, element-wise: True where exactly one element is nonzero.",
                      "[0, 1, 2], [1, 0, 1]", "[ True  True False]"),
           {.is_associative = true, .identity = Identity::zero}),
    documented({"logical_not", 1, all, kKeeps, kTest, "$0 == 0", {}, "$0.x == 0 && $0.y == 0"},
               "Logical NOT, element-wise: True where the element is zero.", "[0, 1, 2]",
               "[ True False False]"),
    folded(documented({"bitwise_and", 2, bits, kKeeps, kSame, "$0 & $1"},
                      "Bit-wise AND, element-wise: x1 & x2.", "[12, 10], 6", "[4 2]"),
           {.is_associative = true, .identity = Identity::all_bits}),
    folded(documented({"bitwise_or", 2, bits, kKeeps, kSame, "$0 | $1"},
                      "Bit-wise OR, element-wise: x1 | x2.", "[12, 10], 6", "[14 14]"),
           {.is_associative = true, .identity = Identity::zero}),
    folded(documented({"bitwise_xor", 2, bits, kKeeps, kSame, "$0 ^ $1"},
                      "Bit-wise XOR, element-wise: x1 ^ x2.", "[12, 10], 6", "[10 12]"),
           {.is_associative = true, .identity = Identity::zero}),
    documented({"invert", 1, integer, kKeeps, kSame, "~$0"},
               "Bit-wise NOT, element-wise: ~x; for booleans the logical NOT.", "[0, 5]", "[-1 -6]",
               "bitwise_invert bitwise_not"),
    documented({"left_shift", 2, integer, kKeeps, kSame, {}, "@left_shift($0, $1)"},
               "Shift bits to the left by x2, element-wise: x1 << x2.", "[1, 3], 2", "[ 4 12]",
               "bitwise_left_shift"),
    documented({"right_shift", 2, integer, kKeeps, kSame, {}, "@right_shift($0, $1)"},
               "Shift bits to the right by x2, element-wise: x1 >> x2.", "[8, 5], 2", "[2 1]",
               "bitwise_right_shift"),
    documented({"bitwise_count", 1, integer, kKeeps, Result::uint8, {}, "popcount(@int_abs($0))"},
               "Number of set bits in the absolute value of each element, as uint8.", "[7, -8]", "[3 1]"),
    // classification of numbers
    documented({"isnan", 1, all, kKeeps, kTest, "isnan($0)", "0", "isnan($0.x) || isnan($0.y)"},
               "Test element-wise for NaN.", "[1.0, float('nan')]", "[False  True]"),
    documented({"isinf", 1, all, kKeeps, kTest, "isinf($0)", "0", "isinf($0.x) || isinf($0.y)"},
               "Test element-wise for positive or negative infinity.", "[1.0, float('-inf')]",
               "[False  True]"),
    documented({"isfinite", 1, all, kKeeps, kTest, "isfinite($0)", "1", "isfinite($0.x) && isfinite($0.y)"},
               "Test element-wise for finite numbers: neither infinite nor NaN.", "[1.0, float('inf')]",
               "[ True False]"),
    documented({"isneginf", 1, ordered, kKeeps, kTest, "isinf($0) && $0 < 0", "0"},
               "Test element-wise for negative infinity.", "[1.0, float('-inf')]", "[False  True]"),
    documented({"isposinf", 1, ordered, kKeeps, kTest, "isinf($0) && $0 > 0", "0"},
               "Test element-wise for positive infinity.", "[1.0, float('inf')]", "[False  True]"),
    documented({"isreal", 1, all, kKeeps, kTest, "1", {}, "$0.y == 0"},
               "Test element-wise for numbers whose imaginary part is zero.", "[1 + 2j, 3 + 0j]",
               "[False  True]"),
    documented({"iscomplex", 1, all, kKeeps, kTest, "0", {}, "$0.y != 0"},
               "Test element-wise for numbers whose imaginary part is not zero.", "[1 + 2j, 3 + 0j]",
               "[ True False]"),
    // gcc 12 fails on the sign of a float that it has just converted from a half, in a vector.
    documented({"signbit", 1, ordered, kKeeps, kTest, "signbit($0)", "$0 < 0", {}, "as_int($0) < 0"},
               "Test element-wise whether the sign bit is set; it is for -0.0 too.", "[-0.0, 1.0]",
               "[ True False]"),
    documented({"copysign", 2, real, kFloats, kSame, "copysign($0, $1)"},
               "Absolute value of x1 with the sign of x2, element-wise.", "[1.0, -2.0], -0.0", "[-1. -2.]"),
    documented({"heaviside", 2, real, kFloats, kSame, "@heaviside($0, $1)"},
               "Heaviside step function, element-wise: 0 for x1 < 0, x2 for x1 == 0, 1 for x1 > 0.",
               "[-1.5, 0.0, 2.0], 0.5", "[0.  0.5 1. ]"),
    documented({"nextafter", 2, real, kFloats, kSame, "nextafter($0, $1)", {}, {}, "@half_nextafter($0, $1)"},
               "Next representable number after x1 towards x2, element-wise.", "0.0, [1.0, -1.0]",
               "[ 5.e-324 -5.e-324]"),
    documented({"spacing", 1, real, kFloats, kSame, "@spacing($0)", {}, {}, "@half_spacing($0)"},
               "Distance between each element and the next representable number away from zero.",
               "[1.0, 1e10]", "[2.22044605e-16 1.90734863e-06]"),
    // The same of bfloat16, whose elements are floats here.
    {"bfloat16_nextafter", 2, real, kFloats, kSame, "@bfloat16_nextafter($0, $1)"},
    {"bfloat16_spacing", 1, real, kFloats, kSame, "@bfloat16_spacing($0)"},
    {"frexp_mantissa", 1, real, kFloats, kSame, "@frexp_mantissa($0)"},
    {"frexp_exponent", 1, real, kFloats, Result::int32, "@frexp_exponent($0)"},
    {"modf_fraction", 1, real, kFloats, kSame, "@modf_fraction($0)"},
    {"modf_whole", 1, real, kFloats, kSame, "trunc($0)"},
    documented({"ldexp", 2, real, kFloats, kSame, "@ldexp($0, $1)", {}, {}, {}, 1},
               "x1 * 2**x2 for integer x2, element-wise: the inverse of frexp.", "[0.5, 3.0], 2",
               "[ 2. 12.]"),
    documented({"ilogb", 1, real, kFloats, Result::int32, "ilogb($0)"},
               "Binary exponent of each element, as int32: floor(log2(abs(x))).", "[1.0, 10.0]", "[0 3]"),
    documented({"logb", 1, real, kFloats, kSame, "logb($0)"},
               "Binary exponent of each element, in floating point: floor(log2(abs(x))).", "[1.0, 10.0]",
               "[0. 3.]"),
    // complex numbers
    documented({"real", 1, all, kKeeps, kPart, "$0", {}, "$0.x"}, "Real part of each element.",
               "[1 + 2j, 3 - 4j]", "[1. 3.]"),
    documented({"imag", 1, all, kKeeps, kPart, "0", {}, "$0.y"},
               "Imaginary part of each element; 0 for real numbers.", "[1 + 2j, 3 - 4j]", "[ 2. -4.]"),
    documented({"conj", 1, numeric, kKeeps, kSame, "$0", {}, "($T)($0.x, -$0.y)"},
               "Complex conjugate, element-wise.", "[1 + 2j, 3 - 4j]", "[1.-2.j 3.+4.j]", "conjugate"),
    // special functions
    documented({"erf", 1, real, kFloats, kSame, "erf($0)"}, "Error function, element-wise.", "[0.0, 0.5]",
               "[0.         0.52049988]"),
    documented({"erfc", 1, real, kFloats, kSame, "erfc($0)"},
               "Complementary error function 1 - erf(x), element-wise, accurate for large x too.",
               "[0.0, 5.0]", "[1.00000000e+00 1.53745979e-12]"),
    documented({"gamma", 1, real, kFloats, kSame, "tgamma($0)"}, "Gamma function, element-wise.",
               "[3.0, 0.5]", "[2.         1.77245385]", "tgamma"),
    documented({"lgamma", 1, real, kFloats, kSame, "lgamma($0)"},
               "Logarithm of the absolute value of the gamma function, element-wise.", "[3.0, 100.0]",
               "[  0.69314718 359.13420537]"),
    documented({"i0", 1, real, kDefault, kSame, "@i0($0)"},
               "Modified Bessel function of the first kind and order 0, element-wise.", "[0.0, 1.0]",
               "[1.         1.26606588]"),
    documented({"bessel_jn", 2, real, kDefault, kSame, "@bessel_jn($0, $1)", {}, {}, {}, 0},
               "Bessel function of the first kind and integer order x1, evaluated at x2.", "0, [0.5, 1.0]",
               "[0.93846981 0.76519769]"),
    documented({"bessel_yn", 2, real, kDefault, kSame, "@bessel_yn($0, $1)", {}, {}, {}, 0},
               "Bessel function of the second kind and integer order x1, evaluated at x2.", "0, [0.5, 1.0]",
               "[-0.44451873  0.08825696]"),
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

// The bits of the floating-point type that NumPy uses for integers of this type.
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

DType computed_type(const Op& op, const DType& common, const DType& default_float) {
  const Kinds kind = kind_of(common);
  if (op.promotes == Promotes::wide)
    return DType::of(kind == Kinds::complex ? Scalar::complex128 : Scalar::float64);
  const bool is_whole = kind == Kinds::boolean || kind == Kinds::integer;
  return op.promotes != Promotes::keeps && is_whole ? default_float : common;
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
      case Scalar::bfloat16:
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
  throw ArgumentError(ArgumentError::Kind::type, "elements of " + dtype.name() + " are not numbers");
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
    const int bits = std::max(bits_of(a, of_a), bits_of(b, of_b));
    // bfloat16 holds all integers of a byte, and neither of the two short types holds the other.
    if (bits == 16 && (a.scalar == Scalar::bfloat16 || b.scalar == Scalar::bfloat16))
      return DType::of(of_a == of_b ? Scalar::float32 : Scalar::bfloat16);
    return float_of(bits);
  }
  if (is_unsigned(a) == is_unsigned(b)) return a.itemsize > b.itemsize ? a : b;
  const DType& unsigned_one = is_unsigned(a) ? a : b;
  const DType& signed_one = is_unsigned(a) ? b : a;
  if (signed_one.itemsize > unsigned_one.itemsize) return signed_one;
  return unsigned_one.itemsize == 8 ? DType::of(Scalar::float64) : signed_of(2 * width_of(unsigned_one));
}

}  // namespace quern::codegen
