// SPDX-License-Identifier: MIT
// OpenCL C of scans in tiles: a work-group scans some thousand items in registers, and learns from sums of
// other tiles, or from the tiles themselves, what comes before them.
#include "codegen/emit_loop.hpp"
#include "codegen/emit_scan.hpp"
#include "codegen/emit_tiles.hpp"

namespace quern::codegen::scan {
namespace {

class TileEmitter {
 public:
  TileEmitter(const ScanSource& source, const ScanVariant& variant)
      : source_(source),
        variant_(variant),
        index_(variant.index_type()),
        items_(number(variant.items)),
        vector_(number(variant.vector)),
        rounds_(number(variant.items / variant.vector)),
        value_(source.segmented() ? ".value" : ""),
        tiles_(source, variant) {}

  [[nodiscard]] std::string program() const {
    const bool looks_back = variant_.strategy == ScanStrategy::look_back;
    std::string text = tiles_.exchange();
    if (!looks_back) {
      return text + tiles_.kernel("_reduce", ", global quern_partial *quern_sums", reduce()) + tiles_.sums() +
             tiles_.kernel("_apply", ", global const quern_partial *quern_sums", apply());
    }
    return text + tiles_.states() + tiles_.kernel("_apply", ", " + tiles_.state_parameters(), apply());
  }

 private:
  const ScanSource& source_;
  const ScanVariant& variant_;
  const std::string index_, items_, vector_, rounds_, value_;
  const Tiles tiles_;

  // quern_p[items], each joined to those before it in its round; quern_before[round], what the lanes before
  // have, and quern_total[round], what all of them have together; quern_sum, the sub-group's.
  [[nodiscard]] std::string scan_lanes() const {
    std::string text = tiles_.load(true) + "quern_partial quern_p[" + items_ + "];\n";
    const bool keeps_starts = source_.segmented() && source_.uses_previous();
    if (keeps_starts) text += "uint quern_starts = 0;\n";
    text += each("quern_j", items_) + " {\nconst " + index_ + " i = min((" + index_ + ")(" +
            tiles_.item_index() + "), N - 1);\n" + tiles_.input("quern_p[quern_j]");
    if (keeps_starts) text += "quern_starts |= quern_p[quern_j].starts << quern_j;\n";
    text += "}\n" + each("quern_j", items_, 1) + "\nif (quern_j % " + vector_ +
            " != 0) quern_p[quern_j] = quern_join(quern_p[quern_j - 1], quern_p[quern_j]);\n";
    text += "quern_partial quern_total[" + rounds_ + "];\n" + each("quern_r", rounds_) +
            "\nquern_total[quern_r] = quern_p[quern_r * " + vector_ + " + " + number(variant_.vector - 1) +
            "];\n#if QUERN_LANES > 1\nquern_partial quern_before[" + rounds_ + "];\n" +
            each("quern_r", rounds_) +
            " {\n#pragma unroll\nfor (int quern_d = 1; quern_d < QUERN_LANES; quern_d *= 2) {\n"
            "const quern_partial quern_other = quern_up(quern_total[quern_r], quern_d);\n"
            "if (quern_lane >= quern_d) quern_total[quern_r] = quern_join(quern_other, "
            "quern_total[quern_r]);\n}\n"
            "quern_before[quern_r] = quern_up(quern_total[quern_r], 1);\n"
            "quern_total[quern_r] = quern_of(quern_total[quern_r], QUERN_LANES - 1);\n}\n#endif\n"
            "quern_partial quern_sum = quern_total[0];\n" +
            each("quern_r", rounds_, 1) + " quern_sum = quern_join(quern_sum, quern_total[quern_r]);\n";
    return text;
  }

  // What is ahead of the sub-group, where it is not the first of all.
  [[nodiscard]] std::string no_prefix() const {
    if (source_.neutral.empty()) return {};
    return "if (quern_is_first) quern_prefix" + value_ + " = quern_neutral();\n" +
           (source_.segmented() ? "if (quern_is_first) quern_prefix.starts = 0;\n" : "");
  }

  [[nodiscard]] std::string reduce() const {
    std::string text = tiles_.locals() + tiles_.place() + scan_lanes() + tiles_.scan_group();
    if (!source_.uses_last()) return text + "if (quern_local == 0) quern_sums[quern_tile] = quern_all;\n";
    // Past the end the last element is repeated, so a tile that is not full takes the sum up to it.
    return text +
           "if (quern_full) {\nif (quern_local == 0) quern_sums[quern_tile] = quern_all;\n} else {\n"
           "const bool quern_is_first = quern_warp == 0;\nquern_partial quern_prefix = quern_own;\n" +
           no_prefix() + each_item("if (i == N - 1) {\n", "quern_sums[quern_tile] = quern_joined;\n", "") +
           "}\n";
  }

