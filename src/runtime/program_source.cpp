// SPDX-License-Identifier: MIT
// Which translations a program has.
#include "runtime/program_source.hpp"

#include <string_view>
#include <utility>

namespace quern::detail {
namespace {

// "-cl-std=CL3.0" is "300"; empty for other options.
std::string language_version(std::string_view option) {
  constexpr std::string_view kStandard = "-cl-std=CL";
  if (!option.starts_with(kStandard)) return {};
  const std::string_view version = option.substr(kStandard.size());
  if (version.size() != 3 || version[1] != '.') return {};
  return {version[0], version[2], '0'};
}

}  // namespace

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
                          options_.headers,
                          options_.debug,
                          parsed_.has("-cl-single-precision-constant"),
                          parsed_.has("-cl-denorms-are-zero"),
                          parsed_.has("-quern-check-bounds")};
  if (parsed_.has("-cl-fast-relaxed-math")) source.defines.emplace_back("__FAST_RELAXED_MATH__", "1");
  for (const std::string& option : parsed_.standard)
    if (const std::string version = language_version(option); !version.empty())
      source.defines.emplace_back("__OPENCL_C_VERSION__", version);
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
