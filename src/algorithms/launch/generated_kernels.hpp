// SPDX-License-Identifier: MIT
// A generated kernel: the variants that launches have needed so far.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "algorithms/launch/background_compiler.hpp"
#include "algorithms/launch/kernel_table.hpp"
#include "codegen/arguments.hpp"
#include "codegen/library_programs.hpp"
#include "codegen/type_text.hpp"
#include "quern/elementwise.hpp"
#include "quern/graph.hpp"
#include "quern/program.hpp"
#include "runtime/build_options.hpp"

namespace quern::algorithms {

// Parses the preamble with the macros and include folders of the options, before a device is known.
inline codegen::Preamble preamble_of(const GeneratorOptions& options) {
  ProgramOptions program;
  program.options = options.options;
  detail::BuildOptions parsed = detail::parse_options(program);
  frontend::Source source;
  source.text = options.preamble;
  source.file = "preamble";
  source.defines = std::move(parsed.defines);
  source.include_paths = std::move(parsed.include_paths);
  return codegen::Preamble(std::move(source));
}

class GeneratedKernels {
 public:
  GeneratedKernels(std::string name, std::vector<std::string> options)
      : name_(std::move(name)), options_(std::move(options)) {}

  // The text of the program for an emitted text.
  [[nodiscard]] std::string program_text(std::string emitted) const {
    return codegen::with_complex_types(std::move(emitted), options_);
  }

  // Returns kernel `kernel` of the variant's program. The first call emits the text. The reference is valid
  // as long as this object.
  template <class Emit>
  const Kernel& get(const std::string& variant, const std::string& kernel, const Emit& emit) const {
    const std::lock_guard lock(mutex_);
    Entry& entry = kernels_[variant];
    if (!entry.kernel) entry.kernel.emplace(program(program_text(emit())).kernel(kernel));
    return *entry.kernel;
  }

  // The same for kernels that the build may have compiled into the library (codegen::library_programs()).
  template <class Emit>
  LibraryKernel get_library(const std::string& variant, const std::string& kernel, const Emit& emit) const {
    const std::lock_guard lock(mutex_);
    Entry& entry = kernels_[variant];
    if (!entry.library) {
      const std::string text = program_text(emit());
      entry.library.emplace(
          library_kernel(program(text), options_.empty() ? codegen::program_key(text) : "", kernel));
    }
    return *entry.library;
  }

  // The same for a launch over so many elements that can also run on the host's loops. Returns null until the
  // kernel is built for the queue's device. It is built in the background once that pays.
  template <class Emit>
  const Kernel* get_ready(const std::string& variant, const std::string& kernel, const Emit& emit,
                          const Queue& queue, std::uint64_t elements) const {
    if (host_loop_use() == HostLoopUse::only) return nullptr;
    std::shared_ptr<Demand> demand;
    {
      const std::lock_guard lock(mutex_);
      Entry& entry = kernels_[variant];
      if (entry.kernel && entry.kernel->ready(queue)) return &*entry.kernel;
      if (!entry.demand) entry.demand = std::make_shared<Demand>();
      demand = entry.demand;
    }
    if (is_capturing()) return compiled_for_replays(get(variant, kernel, emit), queue);
    if (!demand->add(queue, elements)) return nullptr;
    const Kernel& wanted = get(variant, kernel, emit);
    if (wanted.prepare_from_cache(queue)) return &wanted;
    if (!compile_in_background(wanted, queue)) demand->retry(queue);
    return nullptr;
  }

 private:
  [[nodiscard]] Program program(std::string text) const {
    ProgramOptions options;
    options.options = options_;
    options.copies_unaligned = true;
    options.name = name_ + ".cl";
    return Program(std::move(text), std::move(options));
  }

  std::string name_;
  std::vector<std::string> options_;
  mutable std::mutex mutex_;
  struct Entry {
    std::optional<Kernel> kernel;
    std::optional<LibraryKernel> library;
    std::shared_ptr<Demand> demand;
  };
  mutable std::unordered_map<std::string, Entry> kernels_;
};

}  // namespace quern::algorithms
