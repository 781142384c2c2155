// SPDX-License-Identifier: MIT
// Text of kernels that scan in tiles.
#include "codegen/emit_tiles.hpp"

#include <algorithm>

#include "codegen/emit_loop.hpp"
#include "codegen/type_text.hpp"

namespace quern::codegen::scan {
namespace {

constexpr unsigned kSumsItems = 16;  // of a work-item that scans the tiles' sums

// Whether the lanes of a sub-group exchange such values in one instruction.
bool is_word(const ScanSource& source) {
  if (source.segmented() || source.item_dtype.lanes != 1) return false;
  switch (source.item_dtype.scalar) {
    case Scalar::int32:
    case Scalar::uint32:
    case Scalar::float32:
    case Scalar::int64:
    case Scalar::uint64:
    case Scalar::float64:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool has_vector_type(const DType& dtype) {
  return dtype.lanes == 1 && dtype.itemsize <= 8 && dtype.scalar != Scalar::structure &&
         dtype.scalar != Scalar::float16 && dtype.scalar != Scalar::complex64;
}

std::string each(const std::string& name, const std::string& count, int from) {
  return "#pragma unroll\nfor (int " + name + " = " + std::to_string(from) + "; " + name + " < " + count +
         "; ++" + name + ")";
}

std::string Tiles::group_attribute() const {
  return "kernel __attribute__((reqd_work_group_size(" + number(variant_.group_size) + ", 1, 1))) void ";
}

std::string Tiles::kernel(const char* suffix, const std::string& more, const std::string& body) const {
  return group_attribute() + symbol_of(source_.name) + suffix + "(" + parameters(source_, variant_) + more +
         ") {\n" + body + "}\n";
}

std::string Tiles::exchange() const {
  std::string text = "#define QUERN_LANES QUERN_SUB_GROUP_SIZE\n#if QUERN_LANES > 1\n";
  const auto function = [&](const char* name, const char* intrinsic) {
    text += std::string("inline quern_partial ") + name + "(quern_partial x, uint n) {\n";
    if (is_word(source_)) {
      text += std::string("return ") + intrinsic + "(x, n);\n}\n";
    } else {
      text += "quern_words u;\n" +
              std::string(source_.partial_size() % 4 != 0 ? "u.words[" + last_word() + "] = 0;\n" : "") +
              "u.value = x;\n" + each("k", number((source_.partial_size() + 3) / 4)) +
              " u.words[k] = " + intrinsic + "(u.words[k], n);\nreturn u.value;\n}\n";
    }
  };
  if (!is_word(source_))
    text += "typedef union { quern_partial value; uint words[" + number((source_.partial_size() + 3) / 4) +
            "]; } quern_words;\n";
  function("quern_up", "quern_shuffle_up");
  function("quern_down", "quern_shuffle_down");
  function("quern_of", "quern_shuffle");
  return text + "#endif\n";
}

std::string Tiles::place() const {
  return "const int quern_local = get_local_id(0), quern_lane = quern_local % QUERN_LANES, quern_warp = "
         "quern_local / QUERN_LANES;\nconst int quern_tile = get_group_id(0);\nconst " +
         index_ + " quern_first = (" + index_ + ")quern_tile * " + number(variant_.tile()) + ";\nconst " +
         index_ + " quern_base = quern_first + quern_warp * (QUERN_LANES * " + items_ + ") + quern_lane * " +
         vector_ + ";\nconst bool quern_full = quern_first + " + number(variant_.tile()) + " <= N;\n";
}

std::string Tiles::item_index() const {
  return "quern_base + quern_j / " + vector_ + " * (QUERN_LANES * " + vector_ + ") + quern_j % " + vector_;
}

bool Tiles::has_vectors(const ScanOperand& operand) const {
  return variant_.aligned && variant_.vector > 1 && has_vector_type(operand.argument.parameter.dtype);
}

std::string Tiles::vector_at(const ScanOperand& operand, bool is_const) const {
  const Parameter& parameter = operand.argument.parameter;
  return std::string("((") + (parameter.space == AddressSpace::constant ? "constant " : "global ") +
         (is_const ? "const " : "") + type_name(parameter.dtype) + vector_ + " *)(" + parameter.name +
         " + quern_base + quern_r * (QUERN_LANES * " + vector_ + ")))";
}

std::string Tiles::input(const std::string& target) const {
  return set_input(
      source_, target, [](std::size_t a) { return operand_name("x", a) + "[quern_j]"; },
      [&](const ScanFetch& fetch) { return fetched(fetch); });
}

std::string Tiles::load(bool for_input) const {
  std::string arrays, vectors, singles, guarded;
  for (std::size_t a = 0; a < source_.operands.size(); ++a) {
    const ScanOperand& operand = source_.operands[a];
    if (!operand.in_registers) continue;
    const bool now = for_input ? operand.input.reads : !operand.input.reads && operand.output.reads;
    const bool declares = now || (!for_input && !operand.input.reads && operand.is_stored());
    const std::string array = operand_name("x", a);
    if (declares) arrays += operand.argument.type + " " + array + "[" + items_ + "];\n";
    if (!now) continue;
    const std::string& name = operand.argument.parameter.name;
    if (has_vectors(operand)) {
      vectors += "vstore" + vector_ + "(quern_load_streaming(" + vector_at(operand, true) + "), 0, " + array +
                 " + quern_r * " + vector_ + ");\n";
    } else {
      singles += array + "[quern_j] = " + name + "[" + item_index() + "];\n";
    }
    guarded += array + "[quern_j] = " + name + "[min((" + index_ + ")(" + item_index() + "), N - 1)];\n";
  }
  if (guarded.empty()) return arrays;
  std::string text = arrays + "if (quern_full) {\n";
  if (!vectors.empty()) text += each("quern_r", rounds_) + " {\n" + vectors + "}\n";
  if (!singles.empty()) text += each("quern_j", items_) + " {\n" + singles + "}\n";
  return text + "} else {\n" + each("quern_j", items_) + " {\n" + guarded + "}\n}\n";
}

std::string Tiles::fetched(const ScanFetch& fetch) const {
  const ScanOperand& operand = source_.operands[fetch.operand];
  const std::string& name = operand.argument.parameter.name;
  const std::string array = operand_name("x", fetch.operand);
  const bool loaded = operand.in_registers && operand.input.reads;
  if (fetch.offset == 0) return loaded ? array + "[quern_j]" : name + "[i]";
  const std::string behind = number(static_cast<std::size_t>(-fetch.offset));
  const std::string memory = name + "[max(i - " + behind + ", (" + index_ + ")0)]";
  if (!loaded) return memory;
  return "(quern_j % " + vector_ + " >= " + behind + " ? " + array + "[quern_j - (quern_j % " + vector_ +
         " >= " + behind + " ? " + behind + " : 0)] : " + memory + ")";
}

std::string Tiles::scan_group() const {
  const std::string size = number(variant_.group_size);
  return "#if QUERN_LANES > 1\nif (quern_lane == QUERN_LANES - 1) quern_warps[quern_warp] = quern_sum;\n"
         "barrier(CLK_LOCAL_MEM_FENCE);\nquern_partial quern_all = quern_warps[0], quern_own = quern_all;\n"
         "#pragma unroll\nfor (int quern_w = 1; quern_w < " +
         size +
         " / QUERN_LANES; ++quern_w) {\nif (quern_w == quern_warp) quern_own = quern_all;\n"
         "quern_all = quern_join(quern_all, quern_warps[quern_w]);\n}\n#else\n" +
         scan_local("quern_sum") + "const quern_partial quern_all = quern_warps[" +
         number(variant_.group_size - 1) + "], quern_own = quern_warps[max(quern_local - 1, 0)];\n#endif\n";
}

std::string Tiles::scan_local(const std::string& sum) const {
  return "quern_warps[quern_local] = " + sum +
         ";\nbarrier(CLK_LOCAL_MEM_FENCE);\nfor (int quern_d = 1; quern_d < " + number(variant_.group_size) +
         "; quern_d *= 2) {\nquern_partial quern_joined = quern_warps[quern_local];\n"
         "if (quern_local >= quern_d) quern_joined = quern_join(quern_warps[quern_local - quern_d], "
         "quern_joined);\nbarrier(CLK_LOCAL_MEM_FENCE);\nquern_warps[quern_local] = quern_joined;\n"
         "barrier(CLK_LOCAL_MEM_FENCE);\n}\n";
}

std::string Tiles::locals() const {
  return "local quern_partial quern_warps[" + number(variant_.group_size) + " / QUERN_LANES];\n";
}

std::string Tiles::sums() const {
  const std::string items = number(kSumsItems), size = number(variant_.group_size);
  return group_attribute() + symbol_of(source_.name) +
         "_sums(global quern_partial *quern_sums, const int quern_count) {\n"
         "local quern_partial quern_warps[" +
         size +
         "];\nconst int quern_local = get_local_id(0);\n"
         "for (int quern_start = 0; quern_start < quern_count; quern_start += " +
         size + " * " + items + ") {\nconst int quern_at = quern_start + quern_local * " + items +
         ";\nquern_partial quern_p[" + items + "];\n" + each("quern_j", items) +
         "\nquern_p[quern_j] = quern_sums[min(quern_at + quern_j, quern_count - 1)];\n" +
         each("quern_j", items, 1) +
         "\nquern_p[quern_j] = quern_join(quern_p[quern_j - 1], quern_p[quern_j]);\n" +
         scan_local("quern_p[" + number(kSumsItems - 1) + "]") +
         // What came before is in memory since the last round's barrier.
         "quern_partial quern_prefix = quern_p[0];\nbool quern_has = false;\nif (quern_start > 0) {\n"
         "quern_prefix = quern_sums[quern_start - 1];\nquern_has = true;\n}\nif (quern_local > 0) {\n"
         "quern_prefix = quern_has ? quern_join(quern_prefix, quern_warps[quern_local - 1]) : "
         "quern_warps[quern_local - 1];\nquern_has = true;\n}\n" +
         each("quern_j", items) +
         "\nif (quern_at + quern_j < quern_count)\nquern_sums[quern_at + quern_j] = quern_has ? "
         "quern_join(quern_prefix, quern_p[quern_j]) : quern_p[quern_j];\n"
         "barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);\n}\n}\n";
}

std::string Tiles::state_parameters() const {
  if (source_.is_packed()) return "global ulong *quern_states";
  return "global uint *quern_states, global quern_partial *quern_aggregates, global quern_partial "
         "*quern_inclusives";
}

std::string Tiles::state_arguments() const {
  return source_.is_packed() ? "quern_states" : "quern_states, quern_aggregates, quern_inclusives";
}

std::string Tiles::states() const {
  if (!source_.is_packed()) {
    return "inline void quern_publish(" + state_parameters() +
           ", int tile, quern_partial x, uint state) {\nif (state == 1) quern_aggregates[tile] = x;\nelse "
           "quern_inclusives[tile] = x;\nquern_store_release(quern_states + tile, state, "
           "QUERN_SCOPE_DEVICE);\n}\n"
           "inline uint quern_inspect(" +
           state_parameters() +
           ", int tile) {\nreturn "
           "quern_load_acquire(quern_states + tile, QUERN_SCOPE_DEVICE);\n}\n"
           "inline quern_partial quern_found(" +
           state_parameters() +
           ", int tile, uint state) {\n"
           "return state == 1 ? quern_aggregates[tile] : quern_inclusives[tile];\n}\ntypedef uint "
           "quern_state;\n"
           "inline uint quern_kind(quern_state s) { return s; }\n";
  }
  const std::string starts = source_.segmented() ? " | x.starts << 2" : "";
  return "typedef union { quern_item value; uint word; } quern_one_word;\ntypedef ulong quern_state;\n"
         "inline uint quern_kind(quern_state s) { return (uint)(s >> 32) & 3; }\n"
         "inline void quern_publish(global ulong *states, int tile, quern_partial x, uint state) {\n"
         "quern_one_word u;\nu.word = 0;\nu.value = x" +
         value_ +
         ";\natomic_store_explicit((volatile global atomic_ulong *)(states + tile), (ulong)u.word | "
         "(ulong)(state" +
         starts +
         ") << 32, memory_order_relaxed, memory_scope_device);\n}\n"
         "inline ulong quern_inspect(global ulong *states, int tile) {\nreturn "
         "atomic_load_explicit((volatile global atomic_ulong *)(states + tile), memory_order_relaxed, "
         "memory_scope_device);\n}\n"
         "inline quern_partial quern_found(global ulong *states, int tile, ulong state) {\nquern_one_word "
         "u;\nu.word = (uint)state;\nquern_partial x;\nx" +
         value_ + " = u.value;\n" + (source_.segmented() ? "x.starts = (uint)(state >> 34);\n" : "") +
         "return x;\n}\n";
}

std::string Tiles::look_back(const std::string& between) const {
  const std::string states = state_arguments();
  const std::string publish_own =
      "quern_publish(" + states + ", quern_tile, quern_all, quern_tile == 0 ? 2 : 1);\n";
  const std::string publish_all = "quern_publish(" + states +
                                  ", quern_tile, quern_join(quern_before_tile, quern_all), 2);\n"
                                  "quern_ahead = quern_before_tile;\n";
  return "if (quern_local == 0) {\n" + publish_own + "}\n" + between +
         "#if QUERN_LANES > 1\nif (quern_warp == 0) {\nif (quern_tile > 0) {\nquern_partial "
         "quern_before_tile = quern_all;\n"
         "bool quern_has_any = false, quern_done = false;\n"
         "for (int quern_end = quern_tile - 1; !quern_done; quern_end -= QUERN_LANES) {\n"
         "const int quern_at = max(quern_end - quern_lane, 0);\nquern_state quern_word;\n"
         "do quern_word = quern_inspect(" +
         states +
         ", quern_at);\n"
         "while (quern_ballot(quern_kind(quern_word) == 0) != 0);\n"
         // The nearest tile that knows all before it is the last to look at; tile 0 always does.
         "const ulong quern_known = quern_ballot(quern_kind(quern_word) == 2);\n"
         "const int quern_stop = quern_known != 0 ? 63 - (int)clz(quern_known & -quern_known) : "
         "QUERN_LANES - 1;\n"
         "quern_partial quern_x = quern_found(" +
         states +
         ", quern_at, quern_word);\n#pragma unroll\nfor (int quern_d = 1; quern_d < QUERN_LANES; quern_d "
         "*= 2) {\n"
         "const quern_partial quern_other = quern_down(quern_x, quern_d);\n"
         "if (quern_lane + quern_d <= quern_stop) quern_x = quern_join(quern_other, quern_x);\n}\n"
         "quern_x = quern_of(quern_x, 0);\n"
         "quern_before_tile = quern_has_any ? quern_join(quern_x, quern_before_tile) : quern_x;\n"
         "quern_has_any = true;\nquern_done = quern_known != 0;\n}\nif (quern_lane == 0) {\n" +
         publish_all +
         "}\n}\n}\n#else\nif (quern_local == 0) {\n"
         "if (quern_tile > 0) {\nquern_partial quern_before_tile = quern_all;\nbool quern_has_any = "
         "false;\n"
         "uint quern_seen = 0;\nfor (int quern_at = quern_tile - 1; quern_seen != 2; --quern_at) {\n"
         "quern_state quern_word;\ndo quern_word = quern_inspect(" +
         states +
         ", quern_at);\n"
         "while (quern_kind(quern_word) == 0);\nquern_seen = quern_kind(quern_word);\n"
         "const quern_partial quern_x = quern_found(" +
         states +
         ", quern_at, quern_word);\n"
         "quern_before_tile = quern_has_any ? quern_join(quern_x, quern_before_tile) : quern_x;\n"
         "quern_has_any = true;\n}\n" +
         publish_all +
         "}\n}\n#endif\n"
         "barrier(CLK_LOCAL_MEM_FENCE);\nquern_partial quern_prefix = quern_ahead;\n";
}

std::string Tiles::last_word() const {
  return number((source_.partial_size() + 3) / 4 - 1);
}

}  // namespace quern::codegen::scan
