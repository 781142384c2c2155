// SPDX-License-Identifier: MIT
// Products of matrices and vectors, with shapes and types by NumPy's rules. If an operand has a single row or
// column, devices other than the host compute a sum of products. Other products use the matrix kernels.
#include "quern/matmul.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/launch/policy.hpp"
#include "algorithms/matmul.hpp"
#include "array/at_once.hpp"
#include "array/build.hpp"
#include "array/graph.hpp"
#include "array/product.hpp"
#include "array/reduce.hpp"
#include "base/dtype_kinds.hpp"
#include "base/text.hpp"
#include "codegen/index_space.hpp"
#include "codegen/ops.hpp"
#include "quern/error.hpp"
#include "quern/manipulation.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

using algorithms::MatmulSize;
using algorithms::MatrixStack;

[[noreturn]] void reject_product(const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::value, text);
}

struct Pair {
  Queue queue;
  Array a, b;  // of one dtype
};

Pair prepared(const Array& a, const Array& b, const Queue* queue, const char* what) {
  const std::array<Operand, 2> operands = {a, b};
  const Queue user = array::queue_of(operands, queue);
  array::check_place(operands, user, what);
  static_cast<void>(codegen::kind_of(a.dtype()));
  static_cast<void>(codegen::kind_of(b.dtype()));
  const DType common = result_type(a.dtype(), b.dtype());
  return {user, astype(a, common, &user), astype(b, common, &user)};
}

Array as_single(const Array& array, const Queue& queue) {
  return astype(array, DType::of(Scalar::float32), &queue);
}

// Returns the sum of products in the operands' dtype. Products of float16 and bfloat16 are summed as float32,
// as in NumPy: a product may overflow although the sum does not.
Array sum_of_products(const Pair& pair, const Array& a, const Array& b, int axis) {
  if (detail::is_short_float(a.dtype())) {
    const Pair wide = {pair.queue, as_single(a, pair.queue), as_single(b, pair.queue)};
    return astype(sum_of_products(wide, wide.a, wide.b, axis), a.dtype(), &pair.queue);
  }
  static const codegen::Op& multiply = *codegen::find_op("multiply");
  const QueueScope scope(pair.queue);
  const std::array<Operand, 2> factors = {a, b};
  return array::reduce_elements("sum", apply(multiply, factors, &pair.queue),
                                {.over = axis, .dtype = pair.a.dtype()});
}

Array without_axis(const Array& array, std::size_t axis, const Queue& queue) {
  Shape shape = array.shape();
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return reshape(array, std::move(shape), &queue);
}

// All axes except the last two.
Shape stack_of(const Array& array) {
  return {array.shape().begin(), array.shape().end() - 2};
}

// The batch axes of the result. Neighbouring axes are merged if both operands step through them evenly.
struct Stack {
  Shape lengths;
  std::vector<std::int64_t> a_steps, b_steps;

  Stack(const Shape& result, const Shape& a, const Shape& b) {
    std::int64_t a_step = 1, b_step = 1;
    for (std::size_t back = 1; back <= result.size(); ++back) {
      const std::int64_t length = result[result.size() - back];
      const std::int64_t of_a = back <= a.size() ? a[a.size() - back] : 1;
      const std::int64_t of_b = back <= b.size() ? b[b.size() - back] : 1;
      if (length != 1) add(length, of_a == 1 ? 0 : a_step, of_b == 1 ? 0 : b_step);
      a_step *= of_a;
      b_step *= of_b;
    }
  }

 private:
  // Called from the last axis to the first.
  void add(std::int64_t length, std::int64_t a_step, std::int64_t b_step) {
    if (!lengths.empty() && a_step == a_steps.back() * lengths.back() &&
        b_step == b_steps.back() * lengths.back()) {
      lengths.back() *= length;
      return;
    }
    lengths.push_back(length);
    a_steps.push_back(a_step);
    b_steps.push_back(b_step);
  }
};

