// SPDX-License-Identifier: MIT
// OpenCL C that selects the elements for which a predicate is true, in their order.
#include "codegen/emit_select.hpp"

#include <algorithm>

#include "codegen/emit_loop.hpp"
#include "codegen/emit_tiles.hpp"

namespace quern::codegen {
namespace {

using scan::each;

constexpr std::size_t kBlock = 512;     // elements that a CPU compacts at a time
constexpr std::size_t kCounted = 4096;  // elements that it counts in 32 bits

std::string output_name(std::size_t o) {
  return operand_name("out", o);
}

std::string capacity_name(std::size_t o) {
  return operand_name("capacity", o);
}

std::string parameters(const SelectSource& source) {
  std::string text;
  for (std::size_t o = 0; o < source.outputs.size(); ++o)
    text += ", global " + source.outputs[o].type + " *" + output_name(o);
  text += ", global ulong *quern_count";
  if (!source.partition)
    for (std::size_t o = 0; o < source.outputs.size(); ++o) text += ", const ulong " + capacity_name(o);
  return text;
}

// Of `count` elements from position `at` on, the number that fit into an output.
std::string stored_of(std::size_t o, const std::string& count, const std::string& at) {
  const std::string capacity = capacity_name(o);
  return "min((ulong)" + count + ", " + capacity + " - min(" + capacity + ", (ulong)" + at + "))";
}

std::string value_of(const SelectSource& source, std::size_t o, const scan::Spelling& element) {
  return source.outputs[o].value.rewritten([&](std::string_view name) -> std::string {
    for (std::size_t a = 0; a < source.scan.operands.size(); ++a)
      if (source.scan.operands[a].argument.parameter.name == name && source.scan.operands[a].in_registers)
        return element(a);
    return {};
  });
}

// A chunk for each of a few work-items.
class ChunkSelect {
 public:
  ChunkSelect(const SelectSource& source, const ScanVariant& variant) : source_(source), variant_(variant) {}

  [[nodiscard]] std::string program() const { return scan::definitions(source_.scan) + count() + apply(); }

 private:
  const SelectSource& source_;
  const ScanVariant& variant_;

  [[nodiscard]] std::string kernel(const char* suffix, const std::string& more,
                                   const std::string& body) const {
    return scan::kLoneKernel + symbol_of(source_.scan.name) + suffix + "(" +
           scan::parameters(source_.scan, variant_) + parameters(source_) + ", const long quern_chunk, " +
           more + ") {\n" +
           "const long quern_id = get_global_id(0), quern_begin = quern_id * quern_chunk, quern_end = "
           "min(quern_begin + quern_chunk, N);\n" +
           body + "}\n";
  }
  [[nodiscard]] std::string input() const {
    return scan::set_input(
        source_.scan, "quern_kept", [](std::size_t) { return std::string(); },
        [&](const ScanFetch& fetch) {
          const std::string name = source_.scan.operands[fetch.operand].argument.parameter.name;
          return fetch.offset == 0 ? name + "[i]"
                                   : scan::behind(name, "long", static_cast<std::size_t>(-fetch.offset));
        });
  }

  [[nodiscard]] std::string count() const {
    return kernel("_reduce", "global quern_partial *quern_sums",
                  "quern_partial quern_sum = 0;\nfor (long quern_at = quern_begin; quern_at < quern_end;) {\n"
                  "const long quern_stop = min(quern_at + " +
                      number(kCounted) +
                      ", quern_end);\nuint quern_part = 0;\nfor (; quern_at < quern_stop; ++quern_at) {\n"
                      "const long i = quern_at;\nuint quern_kept;\n" +
                      input() +
                      "quern_part += quern_kept;\n}\nquern_sum += quern_part;\n}\n"
                      "quern_sums[quern_id] = quern_sum;\n");
  }

