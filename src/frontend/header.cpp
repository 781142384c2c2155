// SPDX-License-Identifier: MIT
// Preprocesses a text once, such as the preamble of a generated kernel, for all declarations that are read
// after it.
#include "frontend/header.hpp"

#include <utility>

#include "frontend/parse/parser.hpp"
#include "frontend/signature.hpp"

namespace quern::frontend {
namespace {

// Adds the #define directives that the text itself has, in branches that are not taken, too.
void add_directives(Lexer lexer, Macros& macros) {
  int since_hash = -1;
  for (Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next()) {
    if (token.starts_line) since_hash = token.is(punct("#")) ? 0 : -1;
    if (since_hash < 0) continue;
    if (since_hash == 1 && !token.is_name("define")) since_hash = -1;
    if (since_hash == 2) macros.names.emplace_back(token.text);
    if (since_hash >= 2 && token.kind == TokenKind::identifier) macros.mentioned.emplace_back(token.text);
    if (since_hash >= 0) ++since_hash;
  }
}

}  // namespace

Header::Header(Source source)
    : source_(std::move(source)),
      preprocessor_(files_, source_, Target::opencl),
      tokens_(preprocessor_.run()) {
  tokens_.pop_back();
  macros_ = preprocessor_.definitions();
  add_directives(Lexer(files_, files_.add(source_.file, source_.text)), macros_);
}

std::vector<Signature> Header::signatures_with(const std::string& file, const std::string& text) {
  std::vector<Token> tokens = tokens_;
  std::vector<Token> own = preprocessor_.run_next(files_.add(file, text));
  tokens.insert(tokens.end(), own.begin(), own.end());
  Program program;
  program.types.has_complex = true;
  Parser parser(files_, std::move(tokens), program, Target::opencl);
  parser.declarations(true);
  return signatures_of(program);
}

}  // namespace quern::frontend
