// SPDX-License-Identifier: MIT
// The precompiled loops over single operations for the host.
#include "codegen/host_loops.hpp"

#include <algorithm>
#include <array>

#include "codegen/expression.hpp"
#include "codegen/type_text.hpp"

namespace quern::codegen {
namespace {

// The operation on elements, as a separate expression.
Expression expression_of(const HostLoop& loop) {
  Expression expression;
  if (loop.kind == HostLoop::Kind::cast) {
    expression.output(expression.cast(expression.operand(loop.operand), loop.result));
  } else if (loop.kind == HostLoop::Kind::where) {
    const auto condition = expression.operand(DType::of(Scalar::boolean));
    const auto yes = expression.operand(loop.operand), no = expression.operand(loop.operand);
    expression.output(expression.where(condition, yes, no));
  } else {
    std::vector<Expression::Ref> inputs;
    for (int k = 0; k < static_cast<int>(loop.op->arity); ++k)
      inputs.push_back(
          expression.operand(k == loop.op->integer_operand ? DType::of(Scalar::int64) : loop.operand));
    expression.output(expression.apply(loop.op->name, inputs));
  }
  return expression;
}

// Operations that reductions combine pairwise.
constexpr std::array<std::string_view, 6> kReducing = {"add",     "multiply",   "minimum",
                                                       "maximum", "bitwise_or", "bitwise_and"};

std::string elementwise_text(const Expression& expression, const std::string& name) {
  ElementwiseSource source = expression.elementwise(name);
  source.preamble.clear();
  LoopVariant variant;
  variant.style = LoopStyle::chunks;
  variant.wide = true;
  variant.operands.assign(source.operands.size(), {Placement::linear, Inner::unit});
  return emit_elementwise(source, variant);
}

std::string reducing_text(const HostLoop& loop, const Expression& expression, const std::string& name) {
  const std::string type = type_name(loop.operand), symbol = symbol_of(name), combine = "combine_" + name;
  const std::string lanes = std::to_string(reduction_lanes(loop.operand.itemsize));
  const std::string each = "  for (int j = 0; j < " + lanes + "; ++j) ";
  std::string text = expression.function(combine, false) + "kernel void " + symbol + "(global const " + type +
                     " *x, global " + type + " *result, const long n) {\n";
  if (loop.kind == HostLoop::Kind::fold) {
    return text + "  " + type + " acc = result[0];\n  for (long i = 0; i < n; ++i) acc = " + combine +
           "(acc, x[i]);\n  result[0] = acc;\n}\n";
  }
  return text + "  " + type + " acc[" + lanes + "];\n" + each + "acc[j] = result[j];\n" +
         "  for (long i = 0; i + " + lanes + " <= n; i += " + lanes + ")\n  " + each + "acc[j] = " + combine +
         "(acc[j], x[i + j]);\n" + each + "result[j] = acc[j];\n}\n";
}

// The index -1 means that nothing was found before. NaN comes first, and so does the first of equal elements.
std::string finding_text(const HostLoop& loop, const std::string& name) {
  const std::string type = type_name(loop.operand);
  const bool is_least = loop.op->name == "minimum";
  const std::string before = is_least ? "<=" : ">=", beats = is_least ? " < " : " > ";
  const Kinds kind = kind_of(loop.operand);
  const auto keeps = [&](const std::string& index, const std::string& value, const std::string& other) {
    // Complex numbers are ordered by their real parts, then by their imaginary parts.
    const std::string x = value + ".x", y = value + ".y", other_x = other + ".x", other_y = other + ".y";
    if (kind == Kinds::complex)
      return index + " >= 0 && (isnan(" + x + ") || isnan(" + y + ") || !(isnan(" + other_x + ") || isnan(" +
             other_y + ") || " + other_x + beats + x + " || (" + other_x + " == " + x + " && " + other_y +
             beats + y + ")))";
    return index + " >= 0 && (" + value + " " + before + " " + other +
           (kind == Kinds::floating ? " || isnan(" + value + ")" : "") + ")";
  };
  std::string text = "kernel void " + symbol_of(name) + "(global const " + type + " *x, global " + type +
                     " *value, global long *index, const long n, const long first) {\n";
  if (loop.kind == HostLoop::Kind::first_of) {
    return text + "  " + type + " best = value[0];\n  long at = index[0];\n" +
           "  for (long i = 0; i < n; ++i)\n    if (!(" + keeps("at", "best", "x[i]") +
           ")) {\n      best = x[i];\n      at = first + i;\n    }\n  value[0] = best;\n  index[0] = "
           "at;\n}\n";
  }
  return text + "  const long i = get_global_id(0);\n  if (i < n) {\n    const " + type +
         " best = value[i], other = x[i];\n    const long at = index[i];\n    const int keeps = " +
         keeps("at", "best", "other") +
         ";\n    value[i] = keeps ? best : other;\n    index[i] = keeps ? at : first;\n  }\n}\n";
}

}  // namespace

std::size_t reduction_lanes(std::size_t itemsize) {
  return std::max<std::size_t>(128 / itemsize, 1);
}

Scalar chooser_of(std::size_t itemsize) {
  switch (itemsize) {
    case 1:
      return Scalar::uint8;
    case 2:
      return Scalar::uint16;
    case 4:
      return Scalar::uint32;
    case 8:
      return Scalar::uint64;
    default:
      return Scalar::complex128;
  }
}

std::vector<HostLoop> host_loops(Scalar operand) {
  const DType type = DType::of(operand);
  const Kinds kind = kind_of(type);
  std::vector<HostLoop> loops;
  // bfloat16 is only converted from and to float32, in which expressions compute it.
  if (operand == Scalar::bfloat16) return {{HostLoop::Kind::cast, nullptr, type, DType::of(Scalar::float32)}};
  for (const Op& op : ops()) {
    if (!includes(op.kinds, kind) || !(computed_type(op, type, DType::of(Scalar::float64)) == type)) continue;
    loops.push_back({HostLoop::Kind::apply, &op, type, result_of(op, type)});
  }
  for (std::size_t to = 0; to < kHostLoopTypes; ++to) {
    const auto result = static_cast<Scalar>(to);
    if (result != operand && (result != Scalar::bfloat16 || operand == Scalar::float32))
      loops.push_back({HostLoop::Kind::cast, nullptr, type, DType::of(result)});
  }
  if (chooser_of(type.itemsize) == operand) loops.push_back({HostLoop::Kind::where, nullptr, type, type});
  for (const std::string_view name : kReducing) {
    const Op* const op = find_op(name);
    if (!includes(op->kinds, kind)) continue;
    loops.push_back({HostLoop::Kind::lanes, op, type, type});
    loops.push_back({HostLoop::Kind::fold, op, type, type});
    if (!name.ends_with("imum")) continue;
    loops.push_back({HostLoop::Kind::first_of, op, type, DType::of(Scalar::int64)});
    loops.push_back({HostLoop::Kind::first_of_each, op, type, DType::of(Scalar::int64)});
  }
  return loops;
}

std::string host_loop_name(std::size_t place) {
  return "loop" + std::to_string(place);
}

std::string host_loops_text(Scalar operand) {
  std::vector<std::string> helpers;
  std::string kernels;
  const std::vector<HostLoop> loops = host_loops(operand);
  for (std::size_t place = 0; place < loops.size(); ++place) {
    const HostLoop& loop = loops[place];
    const std::string name = host_loop_name(place);
    if (loop.kind == HostLoop::Kind::first_of || loop.kind == HostLoop::Kind::first_of_each) {
      kernels += finding_text(loop, name);
      continue;
    }
    const Expression expression = expression_of(loop);
    for (std::string& helper : expression.helpers())
      if (std::find(helpers.begin(), helpers.end(), helper) == helpers.end())
        helpers.push_back(std::move(helper));
    const bool reduces = loop.kind == HostLoop::Kind::lanes || loop.kind == HostLoop::Kind::fold;
    kernels += reduces ? reducing_text(loop, expression, name) : elementwise_text(expression, name);
  }
  std::string text;
  for (const std::string& helper : helpers) text += helper;
  return text + kernels;
}

}  // namespace quern::codegen
