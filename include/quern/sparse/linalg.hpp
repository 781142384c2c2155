// SPDX-License-Identifier: MIT
// Linear systems, least squares and eigenvalues of sparse matrices and other linear operators.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/error.hpp"
#include "quern/linalg.hpp"
#include "quern/sparse.hpp"

namespace quern {
namespace QUERN_API sparse {

// A sparse matrix, or functions that apply an operator to a vector of `columns` elements and its adjoint to
// one of `rows` elements. Functions enqueue work and need not wait.
class LinearOperator {
 public:
  using Apply = std::function<Array(const Array&)>;
  LinearOperator(const Csr& matrix);
  LinearOperator(Size size, DType dtype, Apply apply, Apply adjoint = {});
  // Of a dense matrix.
  static LinearOperator of(const Array& matrix);

  [[nodiscard]] const Size& size() const noexcept { return size_; }
  [[nodiscard]] const DType& dtype() const noexcept { return dtype_; }
  // Throws ArgumentError if a function returns an array of another length.
  [[nodiscard]] Array operator()(const Array& x) const;
  // Throws ArgumentError if the adjoint is not known.
  [[nodiscard]] Array adjoint(const Array& x) const;
  [[nodiscard]] bool has_adjoint() const noexcept { return static_cast<bool>(adjoint_); }
  [[nodiscard]] const Csr* matrix() const noexcept { return matrix_ ? &*matrix_ : nullptr; }

