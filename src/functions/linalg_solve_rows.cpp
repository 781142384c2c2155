// SPDX-License-Identifier: MIT
// Rows of systems of equations, inverses, determinants, and factors by elimination.
#include <string>

#include "functions/operands.hpp"
#include "functions/rows.hpp"
#include "linalg/checked.hpp"
#include "quern/creation.hpp"
#include "quern/linalg.hpp"
#include "quern/manipulation.hpp"
#include "quern/matmul.hpp"

namespace quern::registry {
namespace {

linalg::Op op_of(const Arguments& a, std::size_t k) {
  if (a.is<std::string>(k)) {
    if (a.text(k) == "N") return linalg::Op::none;
    if (a.text(k) == "T") return linalg::Op::transpose;
    if (a.text(k) == "C") return linalg::Op::adjoint;
  } else if (a.integer(k) >= 0 && a.integer(k) <= 2) {
    return static_cast<linalg::Op>(a.integer(k));
  }
  functions::value_error(std::string(a.function().name) + ": trans: expected 0, 1, 2, 'N', 'T' or 'C'");
}

// a, permute_l, p_indices
Result call_lu(const Arguments& a) {
  const linalg::Lu parts = linalg::lu(a.array(0));
  const bool permutes = a.flag(1), wants_indices = a.flag(2);
  if (wants_indices && !permutes)
    return std::vector<Array>{astype(parts.permutation, DType::of(Scalar::int32)), parts.l, parts.u};
  // One-hot rows: P[i, j] is 1 if row i of a is row j of L.
  const std::int64_t m = parts.permutation.shape().back();
  const Array one_hot =
      apply("equal", {expand_dims(parts.permutation, {-1}),
                      arange_between(a.queue(), Number(0), Number(m), Number(1), DType::of(Scalar::int64))});
  const DType real =
      functions::is_complex(parts.l.dtype()) ? codegen::part_of(parts.l.dtype()) : parts.l.dtype();
  const Array p = astype(one_hot, real);
  if (!permutes) return std::vector<Array>{p, parts.l, parts.u};
  return std::vector<Array>{matmul(astype(p, parts.l.dtype()), parts.l), parts.u};
}

constexpr std::string_view kSquare = "a: An array with square matrices in its last two axes.";

const Function kLinalgSolveRows[] = {
    {.name = "linalg.solve",
     .parameters = "a: array, b: array, /",
     .summary = "Solve the linear systems a x = b.",
     .notes = "A singular matrix raises LinAlgError when the result is read.",
     .about = "a: An array with square matrices in its last two axes.\n"
              "b: Right-hand sides: a vector, or matrices with a right-hand side in each column.",
     .returns = "The solutions, in the shape of `b` broadcast with the stack of `a`.",
     .example = ">>> print(qn.linalg.solve([[3.0, 1.0], [1.0, 2.0]], [9.0, 8.0]))\n[2. 3.]",
     .call = [](const Arguments& a) -> Result { return linalg::solve(a.array(0), a.array(1)); }},
    {.name = "linalg.inv",
     .parameters = "a: array, /",
     .summary = "Inverses of square matrices.",
     .notes = "A singular matrix raises LinAlgError when the result is read.",
     .about = kSquare,
     .returns = "The inverses, in the shape of `a`.",
     .example = ">>> print(qn.linalg.inv([[2.0, 0.0], [0.0, 4.0]]))\n[[0.5  0.  ]\n [0.   0.25]]",
     .call = [](const Arguments& a) -> Result { return linalg::inv(a.array(0)); }},
    {.name = "linalg.det",
     .parameters = "a: array, /",
     .summary = "Determinants of square matrices.",
     .about = kSquare,
     .returns = "The determinants, one for each matrix.",
     .example = ">>> print(qn.linalg.det([[2.0, 1.0], [1.0, 3.0]]))\n5.0",
     .call = [](const Arguments& a) -> Result { return linalg::det(a.array(0)); }},
    {.name = "linalg.slogdet",
     .parameters = "a: array, /",
     .summary = "Sign and natural logarithm of the magnitude of determinants.",
     .about = kSquare,
     .returns = "Named tuple of `sign` and `logabsdet`; 0 and -inf for singular matrices.",
     .type = "SlogdetResult",
     .example = ">>> sign, logabsdet = qn.linalg.slogdet([[0.0, 1.0], [1.0, 0.0]])\n"
                ">>> print(sign, logabsdet)\n-1.0 0.0",
     .call = [](const Arguments& a) -> Result {
       const linalg::SignAndLog result = linalg::slogdet(a.array(0));
       return std::vector<Array>{result.sign, result.logabsdet};
     }},
    {.name = "linalg.cholesky",
     .parameters = "a: array, /, *, upper: bool = False",
     .summary = "Cholesky factors of Hermitian, positive definite matrices.",
     .notes = "Only one triangle of `a` is read. A matrix that is not positive definite raises LinAlgError "
              "when the result is read.",
     .about = "a: An array with square matrices in its last two axes.\n"
              "upper: If True, return the upper factor U of U^H U instead of the lower factor L of L L^H.",
     .returns = "The factors, in the shape of `a`.",
     .example = ">>> print(qn.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]]))\n[[2. 0.]\n [1. 2.]]",
     .call = [](const Arguments& a) -> Result { return linalg::cholesky(a.array(0), a.flag(1)); }},
    {.name = "linalg.cho_factor",
     .parameters = "a: array, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True",
     .summary = "Cholesky factors and their triangle, for cho_solve().",
     .notes = "A matrix that is not positive definite raises LinAlgError when the result is read.",
     .about = "a: An array with Hermitian, positive definite matrices in its last two axes.\n"
              "lower: If True, compute the lower factor instead of the upper one.",
     .returns = "Tuple of the factors, with zeros in the other triangle, and `lower`.",
     .type = "tuple[Array, bool]",
     .example = ">>> c, lower = qn.linalg.cho_factor([[4.0, 2.0], [2.0, 5.0]])\n"
                ">>> print(qn.linalg.cho_solve((c, lower), [8.0, 12.0]))\n[1. 2.]",
     .call = [](const Arguments& a) -> Result {
       if (a.flag(3)) linalg::check_finite("cho_factor", {a.array(0)});
       const linalg::CholeskyFactor factor = linalg::cho_factor(a.array(0), a.flag(1));
       return std::pair<Array, TypedNumber>{factor.c,
                                            TypedNumber{Number(factor.lower), DType::of(Scalar::boolean)}};
     }},
    {.name = "linalg.cho_solve",
     .parameters = "c_and_lower: operands, b: array, overwrite_b: bool = False, check_finite: bool = True",
     .summary = "Solve a x = b from the Cholesky factors of a.",
     .about = "c_and_lower: Result of cho_factor().\n"
              "b: Right-hand sides: a vector, or matrices with a right-hand side in each column.",
     .returns = "The solutions.",
     .example = ">>> factor = qn.linalg.cho_factor([[4.0, 2.0], [2.0, 5.0]], lower=True)\n"
                ">>> print(qn.linalg.cho_solve(factor, [8.0, 12.0]))\n[1. 2.]",
     .call = [](const Arguments& a) -> Result {
       const auto& items = a.get<std::vector<Item>>(0);
       if (items.size() != 2 || !std::holds_alternative<Array>(items[0]))
         functions::value_error("cho_solve: expected the tuple of a factor and `lower`");
       const auto* const number = std::get_if<Number>(&items[1]);
       const bool is_lower =
           number != nullptr ? number->value() != 0.0 : functions::truth_of(std::get<Array>(items[1]));
       if (a.flag(3)) linalg::check_finite("cho_solve", {std::get<Array>(items[0]), a.array(1)});
       return linalg::cho_solve(std::get<Array>(items[0]), is_lower, a.array(1));
     }},
    {.name = "linalg.lu",
     .parameters = "a: array, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True, "
                   "p_indices: bool = False",
     .summary = "LU factors of matrices with row exchanges: a = p @ l @ u.",
     .about = "a: An array with matrices in its last two axes.\n"
              "permute_l: If True, return the tuple of p @ l and u.\n"
              "p_indices: If True, `p` is a vector of row indices: a = l[p] @ u.",
     .returns = "Tuple of `p`, `l` and `u`, or of `p @ l` and `u`.",
     .type = "tuple[Array, ...]",
     .example = ">>> p, l, u = qn.linalg.lu([[1.0, 5.0], [2.0, 4.0]])\n>>> print(p @ l @ u)\n"
                "[[1. 5.]\n [2. 4.]]",
     .call = [](const Arguments& a) -> Result {
       if (a.flag(3)) linalg::check_finite("lu", {a.array(0)});
       const Value* values[] = {&a[0], &a[1], &a[4]};
       return call_lu(Arguments(a.function(), values, a.queue()));
     }},
    {.name = "linalg.lu_factor",
     .parameters = "a: array, overwrite_a: bool = False, check_finite: bool = True",
     .summary = "LU factors of matrices in one array, and the row exchanges, for lu_solve().",
     .about = "a: An array with matrices in its last two axes.",
     .returns = "Tuple of the factors, L below and U on and above the diagonal, and the pivots: row i was "
                "exchanged with row piv[i].",
     .type = "tuple[Array, Array]",
     .example = ">>> factors = qn.linalg.lu_factor([[2.0, 4.0], [1.0, 5.0]])\n"
                ">>> print(qn.linalg.lu_solve(factors, [10.0, 11.0]))\n[1. 2.]",
     .call = [](const Arguments& a) -> Result {
       if (a.flag(2)) linalg::check_finite("lu_factor", {a.array(0)});
       const linalg::LuFactors factors = linalg::lu_factor(a.array(0));
       return std::vector<Array>{factors.lu, factors.pivots};
     }},
    {.name = "linalg.lu_solve",
     .parameters = "lu_and_piv: arrays, b: array, trans: int = 0, overwrite_b: bool = False, "
                   "check_finite: bool = True",
     .summary = "Solve a x = b from the LU factors of a.",
     .about = "lu_and_piv: Result of lu_factor().\n"
              "b: Right-hand sides: a vector, or matrices with a right-hand side in each column.\n"
              "trans: 1 solves with the transposed matrix, 2 with the conjugate transpose.",
     .returns = "The solutions.",
     .example = ">>> factors = qn.linalg.lu_factor([[2.0, 4.0], [1.0, 5.0]])\n"
                ">>> print(qn.linalg.lu_solve(factors, [10.0, 11.0]))\n[1. 2.]",
     .call = [](const Arguments& a) -> Result {
       const std::vector<Array>& parts = a.arrays(0);
       if (parts.size() != 2) functions::value_error("lu_solve: expected the tuple of factors and pivots");
       if (a.flag(4)) linalg::check_finite("lu_solve", {a.array(1)});
       return linalg::lu_solve({parts[0], parts[1]}, a.array(1), op_of(a, 2));
     }},
    {.name = "linalg.solve_triangular",
     .parameters = "a: array, b: array, trans: int | str = 0, lower: bool = False, unit_diagonal: bool = "
                   "False, overwrite_b: bool = False, check_finite: bool = True",
     .summary = "Solve a x = b for triangular matrices.",
     .notes = "A zero on the diagonal raises LinAlgError when the result is read.",
     .about = "a: An array with square matrices in its last two axes, of which one triangle is read.\n"
              "b: Right-hand sides: a vector, or matrices with a right-hand side in each column.\n"
              "trans: 1 or 'T' solves with the transposed matrix, 2 or 'C' with the conjugate transpose.\n"
              "lower: If True, read the lower triangle instead of the upper one.\n"
              "unit_diagonal: If True, the diagonal counts as ones and is not read.",
     .returns = "The solutions.",
     .example = ">>> print(qn.linalg.solve_triangular([[2.0, 1.0], [0.0, 4.0]], [4.0, 8.0]))\n[1. 2.]",
     .call = [](const Arguments& a) -> Result {
       if (a.flag(6)) linalg::check_finite("solve_triangular", {a.array(0), a.array(1)});
       return linalg::solve_triangular(a.array(0), a.array(1), a.flag(3), op_of(a, 2), a.flag(4));
     }},
    {.name = "linalg.solve_banded",
     .parameters = "l_and_u: ints, ab: array, b: array, overwrite_ab: bool = False, overwrite_b: bool = "
                   "False, check_finite: bool = True",
     .summary = "Solve a x = b for a banded matrix, given by its diagonals.",
     .about = "l_and_u: Numbers of diagonals below and above the main one.\n"
              "ab: The diagonals as rows: a[i, j] is ab[u + i - j, j].\n"
              "b: Right-hand sides: a vector, or matrices with a right-hand side in each column.",
     .returns = "The solutions.",
     .example = ">>> ab = [[0.0, 1.0, 1.0], [2.0, 2.0, 2.0], [1.0, 1.0, 0.0]]\n"
                ">>> print(qn.linalg.solve_banded((1, 1), ab, [3.0, 4.0, 3.0]))\n[1. 1. 1.]",
     .call = [](const Arguments& a) -> Result {
       const std::vector<std::int64_t> widths = a.integers(0);
       if (widths.size() != 2) functions::value_error("solve_banded: l_and_u: expected two integers");
       if (a.flag(5)) linalg::check_finite("solve_banded", {a.array(1), a.array(2)});
       return linalg::solve_banded(widths[0], widths[1], a.array(1), a.array(2));
     }},
    {.name = "linalg.tensorinv",
     .parameters = "a: array, ind: int = 2",
     .summary = "Inverse of an array with respect to tensordot().",
     .notes = "tensordot(tensorinv(a, ind), a, ind) is the identity. The product of the first `ind` lengths "
              "must be "
              "that of the others.",
     .about = "ind: Number of leading axes that the inverse sums over.",
     .returns = "The inverse, of shape a.shape[ind:] + a.shape[:ind].",
     .example = ">>> print(qn.linalg.tensorinv(qn.reshape(qn.eye(4), (2, 2, 4)), ind=2).shape)\n(4, 2, 2)",
     .call = [](const Arguments& a) -> Result { return linalg::tensorinv(a.array(0), a.integer(1)); }},
    {.name = "linalg.tensorsolve",
     .parameters = "a: array, b: array, axes: ints = None",
     .summary = "Solve tensordot(a, x, x.ndim) = b for x.",
     .about = "b: The right side, in the shape of the first axes of `a`.\n"
              "axes: Axes of `a` that are moved to its end first.",
     .returns = "The solution, in the shape of the last axes of `a`.",
     .example = ">>> print(qn.linalg.tensorsolve(qn.reshape(2.0 * qn.eye(4), (2, 2, 4)), qn.ones((2, 2))))\n"
                "[0.5 0.5 0.5 0.5]",
     .call = [](const Arguments& a) -> Result {
       std::vector<int> axes;
       if (a.has(2)) {
         for (const std::int64_t axis : a.integers(2)) axes.push_back(static_cast<int>(axis));
       }
       return linalg::tensorsolve(a.array(0), a.array(1), axes);
     }},
};

}  // namespace

std::span<const Function> linalg_solve_rows() {
  return kLinalgSolveRows;
}

}  // namespace quern::registry
