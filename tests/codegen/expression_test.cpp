// SPDX-License-Identifier: MIT
// Every operation of the op table on every device, against the C++ library or a loop: all of them in one
// kernel for each dtype, since new kernels are slow to build.
#include "codegen/expression.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <map>

#include "algorithms/elementwise_program.hpp"
#include "codegen/ops.hpp"
#include "quern/error.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

using codegen::Expression;
using Complex = std::complex<double>;

class ExpressionTest : public EachDevice {};

// What each operation does to real numbers.
const std::map<std::string, std::function<double(double, double)>>& real_oracles() {
  static const std::map<std::string, std::function<double(double, double)>> table = {
      {"add", [](double a, double b) { return a + b; }},
      {"subtract", [](double a, double b) { return a - b; }},
      {"multiply", [](double a, double b) { return a * b; }},
      {"divide", [](double a, double b) { return a / b; }},
      {"floor_divide",
       [](double a, double b) {
         // Of exact quotients rounding goes to the nearest whole number.
         if (b == 0) return a / b;
         double r = std::fmod(a, b), q = (a - r) / b;
         if (r != 0 && (r < 0) != (b < 0)) q -= 1;
         return std::floor(q + 0.5);
       }},
      {"remainder",
       [](double a, double b) {
         const double r = std::fmod(a, b);
         return r != 0 && (r < 0) != (b < 0) ? r + b : r;
       }},
      {"fmod", [](double a, double b) { return std::fmod(a, b); }},
      {"power", [](double a, double b) { return std::pow(a, b); }},
      {"negative", [](double a, double) { return -a; }},
      {"positive", [](double a, double) { return a; }},
      {"absolute", [](double a, double) { return std::fabs(a); }},
      {"sign", [](double a, double) { return std::isnan(a) ? a : (a > 0) - (a < 0); }},
      {"square", [](double a, double) { return a * a; }},
      {"reciprocal", [](double a, double) { return 1 / a; }},
      {"sqrt", [](double a, double) { return std::sqrt(a); }},
      {"rsqrt", [](double a, double) { return 1 / std::sqrt(a); }},
      {"cbrt", [](double a, double) { return std::cbrt(a); }},
      {"hypot", [](double a, double b) { return std::hypot(a, b); }},
      {"exp", [](double a, double) { return std::exp(a); }},
      {"exp2", [](double a, double) { return std::exp2(a); }},
      {"expm1", [](double a, double) { return std::expm1(a); }},
      {"log", [](double a, double) { return std::log(a); }},
      {"log2", [](double a, double) { return std::log2(a); }},
      {"log10", [](double a, double) { return std::log10(a); }},
      {"log1p", [](double a, double) { return std::log1p(a); }},
      {"logaddexp", [](double a, double b) { return std::log(std::exp(a) + std::exp(b)); }},
      {"sin", [](double a, double) { return std::sin(a); }},
      {"cos", [](double a, double) { return std::cos(a); }},
      {"tan", [](double a, double) { return std::tan(a); }},
      {"arcsin", [](double a, double) { return std::asin(a); }},
      {"arccos", [](double a, double) { return std::acos(a); }},
      {"arctan", [](double a, double) { return std::atan(a); }},
      {"arctan2", [](double a, double b) { return std::atan2(a, b); }},
      {"sinh", [](double a, double) { return std::sinh(a); }},
      {"cosh", [](double a, double) { return std::cosh(a); }},
      {"tanh", [](double a, double) { return std::tanh(a); }},
      {"arcsinh", [](double a, double) { return std::asinh(a); }},
      {"arccosh", [](double a, double) { return std::acosh(a); }},
      {"arctanh", [](double a, double) { return std::atanh(a); }},
      {"floor", [](double a, double) { return std::floor(a); }},
      {"ceil", [](double a, double) { return std::ceil(a); }},
      {"trunc", [](double a, double) { return std::trunc(a); }},
      {"rint", [](double a, double) { return std::rint(a); }},
      {"round", [](double a, double) { return std::rint(a); }},
      {"equal", [](double a, double b) { return a == b; }},
      {"not_equal", [](double a, double b) { return a != b; }},
      {"less", [](double a, double b) { return a < b; }},
      {"less_equal", [](double a, double b) { return a <= b; }},
      {"greater", [](double a, double b) { return a > b; }},
      {"greater_equal", [](double a, double b) { return a >= b; }},
      {"maximum", [](double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::fmax(a, b); }},
      {"minimum", [](double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::fmin(a, b); }},
      {"fmax", [](double a, double b) { return std::fmax(a, b); }},
      {"fmin", [](double a, double b) { return std::fmin(a, b); }},
      {"logical_and", [](double a, double b) { return a != 0 && b != 0; }},
      {"logical_or", [](double a, double b) { return a != 0 || b != 0; }},
      {"logical_xor", [](double a, double b) { return (a != 0) != (b != 0); }},
      {"logical_not", [](double a, double) { return a == 0; }},
      {"isnan", [](double a, double) { return std::isnan(a); }},
      {"isinf", [](double a, double) { return std::isinf(a); }},
      {"isfinite", [](double a, double) { return std::isfinite(a); }},
      {"signbit", [](double a, double) { return std::signbit(a); }},
      {"copysign", [](double a, double b) { return std::copysign(a, b); }},
      {"real", [](double a, double) { return a; }},
      {"imag", [](double, double) { return 0; }},
      {"conj", [](double a, double) { return a; }},
      {"erf", [](double a, double) { return std::erf(a); }},
      {"erfc", [](double a, double) { return std::erfc(a); }},
      {"gamma", [](double a, double) { return std::tgamma(a); }},
      {"lgamma", [](double a, double) { return std::lgamma(a); }},
  };
  return table;
}