  // Without branches, through a block on the stack: memory is written only for selected elements.
  [[nodiscard]] std::string apply() const {
    std::string text =
        "quern_partial quern_place = 0;\nfor (long quern_k = 0; quern_k < quern_id; ++quern_k) quern_place "
        "+= "
        "quern_sums[quern_k];\n";
    if (source_.partition) {
      text +=
          "quern_partial quern_all = quern_place;\nfor (long quern_k = quern_id; quern_k * quern_chunk < N; "
          "++quern_k) quern_all += quern_sums[quern_k];\nlong quern_other = (long)quern_all + quern_begin - "
          "(long)quern_place;\n";
    }
    text += "for (long quern_at = quern_begin; quern_at < quern_end; quern_at += " + number(kBlock) +
            ") {\nconst int quern_n = (int)min((long)" + number(kBlock) + ", quern_end - quern_at);\n";
    std::string arrays, puts, copies, rest;
    for (std::size_t o = 0; o < source_.outputs.size(); ++o) {
      const std::string array = operand_name("block", o), other = operand_name("rest", o);
      const std::string value = operand_name("value", o), &type = source_.outputs[o].type;
      const std::string to = "global " + type + " *quern_to = " + output_name(o) + " + ";
      arrays += type + " " + array + "[" + number(kBlock) + "];\n";
      puts += located("value", value_of(source_, o, [](std::size_t) { return std::string(); }),
                      "const " + type + " " + value + " =", "") +
              array + "[quern_c] = " + value + ";\n";
      copies += "{\n" + to + "quern_place;\nconst long quern_stored = " +
                (source_.partition ? "quern_c" : "(long)" + stored_of(o, "quern_c", "quern_place")) +
                ";\nfor (long quern_k = 0; quern_k < quern_stored; ++quern_k) quern_to[quern_k] = " + array +
                "[quern_k];\n}\n";
      if (!source_.partition) continue;
      arrays += type + " " + other + "[" + number(kBlock) + "];\n";
      puts += other + "[quern_j - quern_c] = " + value + ";\n";
      rest += "{\n" + to +
              "quern_other;\nfor (long quern_k = 0; quern_k < quern_n - quern_c; ++quern_k) "
              "quern_to[quern_k] = " +
              other + "[quern_k];\n}\n";
    }
    // The predicate in a separate vectorised loop; then each element is stored, and overwritten by the next
    // one if it is not selected.
    text += arrays + "uint quern_keep[" + number(kBlock) +
            "];\nfor (int quern_j = 0; quern_j < quern_n; ++quern_j) {\nconst long i = quern_at + quern_j;\n"
            "uint quern_kept;\n" +
            input() +
            "quern_keep[quern_j] = quern_kept;\n}\nlong quern_c = 0;\n#pragma unroll 8\n"
            "for (int quern_j = 0; quern_j < quern_n; ++quern_j) {\nconst long i = quern_at + quern_j;\n" +
            puts + "quern_c += quern_keep[quern_j];\n}\n" + copies +
            "quern_place += (quern_partial)quern_c;\n" + rest +
            (source_.partition ? "quern_other += quern_n - quern_c;\n" : "") + "}\n" +
            "if (quern_end == N) quern_count[0] = quern_place;\n";
    return kernel("_apply", "global const quern_partial *quern_sums", text);
  }
};

// Tiles are compacted in local memory, so that selected elements are written contiguously.
class TileSelect {
 public:
  TileSelect(const SelectSource& source, const ScanVariant& variant)
      : source_(source),
        variant_(variant),
        tiles_(source.scan, variant),
        index_(variant.index_type()),
        items_(number(variant.items)),
        vector_(number(variant.vector)),
        rounds_(number(variant.items / variant.vector)),
        bits_(variant.vector <= 4   ? 8
              : variant.vector == 8 ? 9
                                    : 10),
        words_(number((variant.items / variant.vector + 32 / bits_ - 1) / (32 / bits_))) {}

