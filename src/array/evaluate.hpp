// SPDX-License-Identifier: MIT
// Expressions become kernels: nodes of one shape are computed by one launch.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "array/node.hpp"
#include "codegen/expression.hpp"
#include "quern/explain.hpp"
#include "quern/kernel.hpp"

namespace quern::algorithms {
class ElementwiseProgram;
}

namespace quern::array {

// An expression written linear: inputs stand before what uses them. Made with the graph's lock held; keeps
// what it reads.
class LinearExpression {
 public:
  struct Step {
    Node::Kind kind;
    const codegen::Op* op;
    DType dtype;
    std::array<std::uint32_t, 3> inputs;  // places in steps, or, of what has none, one in its list
    std::uint8_t arity;
    bool is_leaf;
    Origin origin;  // where it was written
  };

  // Returns the place of its value.
  std::uint32_t add(const ValuePtr& value) { return add(value, 0); }
  void set_output(std::uint32_t place) { outputs_.push_back(place); }

  // The same for expressions that make the same kernel.
  using Key = InlineVector<std::uint64_t, 32>;
  [[nodiscard]] Key key(const DType& default_float) const;
  [[nodiscard]] codegen::Expression expression(const DType& default_float) const;
  // The leaves and numbers, in the order the kernel takes them.
  template <class List>
  void add_arguments(List& arguments) const {
    for (const Step& step : steps_) {
      if (step.is_leaf) {
        arguments.emplace_back(leaves_[step.inputs[0]]);
      } else if (step.kind == Node::Kind::number) {
        arguments.emplace_back(std::span(numbers_[step.inputs[0]].data(), step.dtype.itemsize));
      } else if (step.kind == Node::Kind::random) {
        const RandomSource& source = *randoms_[step.inputs[0]];
        const std::vector<DType> dtypes = source.form.arguments();
        for (std::size_t k = 0; k < dtypes.size(); ++k)
          arguments.emplace_back(std::span(source.numbers[k].data(), dtypes[k].itemsize));
      }
    }
  }
  [[nodiscard]] std::span<const Array> leaves() const noexcept { return {leaves_.begin(), leaves_.size()}; }
  // Whether some outputs are computed from this leaf, and others are not.
  [[nodiscard]] bool divides_outputs(std::size_t leaf) const;
  [[nodiscard]] std::size_t number_count() const noexcept {
    constexpr std::size_t kOfRandom = 7;  // codegen::RandomForm::arguments()
    return numbers_.size() + kOfRandom * randoms_.size();
  }
  // "multiply(float32)", in the order of their computation, with where each was written if that is known.
  [[nodiscard]] std::vector<std::string> operations() const;
  // f(which, dtype, whether it is a leaf), in the same order.
  template <class F>
  void for_each_argument(F&& f) const {
    std::size_t k = 0;
    for (const Step& step : steps_) {
      if (step.is_leaf || step.kind == Node::Kind::number) {
        f(k++, step.dtype, step.is_leaf);
      } else if (step.kind == Node::Kind::random) {
        for (const DType& dtype : randoms_[step.inputs[0]]->form.arguments()) f(k++, dtype, false);
      }
    }
  }

 private:
  struct Seen {
    const detail::ArrayValue* value;
    std::uint32_t through, place;
  };
  // A view, and the one that it is seen through in turn: 0 for none, otherwise its number.
  struct View {
    const Node* node;
    std::uint32_t outer;
  };
  std::uint32_t add(const ValuePtr& value, std::uint32_t through);
  std::uint32_t view_number(const Node* node, std::uint32_t outer);
  [[nodiscard]] Array leaf(const ValuePtr& value, std::uint32_t through) const;

  InlineVector<Step, 8> steps_;
  InlineVector<Seen, 8> seen_;
  InlineVector<View, 2> views_;
  InlineVector<Array, 8> leaves_;  // as the kernel takes them
  InlineVector<NumberBytes, 8> numbers_;
  InlineVector<std::shared_ptr<const RandomSource>, 2> randoms_;
  InlineVector<std::uint32_t, 4> outputs_;
};

// Nodes of one shape and queue on their way into memory.
class Evaluation {
 public:
  explicit Evaluation(std::span<const std::shared_ptr<Node>> nodes);  // with the graph's lock held
  // Whether the device takes as many bytes of arguments.
  [[nodiscard]] bool fits() const;
  // Whether results hang on deferred_errors that others of them do not.
  [[nodiscard]] bool mixes_deferred_errors() const;
  // Allocates and launches; in the order of the nodes.
  using Results = InlineVector<detail::ArrayValue::Memory, 2>;
  Results run();  // whose errors say what was to be computed
  // What run() would launch.
  [[nodiscard]] KernelPlan plan() const;

 private:
  LinearExpression linear_;
  Queue queue_;
  Shape shape_;
  InlineVector<DType, 2> dtypes_;
  std::shared_ptr<const RandomSource> random_;  // where that is all there is
};

// Computes a value into an array, whose memory it must not read at other places than it writes.
Event evaluate_into(const Array& target, const ValuePtr& value, const Queue& queue);

}  // namespace quern::array
