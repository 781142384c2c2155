// SPDX-License-Identifier: MIT
// Group and sub-group functions in CUDA.
#include <algorithm>

#include "frontend/lower/cuda/device_functions.hpp"

namespace quern::frontend::lower {
namespace {

// In the templates $T is the type, $F the function's name, $O the combination of r and y, $Z its identity and
// $X the result.

// Combines values within warps first, then the results of the warps. In a partial group the work-items are
// not the lanes of warps in order, so their values are combined one after the other.
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

// The lanes of this warp that are work-items. In a partial group some threads have already returned.
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

// For whole warps this needs a quarter fewer instructions, because ptxas sets the predicates of all bits at
// once. With a computed mask ptxas runs out of predicate registers and fails.
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

}  // namespace

std::string CudaDeviceFunctions::reduction(const Expr* e, const std::string& x) {
  const Reduction how(e);
  const std::string_view name = e->builtin->name;
  const std::string t = types_.text(e->overload), zero = identity_of(how.operation, e->overload);
  const std::string function = "quern_" + std::string(name) + "_" + name_of(e->overload);
  const std::string mask = how.is_of_work_group ? "" : warp_mask();
  if (name == "sub_group_all" || name == "sub_group_any")
    return "__" + std::string(how.operation) + "_sync(" + mask + ", " + x + ")";
  const std::string_view result = how.is_inclusive ? "x" : how.is_exclusive ? "before" : "total";
  const std::string_view text = how.is_of_work_group ? kWorkGroupCuda : kSubGroupCuda;
  out_.define_text(
      function,
      filled_in(text, {{'T', t}, {'F', function}, {'O', how.combination()}, {'Z', zero}, {'X', result}}));
  if (!how.is_of_work_group) return function + "(" + mask + ", " + x + ")";
  return function + "((unsigned)" + local_linear_id() + ", (unsigned)" + group_items() + ", " + x + ")";
}

std::string CudaDeviceFunctions::broadcast(const Expr* e, const std::vector<std::string>& arguments) {
  const std::string t = types_.text(e->overload);
  const std::string function = "quern_" + std::string(e->builtin->name) + "_" + name_of(e->overload);
  const std::string from = linear_id({arguments.begin() + 1, arguments.end()});
  out_.define_text(function, filled_in(kBroadcastCuda, {{'T', t}, {'F', function}}));
  return function + "(" + local_linear_id() + " == " + from + ", " + arguments[0] + ")";
}

// Kernels with a required local size have only whole groups. A constant mask then saves an instruction before
// every exchange.
std::string CudaDeviceFunctions::warp_mask() {
  out_.define_text("quern_warp", std::string(kWarp));
  const bool whole = std::ranges::all_of(program_.functions, [](const Function* f) {
    const auto& local = f->required_local;
    return !f->is_kernel || (local[0] > 0 && local[0] * local[1] * local[2] % 32 == 0);
  });
  return whole ? "~0u" : "quern_warp(quern_c)";
}

std::string CudaDeviceFunctions::sub_group_value(std::string_view name) {
  const std::string mask = warp_mask();
  if (name == "get_sub_group_size") return "(unsigned)__popc(" + mask + ")";
  if (name == "get_max_sub_group_size") return "32u";
  if (name == "get_sub_group_id") return "(quern_thread() >> 5)";
  if (name == "get_sub_group_local_id") return "quern_lane(" + mask + ")";
  return "((blockDim.x * blockDim.y * blockDim.z + 31) >> 5)";
}

std::string CudaDeviceFunctions::prefetch(const std::vector<std::string>& arguments) {
  out_.define_text("quern_prefetch",
                   "static __device__ inline void quern_prefetch(const void *p, unsigned long long) { asm "
                   "volatile(\"prefetch.L2 [%0];\" :: \"l\"(p)); }");
  return "quern_prefetch(" + arguments[0] + ", " + arguments[1] + ")";
}

std::string CudaDeviceFunctions::lane_exchange(const Expr* e, const std::vector<std::string>& arguments) {
  const std::string_view name = e->builtin->name;
  const std::string& x = arguments[0];
  const std::string mask = warp_mask();
  if (name == "quern_ballot") return "(unsigned long long)__ballot_sync(" + mask + ", " + x + ")";
  if (name == "sub_group_ballot")
    return types_.aggregate(e->type.type, "__ballot_sync(" + mask + ", " + x + "), 0u, 0u, 0u");
  if (name == "quern_match_any") {
    const std::string function = "quern_match_any_" + name_of(e->overload);
    if (size_of(e->overload) == 1)
      out_.define_text(function, std::string(mask == "~0u" ? kMatchByteWholeCuda : kMatchByteCuda));
    else
      out_.define_text(function, filled_in(kMatchCuda, {{'T', types_.text(e->overload)}, {'F', function}}));
    return function + "(" + mask + ", " + x + ")";
  }
  const std::string_view how = last_word(name);
  if (how == "up" || how == "down" || how == "xor")
    return "__shfl_" + std::string(how) + "_sync(" + mask + ", " + x + ", (int)" + arguments[1] + ")";
  return "__shfl_sync(" + mask + ", " + x + ", (int)quern_lane_of(" + mask + ", " + arguments[1] + "))";
}

}  // namespace quern::frontend::lower
