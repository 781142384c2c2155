// SPDX-License-Identifier: MIT
// Sparse matrices whose rows are spread over ranks, their products with vectors, and conjugate gradients.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "quern/api.hpp"
#include "quern/distributed/array.hpp"
#include "quern/sparse.hpp"

namespace quern {
namespace QUERN_API distributed {

// A matrix in compressed rows, of which each rank has an interval. Which elements of vectors a rank needs
// from which others is found once, when the matrix is made. A handle: copies refer to the same matrix.
class DistributedCsr {
 public:
  // Called by all ranks with their rows, in the order of the ranks. Column indices are those of the whole
  // matrix. Throws DistributedError if ranks give different numbers of columns or different dtypes.
  DistributedCsr(const Communicator& communicator, const quern::sparse::Csr& rows);

  [[nodiscard]] const Communicator& communicator() const noexcept;
  [[nodiscard]] const quern::sparse::Size& size() const noexcept;
  [[nodiscard]] std::int64_t nnz() const noexcept;  // of all ranks
  [[nodiscard]] const DType& dtype() const noexcept;
  // This rank's rows, with the columns of the whole matrix.
  [[nodiscard]] const quern::sparse::Csr& local() const noexcept;
  // Of the vectors that the matrix gives and takes. They are equal for a square matrix; otherwise those that
  // it takes are in blocks of equal size.
  [[nodiscard]] const Layout& row_layout() const noexcept;
  [[nodiscard]] const Layout& column_layout() const noexcept;
  // Numbers of elements of a vector that a product needs from other ranks, and of ranks that have them.
  [[nodiscard]] std::int64_t ghosts() const noexcept;
  [[nodiscard]] std::int64_t neighbours() const noexcept;

  // Internal.
  struct State;
  [[nodiscard]] const State& state() const noexcept { return *state_; }

 private:
  std::shared_ptr<const State> state_;
};

// matrix @ x for a vector or a matrix x. Each rank gets the elements that it needs in one message from each
// neighbour, and multiplies by its own ones meanwhile. An x in another layout is redistributed first.
DistributedArray multiply(const DistributedCsr& matrix, const DistributedArray& x);
// The same for the transpose. Each rank sends one message with parts of sums to each neighbour.
DistributedArray multiply_transposed(const DistributedCsr& matrix, const DistributedArray& x);
// The main diagonal, in the layout of the rows.
DistributedArray diagonal(const DistributedCsr& matrix);

// Applies a linear operator to a vector. Called by all ranks.
using DistributedOperator = std::function<DistributedArray(const DistributedArray&)>;

struct DistributedSolveOptions {
  std::optional<DistributedArray> x0 = {};                       // first guess; zeros by default
  double rtol = 1e-5, atol = 0;                                  // solved if |b - A x| <= max(rtol |b|, atol)
  std::optional<std::int64_t> maxiter = {};                      // 10 times the number of rows by default
  DistributedOperator preconditioner = {};                       // approximates the inverse of A
  std::function<void(const DistributedArray& x)> callback = {};  // called after each iteration
  std::optional<DType> dtype = {};  // of x; that of b if it is floating, otherwise float64
};
struct DistributedSolution {
  DistributedArray x;
  // 0 if b - A x, computed anew, meets the tolerance. Otherwise the number of iterations, or -1 if p . A p
  // of a direction p is 0 or not finite.
  std::int64_t info = 0;
  std::int64_t iterations = 0;
  double residual = 0;  // |b - A x|
};
// Solves A x = b for a Hermitian positive definite operator. x has the layout of b.
DistributedSolution cg(const DistributedOperator& a, const DistributedArray& b,
                       const DistributedSolveOptions& options = {});

}  // namespace distributed
}  // namespace quern
