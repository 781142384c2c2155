// SPDX-License-Identifier: MIT
// Loading modules, finding kernels and their attributes.
#include "backend/cuda/program.hpp"

#include <algorithm>

#include "backend/cuda/memory.hpp"
#include "quern/error.hpp"

namespace quern::backend::cuda {

CudaFunction::CudaFunction(StatePtr state, FunctionHandle handle, const std::string& symbol,
                           const Signature* signature)
    : state_(std::move(state)),
      handle_(handle),
      name_(state_->keep_name(signature != nullptr && !signature->name.empty() ? signature->name : symbol)),
      lowered_(signature != nullptr) {
  const auto size = [this](FunctionAttribute which) {
    return static_cast<std::size_t>(std::max(attribute(which), 0));
  };
  attributes_.max_work_group_size = size(FunctionAttribute::max_threads_per_block);
  attributes_.preferred_multiple = 32;
  attributes_.local_memory = size(FunctionAttribute::shared_size_bytes);
  attributes_.private_memory = size(FunctionAttribute::local_size_bytes);
  attributes_.registers = static_cast<unsigned>(size(FunctionAttribute::num_regs));
  dynamic_allowed_.store(size(FunctionAttribute::max_dynamic_shared_size_bytes), std::memory_order_relaxed);
  learn_parameters(signature);
}

int CudaFunction::attribute(FunctionAttribute which) const {
  int value = 0;
  state_->check(state_->api.cuFuncGetAttribute(&value, which, handle_), "cuFuncGetAttribute");
  return value;
}

void CudaFunction::learn_parameters(const Signature* signature) {
  if (signature != nullptr) {
    knows_parameters_ = true;
    for (const Parameter& parameter : signature->parameters) {
      takes_local_.push_back(parameter.space == AddressSpace::local);
      parameter_sizes_.push_back(parameter.is_pointer ? sizeof(DevicePointer) : parameter.dtype.itemsize);
    }
  }
  if (state_->api.cuFuncGetParamInfo == nullptr) return;
  std::vector<std::size_t> compiled;
  std::size_t offset = 0, size = 0;
  while (state_->api.cuFuncGetParamInfo(handle_, compiled.size(), &offset, &size) == Result::success) {
    compiled.push_back(size);
  }
  if (signature == nullptr) {
    parameter_sizes_ = std::move(compiled);
    knows_parameters_ = true;
    return;
  }
  // The binary must belong to the signature; otherwise a launch would pass other bytes than the kernel takes.
  bool agree = compiled.size() == parameter_sizes_.size() + 1 && compiled.back() == kNdRangeBytes;
  for (std::size_t i = 0; agree && i < parameter_sizes_.size(); ++i) {
    agree = parameter_sizes_[i] == 0 || parameter_sizes_[i] == compiled[i];
  }
  if (!agree) {
    std::string sizes;
    for (const std::size_t bytes : compiled) sizes += " " + std::to_string(bytes);
    throw Error("kernel '" + std::string(name_) +
                "' was not compiled from the source its signature was read from: its " + "parameters have" +
                (sizes.empty() ? " no" : sizes) + " bytes");
  }
  compiled.pop_back();
  parameter_sizes_ = std::move(compiled);
}

void CudaFunction::allow_dynamic_local(std::size_t nbytes) {
  const std::lock_guard lock(mutex_);
  if (nbytes <= dynamic_allowed_.load(std::memory_order_relaxed)) return;
  const std::size_t limit = state_->limits.dynamic_local;
  if (nbytes > limit || attributes_.local_memory > limit - nbytes) {
    throw ArgumentError(ArgumentError::Kind::value,
                        "kernel '" + std::string(name_) + "': " + std::to_string(nbytes) +
                            " bytes of dynamic and " + std::to_string(attributes_.local_memory) +
                            " of static local memory are more than the " + std::to_string(limit) +
                            " bytes a work-group can have on " + state_->name);
  }
  const Current current(*state_);
  state_->check(state_->api.cuFuncSetAttribute(handle_, FunctionAttribute::max_dynamic_shared_size_bytes,
                                               static_cast<int>(nbytes)),
                "cuFuncSetAttribute");
  dynamic_allowed_.store(nbytes, std::memory_order_relaxed);
}

std::optional<unsigned> CudaFunction::groups_per_compute_unit(std::size_t group_size,
                                                              std::size_t dynamic_local) const {
  if (group_size == 0 || group_size > attributes_.max_work_group_size) return 0U;
  const Current current(*state_);
  int blocks = 0;
  state_->check(state_->api.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                    &blocks, handle_, static_cast<int>(group_size), dynamic_local),
                "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  return static_cast<unsigned>(blocks);
}

namespace {

// Since CUDA 12.2 the driver copies the code of a function to the device at its first launch, and may wait
// for all running work of the context before. Two kernels that wait for each other would never meet.
void load_now(const DeviceState& state, FunctionHandle function) {
  if (state.api.cuFuncLoad != nullptr) state.check(state.api.cuFuncLoad(function), "cuFuncLoad");
}

}  // namespace

std::unique_ptr<Function> CudaModule::function(const std::string& name, const Signature* signature) {
  const Current current(*state_);
  FunctionHandle handle = nullptr;
  const Result result = state_->api.cuModuleGetFunction(&handle, handle_, name.c_str());
  if (result == Result::not_found) {
    std::string known;
    for (const std::string& other : function_names())
      known += (known.empty() ? "; there are " : ", ") + other;
    throw ArgumentError(ArgumentError::Kind::value,
                        "the program has no kernel called '" + name + "'" + known);
  }
  state_->check(result, "cuModuleGetFunction");
  load_now(*state_, handle);
  return std::make_unique<CudaFunction>(state_, handle, name, signature);
}

std::vector<FunctionHandle> CudaModule::functions() const {
  const Driver& api = state_->api;
  if (api.cuModuleGetFunctionCount == nullptr || api.cuModuleEnumerateFunctions == nullptr) return {};
  unsigned count = 0;
  state_->check(api.cuModuleGetFunctionCount(&count, handle_), "cuModuleGetFunctionCount");
  std::vector<FunctionHandle> functions(count);
  if (count != 0) {
    state_->check(api.cuModuleEnumerateFunctions(functions.data(), count, handle_),
                  "cuModuleEnumerateFunctions");
  }
  return functions;
}

void CudaModule::load_functions() {
  const Current current(*state_);
  for (const FunctionHandle function : functions()) load_now(*state_, function);
}

std::vector<std::string> CudaModule::function_names() const {
  const Driver& api = state_->api;
  if (api.cuFuncGetName == nullptr) return {};
  const Current current(*state_);
  std::vector<std::string> names;
  for (const FunctionHandle function : functions()) {
    const char* name = nullptr;
    state_->check(api.cuFuncGetName(&name, function), "cuFuncGetName");
    if (name != nullptr) names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::unique_ptr<Memory> CudaModule::global(const std::string& name) {
  const Current current(*state_);
  DevicePointer pointer = 0;
  std::size_t size = 0;
  const Result result = state_->api.cuModuleGetGlobal(&pointer, &size, handle_, name.c_str());
  if (result == Result::not_found) return nullptr;
  state_->check(result, "cuModuleGetGlobal");
  return std::make_unique<CudaMemory>(state_, pointer, size, false);
}

std::unique_ptr<Module> load_module(const StatePtr& state, std::span<const std::byte> image) {
  check_image(image);
  state->drain();
  // The driver reads PTX up to a zero byte, which a file need not end with.
  std::vector<std::byte> bytes(image.begin(), image.end());
  bytes.push_back(std::byte{0});

  std::string log(8192, '\0');
  std::array<JitOption, 2> options = {JitOption::error_log_buffer, JitOption::error_log_buffer_size_bytes};
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
  const Current current(*state);
  ModuleHandle handle = nullptr;
  const Result result = state->api.cuModuleLoadDataEx(
      &handle, bytes.data(), static_cast<unsigned>(options.size()), options.data(), values.data());
  if (result != Result::success) {
    log.resize(std::min(log.size(), log.find('\0')));
    if (is_sticky(result) || result == Result::out_of_memory) state->fail(result, "cuModuleLoadDataEx");
    throw Error("cuModuleLoadDataEx failed on " + state->name + ": " + describe(state->api, result) +
                (log.empty() ? "" : "\n" + log));
  }
  constexpr std::string_view kPrint = "vprintf";
  const auto* const text = reinterpret_cast<const char*>(bytes.data());
  if (std::string_view(text, bytes.size()).find(kPrint) != std::string_view::npos)
    state->prints.store(true, std::memory_order_relaxed);
  try {
    return std::make_unique<CudaModule>(state, handle);
  } catch (...) {
    state->discard_module(handle);
    throw;
  }
}

}  // namespace quern::backend::cuda
