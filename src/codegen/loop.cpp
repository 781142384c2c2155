// SPDX-License-Identifier: MIT
// Shared code of generated kernels: variants, and the parameters of their loops.
#include "codegen/loop.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>

#include "base/environment.hpp"
#include "quern/compilation.hpp"
#include "quern/error.hpp"

namespace quern::codegen {

namespace {

LoopStructure wanted_structure() {
  const auto text = environment("QUERN_LOOPS");
  if (!text || text->empty()) return LoopStructure::of_device;
  if (*text == "grid") return LoopStructure::grid;
  if (*text == "chunks") return LoopStructure::chunks;
  throw ArgumentError(ArgumentError::Kind::value,
                      "QUERN_LOOPS is '" + *text + "', expected 'grid' or 'chunks'");
}

std::atomic<LoopStructure>& current_structure() {
  static std::atomic<LoopStructure> structure{wanted_structure()};
  return structure;
}

}  // namespace

LoopStyle loop_style(const DeviceProperties& device) {
  LoopStructure structure = loop_structure();
  if (structure == LoopStructure::of_device) structure = best_loop_structure(device);
  return structure == LoopStructure::grid ? LoopStyle::grid : LoopStyle::chunks;
}

char key_of(const OperandLayout& layout) {
  return static_cast<char>('0' + static_cast<int>(layout.placement) * 4 + static_cast<int>(layout.inner) +
                           (layout.is_fixed ? 16 : 0));
}

std::string LoopVariant::key() const {
  std::string key;
  key += static_cast<char>('a' + static_cast<int>(style));
  key += static_cast<char>('0' + rank);
  key += static_cast<char>('0' + vector);
  key += static_cast<char>('0' + strips);
  key += whole ? 'a' : 'p';
  if (group != 0) key += std::to_string(group);
  key += wide ? 'w' : 'n';
  key += ranged ? 'r' : 'f';
  for (const OperandLayout& operand : operands) key += key_of(operand);
  return key;
}

std::string symbol_of(const std::string& name) {
  std::string symbol = "quern_" + name;
  for (char& c : symbol)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return symbol;
}

std::string operand_name(const char* what, std::size_t a) {
  return std::string("quern_") + what + std::to_string(a);
}

std::vector<Operand> operands_of(const std::vector<Argument>& arguments,
                                 const std::vector<const Snippet*>& snippets, const Preamble& preamble,
                                 Snippet::Form form) {
  const std::vector<std::string>& in_macros = preamble.macros().mentioned;
  std::vector<Operand> operands;
  for (const Argument& argument : arguments) {
    Operand operand{argument, {}, argument.parameter.is_pointer};
    bool first = true;
    for (const Snippet* snippet : snippets) {
      const ElementUse use = snippet->use_of(argument.parameter.name);
      operand.use.assigns_first |= first && use.assigns_first;
      operand.use.reads |= use.reads;
      operand.use.writes |= use.writes;
      operand.use.needs_pointer |= use.needs_pointer;
      first &= !use.reads && !use.writes;
    }
    if (form == Snippet::Form::indexed) {
      const bool hidden =
          std::find(in_macros.begin(), in_macros.end(), argument.parameter.name) != in_macros.end();
      operand.is_element &= !operand.use.needs_pointer && !hidden;
      if (argument.parameter.is_const && operand.use.writes) {
        throw ArgumentError(
            ArgumentError::Kind::value,
            "argument '" + argument.declaration + "' is const, but the operation writes its element");
      }
    }
    operands.push_back(std::move(operand));
  }
  return operands;
}

std::string loop_parameters(const LoopVariant& variant, const char* length) {
  const std::string type = std::string(", const ") + variant.index_type() + " ";
  std::string text;
  for (unsigned d = 0; d < variant.rank; ++d) text += type + length + std::to_string(d);
  if (variant.ranged) text += type + "quern_start" + type + "quern_step";
  for (std::size_t a = 0; a < variant.operands.size(); ++a) {
    const OperandLayout& operand = variant.operands[a];
    if (operand.placement != Placement::strided) continue;
    text += type + operand_name("offset", a);
    for (unsigned d = operand.inner == Inner::any ? 0 : 1; d < variant.rank; ++d)
      text += type + operand_name("stride", a) + "_" + std::to_string(d);
  }
  return text;
}

}  // namespace quern::codegen

namespace quern {

LoopStructure loop_structure() {
  return codegen::current_structure().load(std::memory_order_relaxed);
}

void set_loop_structure(LoopStructure structure) {
  codegen::current_structure().store(structure, std::memory_order_relaxed);
}

}  // namespace quern
