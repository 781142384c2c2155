// SPDX-License-Identifier: MIT
// Kernel source with placeholders.
#include "quern/template.hpp"
#include "base/text.hpp"

#include <algorithm>

#include "quern/error.hpp"

namespace quern {
namespace {

int line_of(std::string_view text, std::size_t position) {
  return 1 + static_cast<int>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

}  // namespace

std::string render(std::string_view text, const std::vector<std::pair<std::string, std::string>>& values) {
  const auto fail = [&](std::size_t at, const std::string& why) {
    throw ArgumentError(ArgumentError::Kind::value,
                        "template, line " + std::to_string(line_of(text, at)) + ": " + why);
  };
  std::vector<bool> used(values.size(), false);
  std::string result;
  std::size_t done = 0;
  for (std::size_t open; (open = text.find("{{", done)) != text.npos;) {
    const std::size_t close = text.find("}}", open);
    if (close == text.npos) fail(open, "'{{' is not closed");
    const std::string_view name = trimmed(text.substr(open + 2, close - open - 2));
    const auto found =
        std::find_if(values.begin(), values.end(), [&](const auto& value) { return value.first == name; });
    if (found == values.end()) fail(open, "'" + std::string(name) + "' has no value");
    used[static_cast<std::size_t>(found - values.begin())] = true;
    (result += text.substr(done, open - done)) += found->second;
    done = close + 2;
  }
  for (std::size_t v = 0; v < values.size(); ++v) {
    if (!used[v])
      throw ArgumentError(ArgumentError::Kind::value,
                          "template: no placeholder is named '" + values[v].first + "'");
  }
  return result += text.substr(done);
}

}  // namespace quern
