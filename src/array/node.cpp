// SPDX-License-Identifier: MIT
// Nodes of lazy expressions, and the graph of all that are not in memory yet.
#include "array/node.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/host/precompiled_kernel.hpp"
#include "array/at_once.hpp"
#include "array/evaluate.hpp"
#include "array/index_errors.hpp"
#include "codegen/loop.hpp"
#include "runtime/allocation.hpp"
#include "runtime/queue_state.hpp"

namespace quern::array {
namespace {

detail::UseRecord* record_of(const detail::ArrayValue& value) {
  // In memory, so that memory() enqueues nothing.
  const Buffer& buffer = const_cast<detail::ArrayValue&>(value).memory().buffer;
  return buffer.released() ? nullptr : &buffer.allocation()->uses();
}

// Whether the expression reads this memory.
bool reads(const Node& node, const detail::UseRecord& memory) {
  return std::any_of(node.inputs().begin(), node.inputs().end(), [&](const ValuePtr& input) {
    const Node* const inner = pending_node(*input);
    return inner != nullptr ? reads(*inner, memory) : record_of(*input) == &memory;
  });
}

}  // namespace

void note_lazy_read(const detail::ArrayValue& value) {
  detail::UseRecord* const record = record_of(value);
  if (record != nullptr && !record->laziness().is_read.load()) record->laziness().is_read.store(true);
}

bool is_shared(const detail::ArrayValue& value) {
  detail::UseRecord* const record = record_of(value);
  return record != nullptr && record->laziness().shares.load() != 0;
}

void wait_for_shared(const detail::ArrayValue& value, const Queue& queue) {
  if (!is_shared(value) || !queue.state()->properties().shares_host_memory) return;
  const_cast<detail::ArrayValue&>(value).memory().buffer.wait_until(Deadline::max(), true);
}

namespace {

// With the graph's lock held.
void find_randoms(const detail::ArrayValue& value, std::vector<ValuePtr>& found) {
  const Node* const node = pending_node(value);
  if (node == nullptr) return;
  for (const ValuePtr& input : node->inputs()) {
    const Node* const inner = pending_node(*input);
    if (inner == nullptr || !inner->has_index()) continue;
    if (inner->kind() == Node::Kind::random) found.push_back(input);
    find_randoms(*input, found);
  }
}

}  // namespace

void place_randoms(const ValuePtr& value, bool itself) {
  const Node* const node = pending_node(*value);
  if (node == nullptr || !node->has_index()) return;
  const bool in_chunks =
      codegen::loop_style(node->queue().state()->properties()) == codegen::LoopStyle::chunks;
  if (!in_chunks || algorithms::prefers_precompiled(node->queue(), value->size())) return;
  std::vector<ValuePtr> found;
  if (itself && node->kind() == Node::Kind::random) found.push_back(value);
  {
    const std::lock_guard lock(Graph::instance().mutex);
    find_randoms(*value, found);
  }
  for (const ValuePtr& random : found) static_cast<void>(random->memory());
}

Node::Node(Kind kind, const codegen::Op* op, const Queue& queue, DType dtype, Shape shape, Inputs inputs)
    : ArrayValue(std::move(dtype), std::move(shape)),
      kind_(kind),
      has_index_(kind == Kind::index),
      op_(op),
      queue_(queue),
      inputs_(std::move(inputs)) {
  for (const ValuePtr& input : inputs_) {
    const Node* const node = pending_node(*input);
    const bool is_misfit = node != nullptr && node->has_index() && input->shape() != this->shape();
    weight_ += node != nullptr && !is_misfit ? node->weight() : 1;
    has_index_ |= node != nullptr && node->has_index() && !is_misfit;
    has_misfit_ |= is_misfit;
  }
}

Node::Node(const Queue& queue, DType dtype, NumberBytes number, Shape shape)
    : ArrayValue(std::move(dtype), std::move(shape)), kind_(Kind::number), queue_(queue), number_(number) {}

Node::Node(const Queue& queue, const ValuePtr& base, Shape shape, ViewTransform change)
    : Node(Kind::view, nullptr, queue, base->dtype(), std::move(shape), Inputs{base}) {
  transform_ = std::move(change);
}

Node::Node(const Queue& queue, Shape shape, std::shared_ptr<const RandomSource> source)
    : ArrayValue(source->form.dtype, std::move(shape)),
      kind_(Kind::random),
      has_index_(true),
      queue_(queue),
      random_source_(std::move(source)),
      weight_(kRandomWeight) {}

Node::~Node() {
  if (!is_in_graph_) return;
  const std::lock_guard lock(Graph::instance().mutex);
  Graph::instance().remove(*this);
}

Node::Place Node::place() const {
  return {queue_.state()->context(), queue_.state()->device()};
}

void Node::evaluate() {
  const std::shared_ptr<Node> self = shared_from_this();
  Graph::instance().evaluate({&self, 1});
}

void Node::prepare() {
  for (const ValuePtr& input : inputs_) {
    const Node* const node = pending_node(*input);
    if (node != nullptr && node->has_index() && input->shape() != shape()) static_cast<void>(input->memory());
  }
  has_misfit_ = false;
  while (weight_ > kMostWeight) {
    ValuePtr heaviest;
    std::size_t most = 1;
    weight_ = 1;
    for (const ValuePtr& input : inputs_) {
      const Node* const node = pending_node(*input);
      const std::size_t weight = node != nullptr ? node->weight() : 1;
      weight_ += weight;
      if (weight <= most) continue;
      most = weight;
      heaviest = input;
    }
    if (weight_ <= kMostWeight || !heaviest) break;
    static_cast<void>(heaviest->memory());
  }
}

Graph& Graph::instance() {
  // Never destroyed: arrays may outlive everything.
  static Graph* const graph = [] {
    auto* const made = new Graph;
    detail::pending_work.store(made);
    return made;
  }();
  return *graph;
}

bool Graph::add(Node& node) {
  const std::lock_guard lock(mutex);
  const bool reads_shared = note_reads(node);
  insert(node);
  return !reads_shared && eager_depth == 0;
}

bool Graph::reads_shared(const Node& node) {
  const std::lock_guard lock(mutex);
  return note_reads(node);
}

void Graph::insert(Node& node) noexcept {
  node.older_ = newest_;
  if (newest_ != nullptr) newest_->newer_ = &node;
  newest_ = &node;
  node.is_in_graph_ = true;
}

Graph::Withdrawn Graph::withdraw(const ValuePtr& value, long handles) {
  Withdrawn taken;
  const std::lock_guard lock(mutex);
  withdraw(value, handles, taken);
  return taken;
}

void Graph::withdraw(const ValuePtr& value, long handles, Withdrawn& taken) {
  Node* const node = pending_node(*value);
  if (node == nullptr || node->is_busy_ || value.use_count() != handles) return;
  if (node->is_in_graph_) {
    remove(*node);
    taken.push_back(node);
  }
  for (const ValuePtr& input : node->inputs_) withdraw(input, 1, taken);
}

void Graph::restore(const Withdrawn& nodes) {
  const std::lock_guard lock(mutex);
  for (Node* const node : nodes) {
    static_cast<void>(note_reads(*node));
    insert(*node);
  }
}

bool Graph::become_copy(Node& node, const ValuePtr& source) {
  Inputs former{source};  // goes without the lock
  const std::lock_guard lock(mutex);
  std::swap(node.inputs_, former);
  node.kind_ = Node::Kind::cast;
  node.op_ = nullptr;
  node.has_index_ = node.has_misfit_ = false;
  node.weight_ = 2;
  const bool reads_shared = note_reads(node);
  insert(node);
  return reads_shared;
}

bool Graph::note_reads(const Node& node) {
  bool reads_shared = false;
  for (const ValuePtr& input : node.inputs_) {
    if (const Node* const inner = pending_node(*input)) {
      if (!inner->is_in_graph_) reads_shared |= note_reads(*inner);
      continue;
    }
    note_lazy_read(*input);
    reads_shared |= is_shared(*input);
  }
  return reads_shared;
}

void Graph::remove(Node& node) noexcept {
  (node.newer_ != nullptr ? node.newer_->older_ : newest_) = node.older_;
  if (node.older_ != nullptr) node.older_->newer_ = node.newer_;
  node.older_ = node.newer_ = nullptr;
  node.is_in_graph_ = false;
}

void Graph::evaluate(std::span<const std::shared_ptr<Node>> nodes) {
  Roots rest;
  for (const std::shared_ptr<Node>& node : nodes)
    if (node->kind() != Node::Kind::view || !materialise_view(*node)) rest.push_back(node);
  {
    const std::lock_guard lock(mutex);
    ++kernels_;
    for (std::size_t n = rest.size(); n-- > 0;) add_repeated(*rest[n], rest);
  }
  for (const std::shared_ptr<Node>& node : rest) place_randoms(node, false);
  if (rest.size() == 1) return evaluate_group(rest);
  for_each_kernel(rest, [&](std::span<const std::shared_ptr<Node>> group) { evaluate_group(group); });
}

void Graph::add_repeated(const Node& node, Roots& roots) {
  for (const ValuePtr& input : node.inputs_) {
    Node* const inner = pending_node(*input);
    if (inner == nullptr || inner->weight() < Node::kWorthStoring || inner->kind() == Node::Kind::view ||
        inner->kind() == Node::Kind::random || inner->computed_in_ == kernels_)
      continue;
    const bool is_repeated = inner->computed_in_ != 0;
    inner->computed_in_ = kernels_;
    const bool is_alike = inner->shape() == node.shape() && inner->queue() == node.queue();
    if (is_repeated && is_alike && std::ssize(roots) < kMostOutputs) {
      roots.push_back(std::static_pointer_cast<Node>(input));
    } else {
      add_repeated(*inner, roots);
    }
  }
}

bool Graph::is_repeated(Node& node) {
  const std::lock_guard lock(mutex);
  if (node.weight() < Node::kWorthStoring || node.kind() == Node::Kind::view) return false;
  return std::exchange(node.computed_in_, ++kernels_) != 0;
}

void Graph::evaluate_group(std::span<const std::shared_ptr<Node>> nodes) {
  if (nodes.size() == 1 && evaluate_at_once(*nodes.front())) return;
  InlineVector<std::shared_ptr<Node>, 2> mine;
  std::optional<Evaluation> evaluation;
  {
    std::unique_lock lock(mutex);
    // All at once: a wait lets others in, who may evaluate what was looked at before it.
    changed_.wait(lock, [&] {
      return std::none_of(nodes.begin(), nodes.end(), [](const auto& node) { return node->is_busy_; });
    });
    for (const std::shared_ptr<Node>& node : nodes) {
      if (node->in_memory() || std::find(mine.begin(), mine.end(), node) != mine.end()) continue;
      mine.push_back(node);
    }
    if (mine.empty()) return;
    evaluation.emplace(mine);
    // Results that hang on different deferred_errors are told apart only where they are apart.
    if (!evaluation->fits() || evaluation->mixes_deferred_errors()) {
      lock.unlock();
      if (evaluate_parts(mine)) return;
      lock.lock();
    }
    for (const auto& node : mine) node->is_busy_ = true;
  }
  Evaluation::Results results;
  std::exception_ptr error;
  try {
    results = evaluation->run();
  } catch (...) {
    error = std::current_exception();
  }
  InlineVector<Inputs, 2> garbage;  // goes without the lock: it may be the end of other nodes
  {
    const std::lock_guard lock(mutex);
    for (std::size_t n = 0; n < mine.size(); ++n) {
      Node& node = *mine[n];
      node.is_busy_ = false;
      if (error) continue;
      if (node.is_in_graph_) remove(node);
      node.set_memory(std::move(results[n]));
      garbage.push_back(std::move(node.inputs_));
      node.inputs_.clear();
      // Nodes that had it as an input read the memory from now on.
      if (mine[n].use_count() > 1) note_lazy_read(node);
    }
  }
  changed_.notify_all();
  if (error) std::rethrow_exception(error);
}

bool Graph::evaluate_at_once(Node& node) {
  if (!is_small_work(node.queue(), node.size(), node.dtype())) return false;
  const Array result = empty(node.queue(), node.shape(), node.dtype());
  Inputs garbage;  // goes without the lock, as in evaluate_group()
  const std::lock_guard lock(mutex);
  if (node.is_busy_ || node.in_memory() || !compute_at_once(node, result)) return false;
  if (node.is_in_graph_) remove(node);
  node.set_memory(result.value()->memory());
  garbage = std::move(node.inputs_);
  node.inputs_.clear();
  note_lazy_read(node);
  return true;
}

bool Graph::materialise_view(Node& node) {
  Inputs base;  // goes without the lock, as evaluate_group() has it
  {
    const std::lock_guard lock(mutex);
    if (node.in_memory()) return true;
    base = node.inputs_;
  }
  // The node's handle and ours; of a view that shows all elements, or some of them more than once, the base
  // is what is best computed.
  if (!base[0]->in_memory() && base[0].use_count() <= 2 && node.size() < base[0]->size()) return false;
  const detail::ArrayValue::Memory& memory = base[0]->memory();
  const Array shown =
      array_of(memory.buffer, node.dtype(), node.transform()(layout_of(memory, base[0]->shape())));
  const std::lock_guard lock(mutex);
  if (node.in_memory()) return true;
  if (node.is_busy_) return false;
  if (node.is_in_graph_) remove(node);
  node.set_memory(shown.value()->memory());
  node.inputs_.clear();
  note_lazy_read(node);
  return true;
}

bool Graph::evaluate_parts(std::span<const std::shared_ptr<Node>> nodes) {
  if (nodes.size() > 1) {
    evaluate_group(nodes.first(nodes.size() / 2));
    evaluate_group(nodes.subspan(nodes.size() / 2));
    return true;
  }
  ValuePtr heaviest;
  {
    const std::lock_guard lock(mutex);
    std::size_t most = 1;
    for (const ValuePtr& input : nodes.front()->inputs()) {
      const Node* const node = pending_node(*input);
      if (node == nullptr || node->weight() <= most) continue;
      most = node->weight();
      heaviest = input;
    }
  }
  if (!heaviest) return false;
  static_cast<void>(heaviest->memory());
  evaluate_group(nodes);
  return true;
}

void Graph::before_write(detail::UseRecord& memory) {
  std::vector<std::weak_ptr<Node>> readers;
  {
    const std::lock_guard lock(mutex);
    memory.laziness().is_read.store(false);
    for (Node* node = newest_; node != nullptr; node = node->older_)
      if (reads(*node, memory)) readers.push_back(node->weak_from_this());
  }
  // The newest first: when they are in memory, what they were made of may be gone.
  try {
    for (const std::weak_ptr<Node>& reader : readers)
      if (const auto node = reader.lock()) evaluate({&node, 1});
  } catch (...) {
    memory.laziness().is_read.store(true);  // who tries again must not write before them either
    throw;
  }
}

void Graph::before_finish(const detail::QueueState& queue) {
  std::vector<std::weak_ptr<Node>> written;
  {
    const std::lock_guard lock(mutex);
    for (Node* node = newest_; node != nullptr; node = node->older_)
      if (node->queue().state().get() == &queue) written.push_back(node->weak_from_this());
  }
  std::exception_ptr first;  // what cannot be evaluated must not keep the others from it
  for (const std::weak_ptr<Node>& one : written) {
    try {
      if (const auto node = one.lock()) evaluate({&node, 1});
    } catch (const Error&) {  // an interruption (Ctrl-C) is none, and ends this
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

void Graph::after_finish(const detail::QueueState& queue, std::uint64_t ticket) {
  IndexErrors::instance().finish(queue, ticket);
}

}  // namespace quern::array