// Returns the array as a stack of matrices at equal distances, with three axes in memory, or a copy if they
// are not.
Array as_stack(Array array, const Queue& queue) {
  array.evaluate();
  const Shape& shape = array.shape();
  const auto item = static_cast<std::int64_t>(array.dtype().itemsize);
  Shape wanted = {-1, shape[shape.size() - 2], shape.back()};
  wanted[0] = static_cast<std::int64_t>(array.size()) / (wanted[1] * wanted[2]);
  const auto is_even = [&](const Array& one) {
    return one.offset() % array.dtype().itemsize == 0 &&
           std::all_of(one.strides().begin(), one.strides().end(),
                       [&](std::int64_t stride) { return stride % item == 0; });
  };
  if (!is_even(array) || !strides_of_reshaped(array, wanted)) array = copy(array, &queue);
  return reshape(array, std::move(wanted), &queue);
}

// The array from which an operand is converted, if a product can read it instead and sum in the operand's
// dtype. Nothing for other operands.
std::optional<Array> narrow_source(const Array& operand) {
  const array::Node* const node = array::pending_node(*operand.value());
  if (node == nullptr || node->kind() != array::Node::Kind::cast) return std::nullopt;
  const std::lock_guard lock(array::Graph::instance().mutex);
  if (node->in_memory()) return std::nullopt;
  const array::ValuePtr source = node->inputs()[0];
  if (source->shape() != operand.shape() ||
      !algorithms::is_wider_result(source->dtype().scalar, operand.dtype().scalar))
    return std::nullopt;
  return Array(source);
}

// The matrix of which an operand is a triangle, and which part it keeps. A product reads that part instead.
struct TriangularSource {
  Array matrix;
  algorithms::KeptPart kept;
};
// Whether a view exchanges the last two axes of arrays of this shape, and does nothing else.
bool is_matrix_transpose(const array::ViewTransform& transform, const Shape& shape) {
  array::Layout plain{shape, {}, 0};
  for (std::size_t d = 0; d < shape.size(); ++d) plain.strides.push_back(static_cast<std::int64_t>(d) + 1);
  const array::Layout seen = transform(plain);
  std::swap(plain.shape[shape.size() - 2], plain.shape.back());
  std::swap(plain.strides[shape.size() - 2], plain.strides.back());
  return seen.offset == 0 && seen.shape == plain.shape && seen.strides == plain.strides;
}

std::optional<TriangularSource> triangular_source(const Array& operand, bool is_left, const Queue& queue,
                                                  const MatmulSize& size) {
  const array::Node* node = array::pending_node(*operand.value());
  if (node == nullptr || !algorithms::takes_triangle(queue, size, operand.dtype().scalar))
    return std::nullopt;
  array::ValuePtr matrix;
  array::Triangle triangle{};
  bool is_transposed = false;
  {
    const std::lock_guard lock(array::Graph::instance().mutex);
    if (node->in_memory()) return std::nullopt;
    if (node->kind() == array::Node::Kind::view) {
      const detail::ArrayValue& base = *node->inputs()[0];
      if (base.shape().size() < 2 || !is_matrix_transpose(node->transform(), base.shape()))
        return std::nullopt;
      is_transposed = true;
      node = array::pending_node(base);
    }
    if (node == nullptr || !node->triangle() || node->kind() != array::Node::Kind::where) return std::nullopt;
    matrix = node->inputs()[1];
    triangle = *node->triangle();
    if (matrix->shape() != node->shape() || matrix->dtype() != operand.dtype()) return std::nullopt;
  }
  Array whole(matrix);
  if (is_transposed) {
    whole = matrix_transpose(whole);
    triangle = {!triangle.is_upper, -triangle.diagonal};
  }
  // The summed axis is the columns of the left operand, and the rows of the right one.
  using Side = algorithms::KeptPart::Side;
  return TriangularSource{std::move(whole),
                          {triangle.is_upper == is_left ? Side::from_diagonal : Side::to_diagonal,
                           is_left ? triangle.diagonal : -triangle.diagonal}};
}

// Whether a product waits for what is done with its result. A small one on the host is done sooner.
bool is_lazy_product(const Queue& queue, const MatmulSize& size) {
  return size.m * size.n * size.depth * size.matrices() >= algorithms::policy(queue).least_lazy_product;
}

