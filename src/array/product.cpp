// SPDX-License-Identifier: MIT
// Finds products with their epilogues in pending expressions, and computes them.
#include "array/product.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "algorithms/launch/policy.hpp"
#include "algorithms/matmul_expression.hpp"
#include "algorithms/matmul_finish.hpp"
#include "array/build.hpp"
#include "array/described.hpp"
#include "array/evaluate.hpp"
#include "array/fused_expression.hpp"
#include "array/graph.hpp"
#include "base/bfloat16.hpp"
#include "base/dtype_kinds.hpp"
#include "base/half.hpp"
#include "codegen/ops.hpp"
#include "runtime/allocation.hpp"

namespace quern::array {

using algorithms::Addend;
using algorithms::Epilogue;

algorithms::MatrixStack matrix_stack(const ArrayMemory& memory, const DType& dtype, const Shape& shape,
                                     bool line_is_last) {
  const auto item = static_cast<std::int64_t>(dtype.itemsize);
  algorithms::MatrixStack stack;
  stack.buffer = memory.buffer;
  stack.scalar = dtype.scalar;
  stack.start = static_cast<std::int64_t>(memory.offset) / item;
  stack.count = shape[0];
  stack.matrix_step = memory.strides[0] / item;
  const std::int64_t first = memory.strides[1] / item, last = memory.strides[2] / item;
  stack.line_step = line_is_last ? last : first;
  stack.depth_step = line_is_last ? first : last;
  return stack;
}

namespace {

bool has_product_below(const detail::ArrayValue& value) {
  const Node* const node = pending_node(value);
  return node != nullptr && node->has_product() && (node->is_product() || has_pending_product(*node));
}

// The value that all elements have.
std::optional<double> number_in(const detail::ArrayValue& value) {
  const Node* const node = pending_node(value);
  if (node == nullptr || node->kind() != Node::Kind::number) return std::nullopt;
  const std::byte* const bytes = node->number().data();
  if (value.dtype().scalar == Scalar::float64) {
    double number = 0;
    std::memcpy(&number, bytes, sizeof number);
    return number;
  }
  if (value.dtype().scalar == Scalar::float32) {
    float number = 0;
    std::memcpy(&number, bytes, sizeof number);
    return number;
  }
  std::uint16_t half = 0;
  std::memcpy(&half, bytes, sizeof half);
  return value.dtype().scalar == Scalar::bfloat16 ? from_bfloat16(half) : from_half(half);
}

// Whether a factor changes neither the digits of a number nor, but for extreme numbers, its class.
bool is_mild_power_of_two(double factor) {
  int exponent = 0;
  return std::abs(std::frexp(factor, &exponent)) == 0.5 && std::abs(exponent) <= 8;
}

bool is_op(const Node* node, std::string_view name) {
  return node != nullptr && node->kind() == Node::Kind::apply && node->op()->name == name;
}

}  // namespace

bool has_pending_product(const Node& node) {
  return node.has_product() && std::any_of(node.inputs().begin(), node.inputs().end(),
                                           [](const ValuePtr& input) { return has_product_below(*input); });
}

// Reads an expression from its root down to the product.
class ProductMatch {
 public:
  explicit ProductMatch(const Node& root) : root_(root) {}

  std::optional<Product> run() {
    if (!match(root_)) return std::nullopt;
    if (product_.sparse_)
      return takes_sparse_epilogue(product_.epilogue_, root_.shape().size())
                 ? std::optional(std::move(product_))
                 : std::nullopt;
    const bool is_alone = product_.epilogue_.is_empty() && root_.kind() == Node::Kind::product;
    if (!is_alone && !algorithms::takes_epilogue(root_.queue(), product_.a_, product_.b_, product_.size_,
                                                 product_.dtype_, product_.epilogue_))
      return std::nullopt;
    return std::move(product_);
  }

