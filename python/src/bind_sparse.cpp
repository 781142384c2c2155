// SPDX-License-Identifier: MIT
// Sparse matrices: compressed rows, conversions of the other formats.
#include <string>
#include <utility>

#include "binding.hpp"
#include "quern/sparse.hpp"
#include "quern/sparse/construct.hpp"
#include "sparse_calls.hpp"

namespace quern::python {
namespace {

using sparse::Bsr;
using sparse::Coo;
using sparse::Csr;
using sparse::Dia;
using sparse::Size;

template <class F>
auto on_queue(const Csr& matrix, F&& f) {
  return on_queue_of(matrix.data(), std::forward<F>(f));
}

nb::tuple tuple_of(const Size& size) {
  return nb::make_tuple(size.rows, size.columns);
}

using Pair = std::pair<std::int64_t, std::int64_t>;
Size size_of(const Pair& shape) {
  return {shape.first, shape.second};
}

nb::tuple arrays_of(const Coo& matrix) {
  return nb::make_tuple(wrapped(matrix.data), wrapped(matrix.rows), wrapped(matrix.columns));
}

void make_csr(Csr* self, const Pair& shape, const PyArray& data, const PyArray& indices,
              const PyArray& indptr) {
  Csr made =
      on_queue_of(data.array, [&] { return Csr(size_of(shape), data.array, indices.array, indptr.array); });
  new (self) Csr(std::move(made));
}

Csr csr_of_coo(const Pair& shape, const PyArray& data, const PyArray& rows, const PyArray& columns,
               bool checks) {
  return on_queue_of(data.array, [&] {
    const Coo matrix = {size_of(shape), data.array, rows.array, columns.array};
    if (checks) check(matrix);
    return csr_of(matrix);
  });
}

Csr csr_of_bsr(const Pair& shape, const PyArray& data, const PyArray& indices, const PyArray& indptr) {
  return on_queue_of(data.array, [&] {
    return csr_of(Bsr{size_of(shape), data.array, indices.array, indptr.array});
  });
}

Csr csr_of_dia(const Pair& shape, const PyArray& data, const PyArray& offsets) {
  return on_queue_of(data.array, [&] { return csr_of(Dia{size_of(shape), data.array, offsets.array}); });
}

nb::tuple coo_of_bsr(const Pair& shape, const PyArray& data, const PyArray& indices, const PyArray& indptr) {
  return arrays_of(on_queue_of(data.array, [&] {
    return coo_of(Bsr{size_of(shape), data.array, indices.array, indptr.array});
  }));
}

nb::tuple coo_of_dia(const Pair& shape, const PyArray& data, const PyArray& offsets) {
  return arrays_of(on_queue_of(data.array, [&] {
    return coo_of(Dia{size_of(shape), data.array, offsets.array});
  }));
}

nb::tuple bsr_of(const Csr& self, std::int64_t rows, std::int64_t columns) {
  const Bsr result = on_queue(self, [&] { return sparse::bsr_of(self, rows, columns); });
  return nb::make_tuple(wrapped(result.data), wrapped(result.indices), wrapped(result.indptr));
}

nb::tuple dia_of(const Csr& self) {
  const Dia result = on_queue(self, [&] { return sparse::dia_of(self); });
  return nb::make_tuple(wrapped(result.data), wrapped(result.offsets));
}

// Of at least one matrix.
Csr block_array(const sparse::Blocks& blocks) {
  for (const auto& row : blocks)
    for (const auto& block : row)
      if (block) return on_queue(*block, [&] { return sparse::block_array(blocks); });
  return sparse::block_array(blocks);
}

Csr eye(const Pair& shape, std::int64_t offset, nb::handle dtype, nb::handle device) {
  const DType element = element_type(native_dtype(dtype));
  const Queue queue = queue_on(device, nb::none());
  return without_gil([&] { return sparse::eye(queue, size_of(shape), offset, element); });
}

void check_coo(const Pair& shape, const PyArray& data, const PyArray& rows, const PyArray& columns) {
  on_queue_of(data.array, [&] { check(Coo{size_of(shape), data.array, rows.array, columns.array}); });
}

void check_bsr(const Pair& shape, const PyArray& data, const PyArray& indices, const PyArray& indptr) {
  on_queue_of(data.array, [&] { check(Bsr{size_of(shape), data.array, indices.array, indptr.array}); });
}

void check_dia(const Pair& shape, const PyArray& data, const PyArray& offsets) {
  on_queue_of(data.array, [&] { check(Dia{size_of(shape), data.array, offsets.array}); });
}

}  // namespace

void bind_sparse(nb::module_& module) {
  nb::class_<Csr>(module, "SparseCsr", "A matrix in compressed rows; quern.sparse.csr_array holds one.")
      .def("__init__", &make_csr, nb::arg("shape"), nb::arg("data"), nb::arg("indices"), nb::arg("indptr"),
           "Checks the arrays; waits for the check.")
      .def_prop_ro(
          "shape", [](const Csr& self) { return tuple_of(self.size()); },
          nb::sig("def shape(self) -> tuple[int, int]"), "Numbers of rows and columns.")
      .def_prop_ro("nnz", &Csr::nnz, "Number of stored entries.")
      .def_prop_ro(
          "data", [](const Csr& self) { return wrapped(self.data()); }, "Values of the entries.")
      .def_prop_ro(
          "indices", [](const Csr& self) { return wrapped(self.indices()); }, "Columns of the entries.")
      .def_prop_ro(
          "indptr", [](const Csr& self) { return wrapped(self.indptr()); }, "First entry of each row.")
      .def(
          "has_sorted_indices",
          [](const Csr& self) { return on_queue(self, [&] { return self.has_sorted_indices(); }); },
          "Whether columns increase in each row.")
      .def(
          "has_canonical_format",
          [](const Csr& self) { return on_queue(self, [&] { return self.has_canonical_format(); }); },
          "Whether columns increase in each row and none repeats.")
      .def(
          "with_data",
          [](const Csr& self, const PyArray& data) {
            return on_queue(self, [&] { return self.with_data(data.array); });
          },
          nb::arg("data"), "The same structure with other values.")
      .def(
          "transposed",
          [](const Csr& self, bool keeps_values) {
            return on_queue(self, [&] { return self.transposed(keeps_values); });
          },
          nb::arg("keeps_values") = true, "The transpose in compressed rows.")
      .def(
          "row_indices",
          [](const Csr& self) { return wrapped(on_queue(self, [&] { return sparse::row_indices(self); })); },
          "The row of each entry.")
      .def(
          "sorted_indices",
          [](const Csr& self) { return on_queue(self, [&] { return sparse::sorted_indices(self); }); },
          "With increasing columns in each row.")
      .def(
          "sum_duplicates",
          [](const Csr& self) { return on_queue(self, [&] { return sparse::sum_duplicates(self); }); },
          "With increasing columns in each row, none of which repeats.")
      .def(
          "eliminate_zeros",
          [](const Csr& self) { return on_queue(self, [&] { return sparse::eliminate_zeros(self); }); },
          "Without entries that are zero.")
      .def(
          "to_dense",
          [](const Csr& self) { return wrapped(on_queue(self, [&] { return sparse::dense_of(self); })); },
          "The matrix as an array.")
      .def("to_bsr", &bsr_of, nb::arg("rows"), nb::arg("columns"),
           nb::sig("def to_bsr(self, rows: int, columns: int) -> tuple[Array, Array, Array]"),
           "Blocks, their columns, first block of each row.")
      .def("to_dia", &dia_of, nb::sig("def to_dia(self) -> tuple[Array, Array]"),
           "Diagonals and their offsets.")
      .def(
          "multiply",
          [](const Csr& self, const PyArray& x) {
            return wrapped(on_queue(self, [&] { return sparse::multiply(self, x.array); }));
          },
          nb::arg("x"), "The product with a vector or a matrix.")
      .def(
          "multiply_and_dot",
          [](const Csr& self, const PyArray& x) {
            const sparse::ProductWithDot result =
                on_queue(self, [&] { return sparse::multiply_and_dot(self, x.array); });
            return nb::make_tuple(wrapped(result.y), wrapped(result.dot));
          },
          nb::arg("x"), nb::sig("def multiply_and_dot(self, x: Array) -> tuple[Array, Array]"),
          "The product with a vector, and the dot product of both.")
      .def(
          "matmul",
          [](const Csr& self, const Csr& other) {
            return on_queue(self, [&] { return sparse::multiply(self, other); });
          },
          nb::arg("other"), "The product with another sparse matrix.")
      .def(
          "kron",
          [](const Csr& self, const Csr& other) {
            return on_queue(self, [&] { return sparse::kron(self, other); });
          },
          nb::arg("other"), "The Kronecker product.")
      .def(
          "elementwise",
          [](const Csr& self, const std::string& operation, const Csr& other) {
            return on_queue(self, [&] { return sparse::elementwise(operation, self, other); });
          },
          nb::arg("operation"), nb::arg("other"), "An operation of two operands on all elements.")
      .def(
          "row_sums",
          [](const Csr& self) { return wrapped(on_queue(self, [&] { return sparse::row_sums(self); })); },
          "The sum of each row.")
      .def(
          "column_sums",
          [](const Csr& self) { return wrapped(on_queue(self, [&] { return sparse::column_sums(self); })); },
          "The sum of each column.")
      .def(
          "diagonal",
          [](const Csr& self, std::int64_t offset) {
            return wrapped(on_queue(self, [&] { return sparse::diagonal(self, offset); }));
          },
          nb::arg("offset"), "A diagonal.")
      .def(
          "take_rows",
          [](const Csr& self, const PyArray& rows) {
            return on_queue(self, [&] { return sparse::take_rows(self, rows.array); });
          },
          nb::arg("rows"), "The rows of these indices.")
      .def(
          "tril",
          [](const Csr& self, std::int64_t offset) {
            return on_queue(self, [&] { return sparse::tril(self, offset); });
          },
          nb::arg("offset"), "The part on and below a diagonal.")
      .def(
          "triu",
          [](const Csr& self, std::int64_t offset) {
            return on_queue(self, [&] { return sparse::triu(self, offset); });
          },
          nb::arg("offset"), "The part on and above a diagonal.");
  module.def("sparse_csr_of_coo", &csr_of_coo, nb::arg("shape"), nb::arg("data"), nb::arg("rows"),
             nb::arg("columns"), nb::arg("checks"), "Compressed rows from coordinates; sums duplicates.");
  module.def("sparse_csr_of_bsr", &csr_of_bsr, nb::arg("shape"), nb::arg("data"), nb::arg("indices"),
             nb::arg("indptr"), "Compressed rows from blocks.");
  module.def("sparse_csr_of_dia", &csr_of_dia, nb::arg("shape"), nb::arg("data"), nb::arg("offsets"),
             "Compressed rows from diagonals.");
  module.def(
      "sparse_csr_of_dense",
      [](const PyArray& dense) {
        return on_queue_of(dense.array, [&] { return sparse::csr_of(dense.array); });
      },
      nb::arg("dense"), "Compressed rows from an array.");
  module.def("sparse_coo_of_bsr", &coo_of_bsr, nb::arg("shape"), nb::arg("data"), nb::arg("indices"),
             nb::arg("indptr"),
             nb::sig("def sparse_coo_of_bsr(shape: tuple[int, int], data: Array, indices: Array, indptr: "
                     "Array) -> tuple[Array, Array, Array]"),
             "Values, rows and columns from blocks.");
  module.def("sparse_coo_of_dia", &coo_of_dia, nb::arg("shape"), nb::arg("data"), nb::arg("offsets"),
             nb::sig("def sparse_coo_of_dia(shape: tuple[int, int], data: Array, offsets: Array) -> "
                     "tuple[Array, Array, Array]"),
             "Values, rows and columns from diagonals.");
  module.def("sparse_block_array", &block_array, nb::arg("blocks"),
             "A matrix made of rows of blocks; None is a block of zeros.");
  module.def(
      "sparse_block_diag",
      [](const std::vector<Csr>& matrices) {
        return on_queue(matrices.at(0), [&] { return sparse::block_diag(matrices); });
      },
      nb::arg("matrices"), "The matrices along the diagonal.");
  module.def(
      "sparse_kronsum",
      [](const Csr& a, const Csr& b) { return on_queue(a, [&] { return sparse::kronsum(a, b); }); },
      nb::arg("a"), nb::arg("b"), "The Kronecker sum of two square matrices.");
  module.def(
      "sparse_eye", &eye, nb::arg("shape"), nb::arg("offset"), nb::arg("dtype"),
      nb::arg("device") = nb::none(),
      nb::sig("def sparse_eye(shape: tuple[int, int], offset: int, dtype: numpy.typing.DTypeLike, device: "
              "Device | str | None) -> SparseCsr"),
      "Ones on a diagonal, in compressed rows.");
  module.def("sparse_check_coo", &check_coo, nb::arg("shape"), nb::arg("data"), nb::arg("rows"),
             nb::arg("columns"), "Raises ArgumentError unless the arrays fit each other and the shape.");
  module.def("sparse_check_bsr", &check_bsr, nb::arg("shape"), nb::arg("data"), nb::arg("indices"),
             nb::arg("indptr"), "Raises ArgumentError unless the arrays fit each other and the shape.");
  module.def("sparse_check_dia", &check_dia, nb::arg("shape"), nb::arg("data"), nb::arg("offsets"),
             "Raises ArgumentError unless the arrays fit each other and the shape.");
}

}  // namespace quern::python
