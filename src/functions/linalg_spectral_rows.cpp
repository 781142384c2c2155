// SPDX-License-Identifier: MIT
// Rows of orthogonal factors, eigenvalues, singular values, and what is composed of them.
#include <optional>
#include <string>

#include "functions/operands.hpp"
#include "functions/output.hpp"
#include "functions/rows.hpp"
#include "linalg/solve.hpp"
#include "quern/linalg.hpp"
#include "quern/reduce.hpp"

namespace quern::registry {
namespace {

linalg::QrMode mode_of(const Arguments& a, std::size_t k) {
  const std::string_view text = a.text(k);
  if (text == "reduced") return linalg::QrMode::reduced;
  if (text == "complete") return linalg::QrMode::complete;
  if (text == "r") return linalg::QrMode::r;
  if (text == "raw") return linalg::QrMode::raw;
  functions::value_error("Unrecognized mode '" + std::string(text) +
                         "'; qr takes 'reduced', 'complete', 'r' and 'raw'");
}

bool is_upper(const Arguments& a, std::size_t k) {
  const std::string_view text = a.text(k);
  if (text == "L" || text == "l") return false;
  if (text == "U" || text == "u") return true;
  functions::value_error("UPLO argument must be 'L' or 'U'");
}

std::optional<Array> optional_array(const Arguments& a, std::size_t k) {
  if (!a.has(k)) return std::nullopt;
  return functions::array_of(a.operand(k), a.queue());
}

constexpr std::string_view kHermitian =
    "a: An array with Hermitian matrices in its last two axes, of which one triangle is read.\n"
    "UPLO: 'L' reads the lower triangle, 'U' the upper one.";
constexpr std::string_view kSquareMatrices = "a: An array with square matrices in its last two axes.";

const Function kLinalgSpectralRows[] = {
    {.name = "linalg.qr",
     .parameters = "a: array, mode: str = 'reduced'",
     .summary = "QR factors: matrices q with orthonormal columns and upper triangular r, a = q @ r.",
     .about = "a: An array with matrices in its last two axes.\n"
              "mode: 'reduced' for min(m, n) columns of q, 'complete' for m, 'r' for r alone, 'raw' for "
              "the Householder vectors h and their factors tau.",
     .returns = "Named tuple of `Q` and `R`, which are h and tau for mode 'raw'; r alone for mode 'r'.",
     .type = "QRResult",
     .example = ">>> q, r = qn.linalg.qr([[3.0, 0.0], [4.0, 5.0]])\n>>> print(qn.round(q @ r, 6))\n"
                "[[3. 0.]\n [4. 5.]]",
     .call = [](const Arguments& a) -> Result {
       const linalg::QrMode mode = mode_of(a, 1);
       const linalg::Qr result = linalg::qr(a.array(0), mode);
       if (mode == linalg::QrMode::r) return result.r;
       return std::vector<Array>{result.q, result.r};
     }},
    {.name = "linalg.eigh",
     .parameters = "a: array, /, UPLO: str = 'L'",
     .summary = "Eigenvalues, in ascending order, and eigenvectors of Hermitian matrices.",
     .about = kHermitian,
     .returns = "Named tuple of `eigenvalues` and `eigenvectors`, which are columns.",
     .type = "EighResult",
     .example = ">>> w, v = qn.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])\n>>> print(w)\n[1. 2.]",
     .call = [](const Arguments& a) -> Result {
       const linalg::Eigen result = linalg::eigh(a.array(0), is_upper(a, 1));
       return std::vector<Array>{result.values, result.vectors};
     }},
    {.name = "linalg.eigvalsh",
     .parameters = "a: array, /, UPLO: str = 'L'",
     .summary = "Eigenvalues of Hermitian matrices, in ascending order.",
     .about = kHermitian,
     .returns = "The eigenvalues.",
     .example = ">>> print(qn.linalg.eigvalsh([[2.0, 0.0], [0.0, 1.0]]))\n[1. 2.]",
     .call = [](const Arguments& a) -> Result { return linalg::eigvalsh(a.array(0), is_upper(a, 1)); }},
    {.name = "linalg.eig",
     .parameters = "a: array, /",
     .summary = "Eigenvalues and right eigenvectors of square matrices.",
     .notes =
         "The results are complex, as in the array API standard and NumPy 2.5. Earlier versions of NumPy "
         "return real arrays if all eigenvalues are real.",
     .about = kSquareMatrices,
     .returns = "Named tuple of `eigenvalues` and `eigenvectors`, which are columns of unit length.",
     .type = "EigResult",
     .example = ">>> w, v = qn.linalg.eig([[1.0, 0.0], [0.0, 2.0]])\n>>> print(w)\n[1.+0.j 2.+0.j]",
     .call = [](const Arguments& a) -> Result {
       const linalg::Eigen result = linalg::eig(a.array(0));
       return std::vector<Array>{result.values, result.vectors};
     }},
    {.name = "linalg.eigvals",
     .parameters = "a: array, /",
     .summary = "Eigenvalues of square matrices.",
     .notes = "The result is complex, as in the array API standard and NumPy 2.5. Earlier versions of NumPy "
              "return a real array if all eigenvalues are real.",
     .about = kSquareMatrices,
     .returns = "The eigenvalues.",
     .example = ">>> print(qn.linalg.eigvals([[1.0, 0.0], [0.0, 2.0]]))\n[1.+0.j 2.+0.j]",
     .call = [](const Arguments& a) -> Result { return linalg::eigvals(a.array(0)); }},
    {.name = "linalg.svd",
     .parameters =
         "a: array, /, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False",
     .summary = "Singular value decomposition a = u @ diag(s) @ vh.",
     .about = "a: An array with matrices in its last two axes.\n"
              "full_matrices: If True, `u` and `vh` are square; otherwise they have min(m, n) vectors.\n"
              "compute_uv: If False, return only the singular values.\n"
              "hermitian: If True, the matrices are assumed to be Hermitian, and faster eigenvalues give the "
              "result.",
     .returns = "Named tuple of `U`, `S` (descending) and `Vh`, or the singular values alone.",
     .type = "SVDResult",
     .example = ">>> u, s, vh = qn.linalg.svd([[0.0, 2.0], [1.0, 0.0]])\n>>> print(s)\n[2. 1.]",
     .call = [](const Arguments& a) -> Result {
       const bool is_hermitian = a.flag(3);
       if (!a.flag(2))
         return is_hermitian ? linalg::svdvals_hermitian(a.array(0)) : linalg::svdvals(a.array(0));
       const linalg::Svd result =
           is_hermitian ? linalg::svd_hermitian(a.array(0)) : linalg::svd(a.array(0), a.flag(1));
       return std::vector<Array>{result.u, result.s, result.vh};
     }},
    {.name = "linalg.svdvals",
     .parameters = "x: array, /",
     .summary = "Singular values of matrices, in descending order.",
     .about = "x: An array with matrices in its last two axes.",
     .returns = "The singular values.",
     .example = ">>> print(qn.linalg.svdvals([[0.0, 2.0], [1.0, 0.0]]))\n[2. 1.]",
     .call = [](const Arguments& a) -> Result { return linalg::svdvals(a.array(0)); }},
    {.name = "linalg.lstsq",
     .parameters = "a: array, b: array, rcond: number = None",
     .summary = "Least-squares solution of a x = b, of minimum norm.",
     .notes = "The call waits for the rank.",
     .about = "a: A matrix.\n"
              "b: Right-hand sides: a vector, or a matrix with a right-hand side in each column.\n"
              "rcond: Singular values below this times the largest count as zero. None: the machine "
              "precision times the larger dimension of `a`; -1: the machine precision.",
     .returns = "Tuple of the solutions, the sums of squared residuals (empty unless `a` has full rank and "
                "more rows than columns), the rank as a 0-d array, and the singular values.",
     .type = "tuple[Array, Array, Array, Array]",
     .example = ">>> x, residuals, rank, s = qn.linalg.lstsq([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], [1.0, "
                "2.0, 3.0])\n"
                ">>> print(qn.round(x, 6), int(rank))\n[1. 2.] 2",
     .call = [](const Arguments& a) -> Result {
       std::optional<double> rcond;
       if (a.has(2)) rcond = a.get<Number>(2).value().real();
       const linalg::LeastSquares result = linalg::lstsq(a.array(0), a.array(1), rcond);
       const Array rank =
           astype(functions::array_of(Number(result.rank), result.s.queue()), DType::of(Scalar::int32));
       return std::vector<Array>{result.x, result.residuals, rank, result.s};
     }},
    {.name = "linalg.pinv",
     .parameters = "a: array, rcond: operand = None, hermitian: bool = False, *, rtol: operand = None",
     .summary = "Moore-Penrose pseudo-inverses.",
     .about = "a: An array with matrices in its last two axes.\n"
              "rcond: Singular values up to this times the largest count as zero; 1e-15 by default.\n"
              "hermitian: If True, the matrices are assumed to be Hermitian, and faster eigenvalues give the "
              "result.\n"
              "rtol: Array API name of `rcond`.",
     .returns = "The pseudo-inverses, with the last two axes of `a` exchanged.",
     .example = ">>> print(qn.round(qn.linalg.pinv([[2.0, 0.0], [0.0, 0.0]]), 6))\n[[0.5 0. ]\n [0.  0. ]]",
     .call = [](const Arguments& a) -> Result {
       if (a.has(1) && a.has(3)) functions::value_error("`rtol` and `rcond` can't be both set.");
       return linalg::pinv(a.array(0), optional_array(a, a.has(1) ? 1 : 3), a.flag(2));
     }},
    {.name = "linalg.matrix_rank",
     .parameters = "A: array, tol: operand = None, hermitian: bool = False, *, rtol: operand = None",
     .summary = "Ranks of matrices: the numbers of singular values above a tolerance.",
     .about = "A: An array with matrices in its last two axes.\n"
              "tol: Absolute tolerance. None: the largest singular value times `rtol`.\n"
              "hermitian: If True, the matrices are assumed to be Hermitian, and faster eigenvalues give the "
              "result.\n"
              "rtol: Relative tolerance. None: the machine precision times the larger dimension.",
     .returns = "The ranks.",
     .example = ">>> print(qn.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]))\n1",
     .call = [](const Arguments& a) -> Result {
       return linalg::matrix_rank(a.array(0), optional_array(a, 1), optional_array(a, 3), a.flag(2));
     }},
    {.name = "linalg.cond",
     .parameters = "x: array, p: number | str = None",
     .summary = "Condition numbers of matrices.",
     .about = "x: An array with matrices in its last two axes.\n"
              "p: Order of the norm: 'fro', 'nuc', 1, -1, 2, -2, inf or -inf. None: 2.",
     .returns = "The condition numbers.",
     .example = ">>> print(qn.linalg.cond([[4.0, 0.0], [0.0, 2.0]]))\n2.0",
     .call = [](const Arguments& a) -> Result {
       std::optional<MatrixNorm> norm;
       if (a.has(1)) norm = matrix_order(a, 1);
       return linalg::cond(a.array(0), norm);
     }},
    {.name = "linalg.multi_dot",
     .parameters = "arrays: arrays, *, out: out = None",
     .summary = "Product of several matrices, in the order that needs the fewest operations.",
     .about = "arrays: The matrices; the first and the last may be vectors.",
     .returns = "The product.",
     .example = ">>> print(qn.linalg.multi_dot([qn.ones((2, 3)), qn.ones((3, 4)), qn.ones(4)]))\n[12. 12.]",
     .call = [](const Arguments& a) -> Result {
       return functions::written(a.function().name, linalg::multi_dot(a.arrays(0)),
                                 {.array = functions::address(a.find<Array>(1)), .broadcasts = false});
     }},
    {.name = "linalg.expm",
     .parameters = "A: array",
     .summary = "Matrix exponential.",
     .notes = "The call waits for the norm of the matrices.",
     .about = "A: An array with square matrices in its last two axes.",
     .returns = "The exponentials, in the shape of `A`.",
     .example = ">>> print(qn.linalg.expm(qn.zeros((2, 2))))\n[[1. 0.]\n [0. 1.]]",
     .call = [](const Arguments& a) -> Result { return linalg::expm(a.array(0)); }},
};

}  // namespace

std::span<const Function> linalg_spectral_rows() {
  return kLinalgSpectralRows;
}

}  // namespace quern::registry
