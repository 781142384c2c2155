// SPDX-License-Identifier: MIT
// OpenCL C of scans in tiles: a work-group holds a few thousand items in local memory, and gets the result
// before them from the sums of other tiles, or from the tiles themselves.
#include <algorithm>
#include <bit>

#include "codegen/emit_loop.hpp"
#include "codegen/emit_scan.hpp"
#include "codegen/emit_tiles.hpp"
#include "codegen/type_text.hpp"

namespace quern::codegen::scan {
namespace {

// Each work-item reads a run of neighbours from local memory, and all together read one piece after the
// other. With a gap of 16 bytes after each 128, neither pattern has bank conflicts.
bool is_spread(std::size_t itemsize) {
  return std::has_single_bit(itemsize) && itemsize <= 16;
}
std::size_t local_bytes(std::size_t count, std::size_t itemsize) {
  const std::size_t nbytes = count * itemsize;
  return (nbytes + (is_spread(itemsize) ? nbytes / 128 * 16 : 0) + 15) / 16 * 16;
}

bool is_staged(const ScanOperand& operand) {
  return operand.in_registers && operand.input.reads;
}

// The staged operand whose local memory the items reuse; -1: they have their own.
int shared_with(const ScanSource& source) {
  for (std::size_t a = 0; a < source.operands.size(); ++a) {
    const ScanOperand& operand = source.operands[a];
    if (is_staged(operand) && !operand.output.reads &&
        operand.argument.parameter.dtype.itemsize == source.item_dtype.itemsize &&
        has_vector_type(operand.argument.parameter.dtype) == has_vector_type(source.item_dtype))
      return static_cast<int>(a);
  }
  return -1;
}

// Items of a tile are numbered as in memory. Work-item t has the run of `items` from t * items on. When items
// are loaded and stored, a team (a sub-group, or the work-group if there are none) processes its runs
// together.
class TileEmitter {
 public:
  TileEmitter(const ScanSource& source, const ScanVariant& variant)
      : source_(source),
        variant_(variant),
        index_(variant.index_type()),
        items_(number(variant.items)),
        rounds_(number(variant.items / variant.vector)),
        value_(source.segmented() ? ".value" : ""),
        shared_(shared_with(source)),
        tiles_(source, variant) {}

  [[nodiscard]] std::string program() const {
    const bool looks_back = variant_.strategy == ScanStrategy::look_back;
    std::string text = tiles_.exchange() + slots();
    if (!looks_back) {
      return text + tiles_.kernel("_reduce", ", global quern_partial *quern_sums", reduce()) + tiles_.sums() +
             tiles_.kernel("_apply", ", global const quern_partial *quern_sums", apply());
    }
    return text + tiles_.states() + tiles_.kernel("_apply", ", " + tiles_.state_parameters(), apply());
  }

 private:
  const ScanSource& source_;
  const ScanVariant& variant_;
  const std::string index_, items_, rounds_, value_;
  const int shared_;
  const Tiles tiles_;

  // The offsets of items in local memory, by their size; and the team.
  [[nodiscard]] std::string slots() const {
    std::string text =
        "#if QUERN_LANES > 1\n#define QUERN_TEAM QUERN_LANES\n#define QUERN_MEET() "
        "sub_group_barrier(CLK_LOCAL_MEM_FENCE)\n#else\n#define QUERN_TEAM " +
        number(variant_.group_size) + "\n#define QUERN_MEET() barrier(CLK_LOCAL_MEM_FENCE)\n#endif\n";
    std::vector<std::size_t> sizes = {source_.item_dtype.itemsize};
    for (const ScanOperand& operand : source_.operands)
      if (is_staged(operand)) sizes.push_back(operand.argument.parameter.dtype.itemsize);
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    for (const std::size_t size : sizes) {
      text += "inline uint quern_slot" + number(size) + "(uint e) { return e" +
              (is_spread(size) ? " + e / " + number(128 / size) + " * " + number(16 / size) : "") + "; }\n";
    }
    return text;
  }
  // The offset of item `base + offset`. If the sum crosses no gap that its parts do not, they are added
  // separately, so that constant offsets cost nothing.
  [[nodiscard]] static std::string slot(const DType& dtype, const std::string& base,
                                        const std::string& offset, bool apart) {
    const std::string function = "quern_slot" + number(dtype.itemsize) + "(";
    return "[" + function + base + (apart ? ") + " + function : " + ") + offset + ")]";
  }
  [[nodiscard]] bool is_apart_in_run(const DType& dtype) const {
    const std::size_t nbytes = variant_.items * dtype.itemsize;
    return nbytes % 128 == 0 || 128 % nbytes == 0;
  }
  // For a team with `length` items each, in rounds.
  [[nodiscard]] static bool is_apart_in_rounds(const DType& dtype, unsigned length) {
    return length * dtype.itemsize % 4 == 0;
  }

