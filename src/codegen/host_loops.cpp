// SPDX-License-Identifier: MIT
// The loops over single operations that the library brings along for the host.
#include "codegen/host_loops.hpp"

#include <algorithm>

#include "codegen/expression.hpp"

namespace quern::codegen {
namespace {

// The operation on elements, as an expression of its own.
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
    for (unsigned k = 0; k < loop.op->arity; ++k) inputs.push_back(expression.operand(loop.operand));
    expression.output(expression.apply(loop.op->name, inputs));
  }
  return expression;
}

}  // namespace

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
  const bool is_whole = kind == Kinds::boolean || kind == Kinds::integer;
  std::vector<HostLoop> loops;
  for (const Op& op : ops()) {
    if (!includes(op.kinds, kind) || (op.promotes && is_whole)) continue;
    HostLoop loop{HostLoop::Kind::apply, &op, type, {}};
    Expression expression = expression_of(loop);
    loop.result = expression.dtype(expression.outputs().front());
    loops.push_back(std::move(loop));
  }
  for (std::size_t to = 0; to < kHostLoopTypes; ++to) {
    if (static_cast<Scalar>(to) != operand)
      loops.push_back({HostLoop::Kind::cast, nullptr, type, DType::of(static_cast<Scalar>(to))});
  }
  if (chooser_of(type.itemsize) == operand)
    loops.push_back({HostLoop::Kind::where, nullptr, type, type});
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
    const Expression expression = expression_of(loops[place]);
    for (std::string& helper : expression.helpers())
      if (std::find(helpers.begin(), helpers.end(), helper) == helpers.end())
        helpers.push_back(std::move(helper));
    ElementwiseSource source = expression.elementwise(host_loop_name(place));
    source.preamble.clear();
    LoopVariant variant;
    variant.style = LoopStyle::chunks;
    variant.wide = true;
    variant.operands.assign(source.operands.size(), {Placement::linear, Inner::unit});
    kernels += emit_elementwise(source, variant);
  }
  std::string text;
  for (const std::string& helper : helpers) text += helper;
  return text + kernels;
}

}  // namespace quern::codegen
