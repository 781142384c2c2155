// SPDX-License-Identifier: MIT
// One table: what each of OpenCL's options means to gcc and clang, and to NVRTC.
#include "runtime/build_options.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "quern/error.hpp"

namespace quern::detail {
namespace {

struct Row {
  std::string_view option;
  std::array<std::string_view, 4> host;
  std::array<std::string_view, 4> cuda;
};

// Full fast math would link start-up code that changes the rounding mode of the whole process, hence the
// single flags. Contraction is off for OpenCL C unless one of these turns it on: see compiler_options().
constexpr auto kRows = std::to_array<Row>({
    {"-cl-mad-enable", {"-ffp-contract=fast"}, {"--fmad=true"}},
    {"-cl-no-signed-zeros", {"-fno-signed-zeros"}, {}},
    {"-cl-finite-math-only", {"-ffinite-math-only"}, {}},
    {"-cl-unsafe-math-optimizations",
     {"-fno-signed-zeros", "-fassociative-math", "-freciprocal-math", "-ffp-contract=fast"},
     {"--fmad=true", "--prec-div=false", "--prec-sqrt=false"}},
    {"-cl-fast-relaxed-math",
     {"-funsafe-math-optimizations", "-ffinite-math-only", "-ffp-contract=fast"},
     {"--use_fast_math", "--fmad=true"}},          // said, since compiler_options() says the opposite first
    {"-cl-denorms-are-zero", {}, {"--ftz=true"}},  // on the host the front end sees to it
    {"-cl-fp32-correctly-rounded-divide-sqrt", {}, {"--prec-div=true", "--prec-sqrt=true"}},
    {"-cl-single-precision-constant", {}, {}},  // the front end's business
    {"-cl-opt-disable", {"-O0"}, {"--ptxas-options=-O0"}},
    {"-cl-strict-aliasing", {}, {}},
    {"-cl-kernel-arg-info", {}, {}},
    {"-quern-check-bounds", {}, {}},  // the front end's business, on the host
    {"-w", {}, {"--disable-warnings"}},
    {"-Werror", {}, {}},  // the front end's warnings; lowered text gives none that concern the user
});

const Row* find_row(std::string_view option) {
  const auto* const found =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& row) { return row.option == option; });
  return found == kRows.end() ? nullptr : found;
}

[[noreturn]] void reject(const std::string& option, const std::string& why) {
  throw ArgumentError(ArgumentError::Kind::value, "the build option '" + option + "' " + why);
}

void add_define(BuildOptions& result, const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);  // with its parameters: "max2(x,y)"
  const std::string word = name.substr(0, name.find('('));
  if (!is_name(word) || (word != name && name.find(')') != name.size() - 1))
    reject(option, "defines '" + name + "', which is not a name");
  result.defines.emplace_back(name, equals == std::string::npos ? "1" : text.substr(equals + 1));
}

std::vector<std::string_view> words_of(std::string_view option) {
  std::vector<std::string_view> words;
  while (!option.empty()) {
    const std::size_t end = std::min(option.find_first_of("-_"), option.size());
    if (end > 0) words.push_back(option.substr(0, end));
    option.remove_prefix(std::min(end + 1, option.size()));
  }
  return words;
}

// Letters to change, add or leave out to make one word of the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
      corner = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, changed}));
    }
  }
  return row[b.size()];
}

// The option that has all words of this one, or is spelled nearly so; empty where none is near.
std::string_view nearest_option(std::string_view option) {
  const std::vector<std::string_view> words = words_of(option);
  for (const Row& row : kRows) {
    const std::vector<std::string_view> known = words_of(row.option);
    const auto is_known = [&](std::string_view word) {
      return word == "use" || std::ranges::find(known, word) != known.end();
    };
    if (words.size() > 1 && std::ranges::all_of(words, is_known)) return row.option;
  }
  std::string_view nearest;
  std::size_t least = 4;
  for (const Row& row : kRows)
    if (const std::size_t d = distance(option, row.option); d < least && row.option.size() > 8)
      least = d, nearest = row.option;
  return nearest;
}

}  // namespace

std::string unknown_option(const BuildOptions& options, Dialect dialect) {
  for (const std::string& option : options.other) {
    const bool is_opencls = option.starts_with("-cl-");
    const bool is_nvrtcs = dialect != Dialect::cuda_cpp && option.find("use_fast_math") != option.npos;
    if (!is_opencls && !is_nvrtcs) continue;
    const std::string_view nearest = nearest_option(option);
    return "the build option '" + option + "' is unknown" +
           (nearest.empty() ? "" : "; did you mean '" + std::string(nearest) + "'?");
  }
  return {};
}

bool BuildOptions::has(std::string_view option) const {
  return std::find(standard.begin(), standard.end(), option) != standard.end();
}

bool BuildOptions::is_relaxed() const {
  return has("-cl-unsafe-math-optimizations") || has("-cl-fast-relaxed-math");
}

bool BuildOptions::contracts() const {
  return has("-cl-mad-enable") || is_relaxed();
}

BuildOptions parse_options(const ProgramOptions& given) {
  BuildOptions result;
  for (const auto& [name, value] : given.defines) add_define(result, "-D" + name, name + "=" + value);
  result.include_paths = given.include_paths;
  for (std::size_t i = 0; i < given.options.size(); ++i) {
    const std::string& option = given.options[i];
    if (option.empty()) continue;
    if (option.find('\0') != std::string::npos || option.find('\n') != std::string::npos) {
      reject(option, "holds a line break or a null character");
    }
    if (option.starts_with("-D") || option.starts_with("-I")) {
      std::string value = option.substr(2);
      if (value.empty()) {
        if (++i == given.options.size()) reject(option, "needs a value");
        value = given.options[i];
      }
      if (option[1] == 'D')
        add_define(result, option, value);
      else
        result.include_paths.push_back(value);
    } else if (option.starts_with("-cl-std=") || find_row(option)) {
      result.standard.push_back(option);
    } else if (option.starts_with("-cl-") && given.language == Language::cuda_c) {
      reject(option, "is OpenCL's, and the program is in CUDA C");
    } else {
      result.other.push_back(option);
    }
  }
  return result;
}

std::string contraction_flag(Dialect dialect, bool contracts) {
  if (dialect == Dialect::host_c) return contracts ? "-ffp-contract=fast" : "-ffp-contract=off";
  return contracts ? "--fmad=true" : "--fmad=false";
}

std::vector<std::string> compiler_options(const BuildOptions& options, Dialect dialect, Language language) {
  std::vector<std::string> result;
  if (dialect == Dialect::opencl_c || language == Language::cuda_c) {
    // The compiler reads the author's own text: it gets the author's own definitions.
    for (const auto& [name, value] : options.defines) result.push_back("-D" + name + "=" + value);
    for (const std::string& path : options.include_paths) result.push_back("-I" + path);
  }
  if (dialect == Dialect::opencl_c) {
    std::copy_if(options.standard.begin(), options.standard.end(), std::back_inserter(result),
                 [](const std::string& option) { return !option.starts_with("-quern-"); });
  } else {
    if (language == Language::opencl_c) result.push_back(contraction_flag(dialect, false));
    for (const std::string& option : options.standard) {
      const Row* row = find_row(option);
      if (!row) continue;  // -cl-std: the front end takes every version it knows
      for (const std::string_view flag : dialect == Dialect::host_c ? row->host : row->cuda) {
        if (!flag.empty()) result.emplace_back(flag);
      }
    }
  }
  result.insert(result.end(), options.other.begin(), options.other.end());
  return result;
}

}  // namespace quern::detail