  // Of these, neighbours that are contiguous in local memory.
  [[nodiscard]] unsigned piece(const DType& dtype) const {
    if (!has_vector_type(dtype)) return 1;
    unsigned length = static_cast<unsigned>(16 / dtype.itemsize);
    while (variant_.items % length != 0) length /= 2;
    return length;
  }

  [[nodiscard]] std::string items_array() const {
    return shared_ < 0 ? "quern_items" : operand_name("s", static_cast<std::size_t>(shared_));
  }
  [[nodiscard]] static std::string as(const std::string& type, const std::string& array) {
    return "((local " + type + " *)" + array + ")";
  }

  [[nodiscard]] std::string locals(bool keeps_items) const {
    const auto array = [&](const std::string& name, std::size_t itemsize) {
      return "local uint4 " + name + "[" + number(local_bytes(variant_.tile(), itemsize) / 16) + "];\n";
    };
    std::string text = tiles_.locals();
    for (std::size_t a = 0; a < source_.operands.size(); ++a)
      if (is_staged(source_.operands[a]))
        text += array(operand_name("s", a), source_.operands[a].argument.parameter.dtype.itemsize);
    if (keeps_items && shared_ < 0) text += array("quern_items", source_.item_dtype.itemsize);
    return text;
  }

  [[nodiscard]] std::string place() const {
    return tiles_.place() + "const uint quern_team = quern_local / QUERN_TEAM * (QUERN_TEAM * " + items_ +
           "), quern_member = quern_local % QUERN_TEAM, quern_run = quern_local * " + items_ + ";\n";
  }

  // Copies operands from memory to local memory, where a work-item then finds its run.
  [[nodiscard]] std::string stage() const {
    std::string loads, stores, rest;
    for (std::size_t a = 0; a < source_.operands.size(); ++a) {
      const ScanOperand& operand = source_.operands[a];
      if (!is_staged(operand)) continue;
      const Parameter& parameter = operand.argument.parameter;
      const std::string array = as(operand.argument.type, operand_name("s", a)),
                        pieces = operand_name("v", a);
      const unsigned length = tiles_.has_vectors(operand) ? piece(parameter.dtype) : 1;
      const std::string type =
          length == 1 ? operand.argument.type : type_name(parameter.dtype) + number(length);
      const std::string loop = each("quern_r", number(variant_.items / length));
      const std::string base = "quern_team + quern_member * " + number(length);
      const std::string from = "((" + space(parameter) + "const " + type + " *)(" + parameter.name +
                               " + quern_first + (int)(" + base + ")))";
      loads += type + " " + pieces + "[" + number(variant_.items / length) + "];\n" + loop + " " + pieces +
               "[quern_r] = " +
               (length == 1 ? from + "[quern_r * QUERN_TEAM]"
                            : "quern_load_streaming(" + from + " + quern_r * QUERN_TEAM)") +
               ";\n";
      stores += loop + " *(local " + type + " *)&" + array +
                slot(parameter.dtype, base, "quern_r * (QUERN_TEAM * " + number(length) + ")",
                     is_apart_in_rounds(parameter.dtype, length)) +
                " = " + pieces + "[quern_r];\n";
      rest += array + slot(parameter.dtype, "quern_team", "quern_k", false) + " = " + parameter.name +
              "[min(quern_first + (int)(quern_team + quern_k), N - 1)];\n";
    }
    if (rest.empty()) return {};
    return "if (quern_full) {\n" + loads + stores +
           "} else {\n#pragma unroll 1\nfor (uint quern_k = quern_member; quern_k < QUERN_TEAM * " + items_ +
           "; quern_k += QUERN_TEAM) {\n" + rest + "}\n}\nQUERN_MEET();\n";
  }