template <class T>
std::int64_t wrapped(std::int64_t value) {
  return static_cast<T>(value);
}

// What the operations that keep integers do to them, in wrapping arithmetic.
template <class T>
std::int64_t integer_oracle(const std::string& op, std::int64_t a, std::int64_t b) {
  const auto floor_divide = [&] { return b == 0 ? 0 : (a - ((a % b + b) % b)) / b; };
  constexpr int kBits = 8 * sizeof(T);
  if (op == "floor_divide") return wrapped<T>(floor_divide());
  if (op == "remainder") return b == 0 ? 0 : (a % b + b) % b;
  if (op == "fmod") return b == 0 ? 0 : a % b;
  if (op == "power") {
    if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 != 0 ? -1 : 1) : 0;
    std::uint64_t result = 1;
    for (std::int64_t k = 0; k < b; ++k) result *= static_cast<std::uint64_t>(a);
    return wrapped<T>(static_cast<std::int64_t>(result));
  }
  if (op == "bitwise_and") return a & b;
  if (op == "bitwise_or") return a | b;
  if (op == "bitwise_xor") return wrapped<T>(a ^ b);
  if (op == "invert") return wrapped<T>(~a);
  if (op == "left_shift")
    return b < 0 || b >= kBits ? 0
                               : wrapped<T>(static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << b));
  if (op == "right_shift") return b < 0 || b >= kBits ? (a < 0 ? -1 : 0) : a >> b;
  return wrapped<T>(
      static_cast<std::int64_t>(real_oracles().at(op)(static_cast<double>(a), static_cast<double>(b))));
}

// Whether the C++ library knows the operation, too; the others are tested beside NumPy.
bool has_oracle(std::string_view name) {
  constexpr std::string_view kOfIntegers[] = {"bitwise_and", "bitwise_or",  "bitwise_xor", "invert",
                                              "left_shift",  "right_shift", "nextafter"};
  return real_oracles().contains(std::string(name)) ||
         std::find(std::begin(kOfIntegers), std::end(kOfIntegers), name) != std::end(kOfIntegers);
}

// All of these that take this dtype, each an output of one kernel.
struct Everything {
  Expression expression{DType::of(Scalar::float64)};
  std::vector<const codegen::Op*> ops;
  std::vector<DType> dtypes;

