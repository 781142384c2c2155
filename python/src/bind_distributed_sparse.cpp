// SPDX-License-Identifier: MIT
// Sparse matrices on many ranks and conjugate gradients, for quern.dist.sparse.
#include <cstdint>
#include <optional>
#include <utility>

#include "binding.hpp"
#include "conversions.hpp"
#include "interpreter.hpp"
#include "quern/distributed.hpp"
#include "sparse_calls.hpp"

namespace quern::python {
namespace {

using distributed::Communicator;
using distributed::DistributedArray;
using distributed::DistributedCsr;
using distributed::DistributedOperator;

// A matrix, or a function of Python's from blocks to blocks, which outlives the call of the solver.
DistributedOperator operator_from(nb::handle given) {
  if (nb::isinstance<DistributedCsr>(given)) {
    return [matrix = *nb::inst_ptr<DistributedCsr>(given)](const DistributedArray& x) {
      return distributed::multiply(matrix, x);
    };
  }
  return [given](const DistributedArray& x) {
    const AcquireGil gil;
    return nb::cast<DistributedArray>(given(nb::cast(x)));
  };
}

nb::tuple solve(nb::handle a, const DistributedArray& b, std::optional<DistributedArray> x0, double rtol,
                double atol, std::optional<std::int64_t> maxiter, nb::handle preconditioner,
                nb::handle callback, nb::handle dtype) {
  distributed::DistributedSolveOptions options;
  options.x0 = std::move(x0);
  options.rtol = rtol;
  options.atol = atol;
  options.maxiter = maxiter;
  options.dtype = element_type(native_dtype(dtype));
  if (!preconditioner.is_none()) options.preconditioner = operator_from(preconditioner);
  if (!callback.is_none()) {
    options.callback = [callback](const DistributedArray& x) {
      const AcquireGil gil;
      callback(nb::cast(x));
    };
  }
  const DistributedOperator matrix = operator_from(a);
  const distributed::DistributedSolution solution =
      on_queue_of(b.local(), [&] { return distributed::cg(matrix, b, options); });
  return nb::make_tuple(solution.x, solution.info, solution.iterations, solution.residual);
}

}  // namespace

void bind_distributed_sparse(nb::module_& module) {
  nb::class_<DistributedCsr>(
      module, "DistributedCsr",
      "Rows of a sparse matrix on several ranks; quern.dist.sparse.csr_array holds one.")
      .def(
          "__init__",
          [](DistributedCsr* self, const Communicator& communicator, const sparse::Csr& rows) {
            new (self)
                DistributedCsr(on_queue_of(rows.data(), [&] { return DistributedCsr(communicator, rows); }));
          },
          nb::arg("communicator"), nb::arg("rows"))
      .def_prop_ro("communicator", &DistributedCsr::communicator, "The ranks that have the rows.")
      .def_prop_ro(
          "shape",
          [](const DistributedCsr& self) { return nb::make_tuple(self.size().rows, self.size().columns); },
          nb::sig("def shape(self) -> tuple[int, int]"), "Numbers of rows and columns.")
      .def_prop_ro("nnz", &DistributedCsr::nnz, "Number of stored entries of all ranks.")
      .def_prop_ro("local", &DistributedCsr::local, "The rows of this rank.")
      .def_prop_ro("row_layout", &DistributedCsr::row_layout, "Layout of the vectors that products give.")
      .def_prop_ro("column_layout", &DistributedCsr::column_layout,
                   "Layout of the vectors that products take.")
      .def_prop_ro("ghosts", &DistributedCsr::ghosts,
                   "Number of elements that a product needs from other ranks.")
      .def_prop_ro("neighbours", &DistributedCsr::neighbours, "Number of ranks that have these elements.")
      .def(
          "multiply",
          [](const DistributedCsr& self, const DistributedArray& x) {
            return on_queue_of(x.local(), [&] { return distributed::multiply(self, x); });
          },
          nb::arg("x"), "The product with a vector or a matrix.")
      .def(
          "multiply_transposed",
          [](const DistributedCsr& self, const DistributedArray& x) {
            return on_queue_of(x.local(), [&] { return distributed::multiply_transposed(self, x); });
          },
          nb::arg("x"), "The product of the transpose with a vector or a matrix.")
      .def(
          "diagonal",
          [](const DistributedCsr& self) {
            return on_queue_of(self.local().data(), [&] { return distributed::diagonal(self); });
          },
          "The main diagonal.");
  module.def(
      "distributed_cg", &solve, nb::arg("a"), nb::arg("b"), nb::arg("x0").none(), nb::arg("rtol"),
      nb::arg("atol"), nb::arg("maxiter").none(), nb::arg("preconditioner").none(),
      nb::arg("callback").none(), nb::arg("dtype"),
      "Conjugate gradients: the solution, info, the number of iterations and the norm of the residual.");
}

}  // namespace quern::python
