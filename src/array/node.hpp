// SPDX-License-Identifier: MIT
// Nodes of lazy expressions, and the graph of all that are not in memory yet.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "array/layout.hpp"
#include "codegen/random_form.hpp"
#include "quern/array.hpp"
#include "quern/explain.hpp"
#include "runtime/pending.hpp"

namespace quern::codegen {
struct Op;
}

namespace quern::array {

using ValuePtr = std::shared_ptr<detail::ArrayValue>;
using Inputs = InlineVector<ValuePtr, 3>;

// A number of 16 bytes at most, as an element of its dtype.
using NumberBytes = std::array<std::byte, 16>;

// Random numbers: each is a function of its place, which expressions compute where they need it. Whoever
// wants them all in memory has a faster way.
struct RandomSource {
  codegen::RandomForm form;
  std::vector<NumberBytes> numbers;  // what the form's function takes, in its order
  std::function<void(const Queue&, const Array&)> fill;
  std::function<std::string(const Queue&)> fill_text;  // of the kernel that does it
};

// Of this thread: how many Eager there are.
inline constinit thread_local int eager_depth = 0;
// Of this thread: where what it writes is written.
inline constinit thread_local Origin current_origin = 0;
inline std::atomic<OriginText> origin_text{nullptr};

class Node final : public detail::ArrayValue, public std::enable_shared_from_this<Node> {
 public:
  enum class Kind : std::uint8_t {
    apply,   // an operation of the op table
    where,   // condition, one, other
    cast,    // of its input to its own dtype
    number,  // the same everywhere
    index,   // which element it is, in C order
    random,  // a random number, by which element it is
    view,    // of its input
  };

  // A node becomes part of the graph when schedule() is called, once it is complete.
  Node(Kind kind, const codegen::Op* op, const Queue& queue, DType dtype, Shape shape, Inputs inputs);
  Node(const Queue& queue, DType dtype, NumberBytes number, Shape shape);
  Node(const Queue& queue, const ValuePtr& base, Shape shape, ViewTransform change);
  Node(const Queue& queue, Shape shape, std::shared_ptr<const RandomSource> source);
  ~Node() override;

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] bool is_in_graph() const noexcept { return is_in_graph_; }
  [[nodiscard]] const codegen::Op* op() const noexcept { return op_; }
  [[nodiscard]] const Queue& queue() const noexcept { return queue_; }
  [[nodiscard]] Place place() const override;
  [[nodiscard]] const NumberBytes& number() const noexcept { return number_; }
  // Of random numbers.
  [[nodiscard]] const std::shared_ptr<const RandomSource>& random_source() const noexcept {
    return random_source_;
  }
  // Of a view.
  [[nodiscard]] const ViewTransform& transform() const noexcept { return transform_; }
  // Where it was written; 0 where that is not known.
  [[nodiscard]] Origin origin() const noexcept { return origin_; }
  // The nodes of its expression, where those that are used twice count twice.
  [[nodiscard]] std::size_t weight() const noexcept { return weight_; }
  // Whether its expression counts elements, so that it holds for its own shape only.
  [[nodiscard]] bool has_index() const noexcept { return has_index_; }
  // Whether inputs must be in memory before it is part of the graph: they count elements of another shape, or
  // the expression is too heavy.
  [[nodiscard]] bool needs_inputs() const noexcept { return has_misfit_ || weight_ > kMostWeight; }
  // Puts these inputs there.
  void prepare();
  // With Graph::mutex held: another thread takes them away when the node is in memory.
  [[nodiscard]] std::span<const ValuePtr> inputs() const noexcept { return inputs_; }

 private:
  friend class Graph;
  // Nodes of an expression that is not evaluated by itself: kernels stay small enough to be compiled quickly,
  // and to take their arguments.
  static constexpr std::size_t kMostWeight = 40;
  // Lighter expressions take no longer to compute again than to read from memory.
  static constexpr std::size_t kWorthStoring = 6;
  // A generator is as much text as so many operations.
  static constexpr std::size_t kRandomWeight = 6;
  void evaluate() override;

  Kind kind_;
  bool is_busy_ = false;  // somebody is enqueuing it
  bool is_in_graph_ = false;
  bool has_index_ = false;   // it counts the elements of its own shape
  bool has_misfit_ = false;  // an input counts those of another shape
  Origin origin_ = current_origin;
  std::uint32_t computed_in_ = 0;  // the kernel that computed it last as a part of something else
  const codegen::Op* op_ = nullptr;
  Queue queue_;
  NumberBytes number_{};
  ViewTransform transform_;
  std::shared_ptr<const RandomSource> random_source_;
  std::size_t weight_ = 1;
  Inputs inputs_;
  Node *older_ = nullptr, *newer_ = nullptr;  // in the graph
};

