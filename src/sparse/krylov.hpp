// SPDX-License-Identifier: MIT
// What the iterative solvers share: checks, device scalars, residuals that are read without a wait.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "quern/array.hpp"
#include "quern/event.hpp"
#include "quern/sparse/linalg.hpp"

namespace quern::sparse {

// The dtype that a system is solved in: floating-point.
DType solver_type(const DType& a, const DType& b);
bool is_complex(const DType& dtype);
// b as a vector of this dtype. Throws ArgumentError for another length.
Array right_side(const char* what, const LinearOperator& a, const Array& b, const DType& dtype);
void check_square(const char* what, const LinearOperator& a);
// x0, or zeros.
Array first_guess(const std::optional<Array>& x0, std::int64_t count, const DType& dtype, const Queue& queue);

// The sum of the real parts of all elements, and the Euclidean norm; both wait.
double read_sum(const Array& parts);
double read_norm(const Array& x);
// a / b, and 0 where b is 0; of arrays without axes.
Array safe_ratio(const Array& a, const Array& b);
// conj(a) . b, and its real part, as arrays without axes.
Array dot_of(const Array& a, const Array& b);
Array real_dot(const Array& a, const Array& b);
// v without its components along the orthonormal rows of `known`, of length 1.
Array orthogonalised(Array v, const Array& known);
// A random vector of length 1, orthogonal to the rows of `known` if there are any.
Array random_vector(const Queue& queue, std::int64_t n, const DType& dtype, const Array* known,
                    std::uint64_t seed);
// Enqueues these together.
void compute(std::initializer_list<Array> arrays);

// Row j + 1 of the basis becomes w without its components along the rows before, of length 1 (or zero). Row j
// of the table gets the components and the length.
void extend_basis(const Array& basis, const Array& table, std::int64_t j, const Array& w);

// Sums of parts that are on their way to the host. Each is available one reading later, so that the device
// always has work.
class DeferredSums {
 public:
  explicit DeferredSums(const Queue& queue) : queue_(queue) {}
  // Reads the parts. Returns the sum of the parts of the reading before.
  std::optional<double> submit(const Array& parts);
  void clear() { pending_.reset(); }

 private:
  struct Reading {
    std::shared_ptr<std::vector<std::byte>> bytes;
    DType dtype;
    Event done;
  };
  Queue queue_;
  std::optional<Reading> pending_;
};

// Whether restarts from the true residual still help. Rounding limits what a method reaches: the recursive
// residual may meet the tolerance again and again while the true one stays above it.
class Restarts {
 public:
  // Takes the square of the true residual at a start. Returns whether it is below half of that before.
  bool has_progress(double squared) {
    const bool result = squared < before_ / 4;
    before_ = squared;
    return result;
  }

 private:
  double before_ = std::numeric_limits<double>::infinity();
};

// Counts iterations and decides when to look at the residual of x.
class Progress {
 public:
  Progress(const LinearOperator& a, const Array& b, const SolveOptions& options, std::int64_t most);
  [[nodiscard]] double tolerance() const noexcept { return tolerance_; }
  [[nodiscard]] std::int64_t most() const noexcept { return most_; }
  [[nodiscard]] bool is_zero() const noexcept { return is_zero_; }
  // Computes |b - A x|; waits.
  [[nodiscard]] double residual(const Array& x) const;
  [[nodiscard]] bool is_time(std::int64_t iteration) const noexcept { return iteration % every_ == 0; }
  [[nodiscard]] Solution solution(const Array& x, std::int64_t iterations) const;
  // Reports the square of a residual that was read now, and was computed one reading before `iterations`.
  void report(std::int64_t iterations, double squared) const {
    if (options_.progress) options_.progress(iterations - every_, std::sqrt(squared));
  }

 private:
  const LinearOperator& a_;
  const Array& b_;
  const SolveOptions& options_;
  double tolerance_;
  std::int64_t most_, every_;
  bool is_zero_;
};

}  // namespace quern::sparse
