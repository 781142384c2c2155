// SPDX-License-Identifier: MIT
// Enqueues pending nodes when they are needed.
#include "array/scheduler.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "array/at_once.hpp"
#include "array/evaluate.hpp"
#include "array/graph.hpp"
#include "array/index_errors.hpp"
#include "array/lazy_reads.hpp"
#include "array/single_operation.hpp"
#include "quern/arithmetic.hpp"
#include "runtime/capture_state.hpp"
#include "runtime/eager.hpp"
#include "runtime/hazards.hpp"
#include "runtime/queue_state.hpp"

namespace quern::array {
namespace {

// The pending expressions of a capture belong to its thread: others do not evaluate them.
bool is_captured_elsewhere(const std::shared_ptr<Node>& node) {
  return detail::has_restrictions() && detail::CaptureState::is_of_another_thread(node.get());
}

}  // namespace

Scheduler& Scheduler::instance() {
  // Never destroyed: arrays may outlive static objects.
  static Scheduler* const scheduler = [] {
    auto* const made = new Scheduler;
    detail::pending_work.store(made);
    return made;
  }();
  return *scheduler;
}

bool Scheduler::add(Node& node) {
  detail::check_orders_memory(*node.queue().state());
  // Before other threads can find it.
  if (detail::has_restrictions()) [[unlikely]] {
    if (detail::CaptureState* const capture = detail::CaptureState::current())
      capture->note_expression(node.shared_from_this());
  }
  return Graph::instance().add(node) && detail::eager_depth == 0;
}

bool Scheduler::evaluate_outside_capture(std::span<const std::shared_ptr<Node>> nodes) {
  const detail::CaptureState* const capture = detail::CaptureState::current();
  if (capture == nullptr) return false;
  Roots inside, outside;
  {
    // A node that is not in the graph is a part of an operation that this thread runs, such as `x[1:] +=
    // x[:-1]`.
    const std::lock_guard lock(Graph::instance().mutex);
    for (const std::shared_ptr<Node>& node : nodes)
      (capture->has_expression(node.get()) || !node->is_in_graph() ? inside : outside).push_back(node);
  }
  if (outside.empty()) return false;
  {
    const CapturePause pause;
    evaluate(outside);
  }
  if (!inside.empty()) evaluate(inside);
  return true;
}

void Scheduler::evaluate(std::span<const std::shared_ptr<Node>> nodes) {
  if (detail::has_restrictions()) [[unlikely]] {
    if (std::any_of(nodes.begin(), nodes.end(), is_captured_elsewhere))
      throw CaptureError(
          "the array belongs to a capture of another thread: it has no elements before the graph is "
          "launched");
    if (evaluate_outside_capture(nodes)) return;
  }
  if (nodes.size() == 1 && evaluate_operation(*nodes.front())) return;
  Roots roots;
  for (const std::shared_ptr<Node>& node : nodes)
    if (node->kind() != Node::Kind::view || !materialise_view(*node)) roots.push_back(node);
  add_repeated(roots);
  for (const std::shared_ptr<Node>& node : roots) store_randoms(node, false);
  if (roots.size() == 1) return evaluate_kernel(roots);
  for_each_kernel(roots, [&](std::span<const std::shared_ptr<Node>> group) { evaluate_kernel(group); });
}

void Scheduler::evaluate_kernel(std::span<const std::shared_ptr<Node>> nodes) {
  if (nodes.size() == 1 && evaluate_at_once(*nodes.front())) return;
  Graph& graph = Graph::instance();
  Roots mine;
  std::optional<Evaluation> evaluation;
  {
    std::unique_lock lock(graph.mutex);
    // Waits for all nodes together, because other threads may evaluate some of them during a wait.
    ++waiting_;
    changed_.wait(lock, [&] {
      return std::none_of(nodes.begin(), nodes.end(), [](const auto& node) { return node->is_busy(); });
    });
    --waiting_;
    for (const std::shared_ptr<Node>& node : nodes) {
      if (node->in_memory() || std::find(mine.begin(), mine.end(), node) != mine.end()) continue;
      mine.push_back(node);
    }
    if (mine.empty()) return;
    evaluation.emplace(mine);
    if (evaluation->lacks_parts()) {
      lock.unlock();
      evaluation->store_parts(mine);
      return evaluate_kernel(nodes);
    }
    // All results of a kernel share its deferred errors. Results with different deferred errors therefore
    // need different kernels.
    if (!evaluation->fits() || evaluation->mixes_deferred_errors()) {
      const ValuePtr heaviest = mine.size() > 1 ? nullptr : heaviest_input(*mine.front());
      if (mine.size() > 1 || heaviest) {
        lock.unlock();
        return evaluate_parts(mine, heaviest);
      }
    }
    for (const auto& node : mine) node->set_busy(true);
  }
  Evaluation::Results results;
  std::exception_ptr error;
  try {
    results = evaluation->run();
  } catch (...) {
    error = std::current_exception();
  }
  InlineVector<Inputs, 2> former;  // destroyed after the lock is released
  bool is_awaited = false;
  {
    const std::lock_guard lock(graph.mutex);
    is_awaited = waiting_ != 0;
    for (std::size_t n = 0; n < mine.size(); ++n) {
      Node& node = *mine[n];
      node.set_busy(false);
      if (error) continue;
      graph.remove(node);
      former.push_back(node.finish(std::move(results[n])));
      // Nodes that have it as an input read this memory from now on.
      if (is_held_elsewhere(mine[n], 1)) note_lazy_read(node);
    }
  }
  if (is_awaited) changed_.notify_all();
  if (error) std::rethrow_exception(error);
}

bool Scheduler::evaluate_at_once(Node& node) {
  if (!is_small_work(node.queue(), node.size(), node.dtype())) return false;
  const std::size_t itemsize = node.dtype().itemsize;
  ArrayMemory result{Buffer(node.queue(), node.size() * itemsize),
                     contiguous_strides(node.shape(), itemsize)};
  Inputs former;  // destroyed after the lock is released
  const std::lock_guard lock(Graph::instance().mutex);
  if (node.is_busy() || node.in_memory() || !compute_at_once(node, result)) return false;
  Graph::instance().remove(node);
  former = node.finish(std::move(result));
  note_lazy_read(node);
  return true;
}

bool Scheduler::evaluate_operation(Node& node) {
  if (!SingleOperation::may_be(node)) return false;
  Graph& graph = Graph::instance();
  std::optional<SingleOperation> operation;
  {
    const std::lock_guard lock(graph.mutex);
    if (node.is_busy() || node.in_memory()) return false;
    operation = SingleOperation::of(node);
    if (!operation) return false;
    node.set_busy(true);
  }
  ArrayMemory result;
  bool is_done = false;
  std::exception_ptr error;
  try {
    is_done = operation->run(result);
  } catch (...) {
    error = std::current_exception();
  }
  bool is_awaited = false;
  {
    std::unique_lock lock(graph.mutex);
    is_awaited = waiting_ != 0;
    node.set_busy(false);
    if (is_done) {
      graph.remove(node);
      note_lazy_read(result);  // nodes that have it as an input read this memory from now on
      const Inputs former = node.finish(std::move(result));
      lock.unlock();  // before the inputs are dropped
    }
  }
  if (is_awaited) changed_.notify_all();
  if (error) std::rethrow_exception(error);
  return is_done;
}

bool Scheduler::materialise_view(Node& node) {
  Inputs base, former;  // destroyed after the lock is released
  ViewTransform transform;
  {
    const std::lock_guard lock(Graph::instance().mutex);
    if (node.in_memory()) return true;
    // Another thread may have made it a copy of the array that it was assigned to.
    if (node.kind() != Node::Kind::view) return false;
    base = {node.inputs()[0]};
    transform = node.transform();
  }
  if (computes_part_only(node, base[0])) return false;
  const ArrayMemory& memory = base[0]->evaluate();
  const Array shown = array_of(memory.buffer, node.dtype(), transform(layout_of(memory, base[0]->shape())));
  const std::lock_guard lock(Graph::instance().mutex);
  // Another thread may have evaluated the node while this one evaluated its base without the lock.
  if (node.in_memory()) return true;
  if (node.is_busy() || node.kind() != Node::Kind::view) return false;
  Graph::instance().remove(node);
  former = node.finish(ArrayMemory(shown.value()->memory()));
  note_lazy_read(node);
  return true;
}

void Scheduler::evaluate_parts(std::span<const std::shared_ptr<Node>> nodes, const ValuePtr& heaviest) {
  if (nodes.size() > 1) {
    evaluate_kernel(nodes.first(nodes.size() / 2));
    return evaluate_kernel(nodes.subspan(nodes.size() / 2));
  }
  heaviest->evaluate();
  evaluate_kernel(nodes);
}

void Scheduler::before_write(detail::UseRecord& memory) {
  std::vector<std::weak_ptr<Node>> readers;
  {
    const std::lock_guard lock(Graph::instance().mutex);
    memory.laziness().is_read.store(false);
    Graph::instance().for_each([&](Node& node) {
      if (reads(node, memory)) readers.push_back(node.weak_from_this());
    });
  }
  // The newest first: once it is in memory, the nodes that only it used are gone.
  try {
    for (const std::weak_ptr<Node>& reader : readers)
      if (const auto node = reader.lock(); node && !is_captured_elsewhere(node)) evaluate({&node, 1});
  } catch (...) {
    memory.laziness().is_read.store(true);  // the next write must wait for these expressions, too
    throw;
  }
}

void Scheduler::before_finish(const detail::QueueState& queue) {
  evaluate_pending([&](const Node& node) { return node.queue().state().get() == &queue; });
}

void Scheduler::before_capture(const detail::ContextState& context, std::size_t device) {
  evaluate_pending([&](const Node& node) {
    const detail::QueueState& queue = *node.queue().state();
    return queue.context().get() == &context && queue.device() == device;
  });
}

void Scheduler::evaluate_noted(const std::shared_ptr<void>& expression) {
  const auto node = std::static_pointer_cast<Node>(expression);
  if (!node->in_memory()) evaluate({&node, 1});
}

template <class Condition>
void Scheduler::evaluate_pending(const Condition& condition) {
  std::vector<std::weak_ptr<Node>> pending;
  {
    const std::lock_guard lock(Graph::instance().mutex);
    Graph::instance().for_each([&](Node& node) {
      if (condition(node)) pending.push_back(node.weak_from_this());
    });
  }
  std::exception_ptr first;  // an error of one node must not keep the others from being evaluated
  for (const std::weak_ptr<Node>& one : pending) {
    try {
      if (const auto node = one.lock(); node && !is_captured_elsewhere(node)) evaluate({&node, 1});
    } catch (const Error&) {  // an interruption (Ctrl-C) is not an Error and ends the loop
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

void Scheduler::after_finish(const detail::QueueState& queue, std::uint64_t ticket) {
  IndexErrors::instance().finish(queue, ticket);
}

void Node::enqueue() {
  const std::shared_ptr<Node> self = shared_from_this();
  Scheduler::instance().evaluate({&self, 1});
}

}  // namespace quern::array

namespace quern {

void evaluate(std::span<const Array> arrays) {
  array::Scheduler& scheduler = array::Scheduler::instance();
  if (arrays.size() == 1) {  // the caller's array keeps the node alive
    array::Node* const node = array::pending_node(*arrays.front().value());
    if (node == nullptr) return;
    if (!detail::has_restrictions() && scheduler.evaluate_operation(*node)) return;
  }
  InlineVector<std::shared_ptr<array::Node>, 2> nodes;
  for (const Array& array : arrays)
    if (array::Node* const node = array::pending_node(*array.value()))
      nodes.push_back(node->shared_from_this());
  if (!nodes.empty()) scheduler.evaluate(nodes);
}

void evaluate(const Queue& queue) {
  array::Scheduler::instance().before_finish(*queue.state());
}

}  // namespace quern
