// SPDX-License-Identifier: MIT
// Prefix sums, products, maxima and minima by functions of the library.
#include "algorithms/host/scan_loops.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "algorithms/convert.hpp"
#include "algorithms/host/element_access.hpp"
#include "algorithms/host/precompiled_kernel.hpp"
#include "base/arithmetic.hpp"

namespace quern::algorithms {
namespace {

template <class T>
struct Complex {
  T x, y;
};

// The operators as scan_operator() says them in C. Integers without sign stand for those with one where
// the bits of the result are the same.
template <class T>
struct Sum {
  static T neutral() { return {}; }
  static T apply(T a, T b) { return static_cast<T>(a + b); }
};
template <class T>
struct Sum<Complex<T>> {
  static Complex<T> neutral() { return {}; }
  static Complex<T> apply(Complex<T> a, Complex<T> b) { return {a.x + b.x, a.y + b.y}; }
};
template <>
struct Sum<bool> {
  static bool neutral() { return false; }
  static bool apply(bool a, bool b) { return a || b; }
};

template <class T>
struct Product {
  static T neutral() { return T{1}; }
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(std::uint64_t{a} * std::uint64_t{b});  // ushort * ushort may not fit an int
    } else {
      return a * b;
    }
  }
};
template <class T>
struct Product<Complex<T>> {
  static Complex<T> neutral() { return {1, 0}; }
  static Complex<T> apply(Complex<T> a, Complex<T> b) {
    return {std::fma(a.x, b.x, -(a.y * b.y)), std::fma(a.x, b.y, a.y * b.x)};
  }
};

template <class T>
struct Maximum {
  static T neutral() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
  static T apply(T a, T b) { return a > b || a != a ? a : b; }
};
template <class T>
struct Minimum {
  static T neutral() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  static T apply(T a, T b) { return a < b || a != a ? a : b; }
};

constexpr std::size_t kStrip = 64;  // neighbouring columns that are accumulated together

struct ScanCall {
  ScanLayout layout;
  bool exclusive, has_starts;
};

// One row of neighbours, whose sum stays in a register. The first element is a sum by itself: 0 + -0.0 is 0.
template <class T, class Op>
void accumulate_row(const ScanCall& call, const std::byte* x, std::byte* out, std::size_t at,
                    const std::byte* starts) {
  T sum = Op::neutral();
  for (std::size_t k = 0; k < call.layout.length; ++k) {
    const bool is_first = k == 0 || (starts != nullptr && starts[k] != std::byte{0});
    const T before = is_first ? Op::neutral() : sum, item = load<T>(x, at + k);
    sum = is_first ? item : Op::apply(sum, item);
    store(out, at + k, call.exclusive ? before : sum);
  }
}

// A group is a strip of columns. Memory: elements, results, starts.
template <class T, template <class> class Operator>
void run_scan(const quern_launch* launch, unsigned long long first, unsigned long long last) {
  using Op = Operator<T>;
  const auto& call = call_of<ScanCall>(launch);
  const auto& [outer, length, inner] = call.layout;
  const std::byte* const x = memory_of(launch, 0);
  std::byte* const out = memory_of(launch, 1);
  const std::byte* const starts = call.has_starts ? memory_of(launch, 2) : nullptr;
  const std::size_t strips = divided_up(inner, kStrip);
  for (std::size_t group = first; group < last; ++group) {
    const std::size_t column = group % strips * kStrip, width = std::min(kStrip, inner - column);
    std::size_t at = group / strips * length * inner + column;
    if (inner == 1) {
      accumulate_row<T, Op>(call, x, out, at, starts);
      continue;
    }
    std::array<T, kStrip> sums;
    for (std::size_t c = 0; c < width; ++c) store(out, at + c, sums[c] = load<T>(x, at + c));
    for (std::size_t k = 1; k < length; ++k) {
      at += inner;
      for (std::size_t c = 0; c < width; ++c)
        store(out, at + c, sums[c] = Op::apply(sums[c], load<T>(x, at + c)));
    }
  }
}

// What sums and products are computed in.
template <class T>
struct Wrapping {
  using type = T;
};
template <class T>
requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) struct Wrapping<T> {
  using type = std::make_unsigned_t<T>;
};

template <class T>
quern_kernel_function* function_of(ScanOperation operation) {
  using W = typename Wrapping<T>::type;
  if (operation == ScanOperation::sum) return &run_scan<W, Sum>;
  if (operation == ScanOperation::product) return &run_scan<W, Product>;
  if constexpr (std::is_arithmetic_v<T>)
    return operation == ScanOperation::maximum ? &run_scan<T, Maximum> : &run_scan<T, Minimum>;
  return nullptr;
}

quern_kernel_function* function_of(ScanOperation operation, Scalar scalar) {
  switch (scalar) {
    case Scalar::boolean:
      return function_of<bool>(operation);
    case Scalar::int8:
      return function_of<std::int8_t>(operation);
    case Scalar::uint8:
      return function_of<std::uint8_t>(operation);
    case Scalar::int16:
      return function_of<std::int16_t>(operation);
    case Scalar::uint16:
      return function_of<std::uint16_t>(operation);
    case Scalar::int32:
      return function_of<std::int32_t>(operation);
    case Scalar::uint32:
      return function_of<std::uint32_t>(operation);
    case Scalar::int64:
      return function_of<std::int64_t>(operation);
    case Scalar::uint64:
      return function_of<std::uint64_t>(operation);
    case Scalar::float64:
      return function_of<double>(operation);
    case Scalar::complex64:
      return function_of<Complex<float>>(operation);
    case Scalar::complex128:
      return function_of<Complex<double>>(operation);
    default:
      return function_of<float>(operation);
  }
}

}  // namespace

Event accumulate_by_loops(const Queue& queue, const Array& x, const Array& out, const ScanLayout& layout,
                          ScanOperation operation, bool exclusive, const Buffer& starts) {
  const bool is_half = out.dtype().scalar == Scalar::float16;
  const DType item = is_half ? DType::of(Scalar::float32) : out.dtype();
  const Array items = converted(queue, x, item), result = is_half ? empty(queue, out.shape(), item) : out;
  const Buffer from = items.elements(), to = result.elements();
  const bool has_starts = !starts.empty();
  Event done = PrecompiledKernel{"scan", function_of(operation, item.scalar)}.launch(
      queue, layout.outer * divided_up(layout.inner, kStrip), 1, ScanCall{layout, exclusive, has_starts},
      {PrecompiledKernel::reads(from), PrecompiledKernel::writes(to),
       PrecompiledKernel::reads(has_starts ? starts : from)});
  return is_half ? convert(queue, result, out) : done;
}

}  // namespace quern::algorithms