  Everything(const DType& dtype, const DType& default_float) : expression(default_float) {
    const Expression::Ref a = expression.operand(dtype), b = expression.operand(dtype);
    for (const codegen::Op& op : codegen::ops()) {
      const bool whole = codegen::kind_of(dtype) == codegen::Kinds::integer ||
                         codegen::kind_of(dtype) == codegen::Kinds::boolean;
      const bool promotes = op.promotes != codegen::Promotes::keeps;
      if (!has_oracle(op.name) || !codegen::includes(op.kinds, promotes && whole ? codegen::Kinds::floating
                                                                                 : codegen::kind_of(dtype)))
        continue;
      const Expression::Ref result =
          op.arity == 1 ? expression.apply(op.name, {a}) : expression.apply(op.name, {a, b});
      expression.output(result);
      ops.push_back(&op);
      dtypes.push_back(expression.dtype(result));
    }
  }
};

template <class T>
std::vector<Array> evaluate(const Queue& queue, const Everything& all, const std::vector<T>& a,
                            const std::vector<T>& b, const DType& dtype) {
  const algorithms::ElementwiseProgram program(all.expression.elementwise("everything"), {});
  const auto count = static_cast<std::int64_t>(a.size());
  const Array x = empty(queue, {count}, dtype), y = empty(queue, {count}, dtype);
  x.set(queue, a.data()).wait();
  y.set(queue, b.data()).wait();
  std::vector<Array> outputs;
  for (const DType& each : all.dtypes) outputs.push_back(empty(queue, {count}, each));
  std::vector<KernelArgument> arguments = {x, y};
  for (const Array& output : outputs) arguments.emplace_back(output);
  program.launch(queue, arguments, {}, {}).wait();
  return outputs;
}

template <class T>
std::vector<double> as_doubles(const Queue& queue, const Array& array) {
  std::vector<T> values(array.size());
  array.get(queue, values.data()).wait();
  return {values.begin(), values.end()};
}

std::vector<double> as_doubles(const Queue& queue, const Array& array) {
  switch (array.dtype().scalar) {
    case Scalar::boolean:
    case Scalar::uint8:
      return as_doubles<std::uint8_t>(queue, array);
    case Scalar::int8:
      return as_doubles<std::int8_t>(queue, array);
    case Scalar::int32:
      return as_doubles<std::int32_t>(queue, array);
    case Scalar::float32:
      return as_doubles<float>(queue, array);
    default:
      return as_doubles<double>(queue, array);
  }
}

template <class T>
void check_floats(const Queue& queue, double tolerance) {
  const Everything all(dtype_of<T>(), dtype_of<T>());
  constexpr T kInf = std::numeric_limits<T>::infinity(), kNan = std::numeric_limits<T>::quiet_NaN();
  const std::vector<T> values = {T(0.3), T(-0.7), T(1.5), T(-2.25), T(3), T(7.5),
                                 T(0),   T(-0.0), kInf,   -kInf,    kNan, T(0.99)};
  std::vector<T> a, b;
  for (const T x : values)
    for (const T y : values) a.push_back(x), b.push_back(y);
  const std::vector<Array> outputs = evaluate(queue, all, a, b, dtype_of<T>());
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const std::string name(all.ops[k]->name);
    const std::vector<double> results = as_doubles(queue, outputs[k]);
    for (std::size_t e = 0; e < a.size(); ++e) {
      const double x = a[e], y = b[e];
      if (name == "floor_divide" && !(std::isfinite(x) && std::isfinite(y)))
        continue;  // see NumPy's own notes
      if (name == "remainder" && std::isinf(y)) continue;
      if (name == "logaddexp" && !(std::isfinite(x) && std::isfinite(y))) continue;
      if (name == "gamma" && x <= 0) continue;  // poles
      const double expected =
          name == "nextafter" ? std::nextafter(a[e], b[e]) : real_oracles().at(name)(x, y);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(results[e])) << name << " of " << x << ", " << y << " is " << results[e];
      } else if (std::isinf(expected)) {
        EXPECT_EQ(results[e], expected) << name << " of " << x << ", " << y;
      } else {
        EXPECT_NEAR(results[e], expected, tolerance * std::max(1.0, std::fabs(expected)))
            << name << " of " << x << ", " << y;
      }
    }
  }
}

TEST_P(ExpressionTest, every_operation_on_floats_is_that_of_the_library) {
  check_floats<float>(queue_, 2e-5);
}

TEST_P(ExpressionTest, every_operation_on_doubles_is_that_of_the_library) {
  if (!device_.properties().has_fp64) GTEST_SKIP() << "needs fp64";
  check_floats<double>(queue_, 1e-13);
}

