// SPDX-License-Identifier: MIT
// Expressions over elements: their types, and the C of an elementwise kernel.
#include "codegen/expression.hpp"

#include <algorithm>

#include "base/dtype_kinds.hpp"
#include "codegen/bfloat16.hpp"
#include "codegen/helpers.hpp"
#include "codegen/ops.hpp"
#include "codegen/type_text.hpp"
#include "quern/error.hpp"

namespace quern::codegen {
namespace {

using detail::is_short_float;

// The type in which elements are computed.
DType computed(const DType& dtype) {
  return detail::widened(dtype);
}

frontend::HelperType helper_type(const DType& type) {
  return {type_name(type), type_name(part_of(type))};
}

std::string with_types(std::string text, const DType& type) {
  return frontend::with_types(std::move(text), helper_type(type));
}

// Replaces @name by quern_name_TYPE and adds its definition to the helpers.
std::string with_helpers(std::string text, const DType& type, std::vector<std::string>& helpers) {
  const bool is_complex = kind_of(type) == Kinds::complex;
  return frontend::with_helpers(
      std::move(text), helper_type(type),
      [&](std::string_view name) { return helper_text(name, is_complex); }, helpers);
}

// The helpers that convert an element of a short type from its bits, and a value of an expression, which is
// rounded already, to them.
const char* loader_of(const DType& dtype) {
  return dtype.scalar == Scalar::bfloat16 ? "@from_bfloat16" : "@from_half";
}
const char* storer_of(const DType& dtype) {
  return dtype.scalar == Scalar::bfloat16 ? "@bfloat16_bits" : "@to_half";
}

// `helper` starts with @.
std::string call(const char* helper, const DType& type, const std::string& value,
                 std::vector<std::string>& helpers) {
  return with_helpers(helper, type, helpers) + "(" + value + ")";
}

// A floating-point number as an integer.
std::string truncated(const std::string& value, const DType& from, const DType& to,
                      std::vector<std::string>& helpers) {
  const char* const helper = to.scalar == Scalar::uint64                                 ? "@to_ulong"
                             : to.scalar == Scalar::int64 || to.scalar == Scalar::uint32 ? "@to_long"
                                                                                         : "@to_int";
  return "(" + type_name(to) + ")" + call(helper, from, value, helpers);
}

// Conversion between types: complex numbers lose their imaginary part, anything but zero is true.
std::string converted(const std::string& value, const DType& from, const DType& to,
                      std::vector<std::string>& helpers) {
  if (from == to) return value;
  const Kinds of_from = kind_of(from), of_to = kind_of(to);
  const std::string type = type_name(computed(to));
  if (of_to == Kinds::boolean) {
    return of_from == Kinds::complex ? "(uchar)(" + value + ".x != 0 || " + value + ".y != 0)"
                                     : "(uchar)(" + value + " != 0)";
  }
  if (of_to == Kinds::complex) {
    const std::string part = type_name(part_of(to));
    return of_from == Kinds::complex ? "convert_" + type + "(" + value + ")"
                                     : "(" + type + ")((" + part + ")" + value + ", 0)";
  }
  if (of_from == Kinds::complex) return converted(value + ".x", part_of(from), to, helpers);
  if (of_to == Kinds::integer && of_from == Kinds::floating)
    return truncated(value, computed(from), to, helpers);
  if (to.scalar == Scalar::bfloat16) return call("@rounded_to_bfloat16", from, value, helpers);
  if (to.scalar != Scalar::float16) return "(" + type + ")" + value;
  return from.scalar == Scalar::float64 ? call("@rounded", from, value, helpers)
                                        : call("@rounded", computed(to), "(float)" + value, helpers);
}

}  // namespace

DType storage_of(const DType& dtype) {
  return is_short_float(dtype) ? DType::of(Scalar::uint16) : dtype;
}

const Op& op_on_singles(const Op& op) {
  const Op* const own = find_op("bfloat16_" + std::string(op.name));
  return own != nullptr ? *own : op;
}

ShortFloatFunctions::ShortFloatFunctions(const DType& dtype) {
  std::vector<std::string> helpers;
  load = with_helpers(loader_of(dtype), computed(dtype), helpers);
  store =
      with_helpers(dtype.scalar == Scalar::bfloat16 ? "@to_bfloat16" : "@to_half", computed(dtype), helpers);
  for (const std::string& helper : helpers) definitions += helper;
}

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

Expression::Ref Expression::random(const RandomForm& form) {
  Node node{Kind::random, form.dtype, nullptr, {index()}, forms_.size()};
  for (const DType& dtype : form.arguments()) node.inputs.push_back(scalar(dtype));
  forms_.push_back(form);
  return add(std::move(node));
}

Expression::Ref Expression::cast(Ref value, const DType& dtype) {
  (void)kind_of(dtype);
  const DType from = nodes_[value].dtype, single = DType::of(Scalar::float32);
  if (from == dtype) return value;
  // bfloat16 is converted from and to float32 only.
  if ((from.scalar == Scalar::bfloat16 || dtype.scalar == Scalar::bfloat16) && from != single &&
      dtype != single)
    value = cast(value, single);
  return add({Kind::cast, dtype, nullptr, {value}, 0});
}

Expression::Ref Expression::apply(std::string_view name, std::span<const Ref> arguments) {
  const Op* const op = find_op(name);
  if (op == nullptr)
    throw ArgumentError(ArgumentError::Kind::value, "unknown operation " + std::string(name));
  return apply(*op, arguments);
}

Expression::Ref Expression::apply(const Op& op, std::span<const Ref> arguments) {
  if (arguments.size() != op.arity) {
    throw ArgumentError(ArgumentError::Kind::value, std::string(op.name) + " takes " +
                                                        std::to_string(op.arity) + " operands, got " +
                                                        std::to_string(arguments.size()));
  }
  const auto is_integer = [&](std::size_t k) { return static_cast<int>(k) == op.integer_operand; };
  DType common = nodes_[arguments[is_integer(0) ? 1 : 0]].dtype;
  for (std::size_t k = 0; k < arguments.size(); ++k)
    if (!is_integer(k)) common = promoted(common, nodes_[arguments[k]].dtype);
  common = computed_type(op, common, default_float_);
  if (!includes(op.kinds, kind_of(common))) {
    throw ArgumentError(ArgumentError::Kind::type,
                        std::string(op.name) + " is not defined for " + common.name());
  }
  if (common.scalar == Scalar::bfloat16) {
    const DType single = DType::of(Scalar::float32);
    InlineVector<Ref, 3> inputs;
    for (std::size_t k = 0; k < arguments.size(); ++k)
      inputs.push_back(is_integer(k) ? arguments[k] : cast(cast(arguments[k], common), single));
    const Ref result = apply(op_on_singles(op), {inputs.begin(), inputs.size()});
    return nodes_[result].dtype == single ? cast(result, common) : result;
  }
  Node node{Kind::apply, result_of(op, common), &op, {}, 0};
  for (std::size_t k = 0; k < arguments.size(); ++k)
    node.inputs.push_back(cast(arguments[k], is_integer(k) ? DType::of(Scalar::int64) : common));
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
      return (is_short_float(nodes_[value].dtype) ? "quern_h" : "quern_x") +
             std::to_string(nodes_[value].argument);
    case Kind::index:
      return "(long)i";
    default:
      return "quern_t" + std::to_string(value);
  }
}