// Both arrays have at least two axes.
Array multiply_matrices(const Pair& pair) {
  const Array &a = pair.a, &b = pair.b;
  const std::size_t a_rank = a.shape().size();
  MatmulSize size;
  size.may_round = float32_matmul_precision() == MatmulPrecision::high;
  size.m = a.shape()[a_rank - 2];
  size.n = b.shape().back();
  size.depth = a.shape().back();
  const Shape a_stack = stack_of(a), b_stack = stack_of(b);
  const std::array<codegen::View, 2> views = {codegen::View{a_stack, {}}, codegen::View{b_stack, {}}};
  const Shape result_stack = codegen::broadcast_shapes(views, "matmul");
  Shape shape = result_stack;
  shape.push_back(size.m);
  shape.push_back(size.n);
  const std::size_t count = element_count(shape, a.dtype().itemsize);
  if (count == 0 || size.depth == 0) return zeros(pair.queue, std::move(shape), a.dtype());
  if (size.depth == 1) return apply("multiply", {a, b}, &pair.queue);
  const bool sums = algorithms::policy(pair.queue).sums_vector_products;
  if (size.n == 1 && sums) {
    Shape row = b_stack;
    row.push_back(1);
    row.push_back(size.depth);
    return reshape(sum_of_products(pair, a, reshape(b, std::move(row), &pair.queue), -1), std::move(shape),
                   &pair.queue);
  }
  if (size.m == 1 && sums) {
    Shape column = a_stack;
    column.push_back(size.depth);
    column.push_back(1);
    return reshape(sum_of_products(pair, reshape(a, std::move(column), &pair.queue), b, -2), std::move(shape),
                   &pair.queue);
  }
  Stack stack(result_stack, a_stack, b_stack);
  if (stack.lengths.size() > size.stack.size()) {
    // Rare: more batch axes than the kernel takes. Both operands are broadcast and copied.
    Shape a_shape = result_stack, b_shape = result_stack;
    a_shape.insert(a_shape.end(), a.shape().end() - 2, a.shape().end());
    b_shape.insert(b_shape.end(), b.shape().end() - 2, b.shape().end());
    return multiply_matrices({pair.queue, copy(broadcast_to(a, a_shape), &pair.queue),
                              copy(broadcast_to(b, b_shape), &pair.queue)});
  }
  const std::optional<Array> narrow_a = narrow_source(a), narrow_b = narrow_source(b);
  const bool is_narrow = narrow_a && narrow_b && narrow_a->dtype() == narrow_b->dtype();
  const auto triangle_a = triangular_source(a, true, pair.queue, size);
  const auto triangle_b = triangle_a ? std::nullopt : triangular_source(b, false, pair.queue, size);
  const bool is_masked = algorithms::policy(pair.queue).multiplies_masked_triangles;
  const auto source = [&](const Array& operand, const auto& narrow, const auto& triangle) {
    return is_narrow ? *narrow : is_masked && triangle ? triangle->matrix : operand;
  };
  const Array left = as_stack(source(a, narrow_a, triangle_a), pair.queue);
  const Array right = as_stack(source(b, narrow_b, triangle_b), pair.queue);
  array::ProductForm form = {size, {0, 0, 0}, {0, 0, 0}};
  if (triangle_a) form.a_kept = triangle_a->kept;
  if (triangle_b) form.b_kept = triangle_b->kept;
  for (std::size_t d = 0; d < stack.lengths.size(); ++d) {
    const std::size_t at = size.stack.size() - 1 - d;
    form.size.stack[at] = stack.lengths[d];
    form.a_steps[at] = stack.a_steps[d];
    form.b_steps[at] = stack.b_steps[d];
  }
  if (is_lazy_product(pair.queue, form.size))
    return array::lazy(std::make_shared<array::Node>(pair.queue, left, right, a.dtype(), shape,
                                                     std::make_shared<const array::ProductForm>(form)));
  Array out = empty(pair.queue, std::move(shape), a.dtype());
  MatrixStack first = array::matrix_stack(left.value()->memory(), left.dtype(), left.shape(), false);
  MatrixStack second = array::matrix_stack(right.value()->memory(), right.dtype(), right.shape(), true);
  first.steps = form.a_steps;
  second.steps = form.b_steps;
  if (is_narrow || !array::multiply_at_once(first, second, form.size, pair.queue, out))
    algorithms::matmul(pair.queue, first, second, form.size, out);
  return out;
}

