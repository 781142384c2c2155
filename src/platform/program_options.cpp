// SPDX-License-Identifier: MIT
// Splits option strings and sorts their options.
#include "platform/program_options.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "platform/errors.hpp"

namespace quern::platform {
namespace {

// Words are separated by white space outside of quotation marks; a backslash keeps a mark or a space.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool is_open = false;
  char quote = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    const char next = k + 1 < text.size() ? text[k + 1] : '\0';
    if (c == '\\' && (next == '"' || next == '\'' || next == '\\' || next == ' ')) {
      word += next;
      is_open = true;
      ++k;
    } else if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote != 0 ? '\0' : c;
      is_open = true;
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
      if (is_open) words.push_back(std::move(word));
      word.clear();
      is_open = false;
    } else {
      word += c;
      is_open = true;
    }
  }
  if (is_open) words.push_back(std::move(word));
  return words;
}

bool contains(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

constexpr auto kEngine = std::to_array<std::string_view>(
    {"-cl-mad-enable", "-cl-no-signed-zeros", "-cl-finite-math-only", "-cl-unsafe-math-optimizations",
     "-cl-fast-relaxed-math", "-cl-denorms-are-zero", "-cl-fp32-correctly-rounded-divide-sqrt",
     "-cl-single-precision-constant", "-cl-opt-disable", "-cl-strict-aliasing", "-cl-kernel-arg-info", "-w",
     "-Werror", "-cl-std=CL1.0", "-cl-std=CL1.1", "-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0"});
// Without an effect here.
constexpr auto kAccepted =
    std::to_array<std::string_view>({"-g", "-cl-uniform-work-group-size", "-cl-no-subgroup-ifp"});

// The version of the library's OpenCL, which is not that of the language.
constexpr std::array<std::array<std::string_view, 2>, 4> kVersionMacros = {{{"__OPENCL_VERSION__", "300"},
                                                                            {"CL_VERSION_2_0", "200"},
                                                                            {"CL_VERSION_2_1", "210"},
                                                                            {"CL_VERSION_3_0", "300"}}};

}  // namespace

ProgramOptions parse_build_options(std::string_view text, cl_int invalid) {
  ProgramOptions options;
  for (const auto& [name, value] : kVersionMacros) options.defines.emplace_back(name, value);
  const std::vector<std::string> words = split(text);
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::string& word = words[k];
    if (word.starts_with("-D") || word.starts_with("-I")) {
      const bool is_alone = word.size() == 2;
      require(!is_alone || k + 1 < words.size(), invalid);
      options.options.push_back(is_alone ? word + words[++k] : word);
    } else if (contains(kEngine, word)) {
      options.options.push_back(word);
    } else {
      require(contains(kAccepted, word), invalid);
    }
  }
  return options;
}

LinkOptions parse_link_options(std::string_view text) {
  constexpr auto kMath = std::to_array<std::string_view>(
      {"-cl-denorms-are-zero", "-cl-no-signed-zeros", "-cl-unsafe-math-optimizations", "-cl-finite-math-only",
       "-cl-fast-relaxed-math", "-cl-no-subgroup-ifp"});
  LinkOptions options;
  bool enables = false;
  for (const std::string& word : split(text)) {
    if (word == "-create-library") {
      options.creates_library = true;
    } else if (word == "-enable-link-options") {
      enables = true;
    } else {
      require(contains(kMath, word), CL_INVALID_LINKER_OPTIONS);
    }
  }
  require(!enables || options.creates_library, CL_INVALID_LINKER_OPTIONS);
  return options;
}

bool has_uniform_groups(const ProgramOptions& options) {
  return std::ranges::none_of(options.options, [](const std::string& option) {
    return option == "-cl-std=CL2.0" || option == "-cl-std=CL3.0";
  });
}

}  // namespace quern::platform