std::string Expression::text_of(const Node& node, Helpers& helpers) const {
  if (node.kind == Kind::random) {
    const RandomForm& form = forms_[node.argument];
    for (const std::string& needed : {std::string("#include <quern/random.cl>\n"),
                                      std::string("#include <quern/random_values.cl>\n"), form.definition()})
      if (std::find(helpers.begin(), helpers.end(), needed) == helpers.end()) helpers.push_back(needed);
    std::string text = form.function_name() + "(";
    for (const Ref input : node.inputs) text += (input == node.inputs.front() ? "" : ", ") + name_of(input);
    return text + ")";
  }
  if (node.kind == Kind::cast)
    return converted(name_of(node.inputs[0]), nodes_[node.inputs[0]].dtype, node.dtype, helpers);
  if (node.kind == Kind::where)
    return name_of(node.inputs[0]) + " ? " + name_of(node.inputs[1]) + " : " + name_of(node.inputs[2]);
  const Op& op = *node.op;
  const DType& type = nodes_[node.inputs[op.integer_operand == 0 ? 1 : 0]].dtype;
  const Kinds kind = kind_of(type);
  const bool is_whole = kind == Kinds::boolean || kind == Kinds::integer;
  const bool is_half = type.scalar == Scalar::float16 && !op.half_text.empty();
  std::string text(is_whole && !op.integer_text.empty()                 ? op.integer_text
                   : kind == Kinds::complex && !op.complex_text.empty() ? op.complex_text
                   : is_half                                            ? op.half_text
                                                                        : op.text);
  text = with_helpers(with_types(std::move(text), computed(type)), computed(type), helpers);
  for (std::size_t k = 0; k < node.inputs.size(); ++k)
    frontend::replace_all(text, "$" + std::to_string(k), name_of(node.inputs[k]));
  // True is one.
  if (node.dtype.scalar == Scalar::boolean) return "(uchar)((" + text + ") != 0)";
  if (node.dtype.scalar == Scalar::float16 && !is_half)
    return call("@rounded", computed(node.dtype), text, helpers);
  return text;
}

