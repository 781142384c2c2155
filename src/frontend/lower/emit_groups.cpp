// SPDX-License-Identifier: MIT
// Functions that work-items call together. In C a sub-group is one work-item, and a work-group exchanges its
// values through memory between two barriers; on CUDA a sub-group is a warp.
#include <algorithm>

#include "frontend/lower/emitter.hpp"

namespace quern::frontend::lower {
namespace {

// $T is the type, $N a name for it; OP(x, y) and IDENTITY are defined for each operation.

// Each work-item leaves its value; the first one computes all results, in the order of the work-items.
// Results lie where no value of any type does, so that the next call may begin while this one's results are
// read.
constexpr std::string_view kWorkGroupC =
    "static $T $F(const quern_launch *c, const char *where, unsigned long long item, unsigned long long "
    "items, "
    "$T x) { $T *const in = c->exchange, *const out = ($T *)((char *)c->exchange + 8 * items); in[item] = x; "
    "c->runtime->barrier(c, "
    "where); "
    "if (item == 0) { $T r = in[0]; for (unsigned long long i = 1; i < items; ++i) { $E; const $T y = in[i]; "
    "r "
    "= $O; $I; } $R; } c->runtime->barrier(c, where); return out[$X]; }";

// The same in a split kernel, where the values lie there and the results take their places.
constexpr std::string_view kWorkGroupSplit =
    "static $V $F(void *exchange, int items) { $T *const in = exchange; $T r = in[0]; $Z; for (int i = 1; i "
    "< "
    "items; ++i) { const $T y = in[i]; $E; r = $O; $I; } $R; }";

constexpr std::string_view kBroadcastC =
    "static $T $F(const quern_launch *c, const char *where, unsigned long long item, unsigned long long "
    "from, $T "
    "x) { $T *const in = c->exchange; in[item] = x; c->runtime->barrier(c, where); x = in[from]; "
    "c->runtime->barrier(c, where); return x; }";

// Warps first, then their results. A partial group, whose work-items are not the warps' lanes in order, goes
// one after the other.
constexpr std::string_view kWorkGroupCuda =
    "static __device__ $T $F(unsigned item, unsigned items, $T x) {\n"
    "  __shared__ $T quern_w[33];\n"
    "  const unsigned lane = item & 31, warp = item >> 5, warps = (items + 31) >> 5;\n"
    "  $T before = $Z;\n"
    "  if (items == blockDim.x * blockDim.y * blockDim.z) {\n"
    "    for (unsigned d = 1; d < 32; d *= 2) { const $T r = __shfl_up_sync(~0u, x, d), y = x; if (lane >= "
    "d) x = "
    "$O; }\n"
    "    before = __shfl_up_sync(~0u, x, 1);\n"
    "    if (lane == 31 || item == items - 1) quern_w[warp] = x;\n"
    "    __syncthreads();\n"
    "    if (item == 0) { $T r = quern_w[0]; for (unsigned i = 1; i < warps; ++i) { const $T y = quern_w[i]; "
    "r = "
    "$O; quern_w[i] = r; } }\n"
    "    __syncthreads();\n"
    "    if (warp > 0) { const $T r = quern_w[warp - 1]; { const $T y = x; x = $O; } if (lane == 0) before = "
    "r; "
    "else { const $T y = before; before = $O; } }\n"
    "    else if (lane == 0) before = $Z;\n"
    "    const $T total = quern_w[warps - 1];\n"
    "    __syncthreads();\n"
    "    return $X;\n"
    "  }\n"
    "  for (unsigned i = 0; i < items; ++i) {\n"
    "    if (item == i) { if (i > 0) { const $T r = quern_w[0], y = x; before = r; x = $O; } quern_w[0] = x; "
    "}\n"
    "    __syncthreads();\n"
    "  }\n"
    "  const $T total = quern_w[0];\n"
    "  __syncthreads();\n"
    "  return $X;\n"
    "}";

constexpr std::string_view kBroadcastCuda =
    "static __device__ $T $F(bool mine, $T x) { __shared__ $T quern_w; if (mine) quern_w = x; "
    "__syncthreads(); x = "
    "quern_w; __syncthreads(); return x; }";

// The lanes of this warp that are work-items. At the end of a partial group some have left.
constexpr std::string_view kWarp =
    "static __device__ inline unsigned quern_thread() { return threadIdx.x + blockDim.x * (threadIdx.y + "
    "blockDim.y * threadIdx.z); }\n"
    "static __device__ inline unsigned quern_warp(const quern_ndrange &c) {\n"
    "  const unsigned n = blockDim.x * blockDim.y * blockDim.z, first = quern_thread() & ~31u;\n"
    "  if (!c.partial) return n - first >= 32 ? ~0u : (1u << (n - first)) - 1;\n"
    "  unsigned mask = 0;\n"
    "  #pragma unroll 1\n"
    "  for (unsigned i = 0; i < 32 && first + i < n; ++i) {\n"
    "    const unsigned t = first + i, x = t % blockDim.x, y = t / blockDim.x % blockDim.y, z = t / "
    "blockDim.x / "
    "blockDim.y;\n"
    "    if ((unsigned long long)blockIdx.x * blockDim.x + x < c.global_size[0] && (unsigned long "
    "long)blockIdx.y * "
    "blockDim.y + y < c.global_size[1] && (unsigned long long)blockIdx.z * blockDim.z + z < "
    "c.global_size[2]) "
    "mask |= 1u << i;\n"
    "  }\n"
    "  return mask;\n"
    "}\n"
    "static __device__ inline unsigned quern_lane(unsigned mask) { return __popc(mask & ((1u << "
    "(quern_thread() & "
    "31)) - 1)); }\n"
    "static __device__ inline unsigned quern_lane_of(unsigned mask, unsigned id) { return mask == ~0u ? id & "
    "31 : "
    "__fns(mask, 0, (int)(id + 1)) & 31; }";

constexpr std::string_view kSubGroupCuda =
    "static __device__ $T $F(unsigned mask, $T x) {\n"
    "  const unsigned lane = quern_thread() & 31;\n"
    "  $T before = $Z, total;\n"
    "  if (mask == ~0u) {\n"
    "    for (unsigned d = 1; d < 32; d *= 2) { const $T r = __shfl_up_sync(~0u, x, d), y = x; if (lane >= "
    "d) x = "
    "$O; }\n"
    "    const $T r = __shfl_up_sync(~0u, x, 1);\n"
    "    if (lane > 0) before = r;\n"
    "    total = __shfl_sync(~0u, x, 31);\n"
    "    return $X;\n"
    "  }\n"
    "  $T r = $Z, mine = x;\n"
    "  bool first = true;\n"
    "  for (unsigned m = mask; m != 0; m &= m - 1) {\n"
    "    const unsigned i = __ffs((int)m) - 1;\n"
    "    const $T y = __shfl_sync(mask, mine, i);\n"
    "    if (i == lane) before = r;\n"
    "    r = first ? y : $O;\n"
    "    first = false;\n"
    "    if (i == lane) x = r;\n"
    "  }\n"
    "  total = r;\n"
    "  return $X;\n"
    "}";

constexpr std::string_view kMatchCuda =
    "static __device__ unsigned long long $F(unsigned mask, $T x) { unsigned long long bits = 0; "
    "memcpy(&bits, &x, sizeof x); return __match_any_sync(mask, bits); }";

constexpr std::string_view kMatchByteCuda =
    "static __device__ inline unsigned long long quern_match_any_uchar(unsigned mask, unsigned x) {\n"
    "  unsigned lanes = mask;\n"
    "  #pragma unroll\n"
    "  for (unsigned bit = 1; bit < 256; bit *= 2) {\n"
    "    const bool is_set = (x & bit) != 0;\n"
    "    const unsigned same = __ballot_sync(mask, is_set);\n"
    "    lanes &= is_set ? same : ~same;\n"
    "  }\n"
    "  return lanes;\n"
    "}";

// For whole warps, a quarter fewer instructions: ptxas sets the predicates of all bits at once. It finds no
// registers for them beside those of a mask that is computed, and fails.
constexpr std::string_view kMatchByteWholeCuda =
    "static __device__ inline unsigned long long quern_match_any_uchar(unsigned mask, unsigned x) {\n"
    "  unsigned lanes = mask;\n"
    "  #pragma unroll\n"
    "  for (unsigned bit = 1; bit < 256; bit *= 2) {\n"
    "    unsigned same;\n"
    "    asm volatile(\"{ .reg .pred p; .reg .b32 t; and.b32 t, %1, %2; setp.ne.u32 p, t, 0; "
    "vote.sync.ballot.b32 %0, p, %3; @!p not.b32 %0, %0; }\" : \"=r\"(same) : \"r\"(x), \"r\"(bit), "
    "\"r\"(mask));\n"
    "    lanes &= same;\n"
    "  }\n"
    "  return lanes;\n"
    "}";

std::string replaced(std::string_view text, std::initializer_list<std::pair<char, std::string_view>> values) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      out += text[i];
      continue;
    }
    ++i;
    for (const auto& [key, value] : values)
      if (key == text[i]) out += value;
  }
  return out;
}