  [[nodiscard]] std::string program() const {
    const std::string own = parameters(source_);
    std::string text = scan::definitions(source_.scan) + tiles_.exchange();
    if (variant_.strategy == ScanStrategy::look_back)
      return text + tiles_.states() +
             tiles_.kernel("_apply", own + ", " + tiles_.state_parameters(), apply());
    return text +
           tiles_.kernel("_reduce", own + ", global quern_partial *quern_sums",
                         tiles_.locals() + tiles_.place() + count() + tiles_.scan_group() +
                             "if (quern_local == 0) quern_sums[quern_tile] = quern_all;\n") +
           tiles_.sums() + tiles_.kernel("_apply", own + ", global const quern_partial *quern_sums", apply());
  }

 private:
  const SelectSource& source_;
  const ScanVariant& variant_;
  const scan::Tiles tiles_;
  const std::string index_, items_, vector_, rounds_;
  const unsigned bits_;  // of a round's count, which is `vector` for each of at most 32 lanes
  const std::string words_;

  // quern_flags: a bit for each selected item; quern_sum: the count of the sub-group; for each round, a field
  // of quern_ahead_of: the count of the lanes before, and of quern_totals: the count of all.
  [[nodiscard]] std::string count() const {
    const std::string mask = number((1u << variant_.vector) - 1) + "u";
    return tiles_.load(true) + "uint quern_flags = 0;\n" + each("quern_j", items_) + " {\nconst " + index_ +
           " i = min((" + index_ + ")(" + tiles_.item_index() + "), N - 1);\nuint quern_kept;\n" +
           tiles_.input("quern_kept") +
           "quern_flags |= quern_kept << quern_j;\n}\nif (!quern_full) {\nuint quern_inside = 0;\n" +
           each("quern_j", items_) + " quern_inside |= (uint)(" + tiles_.item_index() +
           " < N) << quern_j;\nquern_flags &= quern_inside;\n}\nuint quern_totals[" + words_ +
           "], quern_ahead_of[" + words_ + "];\n" + each("quern_w", words_) +
           " quern_totals[quern_w] = 0;\n" + each("quern_r", rounds_) + " quern_totals[" + word() +
           "] |= (uint)popcount(quern_flags >> quern_r * " + vector_ + " & " + mask + ") << " + shift() +
           ";\n" + each("quern_w", words_) +
           " {\nquern_ahead_of[quern_w] = 0;\n#if QUERN_LANES > 1\nconst uint quern_counts = "
           "quern_totals[quern_w];\n#pragma unroll\n"
           "for (int quern_d = 1; quern_d < QUERN_LANES; quern_d *= 2) {\n"
           "const uint quern_other = quern_shuffle_up(quern_totals[quern_w], quern_d);\n"
           "if (quern_lane >= quern_d) quern_totals[quern_w] += quern_other;\n}\n"
           "quern_ahead_of[quern_w] = quern_totals[quern_w] - quern_counts;\n"
           "quern_totals[quern_w] = quern_shuffle(quern_totals[quern_w], QUERN_LANES - 1);\n#endif\n}\n"
           "quern_partial quern_sum = 0;\n" +
           each("quern_r", rounds_) + " quern_sum += " + field("quern_totals") + ";\n";
  }
  // The position of the count of round quern_r.
  [[nodiscard]] std::string word() const { return "quern_r / " + number(32 / bits_); }
  [[nodiscard]] std::string shift() const {
    return "quern_r % " + number(32 / bits_) + " * " + number(bits_);
  }
  [[nodiscard]] std::string field(const std::string& counts) const {
    return "(" + counts + "[" + word() + "] >> " + shift() + " & " + number((1u << bits_) - 1) + "u)";
  }

