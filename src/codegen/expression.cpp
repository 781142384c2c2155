// SPDX-License-Identifier: MIT
// Expressions over elements: their types, and the C of an elementwise kernel.
#include "codegen/expression.hpp"

#include <algorithm>
#include <cctype>

#include "codegen/ops.hpp"
#include "codegen/type_text.hpp"
#include "quern/error.hpp"

namespace quern::codegen {
namespace {

DType part_of(const DType& dtype) {
  if (dtype.scalar == Scalar::complex64) return DType::of(Scalar::float32);
  if (dtype.scalar == Scalar::complex128) return DType::of(Scalar::float64);
  return dtype;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size())
    text.replace(at, what.size(), by);
}

// @name becomes quern_name_TYPE, and the names are collected.
std::string with_helpers(std::string text, const std::string& type, std::vector<std::string>* names) {
  for (std::size_t at = 0; (at = text.find('@', at)) != text.npos;) {
    std::size_t end = at + 1;
    while (end < text.size() &&
           (std::islower(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
      ++end;
    const std::string name = text.substr(at + 1, end - at - 1);
    if (names != nullptr) names->push_back(name);
    text.replace(at, end - at, "quern_" + name + "_" + type);
  }
  return text;
}

// A value of one type as another: complex numbers lose their imaginary part, anything but zero is true.
std::string converted(const std::string& value, const DType& from, const DType& to) {
  if (from == to) return value;
  const Kinds of_from = kind_of(from), of_to = kind_of(to);
  const std::string type = type_name(to);
  if (of_to == Kinds::boolean) {
    return of_from == Kinds::complex ? "(uchar)(" + value + ".x != 0 || " + value + ".y != 0)"
                                     : "(uchar)(" + value + " != 0)";
  }
  if (of_to == Kinds::complex) {
    const std::string part = type_name(part_of(to));
    return of_from == Kinds::complex ? "convert_" + type + "(" + value + ")"
                                     : "(" + type + ")((" + part + ")" + value + ", 0)";
  }
  return "(" + type + ")" + value + (of_from == Kinds::complex ? ".x" : "");
}

}  // namespace

Expression::Ref Expression::add(Node node) {
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const Node& other = nodes_[n];
    if (node.kind != Kind::operand && node.kind != Kind::scalar && other.kind == node.kind &&
        other.op == node.op && other.dtype == node.dtype && other.inputs == node.inputs)
      return static_cast<Ref>(n);
  }
  nodes_.push_back(std::move(node));
  return static_cast<Ref>(nodes_.size() - 1);
}

Expression::Ref Expression::operand(const DType& dtype) {
  (void)kind_of(dtype);
  const Ref result = add({Kind::operand, dtype, nullptr, {}, arguments_.size()});
  arguments_.push_back(result);
  return result;
}

Expression::Ref Expression::scalar(const DType& dtype) {
  (void)kind_of(dtype);
  const Ref result = add({Kind::scalar, dtype, nullptr, {}, arguments_.size()});
  arguments_.push_back(result);
  return result;
}

Expression::Ref Expression::index() {
  return add({Kind::index, DType::of(Scalar::int64), nullptr, {}, 0});
}

Expression::Ref Expression::cast(Ref value, const DType& dtype) {
  (void)kind_of(dtype);
  if (nodes_[value].dtype == dtype) return value;
  return add({Kind::cast, dtype, nullptr, {value}, 0});
}

Expression::Ref Expression::apply(std::string_view name, std::span<const Ref> arguments) {
  const Op* const op = find_op(name);
  if (op == nullptr)
    throw ArgumentError(ArgumentError::Kind::value, "no operation is called " + std::string(name));
  if (arguments.size() != op->arity) {
    throw ArgumentError(ArgumentError::Kind::value, std::string(name) + " takes " +
                                                        std::to_string(op->arity) + " operands, got " +
                                                        std::to_string(arguments.size()));
  }
  DType common = nodes_[arguments[0]].dtype;
  for (const Ref argument : arguments.subspan(1)) common = promoted(common, nodes_[argument].dtype);
  const bool is_whole = kind_of(common) == Kinds::boolean || kind_of(common) == Kinds::integer;
  if (op->promotes && is_whole) common = default_float_;
  if (!includes(op->kinds, kind_of(common))) {
    throw ArgumentError(ArgumentError::Kind::type,
                        std::string(name) + " is not defined for " + common.name());
  }
  Node node{Kind::apply, result_of(*op, common), op, {}, 0};
  for (const Ref argument : arguments) node.inputs.push_back(cast(argument, common));
  return add(std::move(node));
}

Expression::Ref Expression::where(Ref condition, Ref yes, Ref no) {
  const DType common = promoted(nodes_[yes].dtype, nodes_[no].dtype);
  return add({Kind::where,
              common,
              nullptr,
              {cast(condition, DType::of(Scalar::boolean)), cast(yes, common), cast(no, common)},
              0});
}

void Expression::output(Ref value) {
  outputs_.push_back(value);
}

std::string Expression::name_of(Ref value) const {
  switch (nodes_[value].kind) {
    case Kind::operand:
    case Kind::scalar:
      return "quern_x" + std::to_string(nodes_[value].argument);
    case Kind::index:
      return "(long)i";
    default:
      return "quern_t" + std::to_string(value);
  }
}

std::string Expression::text_of(const Node& node, std::vector<std::string>& helpers) const {
  if (node.kind == Kind::cast)
    return converted(name_of(node.inputs[0]), nodes_[node.inputs[0]].dtype, node.dtype);
  if (node.kind == Kind::where)
    return name_of(node.inputs[0]) + " ? " + name_of(node.inputs[1]) + " : " + name_of(node.inputs[2]);
  const DType& type = nodes_[node.inputs[0]].dtype;
  const Kinds kind = kind_of(type);
  const bool is_whole = kind == Kinds::boolean || kind == Kinds::integer;
  std::string text(is_whole && !node.op->integer_text.empty()                 ? node.op->integer_text
                   : kind == Kinds::complex && !node.op->complex_text.empty() ? node.op->complex_text
                                                                              : node.op->text);
  const std::string name = type_name(type);
  std::vector<std::string> names;
  text = with_helpers(std::move(text), name, &names);
  for (const std::string& helper : names) {
    std::string definition(helper_text(helper));
    definition = with_helpers(std::move(definition), name, nullptr);
    replace_all(definition, "$T", name);
    replace_all(definition, "$R", type_name(part_of(type)));
    if (std::find(helpers.begin(), helpers.end(), definition) == helpers.end()) helpers.push_back(definition);
  }
  replace_all(text, "$T", name);
  for (std::size_t k = 0; k < node.inputs.size(); ++k)
    replace_all(text, "$" + std::to_string(k), name_of(node.inputs[k]));
  // True is one.
  if (node.dtype.scalar == Scalar::boolean) return "(uchar)((" + text + ") != 0)";
  return text;
}

std::string Expression::key() const {
  std::string key = default_float_.name();
  for (const Node& node : nodes_) {
    key += ";" + std::to_string(static_cast<int>(node.kind)) + node.dtype.name();
    if (node.op != nullptr) key += node.op->name;
    for (const Ref input : node.inputs) key += "," + std::to_string(input);
  }
  for (const Ref value : outputs_) key += ">" + std::to_string(value);
  return key;
}

std::string Expression::statements(std::vector<std::string>& helpers) const {
  std::string text;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    if (node.kind == Kind::operand || node.kind == Kind::scalar || node.kind == Kind::index) continue;
    text += "const " + type_name(node.dtype) + " " + name_of(static_cast<Ref>(n)) + " = " +
            text_of(node, helpers) + ";\n";
  }
  return text;
}

std::vector<std::string> Expression::helpers() const {
  std::vector<std::string> result;
  (void)statements(result);
  return result;
}

Expression::Value Expression::value(Ref ref) const {
  const Node& node = nodes_[ref];
  return {node.kind, node.dtype, node.op, node.inputs, node.argument};
}

std::string Expression::function(const std::string& name, bool brings_helpers) const {
  std::vector<std::string> helpers;
  const std::string body = statements(helpers);
  std::string text;
  if (brings_helpers)
    for (const std::string& helper : helpers) text += helper;
  text += "inline " + type_name(nodes_[outputs_.front()].dtype) + " " + name + "(";
  for (const Ref value : arguments_) {
    text += (value == arguments_.front() ? "" : ", ") + type_name(nodes_[value].dtype) + " " + name_of(value);
  }
  return text + ") {\n" + body + "return " + name_of(outputs_.front()) + ";\n}\n";
}

ElementwiseSource Expression::elementwise(const std::string& name) const {
  std::vector<Argument> arguments;
  const auto add = [&](const std::string& called, const DType& dtype, bool is_pointer, bool is_const) {
    arguments.push_back(declare(called, dtype, type_name(dtype), is_pointer, is_const));
  };
  for (const Ref value : arguments_)
    add(name_of(value), nodes_[value].dtype, nodes_[value].kind == Kind::operand, true);
  for (std::size_t k = 0; k < outputs_.size(); ++k)
    add("quern_y" + std::to_string(k), nodes_[outputs_[k]].dtype, true, false);

  std::vector<std::string> helpers;
  std::string statements = this->statements(helpers);
  for (std::size_t k = 0; k < outputs_.size(); ++k)
    statements += "quern_y" + std::to_string(k) + " = " + name_of(outputs_[k]) + ";\n";

  std::string preamble;
  for (const std::string& helper : helpers) preamble += helper;
  ElementwiseSource source{name, preamble, {}, {statements, Snippet::Form::named, "expression"}};
  source.reads_first = true;
  source.operands = operands_of(arguments, {&source.operation}, Preamble(), Snippet::Form::named);
  return source;
}

}  // namespace quern::codegen
