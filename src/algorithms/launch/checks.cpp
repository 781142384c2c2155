// SPDX-License-Identifier: MIT
// Checks of the arrays that callers pass to the algorithms.
#include "algorithms/launch/checks.hpp"

#include <string>

#include "quern/error.hpp"

namespace quern::algorithms {
namespace {

std::string subject(std::string_view what, std::string_view name) {
  return std::string(what) + ": " + std::string(name);
}

std::size_t first_byte(const Array& array) {
  return array.buffer().offset() + array.offset();
}

}  // namespace

void check_vector(std::string_view what, std::string_view name, const Array& array, const Queue& queue) {
  if (array.shape().size() != 1)
    throw ArgumentError(
        ArgumentError::Kind::value,
        subject(what, name) + " has " + std::to_string(array.shape().size()) + " dimensions, expected one");
  check_contiguous(what, name, array, queue);
}

void check_contiguous(std::string_view what, std::string_view name, const Array& array, const Queue& queue) {
  if (!array.evaluate().contiguous)
    throw ArgumentError(ArgumentError::Kind::value,
                        subject(what, name) + " is a strided view, expected a contiguous array");
  if (!(array.device() == queue.device()))
    throw ArgumentError(ArgumentError::Kind::value, subject(what, name) + " is on " + array.device().spec() +
                                                        ", the queue on " + queue.device().spec());
}

void check_size(std::string_view what, std::string_view name, const Array& array, std::size_t size) {
  if (array.size() == size) return;
  throw ArgumentError(ArgumentError::Kind::value, subject(what, name) + " has " +
                                                      std::to_string(array.size()) + " elements, expected " +
                                                      std::to_string(size));
}

void check_not_empty(std::string_view what, std::string_view name, const Array& array) {
  if (array.size() != 0) return;
  throw ArgumentError(ArgumentError::Kind::value,
                      subject(what, name) + " has no elements, but the result has at least one");
}

void check_dtype(std::string_view what, std::string_view name, const Array& array, const DType& dtype) {
  if (!(array.dtype() == dtype)) reject_dtype(what, name, array.dtype(), dtype.name());
}

void reject_dtype(std::string_view what, std::string_view name, const DType& dtype,
                  std::string_view expected) {
  throw ArgumentError(ArgumentError::Kind::type, subject(what, name) + " has dtype " + dtype.name() +
                                                     ", expected " + std::string(expected));
}

bool is_same(const Array& a, const Array& b) {
  return a.buffer().allocation() == b.buffer().allocation() && first_byte(a) == first_byte(b) &&
         a.nbytes() == b.nbytes();
}

bool overlaps(const Array& a, const Array& b) {
  return a.buffer().allocation() == b.buffer().allocation() && first_byte(a) < first_byte(b) + b.nbytes() &&
         first_byte(b) < first_byte(a) + a.nbytes();
}

void check_apart(std::string_view what, std::string_view name, const Array& array,
                 std::string_view other_name, const Array& other, bool or_same) {
  if (!overlaps(array, other) || (or_same && is_same(array, other))) return;
  throw ArgumentError(ArgumentError::Kind::value,
                      subject(what, name) + " overlaps " + std::string(other_name) +
                          (or_same ? "; it may be the same array, or share nothing with it" : ""));
}

}  // namespace quern::algorithms