 private:
  bool match(const Node& node) {
    if (node.queue() != root_.queue() || node.shape() != root_.shape() || node.dtype() != root_.dtype())
      return false;
    if (node.kind() == Node::Kind::product) {
      product_.take(node);
      note("matmul", node);
      return true;
    }
    if (node.kind() == Node::Kind::sparse_product) {
      product_.sparse_ = node.sparse_form();
      for (const ValuePtr& input : node.inputs()) product_.sparse_inputs_.push_back(Array(input));
      product_.dtype_ = node.dtype();
      note("matmul", node);
      return true;
    }
    const bool is_matched =
        detail::is_floating(node.dtype()) && node.kind() == Node::Kind::apply && match_op(node);
    if (is_matched) note(node.op()->name, node);
    return is_matched;
  }

  // A part of the expression that leads to the product, if only the expression holds it.
  bool match_part(const ValuePtr& value) {
    const Node* const node = pending_node(*value);
    return node != nullptr && !node->is_busy() && !is_held_elsewhere(value, 1) && match(*node);
  }

  bool match_op(const Node& node) {
    Epilogue& epilogue = product_.epilogue_;
    const auto inputs = node.inputs();
    if (is_op(&node, "negative")) return match_part(inputs[0]) && scale(-1);
    if (inputs.size() != 2) return false;
    const bool is_left = has_product_below(*inputs[0]);
    if (is_left == has_product_below(*inputs[1])) return false;
    const ValuePtr &part = inputs[is_left ? 0 : 1], &other = inputs[is_left ? 1 : 0];
    const std::optional<double> number = number_in(*other);
    if (is_op(&node, "multiply")) return number && match_part(part) && scale(*number);
    if (is_op(&node, "maximum")) {
      if (!number || *number != 0 || !match_part(part) || epilogue.is_relu) return false;
      epilogue.is_relu = true;
      return true;
    }
    const bool is_difference = is_op(&node, "subtract");
    if (!is_difference && !is_op(&node, "add")) return false;
    if (!match_part(part) || epilogue.is_relu) return false;
    if (is_difference && !is_left && !scale(-1)) return false;
    const double sign = is_difference && is_left ? -1 : 1;
    if (number) {
      epilogue.constant += sign * *number;
      return true;
    }
    return add(*other, sign);
  }

  // A factor of a sum is applied to its terms, so it must be exact: otherwise terms that cancel would
  // overflow or leave a rest. The same holds for two factors in a row.
  bool scale(double factor) {
    Epilogue& epilogue = product_.epilogue_;
    if (epilogue.is_relu) return false;
    const bool is_plain = epilogue.factor == 1 && epilogue.constant == 0 && epilogue.addends.empty();
    if (!is_plain && !is_mild_power_of_two(factor)) return false;
    epilogue.factor *= factor;
    if (epilogue.constant != 0) epilogue.constant *= factor;  // 0 times infinity is NaN
    for (Addend& addend : epilogue.addends) addend.factor *= factor;
    return true;
  }

  // Adds an array in memory, or a multiple of one.
  bool add(const detail::ArrayValue& value, double factor) {
    const Node* const node = pending_node(value);
    if (is_op(node, "multiply")) {
      for (std::size_t k = 0; k < 2; ++k)
        if (const std::optional<double> number = number_in(*node->inputs()[k]))
          return add_array(*node->inputs()[1 - k], factor * *number);
      return false;
    }
    return add_array(value, factor);
  }

  bool add_array(const detail::ArrayValue& value, double factor) {
    Epilogue& epilogue = product_.epilogue_;
    if (pending_node(value) != nullptr || value.dtype() != root_.dtype() ||
        epilogue.addends.size() == Epilogue::kMostAddends || value.memory().buffer.released())
      return false;
    const auto item = static_cast<std::int64_t>(value.dtype().itemsize);
    Layout layout = broadcast_layout(layout_of(value.memory(), value.shape()), root_.shape());
    if (layout.offset % item != 0) return false;
    for (std::int64_t& stride : layout.strides) {
      if (stride % item != 0) return false;
      stride /= item;
    }
    const std::size_t rank = layout.shape.size();
    Addend addend;
    addend.buffer = value.memory().buffer;
    addend.start = layout.offset / item;
    addend.factor = factor;
    addend.column_step = layout.strides[rank - 1];
    if (rank == 1) {
      epilogue.addends.push_back(std::move(addend));
      return true;
    }
    addend.row_step = layout.strides[rank - 2];
    // The axes of the stack are merged to three, so the step must be even through all of them.
    std::int64_t step = 0, length = 1;
    for (std::size_t d = rank - 2; d-- > 0;) {
      if (layout.shape[d] == 1) continue;
      if (length == 1) step = layout.strides[d];
      if (layout.strides[d] != step * length) return false;
      length *= layout.shape[d];
    }
    const auto& stack = product_.size_.stack;
    addend.steps = {step * stack[1] * stack[2], step * stack[2], step};
    epilogue.addends.push_back(std::move(addend));
    return true;
  }

