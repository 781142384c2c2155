// SPDX-License-Identifier: MIT
// Computations on each matrix of a stack in host memory: in the order of a host's queue, one matrix for each
// worker; for other devices with copies to the host and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "quern/array.hpp"
#include "quern/queue.hpp"

namespace quern::linalg {

// One matrix, vector or number of an operand. Steps are elements; those of absent axes are 0.
struct Item {
  void* data;
  std::int64_t rows, columns;
  std::int64_t row_step, column_step;

  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data);
  }
};

// Copies a matrix to contiguous columns.
template <class T>
void load(const Item& item, T* columns);
// Copies contiguous columns, `pitch` elements apart, to a matrix.
template <class T>
void store(const T* columns, std::int64_t pitch, const Item& item);

struct BatchOperand {
  Array array;
  std::size_t axes;  // of one item: the last 2, 1 or 0
};

struct Batch {
  const char* name;                         // of the function, for errors
  Shape shape;                              // of the stack; operands that are read are broadcast to it
  std::vector<BatchOperand> reads, writes;  // those that are written are new and contiguous
  double work = 0;                          // operations on one matrix
  // Returns 0, or what `failure` describes. Items are those of reads and then of writes. Runs on many
  // threads.
  std::function<std::int64_t(std::span<const Item>)> compute;
  std::string (*failure)(std::int64_t info) = nullptr;
  // Optional, for stacks whose matrices are at equal distances: computes `count` of them at once. The steps
  // are elements from item to item. Returns the number of the first matrix that fails, or -1.
  std::function<std::int64_t(std::span<const Item>, std::span<const std::int64_t> steps, std::int64_t count)>
      compute_many = {};
};

// Enqueues the computation. If matrices fail, LinAlgError names the first, its number and the source line:
// every read of the results raises it on the host. In an eager block and on other devices it is raised here.
void run(const Queue& queue, Batch batch);

// The texts of NumPy.
std::string singular(std::int64_t info);
std::string not_positive_definite(std::int64_t info);
std::string eigenvalues_failed(std::int64_t info);
std::string svd_failed(std::int64_t info);
inline constexpr std::int64_t kNotFinite = -1000;  // an info: an element is infinite or NaN

}  // namespace quern::linalg
