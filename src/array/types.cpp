// SPDX-License-Identifier: MIT
// The types in which an operation computes and which it returns, by NumPy 2's rules.
#include "array/types.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/bfloat16.hpp"
#include "base/half.hpp"
#include "quern/error.hpp"

namespace quern {

std::complex<double> Number::value() const noexcept {
  if (kind_ == Kind::floating || kind_ == Kind::complex || is_huge_) return value_;
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

// Promotes a type with a Python number. The number does not widen a type that can hold its kind.
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

// The type in which functions of real numbers compute integers: the narrowest that NumPy has a loop for.
DType float_for(const DType& whole, const DType& default_float) {
  if (whole.itemsize == 1) return DType::of(Scalar::float16);
  if (whole.itemsize == 2) return DType::of(Scalar::float32);
  return default_float;
}

template <class T>
void store(NumberBytes& bytes, T value) {
  std::memcpy(bytes.data(), &value, sizeof value);
}

// Integers are rounded once.
float single_of(const Number& number) {
  if (number.kind() > Number::Kind::integer || number.is_huge())
    return static_cast<float>(number.value().real());
  return number.is_negative() ? static_cast<float>(static_cast<std::int64_t>(number.integer()))
                              : static_cast<float>(number.integer());
}

template <class T>
bool holds(const Number& number) {
  if (number.is_huge()) return false;
  return number.is_negative() ? std::in_range<T>(static_cast<std::int64_t>(number.integer()))
                              : std::in_range<T>(number.integer());
}

std::string text_of(const Number& number) {
  if (number.is_huge()) return "near " + std::to_string(number.value().real());
  return number.is_negative() ? std::to_string(static_cast<std::int64_t>(number.integer()))
                              : std::to_string(number.integer());
}

}  // namespace

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
    throw NumberError("the integer " + text_of(number) + " is out of bounds for " + dtype.name());
  }
  if (number.kind() == Number::Kind::complex && dtype.scalar != Scalar::boolean &&
      codegen::kind_of(dtype) != Kinds::complex) {
    throw ArgumentError(ArgumentError::Kind::type, "cannot convert a complex number to " + dtype.name());
  }
  const bool is_whole = number.kind() <= Number::Kind::integer && !number.is_huge();
  const double real = number.value().real();
  NumberBytes bytes{};
  switch (dtype.scalar) {
    case Scalar::boolean:
      store(bytes, static_cast<std::uint8_t>(number.value() != 0.0));
      break;
    case Scalar::float16:
      store(bytes, to_half(real));
      break;
    case Scalar::bfloat16:
      store(bytes, to_bfloat16(single_of(number)));
      break;
    case Scalar::float32:
      store(bytes, single_of(number));
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
    default:  // two's complement: the low bytes are the number
      if (is_whole) {
        store(bytes, number.integer());
        break;
      }
      // The fraction is cut off; the integer must fit.
      const bool is_held = real > -9223372036854775809.0 && real < 18446744073709551616.0;
      const Number cut = !is_held                        ? Number(0)
                         : real >= 9223372036854775808.0 ? Number(static_cast<std::uint64_t>(real))
                                                         : Number(static_cast<std::int64_t>(real));
      if (!is_held || !fits(cut, dtype)) {
        throw NumberError("the number " + std::to_string(real) + " is out of bounds for " + dtype.name());
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

namespace {

bool is_whole(const DType& dtype) {
  const Kinds kind = codegen::kind_of(dtype);
  return kind == Kinds::boolean || kind == Kinds::integer;
}

// If NumPy has no loop for booleans, it uses the one for int8. These operations are exceptions.
bool refuses_booleans(const codegen::Op& op) {
  constexpr std::string_view kNames[] = {"subtract", "negative", "positive", "sign", "gcd", "lcm"};
  return std::find(std::begin(kNames), std::end(kNames), op.name) != std::end(kNames);
}

void check_integer(const codegen::Op& op, const Operand& operand) {
  const bool fits = operand.array() != nullptr ? is_whole(operand.array()->dtype()) &&
                                                     operand.array()->dtype().scalar != Scalar::uint64
                                               : operand.number().kind() <= Number::Kind::integer;
  if (fits) return;
  throw ArgumentError(ArgumentError::Kind::type,
                      std::string(op.name) + ": operand " + std::to_string(op.integer_operand) +
                          " must be integers that int64 can hold" +
                          (operand.array() != nullptr ? ", not " + operand.array()->dtype().name() : ""));
}

}  // namespace

bool are_of_one_type(const codegen::Op& op, std::span<const Operand> operands) {
  if (op.promotes != codegen::Promotes::keeps || op.integer_operand >= 0) return false;
  const Array* const first = operands[0].array();
  if (first == nullptr || first->dtype().lanes != 1 || first->dtype().scalar == Scalar::structure)
    return false;
  for (const Operand& operand : operands)
    if (operand.array() == nullptr || operand.array()->dtype().scalar != first->dtype().scalar ||
        operand.array()->dtype().lanes != 1)
      return false;
  const Kinds kind = codegen::kind_of(first->dtype());
  return kind != Kinds::boolean && codegen::includes(op.kinds, kind);
}

OpTypes types_of(const codegen::Op& asked, std::span<const Operand> operands, const DType& default_float) {
  if (are_of_one_type(asked, operands)) {
    const DType& common = operands[0].array()->dtype();
    return {&asked, common, codegen::result_of(asked, common)};
  }
  const codegen::Op* op = &asked;
  std::optional<DType> found;
  const auto is_integer = [&](const Operand& operand) {
    return op->integer_operand >= 0 && &operand - operands.data() == op->integer_operand;
  };
  bool has_floats = false, has_integers = false;
  // Beside bfloat16 the integers of a byte become bfloat16.
  const bool has_bfloat16 = std::any_of(operands.begin(), operands.end(), [](const Operand& operand) {
    return operand.array() != nullptr && operand.array()->dtype().scalar == Scalar::bfloat16;
  });
  for (const Operand& operand : operands) {
    if (is_integer(operand)) check_integer(*op, operand);
    if (operand.array() == nullptr || is_integer(operand)) continue;
    const DType& own = operand.array()->dtype();
    const bool is_narrow =
        op->promotes == codegen::Promotes::narrow && is_whole(own) && !(has_bfloat16 && own.itemsize == 1);
    const DType dtype = is_narrow ? float_for(own, default_float) : own;
    has_floats |= !is_whole(own);
    has_integers |= is_whole(own) && codegen::kind_of(own) != Kinds::boolean;
    found = found ? codegen::promoted(*found, dtype) : dtype;
  }
  if (!found) {
    // The only array is the integer operand.
    const bool has_array = std::any_of(operands.begin(), operands.end(),
                                       [](const Operand& operand) { return operand.array() != nullptr; });
    if (!has_array)
      throw ArgumentError(ArgumentError::Kind::value,
                          std::string(op->name) + ": at least one operand must be an array");
    found = default_float;
    has_floats = true;
  }
  DType common = *found;
  for (const Operand& operand : operands) {
    if (operand.array() != nullptr || is_integer(operand)) continue;
    // If the arrays become floating point, a number of a higher kind than theirs makes the result
    // default_float.
    const auto least = has_integers ? Number::Kind::floating : Number::Kind::integer;
    const bool decides =
        op->promotes == codegen::Promotes::narrow && !has_floats && operand.number().kind() >= least;
    common = with_number(decides ? codegen::promoted(common, default_float) : common, operand.number(),
                         default_float);
  }
  const bool is_boolean = codegen::kind_of(common) == Kinds::boolean;
  if (is_boolean && op->name == "invert") op = codegen::find_op("logical_not");
  if (is_boolean && !codegen::includes(op->kinds, Kinds::boolean) && !refuses_booleans(*op))
    common = DType::of(Scalar::int8);
  common = codegen::computed_type(*op, common, default_float);
  if (!codegen::includes(op->kinds, codegen::kind_of(common))) {
    throw ArgumentError(ArgumentError::Kind::type,
                        std::string(op->name) + " is not defined for elements of " + common.name());
  }
  DType result = codegen::result_of(*op, common);
  return {op, std::move(common), std::move(result)};
}

}  // namespace quern::array

namespace quern {

DType result_type(const DType& a, const Number& number) {
  return array::with_number(a, number, DType::of(Scalar::float64));
}

}  // namespace quern