  [[nodiscard]] std::string input() const {
    return set_input(
        source_, "quern_p", [](std::size_t a) { return operand_name("x", a) + "[quern_j]"; },
        [&](const ScanFetch& fetch) {
          const ScanOperand& operand = source_.operands[fetch.operand];
          const std::string& name = operand.argument.parameter.name;
          const std::string array = operand_name("x", fetch.operand);
          if (fetch.offset == 0) return is_staged(operand) ? array + "[quern_j]" : name + "[i]";
          const std::string behind = number(static_cast<std::size_t>(-fetch.offset));
          const std::string memory = name + "[max(i - " + behind + ", (" + index_ + ")0)]";
          if (!is_staged(operand)) return memory;
          return "(quern_j >= " + behind + " ? " + array + "[max(quern_j - " + behind + ", 0)] : " + memory +
                 ")";
        });
  }

  // Copies `count` neighbours from local memory to a private array: from item quern_c of the run on, or of a
  // round.
  [[nodiscard]] std::string from_local(const std::string& array, const DType& dtype, const std::string& type,
                                       const std::string& buffer, unsigned count, bool of_run) const {
    const unsigned length = std::min(piece(dtype), count);
    const std::string base = of_run ? "quern_run" : "quern_team + quern_member * " + number(count);
    const std::string offset = (of_run ? "quern_c" : "quern_r * (QUERN_TEAM * " + number(count) + ")") +
                               " + quern_k * " + number(length);
    const bool apart =
        of_run ? is_apart_in_run(dtype) : is_apart_in_rounds(dtype, count) && count * dtype.itemsize <= 16;
    const std::string at = as(type, buffer) + slot(dtype, base, offset, apart);
    return each("quern_k", number(count / length)) +
           (length == 1 ? " " + array + "[quern_k] = " + at + ";\n"
                        : " vstore" + number(length) + "(*(local const " + type_name(dtype) + number(length) +
                              " *)&" + at + ", 0, " + array + " + quern_k * " + number(length) + ");\n");
  }
  [[nodiscard]] std::string items_to_local(unsigned count) const {
    const DType& dtype = source_.item_dtype;
    const unsigned length = std::min(piece(dtype), count);
    const std::string at =
        as("quern_item", items_array()) +
        slot(dtype, "quern_run", "quern_c + quern_k * " + number(length), is_apart_in_run(dtype));
    return each("quern_k", number(count / length)) +
           (length == 1 ? " " + at + " = quern_kept[quern_k];\n"
                        : " *(local " + type_name(dtype) + number(length) + " *)&" + at + " = vload" +
                              number(length) + "(0, quern_kept + quern_k * " + number(length) + ");\n");
  }

  // Items of a run that are in registers at a time: as many as the longest contiguous piece, but all if an
  // earlier one is fetched.
  [[nodiscard]] unsigned part() const {
    unsigned length = piece(source_.item_dtype);
    for (const ScanOperand& operand : source_.operands)
      if (is_staged(operand)) length = std::max(length, piece(operand.argument.parameter.dtype));
    for (const ScanFetch& fetch : source_.fetches)
      if (fetch.offset != 0) length = variant_.items;
    return length;
  }