  void note(std::string_view name, const Node& node) {
    product_.operations_.push_back({name, node.dtype(), node.origin()});
  }

  const Node& root_;
  Product product_;
};

// Reads an expression of any operations on elements that has one product in it.
class ExpressionMatch {
 public:
  explicit ExpressionMatch(const Node& root) : root_(root) {}

  std::optional<Product> run() {
    // Transforms beside the product are stored first.
    if (root_.has_index() || root_.has_fft() || !visit(root_) || product_ == nullptr) return std::nullopt;
    // A part that anything else holds is stored.
    for (const Part& part : parts_)
      if (is_held_elsewhere(*part.value, part.uses)) return std::nullopt;
    Product result;
    result.take(*product_);
    if (!algorithms::takes_expression(root_.queue(), result.a_, result.b_, result.size_, result.dtype_))
      return std::nullopt;
    FusedExpression fused(default_float(root_.queue()), product_);
    fused.add_output(root_);
    auto expression = std::make_shared<algorithms::ProductExpression>();
    if (algorithms::policy(root_.queue()).has_loops) {
      expression->loops = algorithms::block_loops(fused.expression());
      if (!expression->loops) return std::nullopt;
    } else {
      if (!algorithms::has_finish(fused.expression())) return std::nullopt;
      expression->function = algorithms::finish_function(fused.expression());
    }
    if (!add_arguments(fused, *expression)) return std::nullopt;
    expression->dtype = result.dtype_;
    std::vector<const Node*> seen;
    list(root_, seen, result);
    result.epilogue_.expression = std::move(expression);
    if (!algorithms::takes_epilogue(root_.queue(), result.a_, result.b_, result.size_, result.dtype_,
                                    result.epilogue_))
      return std::nullopt;
    return result;
  }

 private:
  // A part of the expression with the product in it, and how often the expression uses it.
  struct Part {
    const ValuePtr* value;
    long uses;
  };

  bool visit(const Node& node) {
    if (node.queue() != root_.queue() || node.shape() != root_.shape()) return false;
    if (node.kind() == Node::Kind::product) {
      if (product_ != nullptr && product_ != &node) return false;
      product_ = &node;
      return &node != &root_;
    }
    if (node.kind() != Node::Kind::apply && node.kind() != Node::Kind::where &&
        node.kind() != Node::Kind::cast)
      return false;
    for (const ValuePtr& input : node.inputs()) {
      if (!has_product_below(*input)) continue;
      const auto known =
          std::find_if(parts_.begin(), parts_.end(), [&](const Part& part) { return *part.value == input; });
      if (known != parts_.end()) {
        ++known->uses;
        continue;
      }
      parts_.push_back({&input, 1});
      const Node& inner = *pending_node(*input);
      if (inner.is_busy() || !visit(inner)) return false;
    }
    return true;
  }

  // Lists the operations, inputs first.
  static void list(const Node& node, std::vector<const Node*>& seen, Product& result) {
    if (std::find(seen.begin(), seen.end(), &node) != seen.end()) return;
    seen.push_back(&node);
    const bool is_product = node.kind() == Node::Kind::product;
    if (!is_product)
      for (const ValuePtr& input : node.inputs())
        if (const Node* const inner = pending_node(*input)) list(*inner, seen, result);
    const std::string_view name = is_product                         ? "matmul"
                                  : node.kind() == Node::Kind::apply ? node.op()->name
                                  : node.kind() == Node::Kind::where ? "where"
                                  : node.kind() == Node::Kind::cast  ? "astype"
                                                                     : "";
    if (!name.empty()) result.operations_.push_back({name, node.dtype(), node.origin()});
  }

