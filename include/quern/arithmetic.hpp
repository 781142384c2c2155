// SPDX-License-Identifier: MIT
// Elementwise arithmetic on arrays, with NumPy's types and broadcasting. Expressions are lazy: they run as
// one fused kernel when their values are needed.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/error.hpp"

namespace QUERN_API quern {

// The number does not fit the dtype of the elements; an OverflowError in Python.
class NumberError : public ArgumentError {
 public:
  explicit NumberError(const std::string& what) : ArgumentError(Kind::value, what) {}
};

namespace codegen {
struct Op;
}

// A number beside arrays takes the dtype of the arrays if their kind can hold it: 2 and 2.5 times float32 are
// float32, 2.5 times int32 is float64.
class Number {
 public:
  enum class Kind : std::uint8_t { boolean, integer, floating, complex };
  Number(bool value) : kind_(Kind::boolean), integer_(value ? 1 : 0) {}
  template <std::integral T>
  Number(T value)
      : kind_(Kind::integer), is_negative_(value < T{0}), integer_(static_cast<std::uint64_t>(value)) {}
  template <std::floating_point T>
  Number(T value) : kind_(Kind::floating), value_(static_cast<double>(value)) {}
  Number(std::complex<double> value) : kind_(Kind::complex), value_(value) {}
  // An integer that does not fit 64 bits, given by the nearest double. It can be compared with anything and
  // converted to a floating-point element. `low` holds its lowest 64 bits in two's complement.
  static Number huge(double value, std::uint64_t low = 0) {
    Number result(value);
    result.kind_ = Kind::integer;
    result.is_huge_ = true;
    result.is_negative_ = value < 0;
    result.integer_ = low;
    return result;
  }

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] bool is_negative() const noexcept { return is_negative_; }  // sign of an integer
  [[nodiscard]] bool is_huge() const noexcept { return is_huge_; }
  // For integers: the 64-bit pattern in two's complement; for larger ones its lowest bits.
  [[nodiscard]] std::uint64_t integer() const noexcept { return integer_; }
  [[nodiscard]] std::complex<double> value() const noexcept;

 private:
  Kind kind_;
  bool is_negative_ = false, is_huge_ = false;
  std::uint64_t integer_ = 0;
  std::complex<double> value_ = 0;
};

// An array or a number. It borrows the array.
class Operand {
 public:
  Operand(const Array& array) : array_(&array) {}
  Operand(Number number) : number_(number) {}
  template <class T>
  requires std::is_arithmetic_v<T> Operand(T number) : number_(number) {}
  [[nodiscard]] const Array* array() const noexcept { return array_; }
  [[nodiscard]] const Number& number() const noexcept { return number_; }

 private:
  const Array* array_ = nullptr;
  Number number_ = false;
};

// Returns the operation of this NumPy name: "add", "sin", "less_equal"... Throws ArgumentError if there is
// none.
const codegen::Op& operation(std::string_view name);

// Applies an operation to operands, at least one of which is an array. The work belongs to `queue`; by
// default to the queue of the operands or their device's default queue. Throws ArgumentError for unsupported
// dtypes and for shapes that do not broadcast.
Array apply(const codegen::Op& operation, std::span<const Operand> operands, const Queue* queue = nullptr);
Array apply(std::string_view name, std::span<const Operand> operands, const Queue* queue = nullptr);
inline Array apply(std::string_view name, std::initializer_list<Operand> operands,
                   const Queue* queue = nullptr) {
  return apply(name, std::span<const Operand>(operands.begin(), operands.size()), queue);
}
// The same in two steps, for callers that hold a lock which others may need meanwhile (the GIL): record()
// makes the node and enqueues nothing, schedule() enqueues the work of a node that cannot stay lazy.
struct Written {
  Array array;
  bool is_scheduled;
};
Written record(const codegen::Op& operation, std::span<const Operand> operands, Queue queue);
void schedule(const Array& array);
// Elements of `yes` where the condition is true, of `no` elsewhere.
Array where(const Operand& condition, const Operand& yes, const Operand& no, const Queue* queue = nullptr);
// Converts the elements; returns the array itself if it already has the dtype.
Array astype(const Array& array, const DType& dtype, const Queue* queue = nullptr);
// `count` numbers from `start` on, in steps of `step`; with NumPy's start, stop, step: arange_between().
Array arange(const Queue& queue, const Number& start, const Number& step, std::int64_t count, DType dtype);
Array full(const Queue& queue, Shape shape, const Number& value, DType dtype);

// Enqueues the computation of these arrays; those of one shape and queue are computed by one kernel.
void evaluate(std::span<const Array> arrays);
// Enqueues the computation of all expressions that were recorded on this queue.
void evaluate(const Queue& queue);

// Writes the value, broadcast and converted, to every element. If the value reads the target, it reads the
// old elements. `spare` is the number of handles to the value that the caller will hardly use afterwards. If
// an expression has no other handles, it is computed directly into the target and then becomes a copy of it.
void assign(const Array& target, const Operand& value, const Queue* queue = nullptr, long spare = 0);
// In-place operation: target = operation(target, value), as in `target += value`. Throws ArgumentError if the
// target cannot hold the kind of the result. `handles` is the number of the caller's handles to the target:
// an expression without other handles is replaced by a new expression instead of being computed first.
void update(Array& target, const codegen::Op& operation, const Operand& value, const Queue* queue = nullptr,
            long handles = 1);
// Returns the array itself if it is contiguous in C order, otherwise a contiguous copy.
Array as_contiguous(const Array& array, const Queue* queue = nullptr);
Array copy(const Array& array, const Queue* queue = nullptr);

// NumPy's promotion of two dtypes, and of a dtype and a number.
DType result_type(const DType& a, const DType& b);
DType result_type(const DType& a, const Number& number);

#define QUERN_OPERATOR(symbol, name)                              \
  inline Array operator symbol(const Array& a, const Array& b) {  \
    return apply(name, {a, b});                                   \
  }                                                               \
  inline Array operator symbol(const Array& a, const Number& b) { \
    return apply(name, {a, b});                                   \
  }                                                               \
  inline Array operator symbol(const Number& a, const Array& b) { \
    return apply(name, {a, b});                                   \
  }
QUERN_OPERATOR(+, "add")
QUERN_OPERATOR(-, "subtract")
QUERN_OPERATOR(*, "multiply")
QUERN_OPERATOR(/, "divide")
QUERN_OPERATOR(<, "less")
QUERN_OPERATOR(<=, "less_equal")
QUERN_OPERATOR(>, "greater")
QUERN_OPERATOR(>=, "greater_equal")
#undef QUERN_OPERATOR
inline Array operator-(const Array& a) {
  return apply("negative", {a});
}
inline Array& operator+=(Array& a, const Operand& b) {
  update(a, operation("add"), b);
  return a;
}
inline Array& operator-=(Array& a, const Operand& b) {
  update(a, operation("subtract"), b);
  return a;
}
inline Array& operator*=(Array& a, const Operand& b) {
  update(a, operation("multiply"), b);
  return a;
}
inline Array& operator/=(Array& a, const Operand& b) {
  update(a, operation("divide"), b);
  return a;
}

}  // namespace quern
