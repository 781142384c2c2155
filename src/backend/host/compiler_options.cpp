// SPDX-License-Identifier: MIT
// Which of the user's options reach the compiler.
#include <algorithm>
#include <array>
#include <string_view>

#include "backend/host/compiler.hpp"
#include "quern/error.hpp"

namespace quern::backend::host {
namespace {

using std::string_view;

bool starts_with_any(string_view text, std::span<const string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](string_view p) { return text.starts_with(p); });
}

// Only options that change code generation are allowed; all others, including unknown new ones, are refused.
constexpr std::array<string_view, 7> kAllowed = {"-O", "-f", "-m", "-W", "-D", "-U", "-std="};
constexpr std::array<string_view, 3> kAllowedExactly = {"-w", "-g", "-pedantic"};

// Options of the allowed kinds that start programs, load plugins, or read or write files.
constexpr std::array<string_view, 29> kRefused = {"-fplugin",      "-fpass-plugin",  "-fdump",
                                                  "-fprofile",     "-fauto-profile", "-fbranch-probabilities",
                                                  "-ftest-cov",    "-fcoverage",     "-fcallgraph",
                                                  "-fstack-usage", "-fopt-info",     "-fsave-opt",
                                                  "-fuse-ld",      "-fcompare",      "-flto",
                                                  "-fthinlto",     "-foffload",      "-fmodule",
                                                  "-fsyntax",      "-fembed",        "-fcrash",
                                                  "-frecord",      "-fworking-dir",  "-fdiagnostics-",
                                                  "-fproc-stat",   "-mllvm",         "-fsanitize-ign",
                                                  "-fsanitize-bl", "-fxray"};

// Their arguments are passed to other programs, which have options of their own.
constexpr std::array<string_view, 3> kForOthers = {"-Wl,", "-Wa,", "-Wp,"};

[[noreturn]] void refuse(const std::string& option, const std::string& why) {
  throw ArgumentError(ArgumentError::Kind::value,
                      "the host compiler's option '" + option + "' is refused: " + why);
}

}  // namespace

void check_options(const std::vector<std::string>& options) {
  for (const std::string& option : options) {
    if (option.find('\0') != std::string::npos) refuse(option, "it holds a null character");
    if (!option.starts_with('-')) refuse(option, "it would be read as the name of a file");
    const bool allowed =
        starts_with_any(option, kAllowed) ||
        std::find(kAllowedExactly.begin(), kAllowedExactly.end(), option) != kAllowedExactly.end();
    if (!allowed) {
      refuse(option,
             "only options that say how to generate code are taken (-O, -f, -m, -W, -D, -U, -std=, -g, -w)");
    }
    if (starts_with_any(option, kRefused) || starts_with_any(option, kForOthers)) {
      refuse(option, "it could start programs or read and write files");
    }
    if (option == "-D" || option == "-U")
      refuse(option, "the name must follow in the same option, as in -DNAME=1");
  }
}

}  // namespace quern::backend::host
