// SPDX-License-Identifier: MIT
// Launches the kernels of small matrices, and attaches their errors to the results.
#include "linalg/small.hpp"

#include <algorithm>
#include <string>

#include "algorithms/launch/kernel_table.hpp"
#include "base/arithmetic.hpp"
#include "codegen/loop.hpp"
#include "codegen/ops.hpp"
#include "codegen/type_text.hpp"
#include "linalg/checked.hpp"
#include "quern/arithmetic.hpp"
#include "quern/creation.hpp"
#include "runtime/queue_state.hpp"

namespace quern::linalg {
namespace {

constexpr std::int64_t kMostRows = 32;
constexpr std::int64_t kItems = 64;  // of a work-group

// Matrices of n rows, of which each work-item has `rows`.
struct Group {
  std::int64_t n, rows, lanes, matrices;
  explicit Group(std::int64_t all_rows, std::int64_t own_rows = 1)
      : n(all_rows), rows(own_rows), lanes(n / rows), matrices(std::max<std::int64_t>(1, kItems / lanes)) {}
  [[nodiscard]] Range range_of(std::int64_t count) const {
    return range(static_cast<std::size_t>(divided_up(count, matrices) * lanes),
                 static_cast<std::size_t>(matrices))
        .with_local(static_cast<std::size_t>(lanes), static_cast<std::size_t>(matrices));
  }
};

// The types of the kernels: a complex number is a vector of two parts.
struct Numbers {
  bool is_complex;
  std::string part, value;
  explicit Numbers(const DType& dtype)
      : is_complex(dtype.scalar == Scalar::complex64 || dtype.scalar == Scalar::complex128),
        part(codegen::type_name(is_complex ? codegen::part_of(dtype) : dtype)),
        value(is_complex ? part + "2" : part) {}
};

algorithms::LibraryKernel kernel_for(const char* file, const char* name, const DType& dtype,
                                     const Group& group, std::int64_t columns, bool inverts, bool is_wide) {
  const auto [is_complex, part, value] = Numbers(dtype);
  const std::size_t wide = is_wide ? 16 / dtype.itemsize : 1;
  const std::size_t parts = wide * (is_complex ? 2 : 1);
  return algorithms::kernel_of({"linalg_numbers", file}, name,
                               {{"VALUE", value},
                                {"PART", part},
                                {"COMPLEX", is_complex ? "1" : "0"},
                                {"TINY", part == "float" ? "2e-38f" : "4e-308"},
                                {"N", std::to_string(group.n)},
                                {"COLUMNS", std::to_string(columns)},
                                {"MATRICES", std::to_string(group.matrices)},
                                {"ROWS", std::to_string(group.rows)},
                                {"INVERSE", inverts ? "1" : "0"},
                                {"WIDE", std::to_string(wide)},
                                {"WIDE_VALUE", parts > 1 ? part + std::to_string(parts) : part}});
}

// Whether each matrix lies in one sub-group, and rows travel by shuffles.
bool takes_shuffles(const Queue& queue, std::int64_t n) {
  const DeviceProperties& properties = queue.state()->properties();
  return properties.dialect == Dialect::cuda_cpp && properties.sub_group_size == 32 && (n & (n - 1)) == 0;
}

// The rows of a matrix in one work-item: two, if they fit in its registers.
std::int64_t rows_of(std::int64_t n, const DType& dtype, bool inverts) {
  constexpr std::int64_t kBytes = 256;
  return n >= 16 && 2 * n * static_cast<std::int64_t>(dtype.itemsize) <= kBytes && !inverts ? 2 : 1;
}

// Contiguous elements, of the whole stack or of the one matrix that all share.
struct Stack {
  Buffer elements;
  std::uint64_t step;  // elements from matrix to matrix, 0 if there is one
};

Stack stack_from(const Array& array, std::int64_t count, std::int64_t size, const Queue& queue) {
  array.evaluate();
  const bool is_aligned = array.offset() % array.dtype().itemsize == 0;
  const Array dense = array.contiguous() && is_aligned ? array : copy(array, &queue);
  dense.evaluate();
  const bool is_shared = static_cast<std::int64_t>(dense.size()) == size && count != 1;
  return {dense.elements(), is_shared ? 0 : static_cast<std::uint64_t>(size)};
}

void eliminate(const Operands& operands, const char* name, const Array& a, const Array* b,
               std::int64_t columns, const Array& out) {
  const std::int64_t n = a.shape().back();
  const std::int64_t each = columns > 0 ? n * columns : 1;
  const std::int64_t count = static_cast<std::int64_t>(out.size()) / each;
  if (count == 0) return;
  const Queue& queue = operands.queue;
  const bool inverts = b == nullptr && columns > 0;
  const bool is_shuffled = takes_shuffles(queue, n);
  const Group group(n, is_shuffled ? rows_of(n, operands.dtype, inverts) : 1);
  const Stack matrices = stack_from(a, count, n * n, queue);
  const Stack right = b != nullptr ? stack_from(*b, count, each, queue) : matrices;
  const bool is_wide =
      matrices.elements.offset() % 16 == 0 && static_cast<std::size_t>(n) * operands.dtype.itemsize % 16 == 0;
  const auto kernel = kernel_for(is_shuffled ? "linalg_shuffled" : "linalg_small", "eliminate",
                                 operands.dtype, group, columns, inverts, is_shuffled && is_wide);
  run_checked(queue, {"Singular matrix", name, count}, {out}, [&](const Buffer& slot) {
    return kernel(queue, static_cast<std::uint64_t>(count * n * n), group.range_of(count), matrices.elements,
                  right.elements, out.elements(), static_cast<std::uint64_t>(count), matrices.step,
                  right.step, slot);
  });
}

}  // namespace

bool takes_small(const Operands& operands, std::int64_t n, std::int64_t columns) {
  const DeviceProperties& properties = operands.queue.state()->properties();
  // On a CPU the host's loops are faster than work-items that wait for each other at every row.
  return codegen::loop_style(properties) == codegen::LoopStyle::grid && n >= 1 && n <= kMostRows &&
         columns <= kMostRows && static_cast<std::int64_t>(properties.max_work_group_size) >= kItems;
}

void solve_small(const Operands& operands, const Array& a, const Array& b, std::int64_t columns,
                 const Array& out) {
  eliminate(operands, "solve", a, &b, columns, out);
}

void invert_small(const Operands& operands, const Array& a, const Array& out) {
  eliminate(operands, "inv", a, nullptr, a.shape().back(), out);
}

void determine_small(const Operands& operands, const Array& a, const Array& out) {
  eliminate(operands, "det", a, nullptr, 0, out);
}

void factor_small(const Operands& operands, const Array& a, bool upper, const Array& out) {
  const std::int64_t n = a.shape().back();
  const std::int64_t count = static_cast<std::int64_t>(out.size()) / (n * n);
  if (count == 0) return;
  const Group group(n);
  const Queue& queue = operands.queue;
  const Stack matrices = stack_from(a, count, n * n, queue);
  const auto kernel = kernel_for("linalg_small", "factor_definite", operands.dtype, group, 0, false, false);
  run_checked(queue, {"Matrix is not positive definite", "cholesky", count}, {out}, [&](const Buffer& slot) {
    return kernel(queue, static_cast<std::uint64_t>(count * n * n), group.range_of(count), matrices.elements,
                  out.elements(), static_cast<std::uint64_t>(count), matrices.step, upper ? 1 : 0, slot);
  });
}

namespace {

// The kernels that hold a matrix in local memory, by its largest number of rows and columns.
struct LocalGroup {
  std::int64_t most = 4, items, matrices;
  // `per_line`: work-items for each row and column.
  LocalGroup(std::int64_t size, std::int64_t per_line) {
    while (most < size) most *= 2;
    items = most * per_line;
    matrices = std::max<std::int64_t>(1, kItems / items);
  }
  [[nodiscard]] Range range_of(std::int64_t count) const {
    return range(static_cast<std::size_t>(divided_up(count, matrices) * items),
                 static_cast<std::size_t>(matrices))
        .with_local(static_cast<std::size_t>(items), static_cast<std::size_t>(matrices));
  }
  [[nodiscard]] algorithms::LibraryKernel kernel(const char* file, const char* name,
                                                 const DType& dtype) const {
    const Numbers numbers(dtype);
    return algorithms::kernel_of(
        {"linalg_numbers", file}, name,
        {{"VALUE", numbers.value},
         {"PART", numbers.part},
         {"PART2", numbers.part + "2"},
         {"COMPLEX", numbers.is_complex ? "1" : "0"},
         {"MOST", std::to_string(most)},
         {"ITEMS", std::to_string(items)},
         {"MATRICES", std::to_string(matrices)},
         {"EPSILON", numbers.part == "float" ? "1.1920929e-7f" : "2.220446049250313e-16"}});
  }
};
constexpr std::int64_t kItemsPerLine = 4;

}  // namespace

bool takes_small_spectral(const Operands& operands, std::int64_t m, std::int64_t n) {
  const DeviceProperties& properties = operands.queue.state()->properties();
  if (std::min(m, n) < 1 || !takes_small(operands, std::max(m, n), 0)) return false;
  // Two matrices with a gap after each row, three sums and a size of each work-item; a little for the rest.
  const LocalGroup group(std::max(m, n), kItemsPerLine);
  const std::int64_t elements = group.matrices * (2 * group.most * (group.most + 1) + 5 * group.items);
  return static_cast<std::int64_t>(properties.max_work_group_size) >= kMostRows * kItemsPerLine &&
         properties.local_memory >= static_cast<std::size_t>(elements) * operands.dtype.itemsize;
}

Eigen eigh_small(const Operands& operands, const char* name, bool upper, bool wants_vectors) {
  const Array& a = operands.arrays[0];
  const Queue& queue = operands.queue;
  const std::int64_t n = a.shape().back(), count = static_cast<std::int64_t>(a.size()) / (n * n);
  const Eigen result{empty(queue, joined(stack_of(a), {n}), operands.real),
                     empty(queue, wants_vectors ? a.shape() : Shape{0}, operands.dtype)};
  if (count == 0) return result;
  const LocalGroup group(n, kItemsPerLine);
  const Stack matrices = stack_from(a, count, n * n, queue);
  const auto kernel = group.kernel("linalg_jacobi", "diagonalise", operands.dtype);
  // Without vectors their memory is that of the values, to which the kernel writes none.
  const Array& vectors = wants_vectors ? result.vectors : result.values;
  run_checked(queue, {"Eigenvalues did not converge", name, count}, {result.values, vectors},
              [&](const Buffer& slot) {
                return kernel(queue, static_cast<std::uint64_t>(count * n * n), group.range_of(count),
                              matrices.elements, result.values.elements(), vectors.elements(),
                              static_cast<std::uint64_t>(count), matrices.step, static_cast<std::int32_t>(n),
                              upper ? 1 : 0, wants_vectors ? 1 : 0, slot);
              });
  return result;
}

Svd svd_small(const Operands& operands, const char* name, bool is_full, bool wants_vectors) {
  const Array& a = operands.arrays[0];
  const Queue& queue = operands.queue;
  const std::int64_t m = a.shape()[a.shape().size() - 2], n = a.shape().back();
  const std::int64_t rows = std::max(m, n), least = std::min(m, n), width = is_full ? rows : least;
  const std::int64_t count = static_cast<std::int64_t>(a.size()) / (m * n);
  const Shape stack = stack_of(a), none = {0};
  const Svd result{
      empty(queue, wants_vectors ? joined(stack, {m, m < n ? least : width}) : none, operands.dtype),
      empty(queue, joined(stack, {least}), operands.real),
      empty(queue, wants_vectors ? joined(stack, {m < n ? width : least, n}) : none, operands.dtype)};
  if (count == 0) return result;
  const LocalGroup group(rows, kItemsPerLine);
  const Stack matrices = stack_from(a, count, m * n, queue);
  const auto kernel = group.kernel("linalg_jacobi", "decompose", operands.dtype);
  const Array &u = wants_vectors ? result.u : result.s, &vh = wants_vectors ? result.vh : result.s;
  run_checked(queue, {"SVD did not converge", name, count}, {result.s, u, vh}, [&](const Buffer& slot) {
    return kernel(queue, static_cast<std::uint64_t>(count * m * n), group.range_of(count), matrices.elements,
                  u.elements(), result.s.elements(), vh.elements(), static_cast<std::uint64_t>(count),
                  matrices.step, static_cast<std::int32_t>(rows), static_cast<std::int32_t>(least),
                  static_cast<std::int32_t>(width), m < n ? 1 : 0, wants_vectors ? 1 : 0, slot);
  });
  return result;
}

Qr qr_small(const Operands& operands, bool is_complete) {
  const Array& a = operands.arrays[0];
  const Queue& queue = operands.queue;
  const std::int64_t m = a.shape()[a.shape().size() - 2], n = a.shape().back();
  const std::int64_t width = is_complete ? m : std::min(m, n);
  const std::int64_t count = static_cast<std::int64_t>(a.size()) / (m * n);
  const Shape stack = stack_of(a);
  const Qr result{empty(queue, joined(stack, {m, width}), operands.dtype),
                  empty(queue, joined(stack, {width, n}), operands.dtype)};
  if (count == 0) return result;
  const LocalGroup group(std::max(m, n), 1);
  const Stack matrices = stack_from(a, count, m * n, queue);
  group.kernel("linalg_orthogonal", "orthogonalise", operands.dtype)(
      queue, static_cast<std::uint64_t>(count * m * n), group.range_of(count), matrices.elements,
      result.q.elements(), result.r.elements(), static_cast<std::uint64_t>(count), matrices.step,
      static_cast<std::int32_t>(m), static_cast<std::int32_t>(n), static_cast<std::int32_t>(width));
  return result;
}

}  // namespace quern::linalg
