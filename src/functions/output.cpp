// SPDX-License-Identifier: MIT
// Outputs of functions: a new array, or the caller's array.
#include "functions/output.hpp"

#include <string>

#include "array/build.hpp"
#include "array/write.hpp"
#include "base/text.hpp"
#include "quern/arithmetic.hpp"
#include "quern/error.hpp"
#include "quern/registry.hpp"

namespace quern::functions {
namespace {

bool fills(const Shape& from, const Shape& to) {
  if (from.size() > to.size()) return false;
  const std::size_t more = to.size() - from.size();
  for (std::size_t d = 0; d < from.size(); ++d)
    if (from[d] != 1 && from[d] != to[more + d]) return false;
  return true;
}

}  // namespace

Array written(std::string_view function, Array result, const Output& output) {
  if (output.array == nullptr) {
    if (output.where == nullptr) return result;
    return where(*output.where, result, full(result.queue(), {}, Number(0), result.dtype()));
  }
  const Array& target = *output.array;
  if (!(result.shape() == target.shape()) && !(output.broadcasts && fills(result.shape(), target.shape())))
    throw ArgumentError(ArgumentError::Kind::value,
                        std::string(function) + ": out: expected an array of shape " +
                            shape_text(result.shape()) + ", got one of " + shape_text(target.shape()));
  check_cast(std::string(function) + ": out", result.dtype(), target.dtype(), output.casting);
  if (output.where != nullptr) result = where(*output.where, astype(result, target.dtype()), target);
  assign(target, result, nullptr, 1);
  return target;
}

Array stored(std::string_view function, Array result, const ReduceOptions& options) {
  return written(function, std::move(result), {.array = address(options.out), .broadcasts = false});
}

DType default_type(const Number& number, const Queue& queue) {
  const bool has_double = array::default_float(queue).itemsize == 8;
  switch (number.kind()) {
    case Number::Kind::boolean:
      return DType::of(Scalar::boolean);
    case Number::Kind::integer:
      return DType::of(!number.is_negative() && number.integer() >> 63 != 0 ? Scalar::uint64 : Scalar::int64);
    case Number::Kind::floating:
      return DType::of(has_double ? Scalar::float64 : Scalar::float32);
    case Number::Kind::complex:
      break;
  }
  return DType::of(has_double ? Scalar::complex128 : Scalar::complex64);
}

void warn_of_overflow(const Number& number, const DType& dtype) {
  if (overflows(number, dtype)) registry::warn("overflow encountered in cast");
}

}  // namespace quern::functions
