// SPDX-License-Identifier: MIT
// Loading compiled kernels from memory.
#include "backend/host/program.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

#include "backend/host/cpu.hpp"
#include "backend/host/elf_image.hpp"
#include "backend/host/memory.hpp"
#include "backend/host/temporary_folder.hpp"
#include "base/file_descriptor.hpp"
#include "base/process.hpp"
#include "base/resources.hpp"
#include "quern/error.hpp"

namespace quern::backend::host {

void RateEstimate::observe(double nanoseconds, double items) noexcept {
  constexpr double kClock = 40;  // the cost of reading the clock twice
  const double sample = std::max(nanoseconds - kClock, 0.0) / std::max(items, 1.0);
  const double before = ns();
  double after = sample;
  if (before >= 0 && nanoseconds < 20e6) {  // a long piece is trusted at once
    if (nanoseconds < 1e3) {
      after = before + (sample - before) / 8;  // mostly noise
    } else if (sample > before) {
      after = std::min(sample, 4 * before + 1);  // the thread may have lost its processor for a while
    } else {
      after = (before + sample) / 2;
    }
  }
  ns_.store(after, std::memory_order_relaxed);
}

void RateEstimate::note(std::uint64_t largest_integer) noexcept {
  std::uint64_t seen = largest_integer_.load(std::memory_order_relaxed);
  while (seen < largest_integer && !largest_integer_.compare_exchange_weak(seen, largest_integer)) {
  }
}

HostFunction::HostFunction(quern_kernel_function* address, std::string name, unsigned lanes,
                           const Signature* signature, std::shared_ptr<const KernelCode> code)
    : entry_(address), code_(std::move(code)) {
  if (signature != nullptr) {
    if (!signature->name.empty()) name = signature->name;
    attributes_.local_memory = signature->local_memory;
    exchanges_values_ = signature->exchanges_values;
    attributes_.wants_fixed_local = signature->wants_fixed_local;
    for (const Parameter& parameter : signature->parameters) {
      const bool is_integer = !parameter.is_pointer && parameter.dtype.lanes == 1 &&
                              parameter.dtype.scalar >= Scalar::int8 &&
                              parameter.dtype.scalar <= Scalar::uint64;
      integers_.push_back(is_integer ? parameter.dtype.scalar : Scalar::unknown);
    }
  }
  name_ = std::make_shared<const std::string>(std::move(name));
  attributes_.max_work_group_size = kMaxWorkGroupSize;
  attributes_.preferred_multiple = lanes;
}

std::uint64_t HostFunction::largest_integer(std::span<const Argument> arguments) const noexcept {
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < std::min(arguments.size(), integers_.size()); ++i) {
    const Argument& argument = arguments[i];
    if (integers_[i] == Scalar::unknown || argument.kind != Argument::Kind::value || argument.size > 8)
      continue;
    std::uint64_t bits = 0;
    std::memcpy(&bits, argument.value, argument.size);
    if (integers_[i] <= Scalar::int64) {  // signed: its magnitude
      const unsigned unused = 64 - 8 * static_cast<unsigned>(argument.size);
      const auto value = static_cast<std::int64_t>(bits << unused) >> unused;
      bits = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    }
    largest = std::max(largest, bits);
  }
  return largest;
}

namespace {

constexpr std::string_view kSymbolPrefix = "quern_kernel_";  // as host_abi.h describes

std::string loader_message() {
  const char* text = dlerror();
  return text != nullptr ? text : "unknown error of the loader";
}

// The loader identifies a library by its path, and descriptor numbers repeat: so each load spells the path
// differently, a counter in binary with "/." for 0 and "//." for 1.
std::string unique_descriptor_path(int fd) {
  static std::atomic<std::uint64_t> counter{0};
  std::string path = "/proc/self/fd";
  for (std::uint64_t n = counter.fetch_add(1) + 1; n != 0; n >>= 1) path += (n & 1) != 0 ? "//." : "/.";
  return path + "/" + std::to_string(fd);
}

FileDescriptor memory_file() {
#ifndef MFD_EXEC
  constexpr unsigned MFD_EXEC = 0x10;
#endif
  int fd = memfd_create("quern-program", MFD_CLOEXEC | MFD_EXEC);
  if (fd < 0 && errno == EINVAL) fd = memfd_create("quern-program", MFD_CLOEXEC);  // before Linux 6.3
  return FileDescriptor(fd);
}

void* open_from_memory(std::span<const std::byte> binary) {
  const FileDescriptor file = memory_file();
  if (!file.valid() || !write_all(file.get(), binary)) return nullptr;
  return dlopen(unique_descriptor_path(file.get()).c_str(), RTLD_NOW | RTLD_LOCAL);
}

constexpr const char* kFileName = "program.so";

void* open_from_file(std::span<const std::byte> binary, const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700));
  if (!file.valid() || !write_all(file.get(), binary)) {
    throw_system_error("cannot write the program to " + path, errno);
  }
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

