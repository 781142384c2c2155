// SPDX-License-Identifier: MIT
// OpenCL C of a reduction: mapped elements are combined along some axes and kept along the others.
#include "codegen/emit_reduction.hpp"

#include <algorithm>

#include "codegen/emit_loop.hpp"
#include "codegen/type_text.hpp"

namespace quern::codegen {
namespace {

// The names of one of the two loop nests.
struct Nest {
  const char *index, *length, *stride;
};
constexpr Nest kReduced = {"quern_r", "quern_rn", "rstride"};
constexpr Nest kKept = {"quern_k", "quern_kn", "kstride"};

class ReductionEmitter {
 public:
  ReductionEmitter(const ReductionSource& source, const ReductionVariant& variant)
      : source_(source), variant_(variant), index_(variant.index_type()), item_(source.item) {}

  std::string program() {
    std::string body;
    const bool rows = variant_.scheme == ReductionScheme::rows;
    if (variant_.style == LoopStyle::grid) {
      body = rows ? grid_rows() : grid_columns();
    } else {
      body = rows ? chunk_rows() : chunk_columns();
    }
    return source_.preamble + "\ninline " + item_ + " quern_neutral(void) {\n" +
           located("neutral", source_.neutral, "return", "}") + "\ninline " + item_ + " quern_reduce(" +
           item_ + " a, " + item_ + " b) {\n" + located("reduce_expr", source_.reduce, "return", "}") + "\n" +
           finish_function() + lines_of(source_.name) + "kernel " + group_attribute() + "void " +
           symbol_of(source_.name) + "(" + parameters() + ") {\n" + body + "}\n";
  }

 private:
  const ReductionSource& source_;
  const ReductionVariant& variant_;
  const std::string index_, item_;

  [[nodiscard]] std::string finish_function() const {
    if (!variant_.finishes) return {};
    return "inline " + source_.result + " quern_finish(" + item_ + " a, " + source_.divisor +
           " quern_divisor) { return " + source_.finish + "; }\n";
  }

  // The stored value of a result.
  [[nodiscard]] std::string finished(const std::string& value) const {
    return variant_.finishes ? "quern_finish(" + value + ", quern_divisor)" : value;
  }

  // A compiler that does not know the group's size may reserve too few resources for large groups.
  [[nodiscard]] std::string group_attribute() const {
    if (variant_.style != LoopStyle::grid) return {};
    return "__attribute__((reqd_work_group_size(" + number(variant_.group) + ", 1, 1))) ";
  }

  [[nodiscard]] std::string parameters() const {
    std::string text = declarations(source_.operands);
    if (!text.empty()) text += ", ";
    text += "global " + (variant_.finishes ? source_.result : item_) + " *quern_out";
    const auto add = [&](const std::string& name) { text += ", const " + index_ + " " + name; };
    for (const char* name : {"quern_outputs", "quern_segments", "quern_chunk", "quern_total"}) add(name);
    if (variant_.ranged) add("quern_start"), add("quern_step");
    for (unsigned d = 0; d < variant_.reduced_rank; ++d) add(kReduced.length + number(d));
    for (unsigned d = 0; d < variant_.kept_rank; ++d) add(kKept.length + number(d));
    for (std::size_t a = 0; a < source_.operands.size(); ++a) {
      if (variant_.operands[a].placement != Placement::strided) continue;
      add(operand_name("offset", a));
      for (unsigned d = 0; d < variant_.reduced_rank; ++d) add(stride(kReduced, a, d));
      for (unsigned d = 0; d < variant_.kept_rank; ++d) add(stride(kKept, a, d));
    }
    if (variant_.finishes) text += ", const " + source_.divisor + " quern_divisor";
    return text;
  }

  [[nodiscard]] static std::string stride(const Nest& nest, std::size_t a, unsigned d) {
    return operand_name(nest.stride, a) + "_" + number(d);
  }

  // `const int quern_k0 = quern_o % quern_kn0, ...`
  [[nodiscard]] std::string split_index(const Nest& nest, unsigned rank, const std::string& linear) const {
    std::string text, rest = linear;
    for (unsigned d = 0; d < rank; ++d) {
      const std::string name = nest.index + number(d), length = nest.length + number(d);
      const bool last = d + 1 == rank;
      text += "const " + index_ + " " + name + " = " + rest + (last ? "" : " % " + length) + "; ";
      if (!last) text += "const " + index_ + " " + name + "_rest = " + rest + " / " + length + "; ";
      rest = name + "_rest";
    }
    return text + "\n";
  }

