// SPDX-License-Identifier: MIT
// Finds the files that a text may include, in all branches of its conditionals.
#include "frontend/frontend.hpp"
#include "frontend/preprocess/lexer.hpp"

namespace quern::frontend {
namespace {

class Search {
 public:
  explicit Search(const std::string& text) : lexer_(files_, files_.add("", text)) {}

  // Returns false if the text alone does not determine all names.
  bool run(std::vector<std::string>& names) {
    for (Token token = lexer_.next(); token.kind != TokenKind::end;) {
      const bool is_directive = token.starts_line && token.is(punct("#"));
      const bool asks = token.is_name("__has_include") || token.is_name("__has_include_next");
      token = lexer_.next();
      if (asks && token.is(punct("("))) {
        if (!take_name(names)) return false;
      } else if (is_directive && !token.starts_line && token.kind == TokenKind::identifier) {
        // include_next and import depend on the folder in which the file was found.
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
  // Other compilers of OpenCL C may read these trigraphs as # and \. This lexer does not.
  for (const std::string_view trigraph : {"?\?=", "?\?/"})
    if (text.find(trigraph) != text.npos) return std::nullopt;
  std::vector<std::string> names;
  if (text.find("inc") == text.npos && text.find('\\') == text.npos) return names;
  try {
    if (!Search(text).run(names)) return std::nullopt;
  } catch (const BuildError&) {  // an unterminated comment, which the build reports
    return std::nullopt;
  }
  return names;
}

}  // namespace quern::frontend