std::string_view last_word(std::string_view name) {
  return name.substr(name.rfind('_') + 1);
}

}  // namespace

// The value that changes no other: of add, min and max.
std::string Emitter::identity_of(std::string_view operation, const Type* type) {
  if (operation == "add" || operation == "any") return "0";
  if (operation == "all") return "1";
  const bool lowest = operation == "max";
  if (type->is_real()) return (lowest ? "-" : "") + real_literal(__builtin_inf(), type);
  const unsigned bits = 8 * static_cast<unsigned>(size_of(type));
  if (!type->is_signed()) return integer_literal(lowest ? 0 : ~std::uint64_t{0}, type);
  const std::uint64_t least = ~std::uint64_t{0} << (bits - 1);
  return integer_literal(lowest ? least : ~least, type);
}

std::string Emitter::local_linear_id() {
  const auto id = [&](std::size_t d) { return work_item_value("get_local_id", d); };
  return linear_id({id(0), id(1), id(2)});
}

// Of the work-item with these local ids, one for each dimension or fewer.
std::string Emitter::linear_id(const std::vector<std::string>& ids) {
  std::string text = ids.back();
  for (std::size_t d = ids.size() - 1; d > 0; --d)
    text = "(" + ids[d - 1] + " + " + work_item_value("get_local_size", d - 1) + " * " + text + ")";
  return text;
}