// A program's file for a debugger; it exists as long as its module or an error that names one of its lines.
struct DebugFile {
  DebugFolder folder;
  std::string path = folder.path() + "/" + kFileName;
};

// Address range of a loaded library.
void find_range(void* handle, KernelCode& code) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return;
  struct Search {
    ElfW(Addr) base;
    KernelCode& code;
  } search{map->l_addr, code};
  const auto look = [](dl_phdr_info* info, std::size_t, void* data) {
    auto& wanted = *static_cast<Search*>(data);
    if (info->dlpi_addr != wanted.base) return 0;
    wanted.code.base = info->dlpi_addr;
    for (std::size_t i = 0; i < info->dlpi_phnum; ++i) {
      const auto& segment = info->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD) continue;
      const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
      wanted.code.begin = wanted.code.begin == 0 ? begin : std::min(wanted.code.begin, begin);
      wanted.code.end = std::max(wanted.code.end, end);
    }
    return 1;
  };
  dl_iterate_phdr(look, &search);
}

class HostModule final : public Module {
 public:
  explicit HostModule(std::span<const std::byte> binary) : image_(read_elf_image(binary)) {
    // A debugger opens the file itself, so a program with debug information gets one that exists while it is
    // loaded.
    KernelCode code;
    if (image_.has_debug_info) {
      const auto file = std::make_shared<const DebugFile>();
      code.debug_file = std::shared_ptr<const std::string>(file, &file->path);
      handle_ = open_from_file(binary, file->path);
    } else {
      handle_ = open_from_memory(binary);
      if (handle_ == nullptr) {  // if memory files may not be executed
        TemporaryFolder folder;
        handle_ = open_from_file(binary, folder.file(kFileName));
      }
    }
    if (handle_ == nullptr) {
      const std::string message = "the program does not load: " + loader_message();
      if (is_lack_of_resources(message)) throw OutOfResources(message);
      throw Error(message);
    }
    code.is_plain = true;
    code.checks_bounds = dlsym(handle_, "quern_checks_bounds") != nullptr;
    code.calls_locking = image_.calls_locking;
    find_range(handle_, code);
    code_ = std::make_shared<const KernelCode>(std::move(code));
  }

  ~HostModule() override {
    if (process::must_not_touch_drivers()) return;  // a worker may still run it while the process exits
    dlclose(handle_);
  }

  std::unique_ptr<Function> function(const std::string& name, const Signature* signature) override {
    void* address = dlsym(handle_, name.c_str());
    if (address == nullptr) {
      throw ArgumentError(ArgumentError::Kind::value, "the program has no kernel '" + name + "'");
    }
    return std::make_unique<HostFunction>(reinterpret_cast<quern_kernel_function*>(address), name,
                                          cpu().float_lanes(), signature, code_);
  }

  [[nodiscard]] std::vector<std::string> function_names() const override {
    std::vector<std::string> names;
    for (const ElfSymbol& symbol : image_.symbols) {
      if (symbol.is_function && symbol.name.starts_with(kSymbolPrefix)) {
        names.push_back(symbol.name);
      }
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  [[nodiscard]] std::optional<Signature> signature_of(const std::string& /*name*/) const override {
    return std::nullopt;
  }

  std::unique_ptr<Memory> global(const std::string& name) override {
    for (const ElfSymbol& symbol : image_.symbols) {
      if (symbol.is_function || symbol.name != name) continue;
      if (void* address = dlsym(handle_, name.c_str())) {
        return std::make_unique<BorrowedMemory>(address, static_cast<std::size_t>(symbol.size));
      }
    }
    return nullptr;
  }

 private:
  ElfImage image_;
  std::shared_ptr<const KernelCode> code_;
  void* handle_ = nullptr;
};

class PrecompiledModule final : public Module {
 public:
  PrecompiledModule(quern_kernel_function* entry, Signature signature, std::shared_ptr<const void> owner)
      : function_(entry), signature_(std::move(signature)), owner_(std::move(owner)) {}

  std::unique_ptr<Function> function(const std::string& name, const Signature* /*signature*/) override {
    return std::make_unique<HostFunction>(function_, name, cpu().float_lanes(), &signature_,
                                          std::make_shared<const KernelCode>());
  }
  [[nodiscard]] std::vector<std::string> function_names() const override { return {signature_.name}; }
  [[nodiscard]] std::optional<Signature> signature_of(const std::string& /*name*/) const override {
    return signature_;
  }
  std::unique_ptr<Memory> global(const std::string& /*name*/) override { return nullptr; }

 private:
  quern_kernel_function* function_;
  Signature signature_;
  std::shared_ptr<const void> owner_;
};

}  // namespace

std::unique_ptr<Module> precompiled_module(quern_kernel_function* function, const Signature& signature,
                                           std::shared_ptr<const void> owner) {
  return std::make_unique<PrecompiledModule>(function, signature, std::move(owner));
}

std::unique_ptr<Module> load_module(std::span<const std::byte> binary) {
  return std::make_unique<HostModule>(binary);
}

}  // namespace quern::backend::host
