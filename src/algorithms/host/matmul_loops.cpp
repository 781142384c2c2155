// SPDX-License-Identifier: MIT
// Matrix products on the host. Like matmul_panels.cl, it packs rows and columns into panels of the type of
// the sums.
#include "algorithms/host/matmul_loops.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "algorithms/host/element_access.hpp"
#include "algorithms/host/hand_written_kernel.hpp"
#include "base/half.hpp"

namespace quern::algorithms {
namespace {

struct Half {
  std::uint16_t bits;
};
template <class T>
struct Complex {
  T x = 0, y = 0;
};
struct Truth {
  std::uint8_t value = 0;
};

void add_product(Truth& sum, const Truth& a, const Truth& b) {
  sum.value = static_cast<std::uint8_t>(sum.value | (a.value & b.value));
}

template <class Item, class Type>
Item converted(Type value) {
  return static_cast<Item>(value);
}
template <>
float converted<float>(Half value) {
  return from_half(value.bits);
}
template <>
Half converted<Half>(float value) {
  return {to_half(value)};
}

// Calls `function` with an element type in memory and the type of its sums. Small types are summed in wider
// ones, integers in unsigned ones, whose overflow is defined.
template <class Function>
void with_types(Scalar scalar, const Function& function) {
  switch (scalar) {
    case Scalar::boolean:
      return function(Truth{}, Truth{});
    case Scalar::int8:
    case Scalar::uint8:
      return scalar == Scalar::int8 ? function(std::int8_t{0}, std::uint32_t{0})
                                    : function(std::uint8_t{0}, std::uint32_t{0});
    case Scalar::int16:
      return function(std::int16_t{0}, std::uint32_t{0});
    case Scalar::uint16:
      return function(std::uint16_t{0}, std::uint32_t{0});
    case Scalar::int32:
    case Scalar::uint32:
      return function(std::uint32_t{0}, std::uint32_t{0});
    case Scalar::int64:
    case Scalar::uint64:
      return function(std::uint64_t{0}, std::uint64_t{0});
    case Scalar::float16:
      return function(Half{}, 0.0F);
    case Scalar::float32:
      return function(0.0F, 0.0F);
    case Scalar::float64:
      return function(0.0, 0.0);
    case Scalar::complex64:
      return function(Complex<float>{}, Complex<float>{});
    default:
      return function(Complex<double>{}, Complex<double>{});
  }
}

constexpr std::int64_t kRows = 4;
constexpr std::int64_t columns_of(std::size_t item_size) {
  return std::max<std::int64_t>(64 / static_cast<std::int64_t>(item_size), 4);
}

struct PackCall {
  std::int64_t scalar, start, lines, depth, matrix_step, line_step, depth_step, width;
};

// A group packs one step of a panel along the depth: `width` rows or columns, zero if missing. Groups of a
// panel are consecutive.
void pack(const quern_launch* launch, unsigned long long first_group, unsigned long long last_group) {
  const auto& call = call_of<PackCall>(launch);
  const std::int64_t panels = (call.lines + call.width - 1) / call.width;
  with_types(static_cast<Scalar>(call.scalar), [&](auto type, auto item) {
    using Type = decltype(type);
    using Item = decltype(item);
    const std::byte* const from = memory_of(launch, 0);
    for (auto group = static_cast<std::int64_t>(first_group); group < static_cast<std::int64_t>(last_group);
         ++group) {
      const std::int64_t k = group % call.depth, panel = group / call.depth;
      const std::int64_t first = panel % panels * call.width;
      const std::int64_t count = std::min(call.width, call.lines - first);
      const std::int64_t at =
          call.start + panel / panels * call.matrix_step + first * call.line_step + k * call.depth_step;
      Item* const to = memory_of<Item>(launch, 1) + group * call.width;
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t element = at + i * call.line_step;
        to[i] = converted<Item>(load<Type>(from + element * static_cast<std::int64_t>(sizeof(Type))));
      }
      for (std::int64_t i = count; i < call.width; ++i) to[i] = Item{};
    }
  });
}

struct MultiplyCall {
  std::int64_t scalar, m, n, depth;
  std::array<std::int64_t, 3> stack, a_steps, b_steps;
};

// A vector of real numbers of this many bytes, which compilers keep in registers if the processor has such
// registers.
template <class Item, std::size_t kBytes>
struct Lanes {
  typedef Item Vector __attribute__((vector_size(kBytes), aligned(alignof(Item)), may_alias));
  static constexpr std::int64_t kLength = kBytes / sizeof(Item), kCount = 64 / kBytes;
  static const Vector& at(const Item* items, std::int64_t number) {
    return *reinterpret_cast<const Vector*>(items + number * kLength);
  }
};

// Computes a part of the result that is small enough for registers. The function is inlined, so that it is
// compiled for the instruction set of its caller.
template <std::size_t kBytes, class Item>
inline __attribute__((always_inline)) void sum_products(const Item* a, const Item* b, std::int64_t depth,
                                                        Item* result) {
  constexpr std::int64_t kColumns = columns_of(sizeof(Item));
  if constexpr (std::is_arithmetic_v<Item>) {
    using L = Lanes<Item, kBytes>;
    typename L::Vector sums[kRows][L::kCount] = {};
    for (std::int64_t k = 0; k < depth; ++k, a += kRows, b += kColumns)
      for (std::int64_t i = 0; i < kRows; ++i)
        for (std::int64_t v = 0; v < L::kCount; ++v) sums[i][v] += a[i] * L::at(b, v);
    for (std::int64_t i = 0; i < kRows; ++i)
      for (std::int64_t v = 0; v < L::kCount; ++v)
        *reinterpret_cast<typename L::Vector*>(result + i * kColumns + v * L::kLength) = sums[i][v];
  } else {
    std::fill_n(result, kRows * kColumns, Item{});
    for (std::int64_t k = 0; k < depth; ++k, a += kRows, b += kColumns)
      for (std::int64_t i = 0; i < kRows; ++i)
        for (std::int64_t j = 0; j < kColumns; ++j) add_product(result[i * kColumns + j], a[i], b[j]);
  }
}

// For complex numbers: multiplies the real parts and the imaginary parts of the left operand separately with
// the right operand, and combines both sums at the end.
template <std::size_t kBytes, class T>
inline __attribute__((always_inline)) void sum_products(const Complex<T>* a, const Complex<T>* b,
                                                        std::int64_t depth, Complex<T>* result) {
  constexpr std::int64_t kColumns = columns_of(sizeof(Complex<T>));
  using L = Lanes<T, kBytes>;
  typename L::Vector real[kRows][L::kCount] = {}, imaginary[kRows][L::kCount] = {};
  for (std::int64_t k = 0; k < depth; ++k, a += kRows, b += kColumns) {
    for (std::int64_t i = 0; i < kRows; ++i) {
      for (std::int64_t v = 0; v < L::kCount; ++v) {
        real[i][v] += a[i].x * L::at(&b->x, v);
        imaginary[i][v] += a[i].y * L::at(&b->x, v);
      }
    }
  }
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t v = 0; v < L::kCount; ++v) {
      for (std::int64_t e = 0; e < L::kLength; e += 2)
        result[i * kColumns + (v * L::kLength + e) / 2] = {real[i][v][e] - imaginary[i][v][e + 1],
                                                           real[i][v][e + 1] + imaginary[i][v][e]};
    }
  }
}