template <class T>
void check_integers(const Queue& queue) {
  const Everything all(dtype_of<T>(), dtype_of<float>());
  std::vector<T> a, b;
  for (const int x : {0, 1, 2, 3, 7, 100, 120, -1, -2, -7, -100, -128})
    for (const int y : {0, 1, 2, 3, 5, 8, 31, 40, -1, -3, -8, -128})
      a.push_back(static_cast<T>(x)), b.push_back(static_cast<T>(y));
  const std::vector<Array> outputs = evaluate(queue, all, a, b, dtype_of<T>());
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const std::string name(all.ops[k]->name);
    if (all.dtypes[k].scalar == Scalar::float32) continue;  // as floats
    const std::vector<double> results = as_doubles(queue, outputs[k]);
    for (std::size_t e = 0; e < a.size(); ++e)
      EXPECT_EQ(results[e], static_cast<double>(integer_oracle<T>(name, a[e], b[e])))
          << name << " of " << +a[e] << ", " << +b[e];
  }
}

TEST_P(ExpressionTest, every_operation_on_integers_wraps_and_rounds_as_numpys) {
  check_integers<std::int32_t>(queue_);
  check_integers<std::int8_t>(queue_);
  check_integers<std::uint8_t>(queue_);
}

TEST_P(ExpressionTest, booleans_stay_zero_or_one) {
  const Everything all(dtype_of<bool>(), dtype_of<float>());
  const std::vector<std::uint8_t> a = {0, 0, 1, 1}, b = {0, 1, 0, 1};
  const std::vector<Array> outputs = evaluate(queue_, all, a, b, dtype_of<bool>());
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (all.dtypes[k].scalar != Scalar::boolean) continue;
    const std::string name(all.ops[k]->name);
    const std::vector<double> results = as_doubles(queue_, outputs[k]);
    for (std::size_t e = 0; e < 4; ++e) {
      const double expected = name == "add" || name == "bitwise_or"         ? (a[e] | b[e])
                              : name == "multiply" || name == "bitwise_and" ? (a[e] & b[e])
                              : name == "bitwise_xor"                       ? (a[e] ^ b[e])
                                                      : real_oracles().at(name)(a[e], b[e]);
      EXPECT_EQ(results[e], expected) << name;
    }
  }
}

TEST_P(ExpressionTest, complex_numbers_follow_the_library) {
  const DType dtype = DType::of(Scalar::complex64);
  const Everything all(dtype, dtype_of<float>());
  std::vector<std::complex<float>> a, b;
  for (const float x : {0.5f, -2.f, 3.f})
    for (const float y : {1.f, -0.25f, 0.f})
      for (const float u : {2.f, -1.5f})
        for (const float v : {0.f, 0.75f}) a.emplace_back(x, y), b.emplace_back(u, v);
  const std::vector<Array> outputs = evaluate(queue_, all, a, b, dtype);
  const std::map<std::string, std::function<Complex(Complex, Complex)>> oracles = {
      {"add", [](Complex p, Complex q) { return p + q; }},
      {"subtract", [](Complex p, Complex q) { return p - q; }},
      {"multiply", [](Complex p, Complex q) { return p * q; }},
      {"divide", [](Complex p, Complex q) { return p / q; }},
      {"power", [](Complex p, Complex q) { return std::pow(p, q); }},
      {"negative", [](Complex p, Complex) { return -p; }},
      {"positive", [](Complex p, Complex) { return p; }},
      {"absolute", [](Complex p, Complex) { return Complex(std::abs(p)); }},
      {"square", [](Complex p, Complex) { return p * p; }},
      {"reciprocal", [](Complex p, Complex) { return 1.0 / p; }},
      {"exp", [](Complex p, Complex) { return std::exp(p); }},
      {"equal", [](Complex p, Complex q) { return Complex(p == q); }},
      {"not_equal", [](Complex p, Complex q) { return Complex(p != q); }},
      {"isnan", [](Complex, Complex) { return Complex(0); }},
      {"isinf", [](Complex, Complex) { return Complex(0); }},
      {"isfinite", [](Complex, Complex) { return Complex(1); }},
      {"real", [](Complex p, Complex) { return Complex(p.real()); }},
      {"imag", [](Complex p, Complex) { return Complex(p.imag()); }},
      {"conj", [](Complex p, Complex) { return std::conj(p); }},
  };
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const std::string name(all.ops[k]->name);
    const auto oracle = oracles.find(name);
    if (oracle == oracles.end()) continue;  // tested beside NumPy
    std::vector<Complex> results;
    if (all.dtypes[k] == dtype) {
      std::vector<std::complex<float>> values(a.size());
      outputs[k].get(queue_, values.data()).wait();
      results.assign(values.begin(), values.end());
    } else {
      for (const double value : as_doubles(queue_, outputs[k])) results.emplace_back(value);
    }
    for (std::size_t e = 0; e < a.size(); ++e) {
      const Complex expected = oracle->second(Complex(a[e]), Complex(b[e]));
      EXPECT_LT(std::abs(results[e] - expected), 1e-4 * std::max(1.0, std::abs(expected)))
          << name << " of " << a[e] << ", " << b[e] << " is " << results[e];
    }
  }
}