  // The start of each strided operand's elements of result quern_o.
  [[nodiscard]] std::string start_of_result() const {
    std::string text = split_index(kKept, variant_.kept_rank, "quern_o");
    for (std::size_t a = 0; a < source_.operands.size(); ++a) {
      if (variant_.operands[a].placement != Placement::strided) continue;
      text += "const " + index_ + " " + operand_name("row", a) + " = " + operand_name("offset", a);
      for (unsigned d = 0; d < variant_.kept_rank; ++d)
        text += std::string(" + ") + kKept.index + number(d) + " * " + stride(kKept, a, d);
      text += ";\n";
    }
    return text;
  }

  // Indices of element quern_r of a result, and the offset of each strided operand there. `lane` is added
  // along the innermost kept loop, where several columns are processed at a time.
  [[nodiscard]] std::string at_element(const std::string& lane = {}) const {
    std::string text = "const long i = " +
                       (variant_.ranged ? "quern_start + quern_step * quern_r" : std::string("quern_r")) +
                       ";\n";
    if (variant_.reduced_rank > 1) text += split_index(kReduced, variant_.reduced_rank, "quern_r");
    for (std::size_t a = 0; a < source_.operands.size(); ++a) {
      if (variant_.operands[a].placement != Placement::strided || variant_.operands[a].is_fixed) continue;
      text += "const " + index_ + " " + operand_name("at", a) + " = " + operand_name("row", a);
      const Inner inner = variant_.operands[a].inner;
      const bool rows = variant_.scheme == ReductionScheme::rows;
      for (unsigned d = 0; d < variant_.reduced_rank; ++d) {
        const std::string single = variant_.ranged ? "i" : "quern_r";
        const std::string r = variant_.reduced_rank == 1 ? single : kReduced.index + number(d);
        if (rows && d == 0 && inner != Inner::any) {
          if (inner == Inner::unit) text += " + " + r;
        } else {
          text += " + " + r + " * " + stride(kReduced, a, d);
        }
      }
      if (!lane.empty() && inner == Inner::unit) text += " + " + lane;
      if (!lane.empty() && inner == Inner::any) text += " + " + lane + " * " + stride(kKept, a, 0);
      text += ";\n";
    }
    return text;
  }

  [[nodiscard]] std::string map_at(const std::string& lane = {}) const {
    return source_.map.rewritten([&](std::string_view name) -> std::string {
      for (std::size_t a = 0; a < source_.operands.size(); ++a) {
        if (source_.operands[a].argument.parameter.name != name || !source_.operands[a].is_element) continue;
        if (!lane.empty() && in_registers(variant_.operands[a]))
          return operand_name("v", a) + "[" + lane + "]";
        if (variant_.operands[a].is_fixed) return operand_name("v", a) + "[0]";
        if (variant_.operands[a].placement == Placement::linear) return std::string(name) + "[i]";
        return std::string(name) + "[" + operand_name("at", a) + "]";
      }
      return {};
    });
  }

  // Adds the element to `acc`.
  [[nodiscard]] std::string accumulate(const std::string& acc, const std::string& map) const {
    return located("map_expr", "(" + map + ")", "{ const " + item_ + " quern_mapped =",
                   acc + " = quern_reduce(" + acc + ", quern_mapped); }");
  }

  // Declares and loads quern_vA[vector] of the contiguous operands, from element quern_r on.
  [[nodiscard]] std::string load_vectors() const {
    std::string text;
    for (std::size_t a = 0; a < source_.operands.size(); ++a) {
      if (!in_registers(variant_.operands[a]) || variant_.operands[a].is_fixed) continue;
      const bool is_linear = variant_.operands[a].placement == Placement::linear;
      text += load_vector_at(a, is_linear ? "quern_r" : operand_name("at", a));
    }
    return text;
  }

  // The same for operands that all elements of a result share.
  [[nodiscard]] std::string load_fixed() const {
    std::string text;
    for (std::size_t a = 0; a < source_.operands.size(); ++a) {
      if (!variant_.operands[a].is_fixed) continue;
      const Parameter& parameter = source_.operands[a].argument.parameter;
      if (variant_.vector > 1 && in_registers(variant_.operands[a])) {
        text += load_vector_at(a, operand_name("row", a));
      } else {
        text += source_.operands[a].argument.type + " " + operand_name("v", a) + "[1]; " +
                operand_name("v", a) + "[0] = " + parameter.name + "[" + operand_name("row", a) + "];\n";
      }
    }
    return text;
  }

  [[nodiscard]] std::string load_vector_at(std::size_t a, const std::string& at) const {
    const Parameter& parameter = source_.operands[a].argument.parameter;
    const std::string width = number(variant_.vector), array = operand_name("v", a);
    const std::string space = parameter.space == AddressSpace::constant ? "constant " : "global ";
    return type_name(parameter.dtype) + " " + array + "[" + width + "]; vstore" + width + "(*(" + space +
           "const " + type_name(parameter.dtype) + width + " *)(" + parameter.name + " + " + at + "), 0, " +
           array + ");\n";
  }

