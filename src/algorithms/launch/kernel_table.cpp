// SPDX-License-Identifier: MIT
// The kernels of the algorithms, and the choice between a precompiled function and the compiled kernel.
#include "algorithms/launch/kernel_table.hpp"

#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "algorithms/launch/background_compiler.hpp"
#include "algorithms/launch/policy.hpp"
#include "algorithms/launch/precompiled_kernels.hpp"
#include "algorithms/launch/precompiled_programs.hpp"
#include "codegen/library_programs.hpp"
#include "kernels/kernels.hpp"
#include "quern/compilation.hpp"

namespace quern::algorithms {
namespace {

// Keys contain expressions of users, so the table must not grow without limit.
constexpr std::size_t kMostPrograms = 1024;

Program program_of(std::span<const std::string_view> files, const Defines& defines,
                   std::string_view definitions) {
  std::string text(definitions);
  for (const std::string_view file : files)
    ((text += "\n#line 1 \"quern/" + std::string(file) + ".cl\"\n") += kernels::text(file));
  ProgramOptions options;
  options.defines = defines;
  options.copies_unaligned = true;
  options.name = std::string(files.back()) + ".cl";
  return Program(std::move(text), std::move(options));
}

}  // namespace

class LibraryKernel::State {
 public:
  State(const Program& program, const std::string& key, const std::string& name)
      : compiled_(program.kernel(name)) {
    if (auto source = precompiled_kernel(key, name))
      precompiled_.emplace(std::move(source->signature), source->function);
  }

  [[nodiscard]] const Kernel& compiled() const { return compiled_; }

  bool prefers_function(const Queue& queue, std::uint64_t elements) {
    if (!calls_function(queue)) return false;
    return host_loop_use() == HostLoopUse::only || elements < kSmallWork || !is_compiled(queue, elements);
  }

  // The function for a launch over so many elements; null where the compiled kernel is to run.
  std::shared_ptr<const detail::PrecompiledKernel> function_for(const Queue& queue, std::uint64_t elements) {
    return precompiled_ && prefers_function(queue, elements) ? precompiled_->get(queue) : nullptr;
  }

 private:
  bool is_compiled(const Queue& queue, std::uint64_t elements) {
    if (compiled_.ready(queue)) return true;
    if (!demand_.add(queue, elements)) return false;
    if (compiled_.prepare_from_cache(queue)) return true;
    if (!compile_in_background(compiled_, queue)) demand_.retry(queue);
    return false;
  }

  Kernel compiled_;
  std::optional<PrecompiledKernels> precompiled_;
  Demand demand_;
};

Event LibraryKernel::launch(const Queue& queue, std::uint64_t elements, const Range& range,
                            std::span<const KernelArgument> arguments, WaitList wait_for) const {
  if (const auto function = state_->function_for(queue, elements))
    return function->launch(queue, range, arguments, wait_for);
  return state_->compiled().launch(queue, range, arguments, wait_for);
}

bool LibraryKernel::prefers_function(const Queue& queue, std::uint64_t elements) const {
  return state_->prefers_function(queue, elements);
}

const Kernel& LibraryKernel::compiled() const {
  return state_->compiled();
}

LibraryKernel library_kernel(const Program& program, const std::string& key, const std::string& name) {
  return LibraryKernel(std::make_shared<LibraryKernel::State>(program, key, name));
}

LibraryKernel kernel_of(std::initializer_list<std::string_view> files, std::string_view name,
                        const Defines& defines, std::string_view definitions) {
  // A kernel remembers what was built for which device and local size, so it is kept with its program.
  struct Entry {
    Program program;
    std::vector<std::pair<std::string, LibraryKernel>> kernels;
  };
  struct Table {
    std::mutex mutex;
    std::unordered_map<std::string, Entry> programs;
  };
  static auto* const all = new Table;  // never destroyed: the library may be used until the process ends
  const std::span list(files.begin(), files.size());
  const std::string key = codegen::program_key(list, defines, definitions);
  const std::lock_guard lock(all->mutex);
  auto found = all->programs.find(key);
  if (found == all->programs.end()) {
    if (all->programs.size() >= kMostPrograms) all->programs.clear();
    found = all->programs.emplace(key, Entry{program_of(list, defines, definitions), {}}).first;
  }
  Entry& entry = found->second;
  for (const auto& [known, kernel] : entry.kernels)
    if (known == name) return kernel;
  const std::string text(name);
  return entry.kernels.emplace_back(text, library_kernel(entry.program, key, text)).second;
}

}  // namespace quern::algorithms
