// SPDX-License-Identifier: MIT
// Nodes of lazy expressions: what computes the elements of an array that are not in memory yet.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "array/layout.hpp"
#include "codegen/random_form.hpp"
#include "quern/array.hpp"
#include "quern/explain.hpp"

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

  // All below with Graph::mutex held.

  // Another thread takes them away when the node is in memory.
  [[nodiscard]] std::span<const ValuePtr> inputs() const noexcept { return inputs_; }
  // Whether a thread enqueues it.
  [[nodiscard]] bool is_busy() const noexcept { return is_busy_; }
  void set_busy(bool is_busy) noexcept { is_busy_ = is_busy; }
  // Its elements are in memory now. Returns the inputs, which the caller drops without the lock: they may be
  // the last handles of other nodes.
  [[nodiscard]] Inputs finish(Memory memory);
  // Makes it a copy of an array in memory that has its elements. Returns the inputs, as finish() does.
  [[nodiscard]] Inputs become_copy(const ValuePtr& source);
  // Records the number of a kernel that computes it as a part of something else, and returns the last one.
  std::uint32_t computed_in(std::uint32_t kernel) noexcept { return std::exchange(computed_in_, kernel); }

  // Lighter expressions take no longer to compute again than to read from memory.
  static constexpr std::size_t kWorthStoring = 6;

 private:
  friend class Graph;  // which links the nodes
  // Nodes of an expression that is not evaluated by itself: kernels stay small enough to be compiled quickly,
  // and to take their arguments.
  static constexpr std::size_t kMostWeight = 40;
  // A generator is as much text as so many operations.
  static constexpr std::size_t kRandomWeight = 6;
  void evaluate() override;

  Kind kind_;
  bool is_busy_ = false;
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

// Whether anything holds the value besides the handles that the caller knows of: the caller's own and those
// that the caller was told of. Only a count can tell, since Python does not say who else has an object.
[[nodiscard]] inline bool is_held_elsewhere(const ValuePtr& value, long known_handles) {
  return value.use_count() > known_handles;
}

}  // namespace quern::array
