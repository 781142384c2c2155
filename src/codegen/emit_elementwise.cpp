// SPDX-License-Identifier: MIT
// OpenCL C of an elementwise kernel: a loop around a user's operation.
#include "codegen/emit_elementwise.hpp"

#include "codegen/emit_loop.hpp"
#include "codegen/type_text.hpp"

namespace quern::codegen {
namespace {

// The operation once, for the element at `i`.
std::string one_element(const ElementwiseSource& source, const LoopVariant& variant, const char* once) {
  const bool skips = source.operation.mentions("continue") || !source.is_plain;
  const std::string text = source.operation.rewritten(
      [&](std::string_view name) { return element_spelling(source.operands, variant, name); });
  return located("operation", text, skips ? once : "{", skips ? "} while (0);" : "}");
}

// The index of element quern_k of a work-item's elements from quern_base on. Vectors begin at their
// multiples: with an `or`, even old compilers see that neighbours share one random block.
std::string index_of_element(const LoopVariant& variant) {
  if (variant.strips == 1) return "(long)quern_base | quern_k";
  const std::string vector = number(variant.vector), strip = number(variant.group * variant.vector);
  return "((long)quern_base + quern_k / " + vector + " * " + strip + ") | (quern_k % " + vector + ")";
}

// `vector` elements from quern_base on, and those of further strips: loaded together, computed one by one,
// stored together.
std::string many_elements(const ElementwiseSource& source, const LoopVariant& variant) {
  const std::string count = number(variant.vector * variant.strips);
  std::string text, stores;
  for (std::size_t a = 0; a < source.operands.size(); ++a) {
    const Operand& operand = source.operands[a];
    if (!in_registers(variant.operands[a])) continue;
    if (variant.operands[a].is_fixed) continue;
    const std::string array = operand_name("v", a);
    text += "    " + type_name(operand.argument.parameter.dtype) + " " + array + "[" + count + "];\n";
    for (unsigned strip = 0; strip < variant.strips; ++strip) {
      if (operand.use.reads || !operand.use.assigns_first)
        text += "    " + load_vector(operand, variant, a, array, strip) + "\n";
      if (operand.use.writes) stores += "    " + store_vector(operand, variant, a, array, strip) + "\n";
    }
  }
  const std::string body = source.operation.rewritten([&](std::string_view name) {
    for (std::size_t a = 0; a < source.operands.size(); ++a)
      if (source.operands[a].argument.parameter.name == name && in_registers(variant.operands[a]))
        return operand_name("v", a) + "[quern_k]";
    return element_spelling(source.operands, variant, name);
  });
  text += "    #pragma unroll\n    for (int quern_k = 0; quern_k < " + count +
          "; ++quern_k) {\n      const long i = " + index_of_element(variant) + ";\n" +
          located("operation", body, "", "") + "    }\n";
  return text + stores;
}

std::string linear(const ElementwiseSource& source, const LoopVariant& variant) {
  const std::string index = variant.index_type();
  if (variant.vector == 1) {
    const std::string from_id = variant.ranged ? "quern_start + quern_step * quern_id" : "quern_id";
    return "  const " + index +
           " quern_id = get_global_id(0);\n  if (quern_id < quern_n0) {\n    const long i = " + from_id +
           ";\n" + one_element(source, variant, "do {") + "  }\n";
  }
  const unsigned length = variant.group * variant.vector;  // of a strip
  const std::string first =
      variant.strips == 1
          ? "get_global_id(0)"
          : "(get_group_id(0) * " + number(variant.group * variant.strips) + " + get_local_id(0))";
  const std::string text = "  const " + index + " quern_base = (" + index + ")" + first + " * " +
                           number(variant.vector) + ";\n  if (quern_base + " +
                           number((variant.strips - 1u) * length + variant.vector) + " <= quern_n0) {\n" +
                           many_elements(source, variant);
  if (variant.whole) return text + "  }\n";
  // A loop that only a few work-items reach is not worth the compiler's time.
  return text + "  } else {\n    #pragma unroll 1\n    for (int quern_k = 0; quern_k < " +
         number(variant.vector * variant.strips) +
         "; ++quern_k) {\n    const long i = " + index_of_element(variant) + ";\n    if (i < quern_n0)\n" +
         one_element(source, variant, "do {") + "    }\n  }\n";
}

std::string nested(const ElementwiseSource& source, const LoopVariant& variant) {
  const std::string index = variant.index_type();
  const std::string inner = variant.vector == 1
                                ? "    const long i = (long)quern_row * quern_n0 + quern_i0;\n" +
                                      one_element(source, variant, "do {")
                                : "    const " + index + " quern_base = quern_row * quern_n0 + quern_i0;\n" +
                                      many_elements(source, variant);
  return "  const " + index + " quern_i0 = (" + index + ")get_global_id(0)" +
         (variant.vector > 1 ? " * " + std::to_string(variant.vector) : "") +
         ";\n  if (quern_i0 < quern_n0) {\n" + outer_loops(source.operands, variant, inner) + "  }\n";
}

std::string element_count(const ElementwiseSource& source, const LoopVariant& variant) {
  if (!source.has_count) return {};
  std::string product = "quern_n0";
  for (unsigned d = 1; d < variant.rank; ++d) product += " * quern_n" + std::to_string(d);
  return "  const long n = (long)" + product + ";\n";
}

}  // namespace

std::string emit_elementwise(const ElementwiseSource& source, const LoopVariant& variant) {
  const std::string attribute =
      variant.group == 0 ? "" : "__attribute__((reqd_work_group_size(" + number(variant.group) + ", 1, 1))) ";
  return source.preamble + "\n" + lines_of(source.name) + "kernel " + attribute + "void " +
         symbol_of(source.name) + "(" + declarations(source.operands) + loop_parameters(variant) + ") {\n" +
         element_count(source, variant) +
         (variant.rank == 1 ? linear(source, variant) : nested(source, variant)) + "}\n";
}

}  // namespace quern::codegen