// A vector or a matrix in memory as an operand. Nothing if it is lazy, or if steps are not whole elements.
std::optional<MatrixStack> operand_in_memory(const Array& array, bool is_right) {
  if (!array.in_memory()) return std::nullopt;
  const ArrayMemory& memory = array.value()->memory();
  const std::size_t itemsize = array.dtype().itemsize;
  const auto item = static_cast<std::int64_t>(itemsize);
  const auto is_even = [&](std::int64_t stride) { return stride % item == 0; };
  if (memory.offset % itemsize != 0 || !std::all_of(memory.strides.begin(), memory.strides.end(), is_even))
    return std::nullopt;
  const bool is_matrix = memory.strides.size() == 2;
  MatrixStack stack;
  stack.buffer = memory.buffer;
  stack.scalar = array.dtype().scalar;
  stack.start = static_cast<std::int64_t>(memory.offset / itemsize);
  stack.depth_step = memory.strides[is_matrix && !is_right ? 1 : 0] / item;
  if (is_matrix) stack.line_step = memory.strides[is_right ? 1 : 0] / item;
  return stack;
}

// The product of two matrices, or of a matrix and a vector, where both are in memory and the product is not
// lazy: the common case of small work, without views of operands and result. Nothing in other cases.
std::optional<Array> multiply_in_memory(const Pair& pair) {
  const Shape &a = pair.a.shape(), &b = pair.b.shape();
  if (a.size() > 2 || b.size() > 2) return std::nullopt;
  MatmulSize size;
  size.may_round = float32_matmul_precision() == MatmulPrecision::high;
  size.depth = a.back();
  Shape shape;
  if (a.size() == 2) shape.push_back(size.m = a[0]);
  if (b.size() == 2) shape.push_back(size.n = b[1]);
  if (size.m == 0 || size.n == 0 || size.depth < 2) return std::nullopt;
  if ((size.m == 1 || size.n == 1) && algorithms::policy(pair.queue).sums_vector_products)
    return std::nullopt;
  // Products of matrices may wait for an epilogue. Products with a vector do not.
  if (shape.size() == 2 && is_lazy_product(pair.queue, size)) return std::nullopt;
  const std::optional<MatrixStack> left = operand_in_memory(pair.a, false),
                                   right = operand_in_memory(pair.b, true);
  if (!left || !right) return std::nullopt;
  Array out = empty(pair.queue, std::move(shape), pair.a.dtype());
  if (!array::multiply_at_once(*left, *right, size, pair.queue, out))
    algorithms::matmul(pair.queue, *left, *right, size, out);
  return out;
}

std::atomic<MatmulPrecision> precision_of_float32{MatmulPrecision::highest};

}  // namespace

void set_float32_matmul_precision(MatmulPrecision precision) noexcept {
  precision_of_float32.store(precision);
}
MatmulPrecision float32_matmul_precision() noexcept {
  return precision_of_float32.load(std::memory_order_relaxed);
}

Array matmul(const Array& a, const Array& b, const Queue* queue) {
  const std::size_t a_rank = a.shape().size(), b_rank = b.shape().size();
  if (a_rank == 0 || b_rank == 0)
    reject_product("matmul: expected arrays of at least one dimension, got a 0-d array");
  const std::int64_t depth = a.shape().back();
  if (depth != b.shape()[b_rank == 1 ? 0 : b_rank - 2]) {
    reject_product(
        "matmul: shapes " + shape_text(a.shape()) + " and " + shape_text(b.shape()) +
        " do not match: the number of columns of the first must equal the number of rows of the second");
  }
  Pair pair = prepared(a, b, queue, "matmul");
  if (a_rank == 1 && b_rank == 1) {
    if (std::optional<Array> done = array::dot_at_once(pair.a, pair.b, pair.queue)) return *std::move(done);
    return sum_of_products(pair, pair.a, pair.b, 0);
  }
  if (std::optional<Array> done = multiply_in_memory(pair)) return *std::move(done);
  if (a_rank == 1) pair.a = reshape(pair.a, {1, depth}, &pair.queue);
  if (b_rank == 1) pair.b = reshape(pair.b, {depth, 1}, &pair.queue);
  const Array result = multiply_matrices(pair);
  if (a_rank == 1) return without_axis(result, result.shape().size() - 2, pair.queue);
  return b_rank == 1 ? without_axis(result, result.shape().size() - 1, pair.queue) : result;
}

