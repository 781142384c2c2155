// SPDX-License-Identifier: MIT
// Which translations a program has.
#include "runtime/program_source.hpp"

#include <utility>

namespace quern::detail {

ProgramSource::ProgramSource(std::string text, ProgramOptions options)
    : text_(std::move(text)), options_(std::move(options)), parsed_(parse_options(options_)) {}

std::shared_ptr<frontend::Translation> ProgramSource::translation(frontend::Target target) {
  const std::lock_guard lock(mutex_);
  // Every question reads include files anew, as every run of a compiler does.
  std::erase_if(translations_, [](const auto& translation) { return translation->depends_on_files(); });
  for (const auto& translation : translations_)
    if (translation->serves(target)) return translation;
  frontend::Source source{text_,
                          options_.name,
                          parsed_.defines,
                          parsed_.include_paths,
                          options_.debug,
                          parsed_.has("-cl-single-precision-constant"),
                          parsed_.has("-cl-denorms-are-zero"),
                          parsed_.has("-quern-check-bounds")};
  if (parsed_.has("-cl-fast-relaxed-math")) source.defines.emplace_back("__FAST_RELAXED_MATH__", "1");
  return translations_.emplace_back(std::make_shared<frontend::Translation>(std::move(source), target));
}

std::shared_ptr<frontend::Translation> ProgramSource::translation() {
  return translation(options_.language == Language::cuda_c ? frontend::Target::cuda_c
                                                           : frontend::Target::opencl);
}

void ProgramSource::release_translations() {
  std::vector<std::shared_ptr<frontend::Translation>> released;  // freed without the lock
  const std::lock_guard lock(mutex_);
  released.swap(translations_);
}

}  // namespace quern::detail
