// SPDX-License-Identifier: MIT
// Follows #include directives without preprocessing.
#include "runtime/source_closure.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "frontend/frontend.hpp"

namespace quern::detail {
namespace {

namespace fs = std::filesystem;

class Walk {
 public:
  explicit Walk(const std::vector<std::string>& include_paths) : include_paths_(include_paths) {}

  bool add(const std::string& text, const fs::path& folder) {
    closure_ += std::to_string(text.size()) + ":";
    closure_ += text;
    const auto names = frontend::included_names(text);
    if (!names) return false;
    for (const std::string& name : *names)
      if (!add_include(name, folder)) return false;
    return true;
  }

  std::string closure_;

 private:
  // A file that is not found is the compiler's own header, or an error that the compiler will report.
  bool add_include(const std::string& spelled, const fs::path& folder) {
    const fs::path name = spelled.substr(1, spelled.size() - 2);
    std::vector<fs::path> candidates;
    if (spelled[0] == '"') candidates.push_back(folder / name);
    for (const std::string& path : include_paths_) candidates.push_back(fs::path(path) / name);
    std::error_code error;
    const auto found = std::ranges::find_if(
        candidates, [&](const fs::path& path) { return fs::is_regular_file(path, error); });
    return found == candidates.end() || add_file(*found);
  }

  bool add_file(const fs::path& path) {
    std::error_code error;
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
  Walk walk(include_paths);
  if (!walk.add(text, ".")) return std::nullopt;
  return std::move(walk.closure_);
}

}  // namespace quern::detail