  // quern_sum of the run; with `keeps_items` each item is combined with those before it in the run. For
  // segmented scans quern_starts has a bit for each item that starts a segment.
  [[nodiscard]] std::string scan_run(bool keeps_items) const {
    const unsigned count = part();
    std::string text = "quern_partial quern_sum;\n";
    if (source_.segmented()) text += "uint quern_starts = 0;\n";
    text += "#pragma unroll\nfor (int quern_c = 0; quern_c < " + items_ + "; quern_c += " + number(count) +
            ") {\n";
    for (std::size_t a = 0; a < source_.operands.size(); ++a) {
      const ScanOperand& operand = source_.operands[a];
      if (!is_staged(operand)) continue;
      const std::string array = operand_name("x", a), &type = operand.argument.type;
      text += type + " " + array + "[" + number(count) + "];\n" +
              from_local(array, operand.argument.parameter.dtype, type, operand_name("s", a), count, true);
    }
    if (keeps_items) text += "quern_item quern_kept[" + number(count) + "];\n";
    text += each("quern_j", number(count)) + " {\nconst " + index_ + " i = min(quern_first + (" + index_ +
            ")(quern_run + quern_c + quern_j), N - 1);\nquern_partial quern_p;\n" + input() +
            "quern_sum = quern_c + quern_j == 0 ? quern_p : quern_join(quern_sum, quern_p);\n";
    if (source_.segmented()) text += "quern_starts |= quern_p.starts << (quern_c + quern_j);\n";
    if (keeps_items) text += "quern_kept[quern_j] = quern_sum" + value_ + ";\n";
    return text + "}\n" + (keeps_items ? items_to_local(count) : "") + "}\n";
  }

  // quern_all, the sum of the tile; quern_mine, its sum before the run, if any.
  [[nodiscard]] std::string scan_group() const {
    return "#if QUERN_LANES > 1\n#pragma unroll\nfor (int quern_d = 1; quern_d < QUERN_LANES; quern_d *= 2) "
           "{\n"
           "const quern_partial quern_other = quern_up(quern_sum, quern_d);\n"
           "if (quern_lane >= quern_d) quern_sum = quern_join(quern_other, quern_sum);\n}\n#endif\n" +
           tiles_.scan_group() +
           "quern_partial quern_mine = quern_own;\n#if QUERN_LANES > 1\n"
           "const quern_partial quern_lanes = quern_up(quern_sum, 1);\n"
           "if (quern_lane > 0) quern_mine = quern_warp > 0 ? quern_join(quern_own, quern_lanes) : "
           "quern_lanes;\n"
           "#endif\n";
  }

  [[nodiscard]] std::string reduce() const {
    const bool last = source_.uses_last();
    std::string text = locals(last) + place() + stage() + scan_run(last) + scan_group();
    if (!last) return text + "if (quern_local == 0) quern_sums[quern_tile] = quern_all;\n";
    // Past the end the last element is repeated, so a partial tile takes the sum up to it.
    text +=
        "if (quern_full) {\nif (quern_local == 0) quern_sums[quern_tile] = quern_all;\n} else {\n"
        "const uint quern_end = (uint)(N - 1 - quern_first);\n"
        "if (quern_local == (int)(quern_end / " +
        items_ + ")) {\nquern_partial quern_p;\nquern_p" + value_ + " = " + as("quern_item", items_array()) +
        slot(source_.item_dtype, "quern_end", "0", false) + ";\n";
    if (source_.segmented()) text += "quern_p.starts = " + starts_up_to("quern_end % " + items_) + ";\n";
    return text +
           "quern_sums[quern_tile] = quern_local > 0 ? quern_join(quern_mine, quern_p) : quern_p;\n}\n}\n";
  }

