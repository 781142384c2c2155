// SPDX-License-Identifier: MIT
// Finds transforms with the expressions around them among pending nodes, and computes them.
#include "array/fft_fusion.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "array/build.hpp"
#include "array/described.hpp"
#include "array/evaluate.hpp"
#include "array/graph.hpp"
#include "array/product.hpp"
#include "base/dtype_kinds.hpp"
#include "runtime/allocation.hpp"

namespace quern::array {
namespace {

// More operands could exceed the bytes of arguments that every device takes: 48 bytes for each array.
constexpr std::size_t kMostArrays = 8, kMostNumbers = 12;

bool is_small(const FusedExpression& expression) {
  return expression.leaves().size() <= kMostArrays && expression.number_count() <= kMostNumbers;
}

}  // namespace

// Reads an expression from its root down to the transforms in it.
class FftMatch {
 public:
  explicit FftMatch(const Node& root) : root_(root) {}

  FftPlan run() {
    FftPlan plan;
    const Node* const transform = root_.kind() == Node::Kind::fft ? &root_ : find(plan.first);
    if (transform == nullptr || !plan.first.empty()) return plan;
    FusedFft fused(root_, *transform);
    const ValuePtr& input = transform->inputs()[0];
    const auto store_first = [&](const ValuePtr& value) {
      if (plan.first.empty()) plan.first.push_back(value);
      return plan;
    };
    if (!take_input(fused, input, plan.first)) return store_first(input);
    if (transform != &root_) {
      fused.after_.emplace(default_float(root_.queue()), transform);
      fused.after_->add_output(value_of(root_));
      // The kernel has no index of an element, and no type for 16 bits.
      if (root_.has_index() || detail::is_short_float(root_.dtype()) || !is_small(*fused.after_))
        return store_first(value_of(*transform));
    }
    // Together they may have more loops than a pass. A strided array alone is copied when it is transformed.
    if (!has_lines(fused.work_, fused.input(), fused.output(nullptr))) {
      if (fused.before_) return store_first(input);
      if (fused.after_) return store_first(value_of(*transform));
    }
    plan.fused.emplace(std::move(fused));
    return plan;
  }

 private:
  struct Part {
    ValuePtr value;
    long handles = 0;      // how many inputs of the expression it is
    bool in_view = false;  // the expression reads it through a view
  };

  // Collects the parts of an expression that have transforms, down to the transforms.
  void collect(const Node& node, bool in_view) {
    for (const ValuePtr& input : node.inputs()) {
      const Node* const inner = pending_node(*input);
      if (inner == nullptr || !inner->has_fft()) continue;
      auto part = std::find_if(parts_.begin(), parts_.end(), [&](const Part& p) { return p.value == input; });
      const bool is_new = part == parts_.end();
      if (is_new) part = parts_.insert(parts_.end(), Part{input});
      ++part->handles;
      part->in_view |= in_view;
      if (is_new && inner->kind() != Node::Kind::fft)
        collect(*inner, in_view || inner->kind() == Node::Kind::view);
    }
  }

  // Whether anything beside the expression holds it. The collected part is one more handle.
  static bool is_held(const Part& part) { return is_held_elsewhere(part.value, part.handles + 1); }

  // Returns the transform whose last pass computes the expression. The others are stored first, and so are
  // parts that an array holds, with the transforms in them.
  const Node* find(std::vector<ValuePtr>& first) {
    collect(root_, false);
    const Node* found = nullptr;
    std::vector<const Part*> others;
    for (const Part& part : parts_) {
      const Node* const node = pending_node(*part.value);
      const bool is_transform = node->kind() == Node::Kind::fft;
      if (!is_transform && (!is_held(part) || !ends_in_transform(*node))) continue;
      const bool is_fused = is_transform && found == nullptr && !part.in_view && !is_held(part) &&
                            !node->is_busy() && node->queue() == root_.queue() &&
                            node->shape() == root_.shape();
      if (is_fused) {
        found = node;
      } else {
        others.push_back(&part);
      }
    }
    for (const Part* const part : others) first.push_back(part->value);
    return found;
  }

