// SPDX-License-Identifier: MIT
// Which types an operation computes in and returns, by NumPy 2's rules.
#include "array/types.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "base/half.hpp"
#include "quern/error.hpp"

namespace quern {

std::complex<double> Number::value() const noexcept {
  if (kind_ == Kind::floating || kind_ == Kind::complex) return value_;
  return is_negative_ ? static_cast<double>(static_cast<std::int64_t>(integer_))
                      : static_cast<double>(integer_);
}

DType result_type(const DType& a, const DType& b) {
  return codegen::promoted(a, b);
}

}  // namespace quern

namespace quern::array {
namespace {

using codegen::Kinds;

int rank_of(Kinds kind) {
  return kind == Kinds::boolean ? 0 : kind == Kinds::integer ? 1 : kind == Kinds::floating ? 2 : 3;
}

// With numbers, which never make a type wider that can hold their kind.
DType with_number(const DType& dtype, const Number& number, const DType& default_float) {
  const Kinds kind = codegen::kind_of(dtype);
  if (static_cast<int>(number.kind()) <= rank_of(kind)) return dtype;
  switch (number.kind()) {
    case Number::Kind::integer:
      return DType::of(Scalar::int64);
    case Number::Kind::floating:
      return default_float;
    default:
      return DType::of(kind == Kinds::floating && dtype.itemsize <= 4 ? Scalar::complex64
                       : default_float.itemsize == 4                  ? Scalar::complex64
                                                                      : Scalar::complex128);
  }
}

// What functions of real numbers make of integers: the narrowest that NumPy has a loop for.
DType float_for(const DType& whole, const DType& default_float) {
  if (whole.itemsize == 1) return DType::of(Scalar::float16);
  if (whole.itemsize == 2) return DType::of(Scalar::float32);
  return default_float;
}

template <class T>
void store(NumberBytes& bytes, T value) {
  std::memcpy(bytes.data(), &value, sizeof value);
}

template <class T>
bool holds(const Number& number) {
  return number.is_negative() ? std::in_range<T>(static_cast<std::int64_t>(number.integer()))
                              : std::in_range<T>(number.integer());
}

std::string text_of(const Number& number) {
  return number.is_negative() ? std::to_string(static_cast<std::int64_t>(number.integer()))
                              : std::to_string(number.integer());
}

}  // namespace

DType part_of(const DType& dtype) {
  if (dtype.scalar == Scalar::complex64) return DType::of(Scalar::float32);
  return dtype.scalar == Scalar::complex128 ? DType::of(Scalar::float64) : dtype;
}

bool fits(const Number& number, const DType& dtype) {
  if (number.kind() != Number::Kind::integer) return true;
  switch (dtype.scalar) {
    case Scalar::int8:
      return holds<std::int8_t>(number);
    case Scalar::int16:
      return holds<std::int16_t>(number);
    case Scalar::int32:
      return holds<std::int32_t>(number);
    case Scalar::int64:
      return holds<std::int64_t>(number);
    case Scalar::uint8:
      return holds<std::uint8_t>(number);
    case Scalar::uint16:
      return holds<std::uint16_t>(number);
    case Scalar::uint32:
      return holds<std::uint32_t>(number);
    case Scalar::uint64:
      return holds<std::uint64_t>(number);
    default:
      return true;
  }
}

NumberBytes bytes_of(const Number& number, const DType& dtype) {
  if (!fits(number, dtype)) {
    throw ArgumentError(ArgumentError::Kind::value,
                        "the integer " + text_of(number) + " is out of bounds for " + dtype.name());
  }
  if (number.kind() == Number::Kind::complex && dtype.scalar != Scalar::boolean &&
      codegen::kind_of(dtype) != Kinds::complex) {
    throw ArgumentError(ArgumentError::Kind::type, "a complex number does not become " + dtype.name());
  }
  const bool is_whole = number.kind() == Number::Kind::integer || number.kind() == Number::Kind::boolean;
  const double real = number.value().real();
  NumberBytes bytes{};
  switch (dtype.scalar) {
    case Scalar::boolean:
      store(bytes, static_cast<std::uint8_t>(number.value() != 0.0));
      break;
    case Scalar::float16:
      store(bytes, to_half(real));
      break;
    case Scalar::float32:
      // Integers are rounded once.
      store(bytes, !is_whole              ? static_cast<float>(real)
                   : number.is_negative() ? static_cast<float>(static_cast<std::int64_t>(number.integer()))
                                          : static_cast<float>(number.integer()));
      break;
    case Scalar::float64:
      store(bytes, real);
      break;
    case Scalar::complex64:
      store(bytes, std::complex<float>(number.value()));
      break;
    case Scalar::complex128:
      store(bytes, number.value());
      break;
    default:  // two's complement, so that the low bytes are the number
      if (is_whole) {
        store(bytes, number.integer());
        break;
      }
      // What is behind the point is cut off; the rest must fit.
      const bool is_held = real > -9223372036854775809.0 && real < 18446744073709551616.0;
      const Number cut = !is_held                        ? Number(0)
                         : real >= 9223372036854775808.0 ? Number(static_cast<std::uint64_t>(real))
                                                         : Number(static_cast<std::int64_t>(real));
      if (!is_held || !fits(cut, dtype)) {
        throw ArgumentError(ArgumentError::Kind::value,
                            "the number " + std::to_string(real) + " is out of bounds for " + dtype.name());
      }
      store(bytes, cut.integer());
      break;
  }
  return bytes;
}

bool is_same_kind(const DType& from, const DType& to) {
  const int a = rank_of(codegen::kind_of(from)), b = rank_of(codegen::kind_of(to));
  const bool from_signed = a == 1 && from.scalar <= Scalar::int64;
  const bool to_unsigned = b == 1 && to.scalar >= Scalar::uint8;
  return a < b || (a == b && !(from_signed && to_unsigned));
}

OpTypes types_of(const codegen::Op& asked, std::span<const Operand> operands, const DType& default_float) {
  const codegen::Op* op = &asked;
  const Array* first = nullptr;
  for (const Operand& operand : operands)
    if (first == nullptr) first = operand.array();
  if (first == nullptr)
    throw ArgumentError(ArgumentError::Kind::value,
                        std::string(op->name) + ": one of the operands must be an array");
  DType common = first->dtype();
  for (const Operand& operand : operands)
    if (operand.array() != nullptr) common = codegen::promoted(common, operand.array()->dtype());
  for (const Operand& operand : operands)
    if (operand.array() == nullptr) common = with_number(common, operand.number(), default_float);
  Kinds kind = codegen::kind_of(common);
  if (kind == Kinds::boolean && op->name == "invert") op = codegen::find_op("logical_not");
  // Where NumPy has no loop for booleans it takes the one for bytes, but for what would be a mistake.
  if (kind == Kinds::boolean && !codegen::includes(op->kinds, kind) && op->name != "subtract" &&
      op->name != "negative" && op->name != "positive" && op->name != "sign" && op->arity == 2)
    common = DType::of(Scalar::int8);
  const bool is_whole = kind == Kinds::boolean || kind == Kinds::integer;
  if (op->promotes && is_whole)
    common = op->name == "divide" ? default_float : float_for(common, default_float);
  kind = codegen::kind_of(common);
  if (!codegen::includes(op->kinds, kind)) {
    throw ArgumentError(ArgumentError::Kind::type,
                        std::string(op->name) + " is not defined for elements of " + common.name());
  }
  DType result = op->result == codegen::Result::boolean ? DType::of(Scalar::boolean)
                 : op->result == codegen::Result::part  ? part_of(common)
                                                        : common;
  return {op, std::move(common), std::move(result)};
}

}  // namespace quern::array

namespace quern {

DType result_type(const DType& a, const Number& number) {
  return array::with_number(a, number, DType::of(Scalar::float64));
}

}  // namespace quern
