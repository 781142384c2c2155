// SPDX-License-Identifier: MIT
// Arithmetic on arrays, element by element, with NumPy's types and broadcasting. Nothing runs until somebody
// needs the elements; a whole expression is then one kernel.
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

// A number that the type of the elements does not hold: an OverflowError in Python.
class NumberError : public ArgumentError {
 public:
  explicit NumberError(const std::string& what) : ArgumentError(Kind::value, what) {}
};

namespace codegen {
struct Op;
}

// A number beside arrays takes the type of the arrays, where their kind can hold it: 2 and 2.5 times float32
// are float32, 2.5 times int32 is float64.
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
  // An integer that no 64 bits hold, given by the nearest double. It is compared with anything, and becomes
  // an element of floating point. `low` are its lowest 64 bits in two's complement.
  static Number huge(double value, std::uint64_t low = 0) {
    Number result(value);
    result.kind_ = Kind::integer;
    result.is_huge_ = true;
    result.is_negative_ = value < 0;
    result.integer_ = low;
    return result;
  }

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] bool is_negative() const noexcept { return is_negative_; }  // of integers
  [[nodiscard]] bool is_huge() const noexcept { return is_huge_; }
  // Of integers: as a 64-bit pattern in two's complement, of huge ones the lowest bits.
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

// An operation by NumPy's name: "add", "sin", "less_equal"... Throws ArgumentError where there is none.
const codegen::Op& operation(std::string_view name);

// An operation of one array at least. The work belongs to the queue, which is that of the operands, or their
// device's own, where none is given. Throws ArgumentError for types it does not take and shapes that do not
// broadcast.
Array apply(const codegen::Op& operation, std::span<const Operand> operands, const Queue* queue = nullptr);
Array apply(std::string_view name, std::span<const Operand> operands, const Queue* queue = nullptr);
inline Array apply(std::string_view name, std::initializer_list<Operand> operands,
                   const Queue* queue = nullptr) {
  return apply(name, std::span<const Operand>(operands.begin(), operands.size()), queue);
}
// The same in two steps, for who holds a lock that others may need while something is computed: record()
// enqueues nothing, schedule() what cannot be left for later.
struct Written {
  Array array;
  bool is_scheduled;
};
Written record(const codegen::Op& operation, std::span<const Operand> operands, const Queue& queue);
void schedule(const Array& array);
// Elements of `yes` where the condition holds, of `no` elsewhere.
Array where(const Operand& condition, const Operand& yes, const Operand& no, const Queue* queue = nullptr);
// The same array where it has this type already.
Array astype(const Array& array, const DType& dtype, const Queue* queue = nullptr);
// Numbers from `start` on, in steps of `step`.
Array arange(const Queue& queue, const Number& start, const Number& step, std::int64_t count, DType dtype);
Array full(const Queue& queue, Shape shape, const Number& value, DType dtype);

// Enqueues what computes these; those of one shape and queue are one kernel.
void evaluate(std::span<const Array> arrays);
// Enqueues what was written on this queue.
void evaluate(const Queue& queue);

// Writes the value to every element, broadcast and converted; what the value reads of the target is what was
// there before. `spare` is how many handles the caller has of an array as value, where it hardly needs them
// afterwards: an expression that nobody else has is computed straight into the target, and then a copy of it.
void assign(const Array& target, const Operand& value, const Queue* queue = nullptr, long spare = 0);
// target = operation(target, value) in place, as in `target += value`. Throws ArgumentError where the
// result's kind does not fit the target. `handles` is how many the caller has of the target: an expression
// that nobody else has becomes another one instead of being computed first.
void update(Array& target, const codegen::Op& operation, const Operand& value, const Queue* queue = nullptr,
            long handles = 1);
// In C order without gaps: the array itself where it is, or a copy.
Array as_contiguous(const Array& array, const Queue* queue = nullptr);
Array copy(const Array& array, const Queue* queue = nullptr);

// NumPy's type of two arrays together, and of an array and a number.
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