 private:
  Size size_;
  DType dtype_;
  Apply apply_, adjoint_;
  std::optional<Csr> matrix_;
};

// Operators of operators; their adjoints are known if those of all operands are. Sizes that do not fit throw
// ArgumentError.
LinearOperator operator+(const LinearOperator& a, const LinearOperator& b);
LinearOperator operator-(const LinearOperator& a, const LinearOperator& b);
LinearOperator operator*(const LinearOperator& a, const LinearOperator& b);  // b is applied first
LinearOperator operator*(const Number& factor, const LinearOperator& a);
LinearOperator power(const LinearOperator& a, std::int64_t n);
LinearOperator adjoint_of(const LinearOperator& a);
LinearOperator transpose_of(const LinearOperator& a);

struct SolveOptions {
  std::optional<Array> x0 = {};  // first guess; zeros by default
  double rtol = 1e-5, atol = 0;  // solved if |b - A x| <= max(rtol |b|, atol)
  std::optional<std::int64_t> maxiter = {};
  std::optional<LinearOperator> preconditioner = {};  // approximates the inverse of A
  std::function<void(const Array& x)> callback = {};  // called after each iteration
  // Residuals are read after so many iterations, without a wait for the latest ones.
  std::int64_t check_every = 8;
  // Called for each residual that was read, with the number of iterations before it and its norm. It costs no
  // wait. Of gmres: before each restart.
  std::function<void(std::int64_t iterations, double residual)> progress = {};
  // Of gmres: called after each restart with |b - A x| / |b| of each of its steps; and whether `maxiter`
  // counts steps instead of restarts.
  std::function<void(double norm)> norm_callback = {};
  bool counts_steps = false;
};

struct Solution {
  Array x;
  std::int64_t info = 0;  // 0: solved; n: not after n iterations; negative: the method broke down
  std::int64_t iterations = 0;
  double residual = 0;  // |b - A x|, computed from x
};

// Scalars stay on the device. Success is reported after the residual was computed from x.

// Conjugate gradients, for Hermitian positive definite operators.
Solution cg(const LinearOperator& a, const Array& b, const SolveOptions& options = {});
// The stabilised biconjugate gradient method.
Solution bicgstab(const LinearOperator& a, const Array& b, const SolveOptions& options = {});
// Generalised minimal residuals, restarted after `restart` steps. The iterations of `maxiter` are restarts;
// the callback is called after each.
Solution gmres(const LinearOperator& a, const Array& b, std::int64_t restart = 20,
               const SolveOptions& options = {});
// Minimal residuals, for Hermitian operators, of A - shift I.
Solution minres(const LinearOperator& a, const Array& b, double shift = 0, const SolveOptions& options = {});

struct LeastSquaresOptions {
  std::optional<Array> x0 = {};
  double damp = 0;  // adds damp^2 |x|^2 to the sum of squares
  double atol = 1e-6, btol = 1e-6, conlim = 1e8;
  std::optional<std::int64_t> maxiter = {};
  // Called after each iteration with the number of iterations and the estimate of |b - A x|.
  std::function<void(std::int64_t iterations, double residual)> progress = {};
};
// As SciPy's lsqr and lsmr report them. The iterations use estimates; at the end the residuals are computed
// from x. `istop` is 1, 2, 4 or 5 only if they meet the tolerances (4 and 5: the precision), too; otherwise
// it is 7.
struct LeastSquares {
  Array x;
  std::int64_t istop = 0, iterations = 0;
  double residual = 0;                         // |b - A x|
  double damped_residual = 0;                  // with the damping
  double normal_residual = 0;                  // |A^H (b - A x) - damp^2 x|
  double norm = 0, condition = 0, x_norm = 0;  // estimates of |A| and cond(A), and |x|
};
LeastSquares lsqr(const LinearOperator& a, const Array& b, const LeastSquaresOptions& options = {});
LeastSquares lsmr(const LinearOperator& a, const Array& b, const LeastSquaresOptions& options = {});

// Which eigenvalues: of largest magnitude, smallest magnitude, largest, smallest, or half of them from each
// end of the spectrum, one more from the upper end if their number is odd.
enum class Which : std::uint8_t { largest_magnitude, smallest_magnitude, largest, smallest, both_ends };
// The operator is (A - used I)^-1, and the eigenvalues of A that are nearest to `wanted` are wanted: both are
// the same unless A - wanted I is nearly singular.
struct Shift {
  double wanted, used;
};
struct EigenOptions {
  std::int64_t count = 6;
  Which which = Which::largest_magnitude;
  std::optional<std::int64_t> basis = {};    // vectors that are kept; by default max(2 count + 1, 20)
  std::optional<Array> v0 = {};              // first vector; random by default
  double tol = 0;                            // relative; 0: the precision of the dtype
  std::optional<std::int64_t> maxiter = {};  // restarts; by default 10 n
  std::optional<Shift> shift = {};           // replaces `which`
};
// Real eigenvalues in increasing order, and vectors as columns.
struct Eigen {
  Array values, vectors;
};
// Not all pairs converged; `found` has those that did.
class NoConvergence : public Error {
 public:
  NoConvergence(const std::string& what, Eigen pairs) : Error(what), found(std::move(pairs)) {}
  Eigen found;
};
// Of a Hermitian operator, by the Lanczos method with thick restarts. The residual of each pair is computed
// at the end. Throws NoConvergence.
Eigen eigsh(const LinearOperator& a, const EigenOptions& options = {});
// Singular values in increasing order, left and right vectors: A = U diag(s) VH.
struct Singular {
  Array u, s, vh;
};
Singular svds(const LinearOperator& a, const EigenOptions& options = {});

// Solves a triangular system for a vector or the columns of a matrix. Entries of the other triangle are
// ignored. Throws ArgumentError if an entry of the diagonal is missing or zero.
class Triangle {
 public:
  // The order of the rows is computed once, on the host.
  Triangle(const Csr& matrix, bool is_lower, bool has_unit_diagonal = false);
  [[nodiscard]] Array solve(const Array& b) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

// The solution for a triangular matrix, which is ordered anew for each call.
Array spsolve_triangular(const Csr& matrix, const Array& b, bool is_lower = true,
                         bool has_unit_diagonal = false);

// A square matrix that a library for the device factorised: cuDSS on CUDA.
class Factorization {
 public:
  // Nothing if no library is found, if it lacks memory, or if it met a pivot that is too small: the matrix is
  // singular, or needs a search for pivots that the library does not make. Waits.
  static std::optional<Factorization> make(const Csr& matrix);
  // For a vector or the columns of a matrix. Reading the result throws LinAlgError if it does not solve the
  // system.
  [[nodiscard]] Array solve(const Array& b) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

// The solution of a square system, by a library for the device. Throws Error that says what to install if
// none is found, and LinAlgError if it cannot factorise the matrix.
Array spsolve(const Csr& matrix, const Array& b);

// Norms of a sparse matrix; MatrixNorm::greatest_singular waits. Throws ArgumentError for the least singular
// value and the nuclear norm, which need all singular values.
Array norm(const Csr& matrix, MatrixNorm norm = MatrixNorm::frobenius);

// Preconditioners: approximations of the inverse.
LinearOperator jacobi(const Csr& matrix);
// Inverts the blocks of this size on the diagonal.
LinearOperator block_jacobi(const Csr& matrix, std::int64_t block_size);
// Factorisations with the structure of the matrix, computed on the host. Throw ArgumentError for a pivot that
// is zero or, of IC(0), not positive.
LinearOperator ic0(const Csr& matrix);
LinearOperator ilu0(const Csr& matrix);
// A Chebyshev polynomial for eigenvalues from greatest / ratio to greatest, which is estimated if it is not
// given. Of a Hermitian positive definite matrix.
LinearOperator chebyshev(const Csr& matrix, std::int64_t degree = 4, double ratio = 30,
                         std::optional<double> greatest = {});

// A level of multigrid but the coarsest: the matrix, the interpolation from the next level and the
// restriction to it.
struct MultigridLevel {
  Csr a, prolongation, restriction;
};
// One V-cycle, with so many sweeps of damped Jacobi before and after. The last level is given by the inverse
// of its matrix, dense. If the matrices are Hermitian and the restrictions the adjoints of the prolongations,
// the operator is Hermitian, as cg needs it.
LinearOperator multigrid(const std::vector<MultigridLevel>& levels, const Array& coarsest_inverse,
                         std::int64_t sweeps = 1);

}  // namespace sparse
}  // namespace quern
