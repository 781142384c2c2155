// SPDX-License-Identifier: MIT
// Expressions over elements: operations of the op table on arrays, numbers and the index. Equal
// subexpressions are one node, so they are computed once. An expression holds types and structure, never
// shapes or values.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/emit_elementwise.hpp"
#include "codegen/random_form.hpp"
#include "quern/dtype.hpp"
#include "quern/inline_vector.hpp"

namespace quern::codegen {

struct Op;

// The type of elements in memory and as kernel arguments: float16 and bfloat16 are passed as their bits,
// which every device can load, and computed in float.
DType storage_of(const DType& dtype);

class Expression {
 public:
  using Ref = std::uint32_t;  // a node

  // `default_float` is the type of integers in operations that need floating point.
  explicit Expression(DType default_float = DType::of(Scalar::float64))
      : default_float_(std::move(default_float)) {}

  Ref operand(const DType& dtype);  // the element of an array; each call is another array
  Ref scalar(const DType& dtype);   // a number that is passed by value
  Ref index();                      // the index of the element in C order: int64
  // A random number for each element, by its index; the other arguments of the form's function are numbers
  // passed by value, in its order.
  Ref random(const RandomForm& form);
  // An operation of the table, with NumPy's promotion. Throws ArgumentError for unsupported types. bfloat16
  // is converted to float32 and the result rounded, so no operation but casts and where() has it as its type.
  Ref apply(const Op& op, std::span<const Ref> arguments);
  Ref apply(std::string_view op, std::span<const Ref> arguments);
  Ref apply(std::string_view op, std::initializer_list<Ref> arguments) {
    return apply(op, std::span<const Ref>(arguments.begin(), arguments.size()));
  }
  Ref where(Ref condition, Ref yes, Ref no);
  Ref cast(Ref value, const DType& dtype);
  void output(Ref value);  // is stored to an output array

  [[nodiscard]] const DType& dtype(Ref value) const { return nodes_[value].dtype; }
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }  // nodes
  [[nodiscard]] bool has_index() const;  // whether an element depends on its index
  // Equal for expressions with the same kernel.
  using Key = InlineVector<std::uint64_t, 32>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept {
      std::uint64_t hash = key.size();
      for (const std::uint64_t word : key) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 32;
      }
      return hash;
    }
  };
  [[nodiscard]] Key key() const;

  // An elementwise kernel whose arguments are the operands and scalars in the order of their creation, then
  // the outputs.
  [[nodiscard]] ElementwiseSource elementwise(const std::string& name) const;
  // A C function of the elements and numbers, in the order of their creation, that returns the one output (a
  // float for float16 and bfloat16); with the definitions that it calls in front of it, unless the caller has
  // them. With an index, the first parameter is the index of the element.
  [[nodiscard]] std::string function(const std::string& name, bool brings_helpers = true) const;
  // The definitions that its statements call.
  [[nodiscard]] std::vector<std::string> helpers() const;

  // One value: data for a walk over all values, inputs first.
  struct Value {
    enum class Kind : std::uint8_t { operand, scalar, index, random, apply, where, cast };
    Kind kind;
    DType dtype;
    const Op* op;
    std::span<const Ref> inputs;
    std::size_t argument;  // of operands and scalars
    const RandomForm* form;
  };
  [[nodiscard]] Value value(Ref ref) const;
  [[nodiscard]] std::span<const Ref> outputs() const noexcept { return {outputs_.begin(), outputs_.size()}; }
  // The operands and scalars, in the order of their creation.
  [[nodiscard]] std::span<const Ref> arguments() const noexcept {
    return {arguments_.begin(), arguments_.size()};
  }
  // Whether some outputs are computed from this value and others are not.
  [[nodiscard]] bool divides_outputs(Ref value) const;

 private:
  using Kind = Value::Kind;
  struct Node {
    Kind kind;
    DType dtype;
    const Op* op = nullptr;
    InlineVector<Ref, 3> inputs;
    std::size_t argument = 0;  // of operands and scalars; for random numbers, the index of the form
  };
  Ref add(Node node);
  // Definitions of the called functions, each after those that it calls itself.
  using Helpers = std::vector<std::string>;
  // Declares every computed value.
  [[nodiscard]] std::string statements(Helpers& helpers) const;
  // Assigns the outputs.
  [[nodiscard]] std::string stores(Helpers& helpers) const;
  [[nodiscard]] std::string text_of(const Node& node, Helpers& helpers) const;
  [[nodiscard]] std::string name_of(Ref value) const;

  DType default_float_;
  InlineVector<Node, 8> nodes_;
  InlineVector<Ref, 8> arguments_, outputs_;
  std::vector<RandomForm> forms_;
};

}  // namespace quern::codegen