  // Broadcasts the arrays to the result's shape.
  bool add_arguments(const FusedExpression& fused, algorithms::ProductExpression& to) const {
    bool fits = true;
    const auto add_array = [&](const Array& array) {
      const auto item = static_cast<std::int64_t>(array.dtype().itemsize);
      Layout layout = broadcast_layout(layout_of(array.value()->memory(), array.shape()), root_.shape());
      fits = fits && !array.buffer().released() && layout.offset % item == 0 &&
             std::all_of(layout.strides.begin(), layout.strides.end(),
                         [&](std::int64_t stride) { return stride % item == 0; });
      auto& argument = to.arguments.emplace_back();
      argument.dtype = array.dtype();
      if (fits) argument.array = array_of(array.buffer(), array.dtype(), std::move(layout));
    };
    const auto add_number = [&](const NumberBytes& number, const DType& dtype) {
      auto& argument = to.arguments.emplace_back();
      argument.number = number;
      argument.number_bytes = dtype.itemsize;
      argument.dtype = dtype;
    };
    fused.visit_arguments(add_array, add_number, [&] {
      to.product = to.arguments.size();
      to.arguments.emplace_back().dtype = product_->dtype();
    });
    return fits;
  }

  const Node& root_;
  const Node* product_ = nullptr;
  std::vector<Part> parts_;
};

// A product of float16 that is converted to float32: the sums are stored without being rounded to float16.
std::optional<Product> Product::converted(const Node& node) {
  if (node.kind() != Node::Kind::cast || node.dtype().scalar != Scalar::float32) return std::nullopt;
  const ValuePtr& input = node.inputs()[0];
  const Node* const inner = pending_node(*input);
  if (inner == nullptr || inner->kind() != Node::Kind::product || inner->is_busy() ||
      is_held_elsewhere(input, 1) || inner->dtype().scalar != Scalar::float16 ||
      inner->queue() != node.queue() || inner->shape() != node.shape())
    return std::nullopt;
  Product result;
  result.take(*inner);
  result.dtype_ = node.dtype();
  result.operations_ = {{"matmul", inner->dtype(), inner->origin()}, {"astype", node.dtype(), node.origin()}};
  return result;
}

std::optional<Product> Product::of(const Node& node) {
  // Another thread may have evaluated the node since the caller saw it pending.
  if (!node.has_product() || node.in_memory()) return std::nullopt;
  if (std::optional<Product> found = ProductMatch(node).run()) return found;
  if (std::optional<Product> found = converted(node)) return found;
  return ExpressionMatch(node).run();
}

void Product::take(const Node& node) {
  const ProductForm& form = *node.product_form();
  const detail::ArrayValue &a = *node.inputs()[0], &b = *node.inputs()[1];
  a_ = matrix_stack(a.memory(), a.dtype(), a.shape(), false);
  b_ = matrix_stack(b.memory(), b.dtype(), b.shape(), true);
  a_.steps = form.a_steps;
  b_.steps = form.b_steps;
  a_.kept = form.a_kept;
  b_.kept = form.b_kept;
  size_ = form.size;
  dtype_ = node.dtype();
}

bool takes_sparse_epilogue(const Epilogue& epilogue, std::size_t rank) {
  if (epilogue.constant != 0 || epilogue.is_relu || epilogue.addends.size() > 1) return false;
  return epilogue.addends.empty() || rank == 2 || epilogue.addends[0].column_step == 1;
}

void Product::run(const Queue& queue, const Array& out) const {
  if (sparse_) return sparse_->run(queue, sparse_inputs_[0], sparse_inputs_[1], out, epilogue_);
  algorithms::matmul(queue, a_, b_, size_, out, epilogue_);
}

std::vector<std::string> Product::operations() const {
  std::vector<std::string> result;
  const OriginText where = origin_text.load();
  for (const Operation& operation : operations_) {
    const std::string line = where != nullptr && operation.origin != 0 ? where(operation.origin) : "";
    result.push_back(std::string(operation.name) + "(" + operation.dtype.name() + ")" +
                     (line.empty() ? "" : " at " + line));
  }
  return result;
}

KernelPlan Product::plan(const Shape& shape, const DType& dtype) const {
  KernelPlan result;
  result.operations = operations();
  result.elements = element_count(shape, dtype.itemsize);
  result.bytes_written = result.elements * dtype.itemsize;
  const std::vector<Buffer> others = addends();
  result.arrays_read = 2 + others.size();
  for (const Buffer& buffer : others) result.bytes_read += std::min(buffer.size(), result.bytes_written);
  if (sparse_) {
    for (const Array& input : sparse_inputs_) result.bytes_read += input.nbytes();
    result.source = "// a product of a sparse matrix by a kernel of Quern\n";
    return result;
  }
  const std::size_t item = DType::of(a_.scalar).itemsize;
  const auto count = [&](const algorithms::MatrixStack& stack, std::int64_t lines) {
    return static_cast<std::size_t>(stack.count * lines * size_.depth) * item;
  };
  result.bytes_read += count(a_, size_.m) + count(b_, size_.n);
  result.source = "// a product of " + std::to_string(size_.m) + " x " + std::to_string(size_.depth) +
                  " and " + std::to_string(size_.depth) + " x " + std::to_string(size_.n) +
                  " matrices by a library or a kernel of Quern\n";
  if (epilogue_.expression)
    result.source +=
        epilogue_.expression->loops
            ? "// and the operations on each block of its result by precompiled loops\n"
            : "// and the operations on each element before it is stored:\n" + epilogue_.expression->function;
  return result;
}

std::vector<Buffer> Product::addends() const {
  std::vector<Buffer> all;
  for (const Addend& addend : epilogue_.addends) all.push_back(addend.buffer);
  if (epilogue_.expression)
    for (const auto& argument : epilogue_.expression->arguments)
      if (argument.array) all.push_back(argument.array->buffer());
  return all;
}

bool Product::reads(const Buffer& buffer) const {
  const auto shares = [&](const Buffer& one) { return one.allocation() == buffer.allocation(); };
  const std::vector<Buffer> others = addends();
  return shares(a_.buffer) || shares(b_.buffer) || std::any_of(others.begin(), others.end(), shares) ||
         std::any_of(sparse_inputs_.begin(), sparse_inputs_.end(),
                     [&](const Array& input) { return shares(input.buffer()); });
}

namespace {

// Returns a part of the expression that must be stored before a kernel can compute the rest, or null. The
// caller holds Graph::mutex.
ValuePtr next_to_place(const Node& node) {
  for (const ValuePtr& input : node.inputs()) {
    const Node* const inner = pending_node(*input);
    if (inner == nullptr || !inner->has_product()) continue;
    const bool is_stored =
        inner->is_product() || (is_held_elsewhere(input, 1) && Product::of(*inner).has_value());
    if (is_stored) return input;
    if (ValuePtr found = next_to_place(*inner)) return found;
  }
  return nullptr;
}

}  // namespace

void place_products(const ValuePtr& value, bool itself) {
  const Node* const node = pending_node(*value);
  if (node == nullptr || !node->has_product()) return;
  if (itself) {
    bool is_product = false;
    {
      const std::lock_guard lock(Graph::instance().mutex);
      is_product = Product::of(*node).has_value();
    }
    if (is_product) {
      value->evaluate();
      return;
    }
  }
  for (;;) {
    ValuePtr next;
    {
      const std::lock_guard lock(Graph::instance().mutex);
      next = next_to_place(*node);
    }
    if (!next) return;
    next->evaluate();
  }
}

bool evaluate_product_into(const Array& target, const ValuePtr& value, const Queue& queue) {
  const Node* const node = pending_node(*value);
  if (node == nullptr || !node->has_product() || value->shape() != target.shape() ||
      value->dtype() != target.dtype() || !target.contiguous())
    return false;
  std::optional<Product> product;
  {
    const std::lock_guard lock(Graph::instance().mutex);
    product = Product::of(*node);
  }
  if (!product || product->reads(target.buffer())) return false;
  forget_errors(target);
  describing(*product, target.shape(), kArray, [&] { product->run(queue, target); });
  return true;
}

}  // namespace quern::array