  [[nodiscard]] std::string apply() const {
    const bool looks_back = variant_.strategy == ScanStrategy::look_back;
    std::string text = locals(true) + "#if QUERN_LANES == 1\nlocal quern_partial quern_runs[" +
                       number(variant_.group_size) + "];\n#endif\n";
    if (looks_back) text += "local quern_partial quern_ahead;\n";
    text += place() + stage() + scan_run(true) + scan_group();
    text += looks_back ? tiles_.look_back("")
                       : "quern_partial quern_prefix = quern_sums[max(quern_tile - 1, 0)];\n";
    if (source_.uses_last())
      text += "const quern_item last_item = quern_sums[get_num_groups(0) - 1]" + value_ + ";\n";
    text +=
        "if (quern_tile > 0) quern_mine = quern_local > 0 ? quern_join(quern_prefix, quern_mine) : "
        "quern_prefix;\n";
    if (!source_.neutral.empty())
      text += "if (quern_tile == 0 && quern_local == 0) quern_mine" + value_ + " = quern_neutral();\n";
    // Data of the run that other work-items need: the result before it, and its segment starts.
    if (source_.segmented()) text += "quern_mine.starts = quern_starts;\n";
    text +=
        "#if QUERN_LANES == 1\nquern_runs[quern_local] = "
        "quern_mine;\nbarrier(CLK_LOCAL_MEM_FENCE);\n#endif\n";
    text += "if (quern_full) {\n" + outputs(true) + "} else {\n" + outputs(false) + "}\n";
    return text;
  }

  // By the team, `vector` neighbours for each work-item in a round.
  [[nodiscard]] std::string outputs(bool full) const {
    const std::string vector = number(variant_.vector);
    const auto named = [](std::size_t a) { return operand_name("x", a) + "[quern_v]"; };
    // Only the last tile is partial; it need not be fast.
    std::string text = full ? each("quern_r", rounds_)
                            : "#pragma unroll 1\nfor (int quern_r = 0; quern_r < " + rounds_ + "; ++quern_r)";
    text += " {\nconst uint quern_e = quern_team + (quern_r * QUERN_TEAM + quern_member) * " + vector +
            ", quern_owner = quern_e / " + items_ + ", quern_at = quern_e % " + items_ +
            ";\n#if QUERN_LANES > 1\nconst quern_partial quern_known = quern_of(quern_mine, quern_owner % "
            "QUERN_LANES);\n"
            "#else\nconst quern_partial quern_known = quern_runs[quern_owner];\n#endif\n"
            "const quern_item quern_before = quern_known" +
            value_ + ";\n";
    if (source_.segmented()) text += "const uint quern_starts = quern_known.starts;\n";
    if (source_.neutral.empty()) text += "const bool quern_has = quern_tile > 0 || quern_owner > 0;\n";
    text += "quern_item quern_own[" + vector + "];\n" +
            from_local("quern_own", source_.item_dtype, "quern_item", items_array(), variant_.vector, false) +
            load_outputs(full);
    if (source_.uses_previous())
      text += "quern_item quern_last = quern_before;\nif (quern_at > 0) quern_last = " +
              joined(as("quern_item", items_array()) + slot(source_.item_dtype, "quern_e", "-1", false),
                     "quern_at - 1") +
              ";\n";
    text += each("quern_v", vector) + " {\nconst " + index_ + " i = quern_first + (" + index_ +
            ")(quern_e + quern_v);\n" + (full ? "{\n" : "if (i < N) {\n") +
            "const quern_item item = " + joined("quern_own[quern_v]", "quern_at + quern_v") + ";\n";
    if (source_.uses_previous()) {
      text += std::string("const quern_item prev_item = ") +
              (source_.segmented() ? "(quern_starts >> (quern_at + quern_v) & 1) != 0 ? quern_neutral() : "
                                   : "") +
              "quern_last;\nquern_last = item;\n";
    }
    text += output(source_, named) + (full ? "" : store_items()) + "}\n}\n";
    return text + (full ? store_round() : "") + "}\n";
  }

  // The result up to item `at` of its run, where the run has `own` up to it.
  [[nodiscard]] std::string joined(const std::string& own, const std::string& at) const {
    const std::string join =
        "quern_value(quern_before, " + own + ", " + (source_.segmented() ? starts_up_to(at) : "0") + ")";
    return source_.neutral.empty() ? "quern_has ? " + join + " : " + own : join;
  }
  // Whether a segment starts in the run, up to this item of it.
  [[nodiscard]] static std::string starts_up_to(const std::string& at) {
    return "quern_starts << (31 - (" + at + ")) != 0";
  }