  [[nodiscard]] std::string segment_bounds() const {
    return "const " + index_ + " quern_begin = quern_segment * quern_chunk;\nconst " + index_ +
           " quern_end = min(quern_begin + quern_chunk, quern_total);\n";
  }

  // One result, or a segment of it, by `lanes` work-items; several results side by side fill the group.
  [[nodiscard]] std::string grid_rows() const {
    const std::string lanes = number(variant_.lanes), rows = number(variant_.group / variant_.lanes);
    const std::string width = number(variant_.vector);
    std::string text = "local " + item_ + " quern_scratch[" + number(variant_.group) + "];\n";
    text += "const int quern_local = get_local_id(0), quern_lane = quern_local % " + lanes + ";\n";
    text +=
        "const " + index_ + " quern_group = get_group_id(0), quern_segment = quern_group % quern_segments;\n";
    text += "const " + index_ + " quern_o = quern_group / quern_segments * " + rows + " + quern_local / " +
            lanes + ";\n";
    text += item_ + " quern_acc = " + "quern_neutral()" + ";\nif (quern_o < quern_outputs) {\n" +
            segment_bounds() + start_of_result();
    if (variant_.vector > 1) {
      text += "const " + index_ + " quern_whole = quern_begin + (quern_end - quern_begin) / " + width +
              " * " + width + ";\n#pragma unroll 4\nfor (" + index_ +
              " quern_r = quern_begin + quern_lane * " + width +
              "; quern_r < quern_whole; quern_r += " + number(variant_.lanes * variant_.vector) + ") {\n" +
              vector_elements_of_row() + "}\n#pragma unroll 1\nfor (" + index_ +
              " quern_r = quern_whole + quern_lane; quern_r < quern_end; quern_r += " + lanes + ") {\n";
    } else {
      text += "#pragma unroll 4\nfor (" + index_ +
              " quern_r = quern_begin + quern_lane; quern_r < quern_end; quern_r += " + lanes + ") {\n";
    }
    text += at_element() + accumulate("quern_acc", map_at()) + "}\n}\n";
    text += "quern_scratch[quern_local] = quern_acc;\n";
    text +=
        "for (int quern_step_ = " + number(variant_.lanes / 2u) +
        "; quern_step_ > 0; quern_step_ /= 2) {\nbarrier(CLK_LOCAL_MEM_FENCE);\nif (quern_lane < "
        "quern_step_)\n"
        "quern_scratch[quern_local] = quern_reduce(quern_scratch[quern_local], quern_scratch[quern_local + "
        "quern_step_]);\n}\n";
    return text +
           "if (quern_lane == 0 && quern_o < quern_outputs)\nquern_out[quern_o * quern_segments + "
           "quern_segment] = " +
           finished("quern_scratch[quern_local]") + ";\n";
  }

  [[nodiscard]] std::string vector_elements_of_row() const {
    // The addresses are those of the first element; the map sees each element's own index. Vectors begin at
    // their multiples: with an `or`, even old compilers see that neighbours share one random block.
    return "{\n" + at_element() + load_vectors() + "#pragma unroll\nfor (int quern_j = 0; quern_j < " +
           number(variant_.vector) +
           "; ++quern_j) {\nconst long quern_first = i;\n{\nconst long i = quern_first | quern_j;\n" +
           accumulate("quern_acc", map_at("quern_j")) + "}\n}\n}\n";
  }

  // `vector` results by each work-item, from the rows of a segment.
  [[nodiscard]] std::string grid_columns() const {
    const std::string width = number(variant_.vector);
    std::string text = "const " + index_ + " quern_o = (" + index_ + ")get_global_id(0) * " + width +
                       ", quern_segment = get_global_id(1);\nif (quern_o < quern_outputs) {\n" +
                       segment_bounds() + start_of_result() + load_fixed();
    text += item_ + " quern_acc[" + width + "];\n";
    const std::string lanes = "for (int quern_j = 0; quern_j < " + width + "; ++quern_j)";
    text += "#pragma unroll\n" + lanes + " quern_acc[quern_j] = " + "quern_neutral()" + ";\n";
    text += "#pragma unroll 4\nfor (" + index_ +
            " quern_r = quern_begin; quern_r < quern_end; ++quern_r) {\n" + at_element();
    if (variant_.vector > 1) {
      text += load_vectors() + "#pragma unroll\n" + lanes + " {\n" +
              accumulate("quern_acc[quern_j]", map_at("quern_j")) + "}\n";
    } else {
      text += accumulate("quern_acc[0]", map_at());
    }
    text +=
        "}\n#pragma unroll\n" + lanes +
        " quern_out[quern_segment * quern_outputs + quern_o + quern_j] = " + finished("quern_acc[quern_j]") +
        ";\n";
    return text + "}\n";
  }

