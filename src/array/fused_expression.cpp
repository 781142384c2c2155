// SPDX-License-Identifier: MIT
// Builds the expression of one kernel from nodes.
#include "array/fused_expression.hpp"

#include <algorithm>
#include <stdexcept>

#include "codegen/ops.hpp"

namespace quern::array {

Array stored(const Array& array) {
  const DType dtype = codegen::storage_of(array.dtype());
  if (dtype == array.dtype()) return array;
  return Array(array.buffer(), dtype, array.shape(), array.strides(), array.offset());
}

FusedExpression::Ref FusedExpression::add(const ValuePtr& value, std::uint32_t through) {
  for (const Seen& seen : seen_)
    if (seen.value == value.get() && seen.through == through) return seen.ref;
  Ref ref = 0;
  if (given_ != nullptr && value.get() == given_) {
    ref = given_ref_ = expression_.operand(value->dtype());
    reads_given_ = true;
  } else if (const Node* const node = pending_node(*value)) {
    ref = add_node(*node, through);
  } else {
    ref = expression_.operand(value->dtype());
    leaves_.push_back(stored(leaf(value, through)));
  }
  seen_.push_back({value.get(), through, ref});
  return ref;
}

FusedExpression::Ref FusedExpression::add_node(const Node& node, std::uint32_t through) {
  // The kernel computes only the elements of the base that the view shows. The view itself needs no
  // operation.
  if (node.kind() == Node::Kind::view) return add(node.inputs()[0], view_number(&node, through));
  if (node.kind() == Node::Kind::number) {
    numbers_.push_back(node.number());
    return expression_.scalar(node.dtype());
  }
  InlineVector<Ref, 3> inputs;
  for (const ValuePtr& input : node.inputs()) inputs.push_back(add(input, through));
  Ref ref = 0;
  switch (node.kind()) {
    case Node::Kind::index:
      ref = expression_.cast(expression_.index(), node.dtype());
      break;
    case Node::Kind::random:
      numbers_.insert(numbers_.end(), node.random_source()->numbers.begin(),
                      node.random_source()->numbers.end());
      ref = expression_.random(node.random_source()->form);
      break;
    case Node::Kind::product:
    case Node::Kind::sparse_product:
    case Node::Kind::fft:
      throw std::logic_error("a product or a transform must be in memory before a kernel reads it");
    case Node::Kind::cast:
      ref = expression_.cast(inputs[0], node.dtype());
      break;
    case Node::Kind::where:
      ref = expression_.where(inputs[0], inputs[1], inputs[2]);
      break;
    default:
      ref = expression_.apply(*node.op(), {inputs.begin(), inputs.size()});
  }
  operations_.push_back({node.kind(), node.op(), ref, node.origin()});
  return ref;
}

std::uint32_t FusedExpression::view_number(const Node* node, std::uint32_t outer) {
  for (std::size_t k = 0; k < views_.size(); ++k)
    if (views_[k].node == node && views_[k].outer == outer) return static_cast<std::uint32_t>(k + 1);
  views_.push_back({node, outer});
  return static_cast<std::uint32_t>(views_.size());
}

Array FusedExpression::leaf(const ValuePtr& value, std::uint32_t through) const {
  if (through == 0) return Array(value);
  const ArrayMemory& memory = value->memory();
  Layout layout = layout_of(memory, value->shape());
  for (; through != 0; through = views_[through - 1].outer) {
    const Node& view = *views_[through - 1].node;
    layout = view.transform()(broadcast_layout(layout, view.inputs()[0]->shape()));
  }
  return array_of(memory.buffer, value->dtype(), std::move(layout));
}

bool FusedExpression::divides_outputs(std::size_t leaf) const {
  std::size_t k = 0;
  for (const Ref argument : expression_.arguments())
    if (expression_.value(argument).kind == codegen::Expression::Value::Kind::operand && k++ == leaf)
      return expression_.divides_outputs(argument);
  return false;
}

std::string FusedExpression::name_of(const Operation& operation) const {
  switch (operation.kind) {
    case Node::Kind::apply:
      return std::string(operation.op->name);
    case Node::Kind::cast:
      return "astype";
    case Node::Kind::where:
      return "where";
    case Node::Kind::random:
      return std::string("random.") + expression_.value(operation.ref).form->name();
    default:
      return "arange";
  }
}

std::string FusedExpression::label() const {
  constexpr std::size_t kMost = 6;
  std::string text;
  for (std::size_t k = 0; k < std::min(kMost, operations_.size()); ++k)
    text += (k == 0 ? "" : ", ") + name_of(operations_[k]);
  if (operations_.size() > kMost) text += " and " + std::to_string(operations_.size() - kMost) + " more";
  return text;
}

std::vector<std::string> FusedExpression::operations() const {
  std::vector<std::string> result;
  const OriginText where = origin_text.load();
  for (const Operation& operation : operations_) {
    std::string text = name_of(operation) + "(" + expression_.value(operation.ref).dtype.name() + ")";
    const std::string line = where != nullptr && operation.origin != 0 ? where(operation.origin) : "";
    if (!line.empty()) text += " at " + line;
    result.push_back(std::move(text));
  }
  return result;
}

}  // namespace quern::array