template <class Item>
using SumProducts = void(const Item* a, const Item* b, std::int64_t depth, Item* result);

template <class Item>
void sum_plain(const Item* a, const Item* b, std::int64_t depth, Item* result) {
  sum_products<16>(a, b, depth, result);
}
#if defined(__x86_64__)
template <class Item>
__attribute__((target("avx2,fma"))) void sum_wide(const Item* a, const Item* b, std::int64_t depth,
                                                  Item* result) {
  sum_products<32>(a, b, depth, result);
}
#endif

template <class Item>
SumProducts<Item>* best_sum() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) return &sum_wide<Item>;
#endif
  return &sum_plain<Item>;
}

// A group computes one such part. Groups that use the same panel of columns are consecutive.
void multiply(const quern_launch* launch, unsigned long long first_group, unsigned long long last_group) {
  const auto& call = call_of<MultiplyCall>(launch);
  with_types(static_cast<Scalar>(call.scalar), [&](auto type, auto item) {
    using Type = decltype(type);
    using Item = decltype(item);
    constexpr std::int64_t kColumns = columns_of(sizeof(Item));
    SumProducts<Item>* const sum = best_sum<Item>();
    std::array<Item, static_cast<std::size_t>(kRows * kColumns)> sums;
    const std::int64_t down = (call.m + kRows - 1) / kRows, across = (call.n + kColumns - 1) / kColumns;
    for (auto group = static_cast<std::int64_t>(first_group); group < static_cast<std::int64_t>(last_group);
         ++group) {
      const std::int64_t row = group % down, column = group / down % across, matrix = group / down / across;
      const auto own = [&](const std::array<std::int64_t, 3>& steps) {
        return matrix / call.stack[2] / call.stack[1] * steps[0] +
               matrix / call.stack[2] % call.stack[1] * steps[1] + matrix % call.stack[2] * steps[2];
      };
      sum(memory_of<const Item>(launch, 0) + (own(call.a_steps) * down + row) * call.depth * kRows,
          memory_of<const Item>(launch, 1) + (own(call.b_steps) * across + column) * call.depth * kColumns,
          call.depth, sums.data());
      const std::int64_t rows = std::min(kRows, call.m - row * kRows);
      const std::int64_t columns = std::min(kColumns, call.n - column * kColumns);
      Type* to = memory_of<Type>(launch, 2) + (matrix * call.m + row * kRows) * call.n + column * kColumns;
      for (std::int64_t i = 0; i < rows; ++i, to += call.n)
        for (std::int64_t j = 0; j < columns; ++j)
          to[j] = converted<Type>(sums[static_cast<std::size_t>(i * kColumns + j)]);
    }
  });
}

