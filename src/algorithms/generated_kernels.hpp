// SPDX-License-Identifier: MIT
// The variants of one generated kernel that were needed so far.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "quern/elementwise.hpp"
#include "quern/program.hpp"
#include "runtime/build_options.hpp"

namespace quern::algorithms {

// The preamble as it is read before a device is known: after what the options define.
inline std::string readable_preamble(const GeneratorOptions& options) {
  ProgramOptions program;
  program.options = options.options;
  std::string text;
  for (const auto& [name, value] : detail::parse_options(program).defines)
    text += "#define " + name + " " + value + "\n";
  return text.empty() ? options.preamble : text + "#line 1 \"preamble\"\n" + options.preamble;
}

class GeneratedKernels {
 public:
  GeneratedKernels(std::string name, std::vector<std::string> options)
      : name_(std::move(name)), options_(std::move(options)) {}

  // The kernel called `kernel` of the variant's program, whose text `emit` makes when it is first asked for.
  template <class Emit>
  Kernel get(const std::string& variant, const std::string& kernel, const Emit& emit) const {
    const std::lock_guard lock(mutex_);
    auto found = kernels_.find(variant);
    if (found == kernels_.end()) {
      ProgramOptions options;
      options.options = options_;
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