std::string Emitter::group_items() {
  const auto size = [&](std::size_t d) { return work_item_value("get_local_size", d); };
  return "(" + size(0) + " * " + size(1) + " * " + size(2) + ")";
}

std::string Emitter::reduction(const Expr* e, const std::string& x) {
  const std::string_view name = e->builtin->name, operation = last_word(name);
  const Type* type = e->overload;
  const std::string t = type_text(type), function = "quern_" + std::string(name) + "_" + name_of(type);
  const std::string combined = operation == "add"   ? "r + y"
                               : operation == "min" ? "(y < r ? y : r)"
                               : operation == "max" ? "(r < y ? y : r)"
                               : operation == "all" ? "(r && y)"
                                                    : "(r || y)";
  const bool of_work_group = name.starts_with("work_group_");
  const bool in_parts = !is_cuda() && group_plan_ != nullptr;
  const bool inclusive = name.find("_inclusive_") != name.npos,
             exclusive = name.find("_exclusive_") != name.npos;
  const std::string zero = identity_of(operation, type);
  if (is_cuda()) {
    const std::string mask = of_work_group ? "" : warp_mask();
    if (name == "sub_group_all" || name == "sub_group_any")
      return "__" + std::string(operation) + "_sync(" + mask + ", " + x + ")";
    helper(function,
           replaced(of_work_group ? kWorkGroupCuda : kSubGroupCuda, {{'T', t},
                                                                     {'F', function},
                                                                     {'O', combined},
                                                                     {'Z', zero},
                                                                     {'X', inclusive   ? "x"
                                                                           : exclusive ? "before"
                                                                                       : "total"}}));
    if (!of_work_group) return function + "(" + mask + ", " + x + ")";
    return function + "((unsigned)" + local_linear_id() + ", (unsigned)" + group_items() + ", " + x + ")";
  }
  if (of_work_group && in_parts) {
    const bool has_result = !inclusive && !exclusive;
    helper(function + "_split", replaced(kWorkGroupSplit, {{'V', has_result ? t : "void"},
                                                           {'T', t},
                                                           {'F', function + "_split"},
                                                           {'O', combined},
                                                           {'Z', exclusive ? "in[0] = " + zero : ""},
                                                           {'E', exclusive ? "in[i] = r" : ""},
                                                           {'I', inclusive ? "in[i] = r" : ""},
                                                           {'R', has_result ? "return r" : ""}}));
    return function + "_split(" + exchange_memory(e) + ", quern_n0 * quern_n1 * quern_n2)";
  }
  if (!of_work_group) return exclusive ? "((void)(" + x + "), (" + t + ")" + zero + ")" : "(" + x + ")";
  const std::string first = exclusive ? "out[0] = " + zero + "; " : inclusive ? "out[0] = in[0]; " : "";
  helper(function, replaced(kWorkGroupC, {{'T', t},
                                          {'F', function},
                                          {'O', combined},
                                          {'E', exclusive ? "out[i] = r" : ""},
                                          {'I', inclusive ? "out[i] = r" : ""},
                                          {'R', first + (exclusive || inclusive ? "" : "out[0] = r")},
                                          {'X', exclusive || inclusive ? "item" : "0"}}));
  return function + "(quern_c, " + meeting(e->at) + ", " + local_linear_id() + ", " + group_items() + ", " +
         x + ")";
}

