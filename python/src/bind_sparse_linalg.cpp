// SPDX-License-Identifier: MIT
// Solvers of quern.sparse.linalg: conversions of operators, options and results.
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "binding.hpp"
#include "errors.hpp"
#include "quern/sparse/linalg.hpp"
#include "sparse_calls.hpp"

namespace quern::python {
namespace {

using sparse::Csr;
using sparse::LinearOperator;

// Calls a function of Python's with an array, from a thread without the GIL. The function is kept until C++
// has dropped it.
template <class F>
auto called(nb::handle function, F&& convert) {
  std::shared_ptr<void> keep = keep_object(nb::borrow(function));
  return [keep = std::move(keep), raw = function.ptr(), convert](const Array& x) {
    const AcquireGil gil;
    return convert(nb::handle(raw)(wrapped(x)));
  };
}

LinearOperator::Apply apply_of(nb::handle function) {
  if (function.is_none()) return {};
  return called(function, [](const nb::object& result) -> Array {
    if (!nb::isinstance<PyArray>(result))
      type_error("a linear operator must return an array of quern, got " + class_name(result));
    return nb::inst_ptr<PyArray>(result)->array;
  });
}

// A SparseCsr, or (shape, dtype, matvec, rmatvec or None).
LinearOperator operator_of(nb::handle given) {
  if (nb::isinstance<Csr>(given)) return {*nb::inst_ptr<Csr>(given)};
  const auto parts = nb::cast<nb::tuple>(given);
  const auto shape = nb::cast<std::pair<std::int64_t, std::int64_t>>(parts[0]);
  return {{shape.first, shape.second},
          element_type(numpy_dtype(parts[1])),
          apply_of(parts[2]),
          apply_of(parts[3])};
}

std::optional<Array> array_or_none(nb::handle given) {
  if (given.is_none()) return std::nullopt;
  return nb::cast<const PyArray&>(given).array;
}

sparse::SolveOptions options_of(nb::handle x0, double rtol, double atol, std::optional<std::int64_t> maxiter,
                                nb::handle preconditioner, nb::handle callback, std::int64_t check_every) {
  sparse::SolveOptions options;
  options.x0 = array_or_none(x0);
  options.rtol = rtol;
  options.atol = atol;
  options.maxiter = maxiter;
  if (!preconditioner.is_none()) options.preconditioner = operator_of(preconditioner);
  if (!callback.is_none()) options.callback = called(callback, [](const nb::object&) {});
  options.check_every = check_every;
  return options;
}

std::function<void(std::int64_t, double)> progress_of(nb::handle progress) {
  if (progress.is_none()) return {};
  return [keep = keep_object(nb::borrow(progress)), raw = progress.ptr()](std::int64_t iterations,
                                                                          double residual) {
    const AcquireGil gil;
    const nb::handle call(raw);
    call(iterations, residual);
  };
}

nb::tuple solved(const std::string& method, nb::handle a, const PyArray& b, nb::handle x0, double rtol,
                 double atol, std::optional<std::int64_t> maxiter, nb::handle preconditioner,
                 nb::handle callback, std::int64_t check_every, std::int64_t restart, double shift,
                 nb::handle norm_callback, bool counts_steps, nb::handle progress) {
  const LinearOperator matrix = operator_of(a);
  sparse::SolveOptions options = options_of(x0, rtol, atol, maxiter, preconditioner, callback, check_every);
  options.counts_steps = counts_steps;
  if (!norm_callback.is_none()) {
    options.norm_callback = [keep = keep_object(nb::borrow(norm_callback)),
                             raw = norm_callback.ptr()](double norm) {
      const AcquireGil gil;
      const nb::handle call(raw);
      call(norm);
    };
  }
  options.progress = progress_of(progress);
  const sparse::Solution result = on_queue_of(b.array, [&] {
    if (method == "cg") return sparse::cg(matrix, b.array, options);
    if (method == "bicgstab") return sparse::bicgstab(matrix, b.array, options);
    if (method == "gmres") return sparse::gmres(matrix, b.array, restart, options);
    return sparse::minres(matrix, b.array, shift, options);
  });
  return nb::make_tuple(wrapped(result.x), result.info, result.iterations, result.residual);
}

nb::tuple least_squares(const std::string& method, nb::handle a, const PyArray& b, nb::handle x0, double damp,
                        double atol, double btol, double conlim, std::optional<std::int64_t> maxiter,
                        nb::handle progress) {
  const LinearOperator matrix = operator_of(a);
  const sparse::LeastSquaresOptions options = {array_or_none(x0),    damp, atol, btol, conlim, maxiter,
                                               progress_of(progress)};
  const sparse::LeastSquares result = on_queue_of(b.array, [&] {
    return method == "lsqr" ? sparse::lsqr(matrix, b.array, options) : sparse::lsmr(matrix, b.array, options);
  });
  return nb::make_tuple(wrapped(result.x), result.istop, result.iterations, result.residual,
                        result.damped_residual, result.normal_residual, result.norm, result.condition,
                        result.x_norm);
}

sparse::EigenOptions eigen_options(std::int64_t count, const std::string& which,
                                   std::optional<std::int64_t> basis, const PyArray& v0, double tol,
                                   std::optional<std::int64_t> maxiter) {
  using sparse::Which;
  sparse::EigenOptions options;
  options.count = count;
  if (which == "LM") {
    options.which = Which::largest_magnitude;
  } else if (which == "SM") {
    options.which = Which::smallest_magnitude;
  } else if (which == "LA") {
    options.which = Which::largest;
  } else if (which == "SA") {
    options.which = Which::smallest;
  } else if (which == "BE") {
    options.which = Which::both_ends;
  } else {
    value_error("which: expected one of LM, SM, LA, SA and BE, got " + which);
  }
  options.basis = basis;
  options.v0 = v0.array;
  options.tol = tol;
  options.maxiter = maxiter;
  return options;
}

// Values, vectors, and why not all converged, or None.
nb::tuple eigsh(nb::handle a, std::int64_t count, const std::string& which, std::optional<std::int64_t> basis,
                const PyArray& v0, double tol, std::optional<std::int64_t> maxiter,
                std::optional<std::pair<double, double>> shift) {
  const LinearOperator matrix = operator_of(a);
  sparse::EigenOptions options = eigen_options(count, which, basis, v0, tol, maxiter);
  if (shift) options.shift = sparse::Shift{shift->first, shift->second};
  nb::object failure = nb::none();
  std::optional<sparse::Eigen> result;
  try {
    result = on_queue_of(v0.array, [&] { return sparse::eigsh(matrix, options); });
  } catch (const sparse::NoConvergence& error) {
    result = error.found;
    failure = nb::cast(std::string(error.what()));
  }
  return nb::make_tuple(wrapped(result->values), wrapped(result->vectors), failure);
}

// If not all converged: eigenvectors and eigenvalues that A^H A did converge to, and why.
nb::tuple svds(nb::handle a, std::int64_t count, const std::string& which, std::optional<std::int64_t> basis,
               const PyArray& v0, double tol, std::optional<std::int64_t> maxiter) {
  const LinearOperator matrix = operator_of(a);
  const sparse::EigenOptions options = eigen_options(count, which, basis, v0, tol, maxiter);
  try {
    const sparse::Singular result = on_queue_of(v0.array, [&] { return sparse::svds(matrix, options); });
    return nb::make_tuple(wrapped(result.u), wrapped(result.s), wrapped(result.vh), nb::none());
  } catch (const sparse::NoConvergence& error) {
    const nb::object vectors = nb::cast(wrapped(error.found.vectors));
    return nb::make_tuple(vectors, wrapped(error.found.values), vectors, std::string(error.what()));
  }
}

LinearOperator preconditioner(const std::string& kind, const Csr& matrix, std::int64_t number, double ratio,
                              std::optional<double> greatest) {
  return on_queue_of(matrix.data(), [&] {
    if (kind == "jacobi") return sparse::jacobi(matrix);
    if (kind == "block_jacobi") return sparse::block_jacobi(matrix, number);
    if (kind == "ic0") return sparse::ic0(matrix);
    if (kind == "ilu0") return sparse::ilu0(matrix);
    return sparse::chebyshev(matrix, number, ratio, greatest);
  });
}

LinearOperator multigrid(const std::vector<Csr>& matrices, const std::vector<Csr>& prolongations,
                         const std::vector<Csr>& restrictions, const PyArray& coarsest, std::int64_t sweeps) {
  std::vector<sparse::MultigridLevel> levels;
  for (std::size_t k = 0; k < matrices.size(); ++k)
    levels.push_back({matrices[k], prolongations.at(k), restrictions.at(k)});
  return on_queue_of(coarsest.array, [&] { return sparse::multigrid(levels, coarsest.array, sweeps); });
}

}  // namespace

void bind_sparse_linalg(nb::module_& module) {
  nb::class_<LinearOperator>(module, "SparseOperator", "A preconditioner of quern.sparse.linalg.")
      .def(
          "apply",
          [](const LinearOperator& self, const PyArray& x) {
            return wrapped(on_queue_of(x.array, [&] { return self(x.array); }));
          },
          nb::arg("x"), "The operator applied to a vector.");
  nb::class_<sparse::Triangle>(module, "SparseTriangle", "A triangular matrix, for quern.sparse.linalg.")
      .def(
          "__init__",
          [](sparse::Triangle* self, const Csr& matrix, bool lower, bool unit_diagonal) {
            sparse::Triangle made =
                on_queue_of(matrix.data(), [&] { return sparse::Triangle(matrix, lower, unit_diagonal); });
            new (self) sparse::Triangle(std::move(made));
          },
          nb::arg("matrix"), nb::arg("lower"), nb::arg("unit_diagonal"), "Orders the rows.")
      .def(
          "solve",
          [](const sparse::Triangle& self, const PyArray& b) {
            return wrapped(on_queue_of(b.array, [&] { return self.solve(b.array); }));
          },
          nb::arg("b"), "The solution for a vector or the columns of a matrix.");
  nb::class_<sparse::Factorization>(
      module, "SparseFactorization",
      "A matrix that a library of the device factorised, for quern.sparse.linalg.")
      .def(
          "solve",
          [](const sparse::Factorization& self, const PyArray& b) {
            return wrapped(on_queue_of(b.array, [&] { return self.solve(b.array); }));
          },
          nb::arg("b"), "The solution for a vector or the columns of a matrix.");
  module.def(
      "sparse_factorize",
      [](const Csr& matrix) {
        return on_queue_of(matrix.data(), [&] { return sparse::Factorization::make(matrix); });
      },
      nb::arg("matrix"), "The factorisation by a library of the device, or None.");
  module.def(
      "sparse_solve", &solved, nb::arg("method"), nb::arg("a"), nb::arg("b"), nb::arg("x0").none(),
      nb::arg("rtol"), nb::arg("atol"), nb::arg("maxiter").none(), nb::arg("preconditioner").none(),
      nb::arg("callback").none(), nb::arg("check_every"), nb::arg("restart"), nb::arg("shift"),
      nb::arg("norm_callback").none(), nb::arg("counts_steps"), nb::arg("progress").none(),
      nb::sig(
          "def sparse_solve(method: str, a: object, b: Array, x0: Array | None, rtol: float, atol: float, "
          "maxiter: int | None, preconditioner: object, callback: object, check_every: int, restart: int, "
          "shift: float, norm_callback: object, counts_steps: bool, progress: object) -> tuple[Array, int, "
          "int, float]"),
      "Solution, info, iterations and residual of cg, bicgstab, gmres or minres.");
  module.def(
      "sparse_least_squares", &least_squares, nb::arg("method"), nb::arg("a"), nb::arg("b"),
      nb::arg("x0").none(), nb::arg("damp"), nb::arg("atol"), nb::arg("btol"), nb::arg("conlim"),
      nb::arg("maxiter").none(), nb::arg("progress").none(),
      nb::sig(
          "def sparse_least_squares(method: str, a: object, b: Array, x0: Array | None, damp: float, "
          "atol: float, btol: float, conlim: float, maxiter: int | None, progress: object) -> tuple[Array, "
          "int, int, float, float, float, float, float, float]"),
      "Solution and estimates of lsqr or lsmr.");
  module.def(
      "sparse_eigsh", &eigsh, nb::arg("a"), nb::arg("count"), nb::arg("which"), nb::arg("basis").none(),
      nb::arg("v0"), nb::arg("tol"), nb::arg("maxiter").none(), nb::arg("shift").none(),
      nb::sig("def sparse_eigsh(a: object, count: int, which: str, basis: int | None, v0: Array, tol: float, "
              "maxiter: int | None, shift: tuple[float, float] | None) -> tuple[Array, Array, str | None]"),
      "Eigenvalues and vectors of a Hermitian operator, and why not all converged.");
  module.def(
      "sparse_svds", &svds, nb::arg("a"), nb::arg("count"), nb::arg("which"), nb::arg("basis").none(),
      nb::arg("v0"), nb::arg("tol"), nb::arg("maxiter").none(),
      nb::sig("def sparse_svds(a: object, count: int, which: str, basis: int | None, v0: Array, tol: float, "
              "maxiter: int | None) -> tuple[Array, Array, Array, str | None]"),
      "Singular values and vectors of an operator, and why not all converged.");
  module.def("sparse_preconditioner", &preconditioner, nb::arg("kind"), nb::arg("matrix"), nb::arg("number"),
             nb::arg("ratio"), nb::arg("greatest").none(), "A preconditioner of a matrix.");
  module.def("sparse_multigrid", &multigrid, nb::arg("matrices"), nb::arg("prolongations"),
             nb::arg("restrictions"), nb::arg("coarsest_inverse"), nb::arg("sweeps"),
             "A V-cycle as a preconditioner.");
}

}  // namespace quern::python