constexpr HandWrittenKernel kPack = {"matmul_pack", &pack}, kMultiply = {"matmul", &multiply};

Array packed(const Queue& queue, const MatrixStack& stack, std::int64_t lines, std::int64_t depth,
             std::int64_t width, const DType& dtype, const DType& item) {
  const std::int64_t panels = (lines + width - 1) / width * stack.count;
  Array to = empty(queue, {panels, depth, width}, item);
  const PackCall call = {static_cast<std::int64_t>(dtype.scalar),
                         stack.start,
                         lines,
                         depth,
                         stack.matrix_step,
                         stack.line_step,
                         stack.depth_step,
                         width};
  kPack.launch(queue, to.size(), static_cast<std::size_t>(width), call,
               {HandWrittenKernel::reads(stack.buffer), HandWrittenKernel::writes(to.buffer())});
  return to;
}

}  // namespace

void multiply_by_loops(const Queue& queue, const MatrixStack& a, const MatrixStack& b, const MatmulSize& size,
                       const Array& out, const DType& item) {
  const std::int64_t columns = columns_of(item.itemsize);
  const Array left = packed(queue, a, size.m, size.depth, kRows, out.dtype(), item);
  const Array right = packed(queue, b, size.n, size.depth, columns, out.dtype(), item);
  const MultiplyCall call = {static_cast<std::int64_t>(out.dtype().scalar),
                             size.m,
                             size.n,
                             size.depth,
                             size.stack,
                             a.steps,
                             b.steps};
  const std::int64_t parts =
      (size.m + kRows - 1) / kRows * ((size.n + columns - 1) / columns) * size.matrices();
  const Buffer to = out.elements();
  const auto depth = static_cast<std::size_t>(size.depth);
  kMultiply.launch(queue, static_cast<std::size_t>(parts) * depth, depth, call,
                   {HandWrittenKernel::reads(left.buffer()), HandWrittenKernel::reads(right.buffer()),
                    HandWrittenKernel::writes(to)});
}

}  // namespace quern::algorithms