// The node that a value is, unless it is in memory.
[[nodiscard]] inline Node* pending_node(const detail::ArrayValue& value) {
  return value.in_memory() ? nullptr
                           : const_cast<Node*>(static_cast<const Node*>(&value));  // no other class is lazy
}

// All nodes that are not in memory, by age.
class Graph final : public detail::PendingWork {
 public:
  static Graph& instance();

  // False where it must be evaluated at once: it reads what others use, or the thread is eager.
  [[nodiscard]] bool add(Node& node);
  // Whether it reads what others use.
  [[nodiscard]] bool reads_shared(const Node& node);
  // Enqueues these, each group of one shape and queue as one kernel.
  void evaluate(std::span<const std::shared_ptr<Node>> nodes);

  // Takes an expression that nobody has but the caller, by so many handles, out of the graph, with all of it
  // that nobody else has: what it reads may be written then. Nothing where others have it, too.
  using Withdrawn = InlineVector<Node*, 8>;
  Withdrawn withdraw(const ValuePtr& value, long handles);
  void restore(const Withdrawn& nodes);
  // Makes a node that was withdrawn a copy of an array in memory which has its elements now. Whether it must
  // be evaluated at once.
  [[nodiscard]] bool become_copy(Node& node, const ValuePtr& source);

  // Whether a kernel has computed it before, as a part of something else, so that it is worth storing now.
  [[nodiscard]] bool is_repeated(Node& node);

  void before_write(detail::UseRecord& memory) override;
  void before_finish(const detail::QueueState& queue) override;
  void after_finish(const detail::QueueState& queue, std::uint64_t ticket) override;

  std::mutex mutex;

 private:
  friend class Node;
  void evaluate_group(std::span<const std::shared_ptr<Node>> nodes);
  // Where the calling thread can compute it; see at_once.hpp.
  bool evaluate_at_once(Node& node);
  // Adds the parts of a node that are computed with it and were computed before: somebody has them, and might
  // want them again, so this time they are stored along.
  using Roots = InlineVector<std::shared_ptr<Node>, 2>;
  void add_repeated(const Node& node, Roots& roots);  // with the mutex held
  // As several kernels, since one would have more arguments than the device takes; false where that is not
  // to be had.
  bool evaluate_parts(std::span<const std::shared_ptr<Node>> nodes);
  // Makes a view part of the memory of what it is a view of. False where that is still an expression which
  // nobody else has, and of which it shows a part: then only that is computed.
  bool materialise_view(Node& node);
  void insert(Node& node) noexcept;  // with the mutex held
  void withdraw(const ValuePtr& value, long handles, Withdrawn& taken);
  void remove(Node& node) noexcept;  // with the mutex held
  // Notes what the node reads, itself or through nodes that are in no graph; true where some of it is shared.
  bool note_reads(const Node& node);  // with the mutex held

  Node* newest_ = nullptr;
  std::uint32_t kernels_ = 0;        // counts, for Node::computed_in_
  std::condition_variable changed_;  // a node that was busy no longer is
};

// Results of one kernel: more would not gain, and might be more arguments than a device takes.
inline constexpr std::ptrdiff_t kMostOutputs = 16;

// f(nodes) for those that become one kernel: of one shape and queue.
template <class F>
void for_each_kernel(std::span<const std::shared_ptr<Node>> nodes, F&& f) {
  std::vector<std::shared_ptr<Node>> rest(nodes.begin(), nodes.end());
  while (!rest.empty()) {
    const auto first = rest.front();
    const auto next = std::stable_partition(rest.begin(), rest.end(), [&](const std::shared_ptr<Node>& node) {
      // Random numbers that go to memory are best made by themselves.
      if (first->kind() == Node::Kind::random || node->kind() == Node::Kind::random) return node == first;
      return node->shape() == first->shape() && node->queue() == first->queue();
    });
    for (auto from = rest.begin(); from != next;) {
      const auto to = from + std::min<std::ptrdiff_t>(kMostOutputs, next - from);
      f(std::span<const std::shared_ptr<Node>>(from, to));
      from = to;
    }
    rest.erase(rest.begin(), next);
  }
}

// Puts random numbers of an expression into memory that are cheaper read from there than computed where they
// are needed. On CPUs a kernel has no use for a block of the generator but one number,
// and makes them several times as slowly as the kernel that fills memory; only the host's loops, which run
// little work, take blocks whole.
void place_randoms(const ValuePtr& value, bool itself);

// What expressions that are not enqueued read is noted at the memory, so that writers know.
void note_lazy_read(const detail::ArrayValue& value);
[[nodiscard]] bool is_shared(const detail::ArrayValue& value);
// Others see host memory without telling: they must find there what was written, and may change what was
// read.
void wait_for_shared(const detail::ArrayValue& value, const Queue& queue);

}  // namespace quern::array
