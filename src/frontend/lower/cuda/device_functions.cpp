// SPDX-License-Identifier: MIT
// Work-item functions, barriers and fences in CUDA.
#include "frontend/lower/cuda/device_functions.hpp"

namespace quern::frontend::lower {
namespace {

constexpr std::int64_t kWorkGroupScope = 1;  // memory_scope_work_group

}  // namespace

std::vector<std::string> CudaDeviceFunctions::hidden_parameters(const Function* f) {
  std::vector<std::string> result;
  for (const std::string& name : hidden_arguments(f->uses))
    result.push_back((name == "quern_c" ? "const quern_ndrange &" : "const unsigned long long ") + name);
  return result;
}

std::vector<std::string> CudaDeviceFunctions::hidden_arguments(const WorkItemUse& uses) {
  std::vector<std::string> result;
  for (std::size_t d = 0; d < 3; ++d)
    if (uses.global_id[d]) result.push_back("quern_g" + std::to_string(d));
  if (uses.launch) result.emplace_back("quern_c");
  return result;
}

std::string CudaDeviceFunctions::work_item_value(std::string_view name, std::size_t dimension) {
  const std::string n = std::to_string(dimension);
  const std::string at = "[" + n + "]", axis(1, "xyz"[dimension]);
  if (name == "get_global_id") return "quern_g" + n;
  if (name == "get_local_id") return "(unsigned long long)threadIdx." + axis;
  if (name == "get_group_id") return "(unsigned long long)blockIdx." + axis;
  if (name == "get_num_groups") return "(unsigned long long)gridDim." + axis;
  if (name == "get_enqueued_local_size") return "(unsigned long long)blockDim." + axis;
  if (name == "get_global_size") return "quern_c.global_size" + at;
  if (name == "get_global_offset") return "quern_c.global_offset" + at;
  if (name == "get_work_dim") return "quern_c.work_dim";
  out_.define_text(
      "quern_local_size",
      "static __device__ inline unsigned long long quern_local_size(unsigned long long global, unsigned "
      "local, unsigned group) "
      "{ const unsigned long long left = global - (unsigned long long)local * group; return left < "
      "local ? left : local; }");
  return "quern_local_size(quern_c.global_size" + at + ", blockDim." + axis + ", blockIdx." + axis + ")";
}

// The barrier orders all memory of the block, whatever the flags are. A wider scope needs a fence.
std::string CudaDeviceFunctions::barrier(const Expr* e) {
  const bool is_wide = e->builtin->name == "work_group_barrier" && e->arguments.size() > 1 &&
                       constant_value(e->arguments[1]) != kWorkGroupScope;
  return is_wide ? "(__threadfence(), __syncthreads())" : "__syncthreads()";
}

std::string CudaDeviceFunctions::fence(const Expr* e) {
  const bool is_local =
      e->builtin->name.ends_with("mem_fence") && constant_value(e->arguments[0]) == kLocalFence;
  return is_local ? "__threadfence_block()" : std::string(e->builtin->cuda);
}

std::string CudaDeviceFunctions::space_test(const Expr* e, const std::string& x) {
  const std::string_view name = e->builtin->name;
  if (name == "get_fence") return "(__isShared((const void *)" + x + ") ? 1u : 2u)";
  const std::string t = types_.text(e->type.type);
  const std::string test = name == "to_global"  ? "__isGlobal"
                           : name == "to_local" ? "__isShared"
                                                : "__isLocal";
  const std::string function = "quern_" + std::string(name);
  out_.helper(function, "void *" + function + "(const void *x) { return " + test + "(x) ? (void *)x : 0; }");
  return "((" + t + ")" + function + "((const void *)" + x + "))";
}

}  // namespace quern::frontend::lower