  // Moves selected items to their places in the tile, the others after them.
  [[nodiscard]] std::string compact(std::size_t o) const {
    const std::string value =
        value_of(source_, o, [](std::size_t a) { return operand_name("x", a) + "[quern_j]"; });
    const std::string buffer = "((local " + source_.outputs[o].type + " *)quern_buffer)";
    // A compiler that sees the origin of the flags keeps a condition for each of them through all outputs;
    // with so many, some came out wrong on an H200 with CUDA 13.0.
    std::string text =
        "quern_flags = quern_shuffle(quern_flags, quern_lane);\n{\nuint quern_run = quern_first_of_warp;\n" +
        each("quern_r", rounds_) + " {\nuint quern_rank = quern_run + " + field("quern_ahead_of") + ";\n" +
        each("quern_v", vector_) + " {\nconst int quern_j = quern_r * " + vector_ + " + quern_v;\nconst " +
        index_ + " i = " + tiles_.item_index() + ";\nif ((quern_flags >> quern_j & 1) != 0) {\n" +
        located("value", value, buffer + "[quern_rank] =", "") + "++quern_rank;\n}\n";
    if (source_.partition) {
      text +=
          "else if (quern_full || i < N) {\nconst uint quern_at = (uint)(i - quern_first) - quern_rank;\n" +
          located("value", value, buffer + "[quern_in_tile + quern_at] =", "") + "}\n";
    }
    return text + "}\nquern_run += " + field("quern_totals") + ";\n}\n}\n";
  }

  [[nodiscard]] std::string copy_out(std::size_t o) const {
    const std::string buffer = "((local " + source_.outputs[o].type + " *)quern_buffer)";
    std::string text =
        "{\nconst uint quern_stored = " +
        (source_.partition ? "quern_in_tile" : "(uint)" + stored_of(o, "quern_in_tile", "quern_prefix")) +
        ";\nfor (uint quern_k = quern_local; quern_k < quern_stored; quern_k += " +
        number(variant_.group_size) + ") " + output_name(o) + "[quern_prefix + quern_k] = " + buffer +
        "[quern_k];\n}\n";
    if (source_.partition) {
      text += "for (uint quern_k = quern_in_tile + quern_local; quern_k < quern_size; quern_k += " +
              number(variant_.group_size) + ") " + output_name(o) + "[quern_others + quern_k] = " + buffer +
              "[quern_k];\n";
    }
    return text;
  }

  [[nodiscard]] std::string apply() const {
    const bool looks_back = variant_.strategy == ScanStrategy::look_back;
    std::size_t widest = 1;
    for (const SelectOutput& output : source_.outputs) widest = std::max(widest, output.size);
    std::string text =
        tiles_.locals() + "local ulong quern_buffer[" + number((variant_.tile() * widest + 7) / 8) + "];\n";
    if (looks_back) text += "local quern_partial quern_ahead;\n";
    text += tiles_.place() + count() + tiles_.scan_group() + tiles_.load(false) +
            "const uint quern_in_tile = (uint)quern_all, quern_first_of_warp = quern_warp > 0 ? "
            "(uint)quern_own : 0;\n";
    const std::string first = source_.outputs.empty() ? std::string() : compact(0);
    if (looks_back) {
      text += tiles_.look_back(first);
    } else {
      text += first +
              "quern_partial quern_prefix = quern_sums[max(quern_tile - 1, 0)];\n"
              "barrier(CLK_LOCAL_MEM_FENCE);\n";
    }
    text +=
        "if (quern_tile == 0) quern_prefix = 0;\n"
        "if (quern_local == 0 && quern_tile == (int)get_num_groups(0) - 1) quern_count[0] = quern_prefix + "
        "quern_all;\n";
    if (source_.partition) {
      text += "const uint quern_size = (uint)min((" + index_ + ")" + number(variant_.tile()) +
              ", N - quern_first);\nconst " + index_ + " quern_others = (" + index_ +
              ")quern_sums[get_num_groups(0) - 1] + quern_first - (" + index_ + ")quern_prefix - (" + index_ +
              ")quern_in_tile;\n";
    }
    for (std::size_t o = 0; o < source_.outputs.size(); ++o) {
      if (o > 0) text += "barrier(CLK_LOCAL_MEM_FENCE);\n" + compact(o) + "barrier(CLK_LOCAL_MEM_FENCE);\n";
      text += copy_out(o);
    }
    return text;
  }
};

}  // namespace

std::string emit_select(const SelectSource& source, const ScanVariant& variant) {
  if (variant.strategy == ScanStrategy::chunks) return ChunkSelect(source, variant).program();
  return TileSelect(source, variant).program();
}

}  // namespace quern::codegen
