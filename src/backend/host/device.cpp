// SPDX-License-Identifier: MIT
// The host device: its properties, its parts, its context, and its registration.
#include "backend/host/device.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <string_view>

#include "backend/host/compiler.hpp"
#include "backend/host/compiler_check.hpp"
#include "backend/host/cpu.hpp"
#include "backend/host/memory.hpp"
#include "backend/host/program.hpp"
#include "backend/host/queue.hpp"
#include "backend/host/topology.hpp"
#include "backend/registry.hpp"
#include "base/process.hpp"
#include "base/resources.hpp"
#include "base/system_memory.hpp"
#include "base/thread_pool.hpp"
#include "quern/error.hpp"

namespace quern::backend {
namespace host {

namespace {

// For a text that the front end has lowered.
bool has_kernels(const std::string& text) {
  constexpr std::string_view kKernel = "void quern_kernel_", kType = "void quern_kernel_function(";
  for (std::size_t at = 0; (at = text.find(kKernel, at)) != std::string::npos; at += kKernel.size())
    if (!std::string_view(text).substr(at).starts_with(kType)) return true;
  return false;
}

}  // namespace

HostDevice::HostDevice() : pool_(ThreadPool::instance()) {
  const SystemMemory memory = system_memory();
  DeviceProperties& p = properties_;
  p.backend = "host";
  p.name = cpu().name;
  p.vendor = cpu().vendor;
  p.platform = "Quern host";
  p.version = p.driver_version = QUERN_VERSION;
  p.kind = DeviceKind::cpu;
  p.dialect = Dialect::host_c;
  p.compute_units = pool_.threads();
  p.sub_group_size = cpu().float_lanes();
  p.global_memory = memory.total;
  p.max_allocation = memory.total;
  p.local_memory = std::max(cpu().l2_size(), std::size_t{256} << 10);  // the cache near a core
  p.max_work_group_size = kMaxWorkGroupSize;
  p.max_work_item_sizes = {kMaxWorkGroupSize, kMaxWorkGroupSize, kMaxWorkGroupSize};
  p.preferred_group_size = p.preferred_row = 1024;  // long rows, whose loops vectorise
  p.preferred_groups = p.compute_units;
  p.has_fp64 = true;
  p.has_fp16 = true;
  p.has_int64_atomics = true;
  p.shares_host_memory = true;
  p.non_uniform_groups = true;
  p.architecture = cpu().architecture();
}

HostDevice::HostDevice(const HostDevice& parent, const std::vector<int>& processors)
    : properties_(parent.properties_), pool_(ThreadPool::team(processors)) {
  properties_.compute_units = pool_.threads();
}

std::vector<std::shared_ptr<Device>> HostDevice::split(const std::shared_ptr<Device>& /*self*/,
                                                       const Division& division) {
  const std::vector<Processor> mine = choose_processors(pool_.processors(), pool_.threads());
  std::vector<std::shared_ptr<Device>> parts;
  for (const std::vector<int>& processors : divide(mine, division))
    parts.push_back(std::make_shared<HostDevice>(*this, processors));
  return parts;
}

Info HostDevice::info() const {
  Info info;
  const auto add = [&](const char* key, std::string value) { info.emplace_back(key, std::move(value)); };
  add("name", cpu().name);
  add("vendor", cpu().vendor);
  add("family", cpu().family);
  add("model", cpu().model);
  add("stepping", cpu().stepping);
  add("architecture", properties_.architecture);
  add("threads", std::to_string(properties_.compute_units));
  if (pool_.is_team()) {
    std::string list;
    for (const int processor : pool_.processors())
      list += (list.empty() ? "" : " ") + std::to_string(processor);
    add("processors", list);
  }
  add("float lanes", std::to_string(properties_.sub_group_size));
  add("numa nodes", std::to_string(cpu().numa_nodes));
  for (const Cache& cache : cpu().caches) {
    const std::string key = "L" + std::to_string(cache.level) + " " + cache.type + " cache";
    info.emplace_back(key, std::to_string(cache.size) + " bytes, lines of " + std::to_string(cache.line));
  }
  const SystemMemory memory = system_memory();
  add("memory", std::to_string(memory.total) + " bytes");
  add("available memory", std::to_string(memory.available) + " bytes");
  const Compiler compiler = find_compiler();
  add("compiler", compiler.found() ? compiler.path : compiler.problem);
  if (utsname system = {}; uname(&system) == 0) {
    add("system", std::string(system.sysname) + " " + system.release + " " + system.machine);
  }
  std::string flags;
  for (const std::string& flag : cpu().flags) flags += (flags.empty() ? "" : " ") + flag;
  add("flags", flags);
  return info;
}

std::shared_ptr<Context> HostDevice::make_context(std::span<const std::shared_ptr<Device>> devices) {
  std::vector<ThreadPool*> pools;
  for (const auto& device : devices) {
    const auto* const host = dynamic_cast<const HostDevice*>(device.get());
    if (host == nullptr) {
      throw ArgumentError(ArgumentError::Kind::value,
                          "a context of the host device cannot contain other devices");
    }
    pools.push_back(&host->pool());
  }
  return std::make_shared<HostContext>(std::move(pools));
}

std::unique_ptr<Queue> HostContext::make_queue(std::size_t device, const QueueOptions& options) {
  process::check_not_forked();
  return std::make_unique<HostQueue>(*pools_.at(device), options);
}

bool HostContext::can_use(const Memory& memory) const noexcept {
  return dynamic_cast<const OwnedMemory*>(&memory) != nullptr ||
         dynamic_cast<const BorrowedMemory*>(&memory) != nullptr;
}

std::unique_ptr<Queue> HostContext::wrap_queue(std::size_t /*device*/, std::uintptr_t /*native*/) {
  throw ArgumentError(ArgumentError::Kind::value, "the host device does not support wrapping native queues");
}

std::unique_ptr<Memory> HostContext::allocate(std::size_t /*device*/, std::size_t nbytes) {
  return std::make_unique<OwnedMemory>(nbytes);
}

std::unique_ptr<Memory> HostContext::wrap_memory(std::uintptr_t native, std::size_t nbytes) {
  return std::make_unique<BorrowedMemory>(reinterpret_cast<void*>(native), nbytes);
}

std::unique_ptr<PinnedMemory> HostContext::allocate_pinned(std::size_t nbytes) {
  return std::make_unique<HostPinnedMemory>(nbytes);
}

SharedMemory HostContext::allocate_shared(std::size_t device, std::size_t nbytes, Grain /*grain*/) {
  return {nullptr, allocate(device, nbytes)};
}

MemoryInfo HostContext::memory_info(std::size_t /*device*/) const {
  const SystemMemory memory = system_memory();
  return {memory.available, memory.total};
}

bool HostContext::can_compile() {
  return compiler_works();
}

Compiled HostContext::compile(std::size_t /*device*/, const CompileRequest& request) {
  process::check_not_forked();
  if (request.dialect != Dialect::host_c) {
    throw BuildError(request.name + ": the host device compiles C that the front end has lowered", {}, {}, {},
                     "host");
  }
  Compiled compiled;
  try {
    compiled.binary = compile_to_library(request, compiled.log);
    try {
      compiled.module = load_module(compiled.binary);  // reports undefined functions
      if (request.lowered && has_kernels(request.text) && compiled.module->function_names().empty())
        throw Error("the compiler reported success, but the program has no kernels");
    } catch (const OutOfResources& error) {
      throw BuildOutOfResources(request.name + ": " + error.what(), {}, error.what(), {}, "host");
    } catch (const Error& error) {
      throw BuildError(request.name + ": " + error.what(), {}, error.what(), {}, "host");
    }
  } catch (const BuildError&) {
    recheck_compiler();
    throw;
  }
  trust_compiler();
  return compiled;
}

std::unique_ptr<Module> HostContext::load(std::size_t /*device*/, std::span<const std::byte> binary) {
  process::check_not_forked();
  return load_module(binary);
}

std::unique_ptr<Module> HostContext::embed(PrecompiledFunction* function, const Signature& signature,
                                           std::shared_ptr<const void> owner) {
  process::check_not_forked();
  return precompiled_module(function, signature, std::move(owner));
}

std::string HostContext::compiler_identity(std::size_t /*device*/) {
  return host::compiler_identity();
}

}  // namespace host

Discovery discover_host() {
  Discovery found;
  auto device = std::make_shared<host::HostDevice>();
  found.attempts.push_back({"host processor", device->properties().name, true});
  found.devices.push_back(std::move(device));
  const host::Compiler compiler = host::find_compiler();
  found.attempts.push_back(
      {"C compiler", compiler.found() ? compiler.path : compiler.problem, compiler.found()});
  return found;
}

}  // namespace quern::backend
