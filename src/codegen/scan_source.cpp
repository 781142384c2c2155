// SPDX-License-Identifier: MIT
// The operands of a scan: how its snippets use them, and which to keep in registers.
#include <algorithm>

#include "codegen/emit_scan.hpp"
#include "quern/error.hpp"

namespace quern::codegen {
namespace {

[[noreturn]] void reject(const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::value, text);
}

ElementUse use_by(const std::vector<const Snippet*>& snippets, const std::string& name) {
  ElementUse all;
  bool first = true;
  for (const Snippet* snippet : snippets) {
    const ElementUse use = snippet->use_of(name);
    all.assigns_first |= first && use.assigns_first;
    all.reads |= use.reads;
    all.writes |= use.writes;
    all.needs_pointer |= use.needs_pointer;
    first &= !use.reads && !use.writes;
  }
  return all;
}

void add_fetch(ScanSource& source, const InputFetch& fetch) {
  const auto found =
      std::find_if(source.operands.begin(), source.operands.end(), [&](const ScanOperand& operand) {
        return operand.argument.parameter.is_pointer && operand.argument.parameter.name == fetch.argument;
      });
  if (found == source.operands.end())
    reject("input_fetch_exprs: '" + fetch.argument + "' is not an array argument");
  if (fetch.offset > 0)
    reject("input_fetch_exprs: '" + fetch.name + "' looks ahead by " + std::to_string(fetch.offset) +
           "; offsets must be 0 or negative");
  const bool may_write =
      found->output.writes || (found->output.needs_pointer && !found->argument.parameter.is_const);
  if (fetch.offset != 0 && may_write) {
    reject("input_fetch_exprs: '" + fetch.argument +
           "' is fetched with an offset, and the output statement may write it; give it an array of its own");
  }
  found->input.reads = true;
  source.fetches.push_back(
      {fetch.name, static_cast<std::size_t>(found - source.operands.begin()), fetch.offset});
}

}  // namespace

void add_operands(ScanSource& source, const std::string& arguments, const std::vector<InputFetch>& fetches,
                  const std::vector<const Snippet*>& outputs, const Preamble& preamble,
                  std::span<const std::string_view> reserved) {
  const frontend::Macros& macros = preamble.macros();
  const std::vector<std::string>& hidden = macros.mentioned;
  source.is_plain = source.input.is_plain(macros.names) && source.segment_start.is_plain(macros.names);
  for (const Snippet* output : outputs) source.is_plain &= output->is_plain(macros.names);
  for (Argument& argument : parse_arguments(arguments, preamble, reserved)) {
    const std::string name = argument.parameter.name;
    const ElementUse input = use_by({&source.input, &source.segment_start}, name);
    source.operands.push_back({std::move(argument), input, use_by(outputs, name)});
  }
  for (const InputFetch& fetch : fetches) {
    if (!reserved.empty()) check_name(fetch.name, reserved);
    add_fetch(source, fetch);
  }
  for (ScanOperand& operand : source.operands) {
    const Parameter& parameter = operand.argument.parameter;
    if (operand.input.writes)
      reject("argument '" + operand.argument.declaration +
             "' is written by an expression that is evaluated before the scan");
    if (parameter.is_const && operand.output.writes)
      reject("argument '" + operand.argument.declaration + "' is const, but the output statement writes it");
    operand.is_element = parameter.is_pointer && !operand.input.needs_pointer &&
                         !operand.output.needs_pointer &&
                         std::find(hidden.begin(), hidden.end(), parameter.name) == hidden.end();
    operand.in_registers = operand.is_element && source.is_plain &&
                           (operand.input.reads || operand.output.reads || operand.output.writes) &&
                           (!operand.output.writes || operand.output.assigns_first);
  }
}

}  // namespace quern::codegen
