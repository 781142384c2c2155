// SPDX-License-Identifier: MIT
// The variants of one generated kernel that were needed so far.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codegen/arguments.hpp"
#include "quern/elementwise.hpp"
#include "quern/program.hpp"
#include "runtime/build_options.hpp"

namespace quern::algorithms {

// The preamble as it is read before a device is known: with what the options define and where they look for
// files.
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

  // The kernel called `kernel` of the variant's program, whose text `emit` makes when it is first asked for.
  // It lives as long as this object.
  template <class Emit>
  const Kernel& get(const std::string& variant, const std::string& kernel, const Emit& emit) const {
    const std::lock_guard lock(mutex_);
    auto found = kernels_.find(variant);
    if (found == kernels_.end()) {
      ProgramOptions options;
      options.options = options_;
      options.copies_unaligned = true;
      options.name = name_ + ".cl";
      found = kernels_.emplace(variant, Program(emit(), std::move(options)).kernel(kernel)).first;
    }
    return found->second;
  }

 private:
  std::string name_;
  std::vector<std::string> options_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, Kernel> kernels_;
};

}  // namespace quern::algorithms