// The half that a step of a split kernel uses.
std::string Emitter::exchange_memory(const Expr* e) {
  if (e->integer == 0) return "quern_exchange";
  return "(void *)((char *)quern_exchange + 8ull * (unsigned long long)(quern_n0 * quern_n1 * quern_n2))";
}

// Where the regions of a split kernel end at a function of the group, all values are there to be combined.
void Emitter::meet(const Stmt* s) {
  const Expr* e = s->condition;
  const bool has_result = e->kind == ExprKind::assign;
  const Expr* call = has_result ? e->operands[1] : e;
  if (!is_group_value(call) || call->builtin->name == "work_group_broadcast") return;
  const std::string result = has_result ? name_of_variable(e->operands[0]->variable) + " = " : "";
  line(s->at, result + reduction(call, "") + ";");
}

std::string Emitter::broadcast(const Expr* e, const std::vector<std::string>& arguments) {
  const std::string t = type_text(e->overload);
  const std::string function = "quern_" + std::string(e->builtin->name) + "_" + name_of(e->overload);
  const std::string from = linear_id({arguments.begin() + 1, arguments.end()});
  helper(function, replaced(is_cuda() ? kBroadcastCuda : kBroadcastC, {{'T', t}, {'F', function}}));
  if (is_cuda()) return function + "(" + local_linear_id() + " == " + from + ", " + arguments[0] + ")";
  return function + "(quern_c, " + meeting(e->at) + ", " + local_linear_id() + ", " + from + ", " +
         arguments[0] + ")";
}

// Each work-item copies its share.
std::string Emitter::group_copy(const Expr* e, const std::vector<std::string>& arguments) {
  const std::string t = type_text(e->overload), function = "quern_copy_" + name_of(e->overload);
  helper(function,
         qualifiers() + "unsigned long long " + function + "(" + t + " *to, const " + t +
             " *from, unsigned long long n, unsigned long long to_step, unsigned long long from_step, "
             "unsigned long long item, unsigned long long items, unsigned long long event) { for (; item < "
             "n; item += items) to[item * to_step] = from[item * from_step]; return event; }");
  const bool strided = arguments.size() == 5;
  const bool in = e->arguments[0]->type->element.space == Space::local;
  return function + "(" + arguments[0] + ", " + arguments[1] + ", " + arguments[2] + ", " +
         (strided && !in ? arguments[3] : "1") + ", " + (strided && in ? arguments[3] : "1") + ", " +
         local_linear_id() + ", " + group_items() + ", " + arguments.back() + ")";
}

// Kernels of a required size run in whole groups: a mask that the compiler knows saves it an instruction in
// front of every exchange.
std::string Emitter::warp_mask() {
  helper("quern_warp", std::string(kWarp));
  const bool whole = std::ranges::all_of(program_.functions, [](const Function* f) {
    const auto& local = f->required_local;
    return !f->is_kernel || (local[0] > 0 && local[0] * local[1] * local[2] % 32 == 0);
  });
  return whole ? "~0u" : "quern_warp(quern_c)";
}

std::string Emitter::sub_group_value(std::string_view name) {
  if (is_cuda()) {
    const std::string mask = warp_mask();
    if (name == "get_sub_group_size") return "(unsigned)__popc(" + mask + ")";
    if (name == "get_max_sub_group_size") return "32u";
    if (name == "get_sub_group_id") return "(quern_thread() >> 5)";
    if (name == "get_sub_group_local_id") return "quern_lane(" + mask + ")";
    return "((blockDim.x * blockDim.y * blockDim.z + 31) >> 5)";
  }
  if (name == "get_sub_group_id") return "(unsigned)" + local_linear_id();
  if (name == "get_num_sub_groups") return "(unsigned)" + group_items();
  if (name == "get_enqueued_num_sub_groups")
    return "(unsigned)(quern_c->local_size[0] * quern_c->local_size[1] * quern_c->local_size[2])";
  return name == "get_sub_group_local_id" ? "0u" : "1u";
}

