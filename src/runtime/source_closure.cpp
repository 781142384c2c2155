// SPDX-License-Identifier: MIT
// Follows #include lines without preprocessing.
#include "runtime/source_closure.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>

namespace quern::detail {
namespace {

namespace fs = std::filesystem;

std::string_view trim_left(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\f\v");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

class Walk {
 public:
  explicit Walk(const std::vector<std::string>& include_paths) : include_paths_(include_paths) {}

  bool add(std::string_view text, const fs::path& folder) {
    closure_ += std::to_string(text.size()) + ":";
    closure_ += text;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      if (!add_line(text.substr(begin, end - begin), folder)) return false;
      begin = end + 1;
    }
    return true;
  }

  std::string closure_;

 private:
  // Anything that could be an #include counts as one, in a comment too: a key may hold too much, never too
  // little.
  bool add_line(std::string_view line, const fs::path& folder) {
    for (std::size_t hash = line.find('#'); hash != std::string_view::npos; hash = line.find('#', hash + 1)) {
      const std::string_view directive = trim_left(line.substr(hash + 1));
      if (directive.starts_with("include") && !add_include(trim_left(directive.substr(7)), folder))
        return false;
    }
    return true;
  }

  bool add_include(std::string_view line, const fs::path& folder) {
    const char close = line.starts_with('"') ? '"' : line.starts_with('<') ? '>' : '\0';
    const std::size_t end = close == '\0' ? std::string_view::npos : line.find(close, 1);
    if (end == std::string_view::npos) return false;
    const fs::path name = line.substr(1, end - 1);
    if (close == '"' && add_file(folder / name)) return true;
    for (const std::string& path : include_paths_) {
      if (add_file(fs::path(path) / name)) return true;
    }
    return true;  // the compiler's own header, or an error that it will report
  }

  bool add_file(const fs::path& path) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) return false;
    if (!seen_.insert(fs::weakly_canonical(path, error).string()).second) return true;
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    closure_ += path.string() + "\n";
    return add(text, path.parent_path());
  }

  const std::vector<std::string>& include_paths_;
  std::set<std::string> seen_;
};

}  // namespace

std::optional<std::string> source_closure(const std::string& text,
                                          const std::vector<std::string>& include_paths) {
  // Spellings of a directive that the walk does not see: spliced lines, digraphs, comments inside.
  for (const std::string_view unseen : {"\\\n", "\\\r\n", "%:", "#/*", "# /*"}) {
    if (text.find(unseen) != std::string::npos && text.find("include") != std::string::npos)
      return std::nullopt;
  }
  Walk walk(include_paths);
  if (!walk.add(text, ".")) return std::nullopt;
  return std::move(walk.closure_);
}

}  // namespace quern::detail