  // Whether transforms below are still pending.
  static bool ends_in_transform(const Node& node) {
    return std::any_of(node.inputs().begin(), node.inputs().end(), [](const ValuePtr& input) {
      const Node* const inner = pending_node(*input);
      return inner != nullptr && inner->has_fft() &&
             (inner->kind() == Node::Kind::fft || ends_in_transform(*inner));
    });
  }

  // Takes what the transform reads. Returns false if that, or what is added to `first`, must be stored.
  bool take_input(FusedFft& fused, const ValuePtr& input, std::vector<ValuePtr>& first) {
    const Node* const node = pending_node(*input);
    if (node == nullptr) {
      fused.array_.emplace(input);
      return true;
    }
    const bool is_product = node->has_product() && (node->is_product() || has_pending_product(*node));
    // A long expression that an array holds is computed once.
    const bool is_stored = is_product || node->kind() == Node::Kind::fft || node->has_index() ||
                           (node->weight() >= Node::kWorthStoring && is_held_elsewhere(input, 1));
    if (is_stored) return false;
    FftMatch inner(*node);
    inner.collect(*node, false);
    for (const Part& part : inner.parts_) {
      const Node* const one = pending_node(*part.value);
      if (one->kind() == Node::Kind::fft || (is_held(part) && ends_in_transform(*one)))
        first.push_back(part.value);
    }
    if (!first.empty()) return false;
    fused.before_.emplace(default_float(root_.queue()));
    fused.before_->add_output(input);
    const codegen::Expression& expression = fused.before_->expression();
    const auto leaves = fused.before_->leaves();
    // A view alone is an array in memory.
    if (expression.size() == 1 && leaves.size() == 1) {
      fused.array_.emplace(broadcast_to(leaves.front(), fused.input_shape_));
      fused.before_.reset();
      return true;
    }
    return is_small(*fused.before_);
  }

  static ValuePtr value_of(const Node& node) { return const_cast<Node&>(node).shared_from_this(); }