// Exchanges between the lanes of a sub-group.
std::string Emitter::lane_exchange(const Expr* e, const std::vector<std::string>& arguments) {
  const std::string_view name = e->builtin->name;
  const std::string& x = arguments[0];
  if (!is_cuda()) {
    if (name == "quern_ballot") return "((" + x + ") ? 1ull : 0ull)";
    if (name == "quern_match_any") return "((void)(" + x + "), 1ull)";
    if (name == "sub_group_ballot") return braces(e->type.type, "(" + x + ") ? 1u : 0u, 0u, 0u, 0u");
    return "((void)(" + arguments[1] + "), " + x + ")";
  }
  const std::string mask = warp_mask();
  if (name == "quern_ballot") return "(unsigned long long)__ballot_sync(" + mask + ", " + x + ")";
  if (name == "sub_group_ballot")
    return braces(e->type.type, "__ballot_sync(" + mask + ", " + x + "), 0u, 0u, 0u");
  if (name == "quern_match_any") {
    const std::string function = "quern_match_any_" + name_of(e->overload);
    if (size_of(e->overload) == 1)
      helper(function, std::string(mask == "~0u" ? kMatchByteWholeCuda : kMatchByteCuda));
    else
      helper(function, replaced(kMatchCuda, {{'T', type_text(e->overload)}, {'F', function}}));
    return function + "(" + mask + ", " + x + ")";
  }
  const std::string_view how = last_word(name);
  if (how == "up" || how == "down" || how == "xor")
    return "__shfl_" + std::string(how) + "_sync(" + mask + ", " + x + ", (int)" + arguments[1] + ")";
  return "__shfl_sync(" + mask + ", " + x + ", (int)quern_lane_of(" + mask + ", " + arguments[1] + "))";
}

std::string Emitter::group_function(const Expr* e, const std::vector<std::string>& arguments) {
  const std::string_view name = e->builtin->name;
  if (name == "get_local_linear_id") return local_linear_id();
  if (name == "get_global_linear_id") {
    const auto id = [&](std::size_t d) {
      return "(" + work_item_value("get_global_id", d) + " - " + work_item_value("get_global_offset", d) +
             ")";
    };
    return "(" + id(0) + " + " + work_item_value("get_global_size", 0) + " * (" + id(1) + " + " +
           work_item_value("get_global_size", 1) + " * " + id(2) + "))";
  }
  if (name.starts_with("get_")) return sub_group_value(name);
  if (name.starts_with("async_")) return group_copy(e, arguments);
  if (name == "prefetch") {
    if (!is_cuda()) return "((void)(" + arguments[1] + "), __builtin_prefetch(" + arguments[0] + "))";
    helper("quern_prefetch",
           "static __device__ inline void quern_prefetch(const void *p, unsigned long long) { asm "
           "volatile(\"prefetch.L2 [%0];\" :: \"l\"(p)); }");
    return "quern_prefetch(" + arguments[0] + ", " + arguments[1] + ")";
  }
  if (name == "sub_group_barrier") return is_cuda() ? "__syncwarp()" : "((void)0)";
  if (name == "quern_philox_words") return philox_words(arguments);
  if (name.starts_with("quern_load_") || name.starts_with("quern_store_")) return memory_order(e, arguments);
  if (name.find("_reduce_") != name.npos || name.find("_scan_") != name.npos ||
      ((name.ends_with("_all") || name.ends_with("_any")) && name != "quern_match_any"))
    return reduction(e, arguments[0]);
  if (name == "work_group_broadcast") return broadcast(e, arguments);
  if (e->builtin == &kExchangePut || e->builtin == &kExchangeTake) {
    const std::string of =
        e->builtin == &kExchangeTake && !arguments.empty() ? linear_id(arguments) : "quern_row + quern_n";
    const std::string place = "((" + type_text(e->overload) + " *)" + exchange_memory(e) + ")[" + of + "]";
    return e->builtin == &kExchangePut ? place + " = " + arguments[0] : place;
  }
  return lane_exchange(e, arguments);
}

}  // namespace quern::frontend::lower
