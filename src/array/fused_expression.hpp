// SPDX-License-Identifier: MIT
// The expression that one kernel computes, with the arrays and numbers that it reads.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "array/node.hpp"
#include "codegen/expression.hpp"
#include "quern/explain.hpp"

namespace quern::array {

// Built from pending nodes while the caller holds Graph::mutex. It keeps the memory that it reads alive.
class FusedExpression {
 public:
  // The kernel has the elements of `given`, which is pending, before it computes the expression.
  explicit FusedExpression(const DType& default_float, const Node* given = nullptr)
      : expression_(default_float), given_(given) {}

  void add_output(const ValuePtr& value) { expression_.output(add(value, 0)); }
  void add_output(const Node& node) { expression_.output(add_node(node, 0)); }

  [[nodiscard]] const codegen::Expression& expression() const noexcept { return expression_; }
  // The arrays that the kernel reads, in the layout in which it takes them.
  [[nodiscard]] std::span<const Array> leaves() const noexcept { return {leaves_.begin(), leaves_.size()}; }
  [[nodiscard]] std::size_t number_count() const noexcept { return numbers_.size(); }
  // Appends the arrays and numbers in the order of the expression's arguments.
  template <class List>
  void add_arguments(List& arguments) const {
    std::size_t leaf = 0, number = 0;
    for (const codegen::Expression::Ref argument : expression_.arguments()) {
      const codegen::Expression::Value value = expression_.value(argument);
      if (value.kind == codegen::Expression::Value::Kind::operand) {
        arguments.emplace_back(leaves_[leaf++]);
      } else {
        arguments.emplace_back(std::span(numbers_[number++].data(), value.dtype.itemsize));
      }
    }
  }
  // Calls f(position, dtype, is_array) for each argument, in the same order.
  template <class F>
  void for_each_argument(F&& f) const {
    std::size_t k = 0;
    for (const codegen::Expression::Ref argument : expression_.arguments()) {
      const codegen::Expression::Value value = expression_.value(argument);
      f(k++, value.dtype, value.kind == codegen::Expression::Value::Kind::operand);
    }
  }
  // Calls array(leaf), number(bytes, dtype) or given() for each argument, in the same order.
  template <class OfArray, class OfNumber, class OfGiven>
  void visit_arguments(OfArray&& array, OfNumber&& number, OfGiven&& given) const {
    std::size_t leaf = 0, scalar = 0;
    for (const codegen::Expression::Ref argument : expression_.arguments()) {
      const codegen::Expression::Value value = expression_.value(argument);
      if (value.kind != codegen::Expression::Value::Kind::operand) {
        number(numbers_[scalar++], value.dtype);
      } else if (has_given() && argument == given_ref_) {
        given();
      } else {
        array(leaves_[leaf++]);
      }
    }
  }
  // Whether the expression reads the given node, and the number of that argument.
  [[nodiscard]] bool has_given() const noexcept { return reads_given_; }
  [[nodiscard]] std::size_t given_argument() const { return expression_.value(given_ref_).argument; }
  // Returns whether some outputs are computed from this array and others are not.
  [[nodiscard]] bool divides_outputs(std::size_t leaf) const;
  // The operations in the order of their computation, such as "multiply(float32)", with the source line if it
  // is known.
  [[nodiscard]] std::vector<std::string> operations() const;
  // The arrays, numbers and operations, for drawings.
  [[nodiscard]] std::vector<PlanValue> values() const;
  // The names of the first operations, for profiles.
  [[nodiscard]] std::string label() const;

 private:
  using Ref = codegen::Expression::Ref;
  struct Seen {
    const detail::ArrayValue* value;
    std::uint32_t through;
    Ref ref;
  };
  // A view, and the number of the view that it is seen through in turn. 0 means none.
  struct View {
    const Node* node;
    std::uint32_t outer;
  };
  struct Operation {
    Node::Kind kind;
    const codegen::Op* op;  // null unless it applies one
    Ref ref;
    Origin origin;
  };
  [[nodiscard]] std::string name_of(const Operation& operation) const;
  Ref add(const ValuePtr& value, std::uint32_t through);
  Ref add_node(const Node& node, std::uint32_t through);
  std::uint32_t view_number(const Node* node, std::uint32_t outer);
  [[nodiscard]] Array leaf(const ValuePtr& value, std::uint32_t through) const;

  codegen::Expression expression_;
  const Node* given_;
  bool reads_given_ = false;
  Ref given_ref_ = 0;
  InlineVector<Seen, 8> seen_;
  InlineVector<View, 2> views_;
  InlineVector<Array, 8> leaves_;
  InlineVector<NumberBytes, 8> numbers_;
  InlineVector<Operation, 8> operations_;
};

// Returns the elements in the type in which kernels take them.
[[nodiscard]] Array stored(const Array& array);

}  // namespace quern::array