Array tensordot(const Array& a, const Array& b, std::span<const int> axes_of_a,
                std::span<const int> axes_of_b, const Queue* queue) {
  if (axes_of_a.size() != axes_of_b.size())
    reject_product("tensordot: " + std::to_string(axes_of_a.size()) + " axes of the first array, but " +
                   std::to_string(axes_of_b.size()) + " axes of the second");
  const Pair pair = prepared(a, b, queue, "tensordot");
  Shape shape;
  std::int64_t depth = 1;
  // Moves the axes that are summed over behind the other axes, or before them.
  const auto arranged = [&](const Array& array, std::span<const int> axes, bool last) {
    const std::size_t rank = array.shape().size();
    std::vector<bool> is_summed(rank, false);
    std::vector<int> summed, kept;
    for (const int axis : axes) {
      const std::size_t at = checked_axis(axis, rank);
      if (is_summed[at]) reject_product("tensordot: axis " + std::to_string(axis) + " is repeated");
      is_summed[at] = true;
      summed.push_back(static_cast<int>(at));
    }
    std::int64_t others = 1;
    for (std::size_t d = 0; d < rank; ++d) {
      if (is_summed[d]) continue;
      kept.push_back(static_cast<int>(d));
      shape.push_back(array.shape()[d]);
      others *= array.shape()[d];
    }
    std::vector<int> order = last ? kept : summed;
    order.insert(order.end(), (last ? summed : kept).begin(), (last ? summed : kept).end());
    const Array moved = rank == 0 ? array : permute_dims(array, order);
    return reshape(moved, last ? Shape{others, depth} : Shape{depth, others}, &pair.queue);
  };
  for (std::size_t k = 0; k < axes_of_a.size(); ++k) {
    const std::int64_t of_a = a.shape()[checked_axis(axes_of_a[k], a.shape().size())];
    const std::int64_t of_b = b.shape()[checked_axis(axes_of_b[k], b.shape().size())];
    if (of_a != of_b)
      reject_product("tensordot: axis " + std::to_string(axes_of_a[k]) + " of " + shape_text(a.shape()) +
                     " and axis " + std::to_string(axes_of_b[k]) + " of " + shape_text(b.shape()) +
                     " have different lengths");
    depth *= of_a;
  }
  const Array left = arranged(pair.a, axes_of_a, true), right = arranged(pair.b, axes_of_b, false);
  return reshape(multiply_matrices({pair.queue, left, right}), shape, &pair.queue);
}

Array vecdot(const Array& a, const Array& b, int axis, const Queue* queue) {
  const Pair pair = prepared(a, b, queue, "vecdot");
  const auto at_end = [&](const Array& array) {
    const auto rank = static_cast<int>(array.shape().size());
    if (axis < -rank || axis >= 0 || rank == 0)
      reject_product("vecdot: axis " + std::to_string(axis) +
                     " must be negative and at least -ndim, for an array of " + std::to_string(rank) +
                     " dimensions");
    return array.shape()[static_cast<std::size_t>(rank + axis)];
  };
  if (at_end(a) != at_end(b))
    reject_product("vecdot: shapes " + shape_text(a.shape()) + " and " + shape_text(b.shape()) +
                   " have different lengths along axis " + std::to_string(axis));
  const bool is_complex = codegen::kind_of(pair.a.dtype()) == codegen::Kinds::complex;
  return sum_of_products(pair, is_complex ? apply("conj", {pair.a}, &pair.queue) : pair.a, pair.b, axis);
}

}  // namespace quern