bool Expression::has_index() const {
  return std::any_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.kind == Kind::index; });
}

Expression::Key Expression::key() const {
  Key key;
  key.push_back(outputs_.size());
  for (const Ref value : outputs_) key.push_back(value);
  for (const Node& node : nodes_) {
    const auto op = node.op != nullptr ? static_cast<std::uint64_t>(node.op - ops().data()) + 1 : 0;
    key.push_back(op << 32 | static_cast<std::uint64_t>(node.dtype.scalar) << 16 |
                  static_cast<std::uint64_t>(node.kind) << 8 | node.inputs.size());
    if (node.kind == Kind::random) key.push_back(forms_[node.argument].code());
    constexpr std::size_t kInWord = 3;
    for (std::size_t k = 0; k < node.inputs.size(); k += kInWord) {
      std::uint64_t word = 0;
      for (std::size_t n = k; n < std::min(k + kInWord, node.inputs.size()); ++n)
        word = word << 21 | node.inputs[n];
      key.push_back(word);
    }
  }
  return key;
}

bool Expression::divides_outputs(Ref value) const {
  std::vector<bool> reads(nodes_.size());
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    reads[n] = n == value;
    for (const Ref input : nodes_[n].inputs) reads[n] = reads[n] || reads[input];
  }
  return std::any_of(outputs_.begin(), outputs_.end(),
                     [&](Ref output) { return reads[output] != reads[outputs_.front()]; });
}

std::string Expression::statements(Helpers& helpers) const {
  std::string text;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    const bool is_argument = node.kind == Kind::operand || node.kind == Kind::scalar;
    if (node.kind == Kind::index || (is_argument && !is_short_float(node.dtype))) continue;
    const DType type = computed(node.dtype);
    text +=
        "const " + type_name(type) + " " + name_of(static_cast<Ref>(n)) + " = " +
        (is_argument ? call(loader_of(node.dtype), type, "quern_x" + std::to_string(node.argument), helpers)
                     : text_of(node, helpers)) +
        ";\n";
  }
  return text;
}

std::string Expression::stores(Helpers& helpers) const {
  std::string text;
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    const DType& dtype = nodes_[outputs_[k]].dtype;
    const std::string value = name_of(outputs_[k]);
    text += "quern_y" + std::to_string(k) + " = " +
            (is_short_float(dtype) ? call(storer_of(dtype), computed(dtype), value, helpers) : value) + ";\n";
  }
  return text;
}

std::vector<std::string> Expression::helpers() const {
  Helpers result;
  (void)statements(result);
  (void)stores(result);
  return result;
}

Expression::Value Expression::value(Ref ref) const {
  const Node& node = nodes_[ref];
  const std::span<const Ref> inputs(node.inputs.begin(), node.inputs.size());
  return {node.kind, node.dtype,    node.op,
          inputs,    node.argument, node.kind == Kind::random ? &forms_[node.argument] : nullptr};
}

std::string Expression::function(const std::string& name, bool brings_helpers) const {
  Helpers helpers;
  const std::string body = statements(helpers);
  std::string text;
  if (brings_helpers)
    for (const std::string& helper : helpers) text += helper;
  text += "inline " + type_name(computed(nodes_[outputs_.front()].dtype)) + " " + name + "(" +
          (has_index() ? "long i" : "");
  for (const Ref value : arguments_) {
    text += (value == arguments_.front() && !has_index() ? "" : ", ") +
            type_name(storage_of(nodes_[value].dtype)) + " quern_x" + std::to_string(nodes_[value].argument);
  }
  return text + ") {\n" + body + "return " + name_of(outputs_.front()) + ";\n}\n";
}

ElementwiseSource Expression::elementwise(const std::string& name) const {
  std::vector<Argument> arguments;
  const auto add = [&](const std::string& called, const DType& dtype, bool is_pointer, bool is_const) {
    const DType stored = storage_of(dtype);
    arguments.push_back(declare(called, stored, type_name(stored), is_pointer, is_const));
  };
  for (const Ref value : arguments_) {
    const Node& node = nodes_[value];
    add("quern_x" + std::to_string(node.argument), node.dtype, node.kind == Kind::operand, true);
  }
  for (std::size_t k = 0; k < outputs_.size(); ++k)
    add("quern_y" + std::to_string(k), nodes_[outputs_[k]].dtype, true, false);

  Helpers helpers;
  std::string statements = this->statements(helpers);
  statements += stores(helpers);

  std::string preamble;
  for (const std::string& helper : helpers) preamble += helper;
  ElementwiseSource source{name, preamble, {}, {statements, Snippet::Form::named, "expression"}};
  source.reads_first = true;
  source.operands = operands_of(arguments, {&source.operation}, Preamble(), Snippet::Form::named);
  return source;
}

}  // namespace quern::codegen