TEST(Expression, equal_parts_are_one_node) {
  Expression expression;
  const auto x = expression.operand(dtype_of<float>()), y = expression.operand(dtype_of<float>());
  const auto sum = expression.apply("add", {x, y});
  EXPECT_EQ(expression.apply("add", {x, y}), sum);
  EXPECT_NE(expression.apply("add", {y, x}), sum);
  EXPECT_EQ(expression.cast(sum, dtype_of<float>()), sum);
}

TEST(Expression, types_are_promoted_as_numpy_does) {
  Expression expression;
  const auto type = [&](const DType& a, const DType& b, const char* op) {
    return expression.dtype(expression.apply(op, {expression.operand(a), expression.operand(b)}));
  };
  EXPECT_EQ(type(dtype_of<std::int32_t>(), dtype_of<float>(), "add"), dtype_of<double>());
  EXPECT_EQ(type(dtype_of<std::int16_t>(), dtype_of<float>(), "add"), dtype_of<float>());
  EXPECT_EQ(type(dtype_of<std::uint8_t>(), dtype_of<std::int8_t>(), "multiply"), dtype_of<std::int16_t>());
  EXPECT_EQ(type(dtype_of<std::uint64_t>(), dtype_of<std::int64_t>(), "add"), dtype_of<double>());
  EXPECT_EQ(type(dtype_of<std::int32_t>(), dtype_of<std::int32_t>(), "divide"), dtype_of<double>());
  EXPECT_EQ(type(dtype_of<bool>(), dtype_of<std::int8_t>(), "add"), dtype_of<std::int8_t>());
  EXPECT_EQ(type(dtype_of<float>(), dtype_of<float>(), "less"), dtype_of<bool>());
  EXPECT_EQ(type(DType::of(Scalar::complex64), dtype_of<double>(), "add"), DType::of(Scalar::complex128));
  EXPECT_THROW(type(dtype_of<float>(), dtype_of<float>(), "bitwise_and"), ArgumentError);
  EXPECT_THROW(type(DType::of(Scalar::complex64), DType::of(Scalar::complex64), "remainder"), ArgumentError);
  EXPECT_THROW(type(dtype_of<float>(), dtype_of<float>(), "no_such_operation"), ArgumentError);
}

TEST_P(ExpressionTest, where_casts_scalars_and_the_index_are_one_kernel) {
  Expression expression(dtype_of<float>());
  const auto x = expression.operand(dtype_of<float>());
  const auto limit = expression.scalar(dtype_of<float>());
  const auto big = expression.apply("greater", {x, limit});
  expression.output(expression.where(big, x, expression.cast(expression.index(), dtype_of<float>())));
  const algorithms::ElementwiseProgram program(expression.elementwise("clip_or_index"), {});
  const std::vector<float> values = {5, -1, 7, 0.5f, 3};
  const Array input = asarray(queue_, values), output = empty(queue_, {5}, dtype_of<float>());
  const std::vector<KernelArgument> arguments = {input, 2.f, output};
  program.launch(queue_, arguments, {}, {});
  EXPECT_EQ(output.to_vector<float>(queue_), (std::vector<float>{5, 1, 7, 3, 3}));
}

QUERN_EACH_DEVICE(ExpressionTest);

}  // namespace
}  // namespace quern::test
