// SPDX-License-Identifier: MIT
// Text that the emitters share: element accesses, vector loads and stores, loops over outer dimensions.
#include "codegen/emit_loop.hpp"

#include "base/c_string.hpp"
#include "codegen/type_text.hpp"

namespace quern::codegen {
namespace {

std::string where(const LoopVariant& variant, std::size_t a) {
  if (variant.operands[a].placement == Placement::linear) return "quern_base";
  if (variant.rank == 1) return operand_name("offset", a) + " + quern_base";
  return operand_name("row", a) + " + quern_i0";
}

// A pointer to vectors at the element: "((global const float4 *)(x + quern_base))".
std::string vector_pointer(const Operand& operand, const LoopVariant& variant, std::size_t a, bool is_const,
                           unsigned strip) {
  const Parameter& parameter = operand.argument.parameter;
  const std::string space = parameter.space == AddressSpace::constant ? "constant " : "global ";
  const std::string later =
      strip == 0 ? "" : " + " + number(std::size_t{strip} * variant.group * variant.vector);
  return "((" + space + (is_const ? "const " : "") + type_name(parameter.dtype) +
         std::to_string(variant.vector) + " *)(" + parameter.name + " + " + where(variant, a) + later + "))";
}

// The part of a private array that belongs to a strip.
std::string strip_of(const std::string& array, const LoopVariant& variant, unsigned strip) {
  return strip == 0 ? array : array + " + " + number(std::size_t{strip} * variant.vector);
}

}  // namespace

std::string declarations(const std::vector<Operand>& operands) {
  std::string text;
  for (const Operand& operand : operands) text += (text.empty() ? "" : ", ") + operand.argument.declaration;
  return text;
}

std::string lines_of(std::string_view file) {
  return "#line 1 " + c_string(file) + "\n";
}

std::string located(std::string_view role, const std::string& text, std::string_view before,
                    std::string_view after) {
  std::string result(before);
  result += "\n" + lines_of(role) + text + "\n;\n" + lines_of("generated");
  return result += std::string(after) + "\n";
}

std::string element_spelling(const std::vector<Operand>& operands, const LoopVariant& variant,
                             std::string_view name) {
  for (std::size_t a = 0; a < operands.size(); ++a) {
    if (operands[a].argument.parameter.name != name || !operands[a].is_element) continue;
    const OperandLayout& layout = variant.operands[a];
    const std::string pointer(name);
    if (layout.placement == Placement::linear) return pointer + "[i]";
    if (layout.placement != Placement::strided) return {};
    if (layout.is_fixed) return operand_name("v", a) + "[0]";
    const std::string index = variant.rank == 1 ? "i" : "quern_i0";
    std::string at = variant.rank == 1 ? operand_name("offset", a) : operand_name("row", a);
    if (layout.inner == Inner::unit) at += " + " + index;
    if (layout.inner == Inner::any) at += " + " + index + " * " + operand_name("stride", a) + "_0";
    return operands[a].is_base ? "(" + pointer + " + (" + at + "))" : pointer + "[" + at + "]";
  }
  return {};
}

bool in_registers(const OperandLayout& layout) {
  return layout.placement == Placement::linear ||
         (layout.placement == Placement::strided && layout.inner == Inner::unit);
}

std::string load_vector(const Operand& operand, const LoopVariant& variant, std::size_t a,
                        const std::string& array, unsigned strip) {
  return "vstore" + std::to_string(variant.vector) + "(*" + vector_pointer(operand, variant, a, true, strip) +
         ", 0, " + strip_of(array, variant, strip) + ");";
}

std::string store_vector(const Operand& operand, const LoopVariant& variant, std::size_t a,
                         const std::string& array, unsigned strip) {
  return "*" + vector_pointer(operand, variant, a, false, strip) + " = vload" +
         std::to_string(variant.vector) + "(0, " + strip_of(array, variant, strip) + ");";
}

namespace {

// Declares quern_vA and reads the values that all rows share.
std::string load_fixed(const Operand& operand, const LoopVariant& variant, std::size_t a) {
  const OperandLayout& layout = variant.operands[a];
  const Parameter& parameter = operand.argument.parameter;
  const std::string array = operand_name("v", a);
  const bool is_vector = variant.vector > 1 && in_registers(layout);
  const std::string declared =
      "  " + operand.argument.type + " " + array + "[" + number(is_vector ? variant.vector : 1) + "];\n";
  if (is_vector) return declared + "  " + load_vector(operand, variant, a, array) + "\n";
  std::string at = operand_name("row", a);
  if (layout.inner == Inner::unit) at += " + quern_i0";
  if (layout.inner == Inner::any) at += " + quern_i0 * " + operand_name("stride", a) + "_0";
  return declared + "  " + array + "[0] = " + parameter.name + "[" + at + "];\n";
}

}  // namespace

std::string outer_loops(const std::vector<Operand>& operands, const LoopVariant& variant,
                        const std::string& inner) {
  const std::string index = variant.index_type();
  // A grid has few groups in its outer dimensions, so the work-items continue with later rows.
  const auto loop = [&](const std::string& name, const std::string& id, const std::string& limit) {
    const std::string start = index + " " + name + " = get_global_id(" + id + ")";
    if (variant.style == LoopStyle::grid)
      return "  for (" + start + "; " + name + " < " + limit + "; " + name + " += get_global_size(" + id +
             ")) {\n";
    return "  {\n  const " + start + ";\n";
  };
  std::string text;
  std::string row = "quern_i1";
  if (variant.rank > 2) {
    std::string count = "quern_n2";
    for (unsigned d = 3; d < variant.rank; ++d) count += " * quern_n" + std::to_string(d);
    text += loop("quern_outer", "2", count);
    std::string rest = "quern_outer";
    for (unsigned d = 2; d + 1 < variant.rank; ++d) {
      const std::string n = "quern_n" + std::to_string(d), i = "quern_i" + std::to_string(d);
      text += "  const " + index + " " + i + " = " + rest + " % " + n + ";\n";
      const std::string next = "quern_rest" + std::to_string(d);
      text += "  const " + index + " " + next + " = " + rest + " / " + n + ";\n";
      rest = next;
    }
    text += "  const " + index + " quern_i" + std::to_string(variant.rank - 1) + " = " + rest + ";\n";
    row = "quern_outer * quern_n1 + quern_i1";
  }
  const auto starts_of_rows = [&](bool fixed) {
    for (std::size_t a = 0; a < operands.size(); ++a) {
      if (variant.operands[a].placement != Placement::strided || variant.operands[a].is_fixed != fixed)
        continue;
      text += "  const " + index + " " + operand_name("row", a) + " = " + operand_name("offset", a);
      for (unsigned d = fixed ? 2 : 1; d < variant.rank; ++d)
        text +=
            " + quern_i" + std::to_string(d) + " * " + operand_name("stride", a) + "_" + std::to_string(d);
      text += ";\n";
      if (fixed) text += load_fixed(operands[a], variant, a);
    }
  };
  starts_of_rows(true);
  text += loop("quern_i1", "1", "quern_n1");
  text += "  const " + index + " quern_row = " + row + ";\n";
  starts_of_rows(false);
  return text + inner + (variant.rank > 2 ? "  }\n  }\n" : "  }\n");
}

}  // namespace quern::codegen