  const Node& root_;
  std::vector<Part> parts_;
};

FftPlan fft_plan(const Node& node) {
  // Another thread may have evaluated the node since the caller saw it pending.
  if (!node.has_fft() || node.in_memory()) return {};
  return FftMatch(node).run();
}

FusedFft::FusedFft(const Node& root, const Node& transform)
    : queue_(root.queue()),
      shape_(root.shape()),
      input_shape_(transform.inputs()[0]->shape()),
      dtype_(root.dtype()),
      input_dtype_(transform.inputs()[0]->dtype()),
      transformed_(transform.dtype()),
      work_(*transform.fft_work()),
      origin_(transform.origin()) {}

FftInput FusedFft::input() const {
  return {input_shape_, input_dtype_, array_ ? &*array_ : nullptr, before_ ? &*before_ : nullptr};
}

FftOutput FusedFft::output(const Array* out) const {
  return {shape_, out, after_ ? &*after_ : nullptr};
}

bool FusedFft::reads(const Buffer& buffer) const {
  const auto shares = [&](const Array& array) { return array.buffer().allocation() == buffer.allocation(); };
  const auto any = [&](const std::optional<FusedExpression>& expression) {
    return expression && std::any_of(expression->leaves().begin(), expression->leaves().end(), shares);
  };
  return (array_ && shares(*array_)) || any(before_) || any(after_);
}

void FusedFft::enqueue(const Array& out) const {
  std::optional<algorithms::FftLines> lines = fft_lines(work_, input(), output(&out));
  if (!lines) {
    const Array x = copy(*array_, &queue_);
    lines = fft_lines(work_, {input_shape_, input_dtype_, &x}, output(&out));
  }
  // A library neither computes expressions nor scales: that would be another pass over the result.
  const bool is_bare = !before_ && !after_ && work_.points.scale == 1;
  if (is_bare && algorithms::fft_by_library(queue_, *lines)) return;
  algorithms::fft(queue_, *lines);
}

ArrayMemory FusedFft::run() const {
  return describing(*this, shape_, kArray, [&] {
    const Array out = empty(queue_, shape_, dtype_);
    enqueue(out);
    return out.value()->memory();
  });
}

bool FusedFft::run_into(const Array& out) const {
  if (reads(out.buffer()) || !has_lines(work_, input(), output(&out))) return false;
  return describing(*this, shape_, kArray, [&] {
    forget_errors(out);
    enqueue(out);
    return true;
  });
}

std::vector<std::string> FusedFft::operations() const {
  std::vector<std::string> result;
  if (before_) result = before_->operations();
  const OriginText where = origin_text.load();
  const std::string line = where != nullptr && origin_ != 0 ? where(origin_) : "";
  result.push_back(std::string(work_.points.is_inverse ? "ifft(" : "fft(") + transformed_.name() + ")" +
                   (line.empty() ? "" : " at " + line));
  if (after_)
    for (std::string& operation : after_->operations()) result.push_back(std::move(operation));
  return result;
}

KernelPlan FusedFft::plan() const {
  KernelPlan result;
  result.operations = operations();
  result.elements = element_count(shape_, dtype_.itemsize);
  result.bytes_written = result.elements * dtype_.itemsize;
  const auto add = [&](const Array& array) {
    ++result.arrays_read;
    result.bytes_read += bytes_in_memory(array);
  };
  if (array_) add(*array_);
  for (const std::optional<FusedExpression>* const expression : {&before_, &after_})
    if (*expression)
      for (const Array& leaf : (*expression)->leaves()) add(leaf);
  result.source = "// Fourier transforms of " + std::to_string(work_.points.n) +
                  " points by a library or by generated kernels\n";
  return result;
}

namespace {

// Stores what must be in memory before the node can be computed. Returns how to compute it then.
std::optional<FusedFft> prepared(const Node& node) {
  for (;;) {
    FftPlan plan;
    {
      const std::lock_guard lock(Graph::instance().mutex);
      plan = fft_plan(node);
    }
    if (plan.first.empty()) return std::move(plan.fused);
    for (const ValuePtr& value : plan.first) value->evaluate();
  }
}

// The caller holds Graph::mutex.
void find_transforms(const Node& node, std::vector<ValuePtr>& found) {
  for (const ValuePtr& input : node.inputs()) {
    const Node* const inner = pending_node(*input);
    if (inner == nullptr || !inner->has_fft()) continue;
    if (inner->kind() == Node::Kind::fft) {
      found.push_back(input);
    } else {
      find_transforms(*inner, found);
    }
  }
}

}  // namespace

void place_transforms(const ValuePtr& value, bool itself) {
  const Node* const node = pending_node(*value);
  if (node == nullptr || !node->has_fft()) return;
  std::vector<ValuePtr> found;
  {
    const std::lock_guard lock(Graph::instance().mutex);
    if (node->kind() == Node::Kind::fft) found.push_back(value);
    find_transforms(*node, found);
  }
  if (found.empty()) return;
  if (itself) {
    // The last pass of the transform computes the whole expression.
    value->evaluate();
  } else {
    for (const ValuePtr& transform : found)
      if (transform != value) transform->evaluate();
  }
}

bool evaluate_fft_into(const Array& target, const ValuePtr& value) {
  const Node* const node = pending_node(*value);
  if (node == nullptr || !node->has_fft() || value->shape() != target.shape() ||
      value->dtype() != target.dtype())
    return false;
  place_products(value, false);
  const std::optional<FusedFft> fused = prepared(*node);
  return fused && fused->run_into(target);
}

Array lazy_fft(const Queue& queue, const Array& x, const FftWork& work) {
  if (const Node* const node = pending_node(*x.value()); node != nullptr && node->has_index()) x.evaluate();
  return lazy(std::make_shared<Node>(queue, x, result_of(work.points, real_of(x.dtype())),
                                     with_length(x.shape(), work.axis, work.points.out_length),
                                     std::make_shared<const FftWork>(work)));
}

}  // namespace quern::array
