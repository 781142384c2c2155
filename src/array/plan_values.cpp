// SPDX-License-Identifier: MIT
// The arrays, numbers and operations of a kernel, for drawings of plans.
#include <array>
#include <charconv>
#include <complex>
#include <cstring>
#include <limits>
#include <optional>

#include "array/fused_expression.hpp"
#include "base/bfloat16.hpp"
#include "base/half.hpp"

namespace quern::array {
namespace {

template <class T>
T loaded(const NumberBytes& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// The shortest digits that read back as the same number.
template <class T>
std::string digits(T value) {
  std::array<char, 64> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

template <class T>
std::string digits(std::complex<T> value) {
  const std::string imaginary = digits(value.imag());
  return digits(value.real()) + (imaginary.starts_with('-') ? "" : "+") + imaginary + "j";
}

std::string number_text(const NumberBytes& bytes, Scalar scalar) {
  switch (scalar) {
    case Scalar::boolean:
      return loaded<std::uint8_t>(bytes) != 0 ? "True" : "False";
    case Scalar::int8:
      return digits(int{loaded<std::int8_t>(bytes)});
    case Scalar::int16:
      return digits(loaded<std::int16_t>(bytes));
    case Scalar::int32:
      return digits(loaded<std::int32_t>(bytes));
    case Scalar::int64:
      return digits(loaded<std::int64_t>(bytes));
    case Scalar::uint8:
      return digits(int{loaded<std::uint8_t>(bytes)});
    case Scalar::uint16:
      return digits(loaded<std::uint16_t>(bytes));
    case Scalar::uint32:
      return digits(loaded<std::uint32_t>(bytes));
    case Scalar::uint64:
      return digits(loaded<std::uint64_t>(bytes));
    case Scalar::float16:
      return digits(from_half(loaded<std::uint16_t>(bytes)));
    case Scalar::bfloat16:
      return digits(from_bfloat16(loaded<std::uint16_t>(bytes)));
    case Scalar::float32:
      return digits(loaded<float>(bytes));
    case Scalar::float64:
      return digits(loaded<double>(bytes));
    case Scalar::complex64:
      return digits(loaded<std::complex<float>>(bytes));
    case Scalar::complex128:
      return digits(loaded<std::complex<double>>(bytes));
    case Scalar::structure:
    case Scalar::unknown:
      break;
  }
  return "";
}

}  // namespace

std::vector<PlanValue> FusedExpression::values() const {
  using Kind = codegen::Expression::Value::Kind;
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::vector<const Operation*> named(expression_.size(), nullptr);
  for (const Operation& operation : operations_) named[operation.ref] = &operation;
  std::vector<PlanValue> result;
  std::vector<std::size_t> place(expression_.size(), kNone);
  // Conversions that promotion adds are not operations of the program: what uses them shows their inputs.
  const auto add_inputs = [&](auto&& again, const codegen::Expression::Value& value,
                              std::vector<std::size_t>& inputs) -> void {
    for (const Ref input : value.inputs) {
      if (place[input] != kNone) {
        inputs.push_back(place[input]);
      } else {
        again(again, expression_.value(input), inputs);
      }
    }
  };
  const OriginText where = origin_text.load();
  std::size_t leaf = 0, number = 0;
  for (Ref ref = 0; ref < expression_.size(); ++ref) {
    const codegen::Expression::Value value = expression_.value(ref);
    PlanValue shown;
    shown.dtype = value.dtype.name();
    if (value.kind == Kind::operand) {
      if (leaf == leaves_.size()) continue;
      shown.shape = leaves_[leaf++].shape();
    } else if (value.kind == Kind::scalar) {
      shown.kind = PlanValue::Kind::number;
      shown.name = number_text(numbers_[number++], value.dtype.scalar);
    } else if (named[ref] != nullptr) {
      shown.kind = PlanValue::Kind::operation;
      shown.name = name_of(*named[ref]);
      if (where != nullptr && named[ref]->origin != 0) shown.line = where(named[ref]->origin);
      add_inputs(add_inputs, value, shown.inputs);
    } else {
      continue;
    }
    place[ref] = result.size();
    result.push_back(std::move(shown));
  }
  for (const Ref output : expression_.outputs())
    if (place[output] != kNone) result[place[output]].is_output = true;
  return result;
}

}  // namespace quern::array