  // A segment of one result by one work-item, with as many accumulators as keep the adders busy.
  [[nodiscard]] std::string chunk_rows() const {
    const std::size_t lanes = source_.is_number ? std::max<std::size_t>(128 / source_.item_size, 1) : 1;
    std::string text = "const " + index_ +
                       " quern_id = get_global_id(0), quern_segment = quern_id % quern_segments, "
                       "quern_o = quern_id / quern_segments;\nif (quern_o < quern_outputs) {\n" +
                       segment_bounds() + start_of_result() + item_ + " quern_acc = " + "quern_neutral()" +
                       ";\n" + index_ + " quern_first = quern_begin;\n";
    if (lanes > 1) {
      const std::string each = "for (int quern_j = 0; quern_j < " + number(lanes) + "; ++quern_j)";
      text += "if (quern_end - quern_begin >= " + number(lanes) + ") {\n" + item_ + " quern_lanes[" +
              number(lanes) + "];\n" + each + " quern_lanes[quern_j] = " + "quern_neutral()" +
              ";\nfor (; quern_first + " + number(lanes) + " <= quern_end; quern_first += " + number(lanes) +
              ")\n" + each + " {\nconst " + index_ + " quern_r = quern_first + quern_j;\n" + at_element() +
              accumulate("quern_lanes[quern_j]", map_at()) + "}\n" + each +
              " quern_acc = quern_reduce(quern_acc, quern_lanes[quern_j]);\n}\n";
    }
    text += "for (" + index_ + " quern_r = quern_first; quern_r < quern_end; ++quern_r) {\n" + at_element() +
            accumulate("quern_acc", map_at()) + "}\n";
    return text + "quern_out[quern_o * quern_segments + quern_segment] = quern_acc;\n}\n";
  }

  // A block of neighbouring results by one work-item, row after row.
  [[nodiscard]] std::string chunk_columns() const {
    const std::string width = number(columns_of_block(source_.item_size));
    const bool blocks = variant_.kept_rank == 1;
    std::string text = "const " + index_ + " quern_segment = get_global_id(1);\n" + segment_bounds();
    if (blocks) {
      text +=
          "const " + index_ + " quern_o = (" + index_ + ")get_global_id(0) * " + width +
          ";\nif (quern_o < quern_outputs) {\nconst int quern_count = (int)min(quern_outputs - quern_o, (" +
          index_ + ")" + width + ");\n" + start_of_result() + item_ + " quern_acc[" + width + "];\n";
      const std::string each = "for (int quern_j = 0; quern_j < quern_count; ++quern_j)";
      text += each + " quern_acc[quern_j] = " + "quern_neutral()" + ";\nfor (" + index_ +
              " quern_r = quern_begin; quern_r < quern_end; ++quern_r)\n" + each + " {\n" +
              at_element("quern_j") + accumulate("quern_acc[quern_j]", map_at()) + "}\n" + each +
              " quern_out[quern_segment * quern_outputs + quern_o + quern_j] = quern_acc[quern_j];\n";
      return text + "}\n";
    }
    text += "const " + index_ + " quern_o = get_global_id(0);\nif (quern_o < quern_outputs) {\n" +
            start_of_result() + item_ + " quern_acc = " + "quern_neutral()" + ";\nfor (" + index_ +
            " quern_r = quern_begin; quern_r < quern_end; ++quern_r) {\n" + at_element() +
            accumulate("quern_acc", map_at()) +
            "}\nquern_out[quern_segment * quern_outputs + quern_o] = quern_acc;\n";
    return text + "}\n";
  }
};

}  // namespace

std::string ReductionVariant::key() const {
  std::string key;
  for (const int part : {static_cast<int>(style), static_cast<int>(scheme), static_cast<int>(kept_rank),
                         static_cast<int>(reduced_rank), static_cast<int>(vector), static_cast<int>(group),
                         static_cast<int>(lanes), static_cast<int>(wide), static_cast<int>(ranged),
                         static_cast<int>(finishes)})
    key += std::to_string(part) + ",";
  for (const OperandLayout& operand : operands) key += key_of(operand);
  return key;
}

unsigned columns_of_block(std::size_t item_size) {
  return static_cast<unsigned>(std::clamp<std::size_t>(4096 / item_size, 1, 1024));
}

std::string emit_reduction(const ReductionSource& source, const ReductionVariant& variant) {
  return ReductionEmitter(source, variant).program();
}

}  // namespace quern::codegen
