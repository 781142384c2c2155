// SPDX-License-Identifier: MIT
// The files that a text may include, whatever its conditions say.
#include "frontend/frontend.hpp"
#include "frontend/preprocess/lexer.hpp"

namespace quern::frontend {
namespace {

class Search {
 public:
  explicit Search(const std::string& text) : lexer_(files_, files_.add("", text)) {}

  // False when the text does not say all of the names.
  bool run(std::vector<std::string>& names) {
    for (Token token = lexer_.next(); token.kind != TokenKind::end;) {
      const bool is_directive = token.starts_line && token.is(punct("#"));
      const bool asks = token.is_name("__has_include") || token.is_name("__has_include_next");
      token = lexer_.next();
      if (asks && token.is(punct("("))) {
        if (!take_name(names)) return false;
      } else if (is_directive && !token.starts_line && token.kind == TokenKind::identifier) {
        // The folder that a file was found in decides what include_next and import read.
        if (token.text == "include_next" || token.text == "import" || token.text == "embed") return false;
        if (token.text == "include" && !take_name(names)) return false;
      }
    }
    return true;
  }

 private:
  bool take_name(std::vector<std::string>& names) {
    const std::string_view name = lexer_.header_name();
    if (!name.empty()) names.emplace_back(name);
    return !name.empty();
  }

  Files files_;
  Lexer lexer_;
};

}  // namespace

std::optional<std::vector<std::string>> included_names(const std::string& text) {
  // OpenCL C's compilers may read these as # and as a line splice; our lexer does not.
  for (const std::string_view trigraph : {"?\?=", "?\?/"})
    if (text.find(trigraph) != text.npos) return std::nullopt;
  std::vector<std::string> names;
  if (text.find("inc") == text.npos && text.find('\\') == text.npos) return names;
  try {
    if (!Search(text).run(names)) return std::nullopt;
  } catch (const BuildError&) {  // a comment without an end, which the build reports
    return std::nullopt;
  }
  return names;
}

}  // namespace quern::frontend
