// SPDX-License-Identifier: MIT
// Numbers in host memory that control a function, such as quantiles, bin edges and ranges. Reading them never
// waits.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <vector>

#include "quern/api.hpp"
#include "quern/arithmetic.hpp"
#include "quern/array.hpp"

namespace QUERN_API quern {

class HostNumbers {
 public:
  // No numbers.
  HostNumbers();
  // One number, which takes the dtype of the arrays beside it.
  HostNumbers(const Number& number);
  HostNumbers(double number) : HostNumbers(Number(number)) {}
  HostNumbers(int number) : HostNumbers(Number(number)) {}
  // Several float64 numbers along one axis.
  HostNumbers(std::initializer_list<double> numbers) : HostNumbers(std::vector<double>(numbers)) {}
  HostNumbers(const std::vector<double>& numbers);
  // Real numbers in C order, stored as elements of this dtype.
  HostNumbers(DType dtype, Shape shape, std::vector<std::byte> elements);

  [[nodiscard]] const DType& dtype() const noexcept { return dtype_; }
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t size() const noexcept { return elements_.size() / dtype_.itemsize; }
  // Whether it is one number that takes the dtype of the arrays beside it.
  [[nodiscard]] bool is_weak() const noexcept { return is_weak_; }
  [[nodiscard]] double operator[](std::size_t k) const;
  [[nodiscard]] std::vector<double> values() const;

  // The same numbers on a device.
  [[nodiscard]] Array to_array(const Queue& queue) const;

 private:
  DType dtype_;
  Shape shape_;
  std::vector<std::byte> elements_;
  bool is_weak_ = false;
};

// The elements of a real array; waits for them.
HostNumbers host_numbers(const Array& array);

}  // namespace quern