  // quern_xA[vector] of the operands that the output uses.
  [[nodiscard]] std::string load_outputs(bool full) const {
    const std::string vector = number(variant_.vector);
    std::string text;
    for (std::size_t a = 0; a < source_.operands.size(); ++a) {
      const ScanOperand& operand = source_.operands[a];
      if (!operand.in_registers || (!operand.output.reads && !operand.output.writes)) continue;
      const Parameter& parameter = operand.argument.parameter;
      const std::string array = operand_name("x", a);
      text += operand.argument.type + " " + array + "[" + vector + "];\n";
      if (!operand.output.reads) continue;
      if (is_staged(operand)) {
        text += from_local(array, parameter.dtype, operand.argument.type, operand_name("s", a),
                           variant_.vector, false);
      } else if (full && tiles_.has_vectors(operand)) {
        text += "vstore" + vector + "(*" + vector_at(operand, true) + ", 0, " + array + ");\n";
      } else {
        text += each("quern_v", vector) + " " + array + "[quern_v] = " + parameter.name +
                "[min(quern_first + (" + index_ + ")(quern_e + quern_v), N - 1)];\n";
      }
    }
    return text;
  }

  [[nodiscard]] static std::string space(const Parameter& parameter) {
    return parameter.space == AddressSpace::constant ? "constant " : "global ";
  }
  // A pointer to the operand's elements of round quern_r.
  [[nodiscard]] std::string vector_at(const ScanOperand& operand, bool is_const) const {
    const Parameter& parameter = operand.argument.parameter;
    return "((" + space(parameter) + (is_const ? "const " : "") + type_name(parameter.dtype) +
           number(variant_.vector) + " *)(" + parameter.name +
           " + quern_first + (int)(quern_team + quern_member * " + number(variant_.vector) +
           ")) + quern_r * QUERN_TEAM)";
  }

  [[nodiscard]] std::string store_items() const {
    std::string text;
    for (std::size_t a = 0; a < source_.operands.size(); ++a)
      if (source_.operands[a].is_stored())
        text +=
            source_.operands[a].argument.parameter.name + "[i] = " + operand_name("x", a) + "[quern_v];\n";
    return text;
  }
  [[nodiscard]] std::string store_round() const {
    std::string vectors, singles;
    for (std::size_t a = 0; a < source_.operands.size(); ++a) {
      const ScanOperand& operand = source_.operands[a];
      if (!operand.is_stored()) continue;
      if (tiles_.has_vectors(operand)) {
        vectors += "quern_store_streaming(" + vector_at(operand, false) + ", vload" +
                   number(variant_.vector) + "(0, " + operand_name("x", a) + "));\n";
      } else {
        singles += operand.argument.parameter.name +
                   "[quern_first + quern_e + quern_v] = " + operand_name("x", a) + "[quern_v];\n";
      }
    }
    if (!singles.empty()) vectors += each("quern_v", number(variant_.vector)) + " {\n" + singles + "}\n";
    return vectors;
  }
};

}  // namespace

std::string tile_kernels(const ScanSource& source, const ScanVariant& variant) {
  return TileEmitter(source, variant).program();
}

}  // namespace quern::codegen::scan

namespace quern::codegen {

std::size_t scan_local_memory(const ScanSource& source, const ScanVariant& variant) {
  // Devices with look-back have sub-groups of at least 32; elsewhere each work-item stores its sums.
  const bool looks_back = variant.strategy == ScanStrategy::look_back;
  std::size_t nbytes =
      source.partial_size() * (looks_back ? variant.group_size / 32 + 1 : 2 * variant.group_size);
  for (const ScanOperand& operand : source.operands)
    if (scan::is_staged(operand))
      nbytes += scan::local_bytes(variant.tile(), operand.argument.parameter.dtype.itemsize);
  if (scan::shared_with(source) < 0) nbytes += scan::local_bytes(variant.tile(), source.item_dtype.itemsize);
  return nbytes;
}

}  // namespace quern::codegen