  [[nodiscard]] std::string apply() const {
    std::string text = tiles_.locals();
    const bool looks_back = variant_.strategy == ScanStrategy::look_back;
    if (looks_back) text += "local quern_partial quern_ahead;\n";
    text += tiles_.place() + scan_lanes() + tiles_.scan_group();
    text += looks_back ? tiles_.look_back("")
                       : "quern_partial quern_prefix = quern_sums[max(quern_tile - 1, 0)];\n";
    if (source_.uses_last())
      text += "const quern_item last_item = quern_sums[get_num_groups(0) - 1]" + value_ + ";\n";
    text +=
        "const bool quern_is_first = quern_tile == 0 && quern_warp == 0;\n"
        "if (quern_tile == 0) quern_prefix = quern_own;\n"
        "else if (quern_warp > 0) quern_prefix = quern_join(quern_prefix, quern_own);\n";
    text += no_prefix();
    text +=
        tiles_.load(false) + "if (quern_full) {\n" + outputs(true) + "} else {\n" + outputs(false) + "}\n";
    return text;
  }

  [[nodiscard]] std::string outputs(bool full) const {
    std::string text = "const quern_item item = quern_joined" + value_ + ";\n";
    if (source_.uses_previous()) {
      std::string previous =
          "(quern_v == 0 ? quern_ahead_of : quern_join(quern_ahead_of, quern_p[quern_j - (quern_v != 0)]))" +
          value_;
      if (source_.segmented())
        previous = "((quern_starts >> quern_j & 1) != 0 ? quern_neutral() : " + previous + ")";
      text += "const quern_item prev_item = " + previous + ";\n";
    }
    text += output(source_, [](std::size_t a) { return operand_name("x", a) + "[quern_j]"; });
    return each_item(full ? "{\n" : "if (i < N) {\n", text + (full ? "" : store_items()),
                     full ? store_round() : std::string());
  }

  // The body for each of the work-item's items, where quern_joined is the result up to it and quern_prefix
  // what is ahead of the sub-group; then `after` for each round.
  [[nodiscard]] std::string each_item(const std::string& condition, const std::string& body,
                                      const std::string& after) const {
    const bool has_neutral = !source_.neutral.empty();
    const std::string here = has_neutral ? "" : "quern_has_here";
    const auto joined = [&](const std::string& has, const std::string& left, const std::string& right) {
      const std::string join = "quern_join(" + left + ", " + right + ")";
      return has.empty() ? join : "(" + has + " ? " + join + " : " + right + ")";
    };
    std::string text = has_neutral ? "" : "bool quern_has = !quern_is_first;\n";
    text += each("quern_r", rounds_) + " {\nquern_partial quern_ahead_of = quern_prefix;\n";
    if (!has_neutral) text += "bool quern_has_here = quern_has;\n";
    text += "#if QUERN_LANES > 1\nif (quern_lane > 0) {\nquern_ahead_of = " +
            joined(here, "quern_ahead_of", "quern_before[quern_r]") + ";\n" +
            (has_neutral ? "" : "quern_has_here = true;\n") + "}\n#endif\n";
    // Joined to what is ahead of the round's first item, not of the item, so that no chain grows.
    text += each("quern_v", vector_) + " {\nconst int quern_j = quern_r * " + vector_ +
            " + quern_v;\nconst " + index_ + " i = " + tiles_.item_index() + ";\n" + condition +
            "const quern_partial quern_joined = " + joined(here, "quern_ahead_of", "quern_p[quern_j]") +
            ";\n" + body + "}\n}\n" + after + "quern_prefix = " +
            joined(has_neutral ? "" : "quern_has", "quern_prefix", "quern_total[quern_r]") + ";\n" +
            (has_neutral ? "" : "quern_has = true;\n") + "}\n";
    return text;
  }

  [[nodiscard]] std::string store_items() const {
    std::string text;
    for (std::size_t a = 0; a < source_.operands.size(); ++a)
      if (source_.operands[a].is_stored())
        text +=
            source_.operands[a].argument.parameter.name + "[i] = " + operand_name("x", a) + "[quern_j];\n";
    return text;
  }
  [[nodiscard]] std::string store_round() const {
    std::string vectors, singles;
    for (std::size_t a = 0; a < source_.operands.size(); ++a) {
      const ScanOperand& operand = source_.operands[a];
      if (!operand.is_stored()) continue;
      const std::string array = operand_name("x", a);
      if (tiles_.has_vectors(operand)) {
        vectors += "*" + tiles_.vector_at(operand, false) + " = vload" + vector_ + "(0, " + array +
                   " + quern_r * " + vector_ + ");\n";
      } else {
        singles += operand.argument.parameter.name + "[quern_base + quern_r * (QUERN_LANES * " + vector_ +
                   ") + quern_v] = " + array + "[quern_r * " + vector_ + " + quern_v];\n";
      }
    }
    if (!singles.empty()) vectors += each("quern_v", vector_) + " {\n" + singles + "}\n";
    return vectors;
  }
};

}  // namespace

std::string tile_kernels(const ScanSource& source, const ScanVariant& variant) {
  return TileEmitter(source, variant).program();
}

}  // namespace quern::codegen::scan
