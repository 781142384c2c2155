// SPDX-License-Identifier: MIT
// Nodes of lazy expressions.
#include "array/node.hpp"

#include <mutex>

#include "array/fusion.hpp"
#include "array/graph.hpp"
#include "runtime/queue_state.hpp"

namespace quern::array {

Node::Node(Kind kind, const codegen::Op* op, Queue queue, const DType& dtype, const Shape& shape,
           Inputs&& inputs)
    : ArrayValue(dtype, shape),
      kind_(kind),
      has_index_(kind == Kind::index),
      has_product_(is_product()),
      has_fft_(kind == Kind::fft),
      op_(op),
      queue_(std::move(queue)),
      weight_(1 + inputs.size()),
      inputs_(std::move(inputs)) {
  for (const ValuePtr& input : inputs_) {
    const Node* const node = pending_node(*input);
    if (node == nullptr) continue;
    const bool is_misfit = node->has_index() && input->shape() != this->shape();
    if (!is_misfit) weight_ += node->weight() - 1;
    has_index_ |= node->has_index() && !is_misfit;
    has_misfit_ |= is_misfit;
    has_product_ |= node->has_product();
    has_fft_ |= node->has_fft();
  }
}

Node::Node(Queue queue, const DType& dtype, const NumberBytes& number, const Shape& shape)
    : ArrayValue(dtype, shape), kind_(Kind::number), queue_(std::move(queue)), form_(number) {}

Node::Node(const Queue& queue, const ValuePtr& base, const Shape& shape, ViewTransform change)
    : Node(Kind::view, nullptr, queue, base->dtype(), shape, Inputs{base}) {
  form_ = std::move(change);
}

Node::Node(const Queue& queue, const Shape& shape, std::shared_ptr<const RandomSource> source)
    : ArrayValue(source->form.dtype, shape),
      kind_(Kind::random),
      has_index_(true),
      queue_(queue),
      form_(std::move(source)),
      weight_(kRandomWeight) {}

Node::Node(const Queue& queue, const Array& a, const Array& b, const DType& dtype, const Shape& shape,
           std::shared_ptr<const ProductForm> form)
    : Node(Kind::product, nullptr, queue, dtype, shape, Inputs{a.value(), b.value()}) {
  form_ = std::move(form);
}

Node::Node(const Queue& queue, const Array& entries, const Array& x, const Shape& shape,
           std::shared_ptr<const SparseForm> form)
    : Node(Kind::sparse_product, nullptr, queue, x.dtype(), shape, Inputs{entries.value(), x.value()}) {
  form_ = std::move(form);
}

Node::Node(const Queue& queue, const Array& input, const DType& dtype, const Shape& shape,
           std::shared_ptr<const FftWork> work)
    : Node(Kind::fft, nullptr, queue, dtype, shape, Inputs{input.value()}) {
  form_ = std::move(work);
}

Node::~Node() {
  if (!is_in_graph_) return;
  const std::lock_guard lock(Graph::instance().mutex);
  Graph::instance().remove(*this);
}

Node::Place Node::place() const {
  return {queue_.state()->context(), queue_.state()->device()};
}

void Node::prepare() {
  for (const ValuePtr& input : inputs_) {
    const Node* const node = pending_node(*input);
    if (node != nullptr && node->has_index() && input->shape() != shape()) input->evaluate();
  }
  has_misfit_ = false;
  while (weight_ > kMostWeight) {
    weight_ = 1;
    for (const ValuePtr& input : inputs_) {
      const Node* const node = pending_node(*input);
      weight_ += node != nullptr ? node->weight() : 1;
    }
    const ValuePtr heaviest = weight_ > kMostWeight ? heaviest_input(*this) : nullptr;
    if (!heaviest) break;
    heaviest->evaluate();
  }
}

Inputs Node::finish(ArrayMemory&& memory) noexcept {
  set_memory(std::move(memory));
  if (kind_ == Kind::sparse_product) form_ = {};  // the matrix; the caller still holds the product
  return std::move(inputs_);                      // which is empty then
}

Inputs Node::become_copy(const ValuePtr& source) {
  kind_ = Kind::cast;
  op_ = nullptr;
  has_index_ = has_misfit_ = has_product_ = has_fft_ = false;
  form_ = {};
  weight_ = 2;
  return std::exchange(inputs_, Inputs{source});
}

}  // namespace quern::array
