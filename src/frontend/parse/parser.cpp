// SPDX-License-Identifier: MIT
// The parser's tokens, scopes and order of passes.
#include "frontend/parse/parser.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <sstream>

#include "frontend/complex/complex.hpp"
#include "frontend/stages.hpp"

namespace quern::frontend {
namespace {

constexpr int kMaxDepth = 400;  // limit for nested expressions, statements and types
constexpr int kMaxCallDepth = 500;

// The compilers have no contraction setting for single blocks. FP_CONTRACT ON before the first function
// therefore allows contraction in the whole program, and OFF anywhere forbids it in the whole program. A '{'
// after a ')' begins a function's body.
std::optional<bool> contraction_of(const std::vector<Token>& tokens) {
  std::optional<bool> contracts;
  bool in_functions = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    in_functions |= i > 0 && tokens[i].is(punct("{")) && tokens[i - 1].is(punct(")"));
    if (tokens[i].kind != TokenKind::pragma) continue;
    std::istringstream words{std::string(tokens[i].text)};
    std::string vendor, pragma, value;
    words >> vendor >> pragma >> value;
    if (vendor != "OPENCL" || pragma != "FP_CONTRACT") continue;
    if (value == "OFF") return false;
    if (value == "ON" && !in_functions) contracts = true;
  }
  return contracts;
}

// Throws for a character beyond ASCII outside of comments and strings, because compilers differ in which ones
// they accept in names. Any other character that begins no token is left to the parser.
void refuse_character(const Files& files, const Token& token) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(token.text[i]); };
  if (byte(0) < 0x80) return;
  const std::size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  unsigned code = byte(0) & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < token.text.size(); ++i) code = code << 6 | (byte(i) & 0x3fu);
  std::array<char, 16> number{};
  const bool is_whole = byte(0) >= 0xc0 && token.text.size() == length;
  std::snprintf(number.data(), number.size(), is_whole ? "U+%04X" : "byte 0x%02x", is_whole ? code : byte(0));
  files.fail(token.at,
             "the character " + (is_whole ? "'" + std::string(token.text) + "' (" : std::string("(")) +
                 number.data() + ") is not part of OpenCL C outside of comments and strings; names have " +
                 "the letters a to z, digits and _");
}

}  // namespace

void read_pragma_operators(std::vector<Token>& tokens) {
  for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
    if (!tokens[i].is_name("_Pragma") || !tokens[i + 1].is(punct("(")) ||
        tokens[i + 2].kind != TokenKind::string || !tokens[i + 3].is(punct(")")))
      continue;
    tokens[i].kind = TokenKind::pragma;
    tokens[i].text = tokens[i + 2].text.substr(1, tokens[i + 2].text.size() - 2);
    for (std::size_t k = i + 1; k <= i + 3; ++k) tokens[k].kind = TokenKind::pragma, tokens[k].text = {};
  }
}

void WorkItemUse::merge(const WorkItemUse& other) {
  for (std::size_t d = 0; d < 3; ++d) {
    global_id[d] |= other.global_id[d];
    local_id[d] |= other.local_id[d];
    group_id[d] |= other.group_id[d];
  }
  launch |= other.launch;
}

Parser::Parser(Files& files, std::vector<Token> tokens, Program& program, Target target)
    : files_(files),
      tokens_(std::move(tokens)),
      program_(program),
      target_(target),
      checker_(files, program, target) {
  count_stage(Stage::parse);
  read_pragma_operators(tokens_);
  if (program_.types.has_complex || wants_complex(tokens_)) {
    program_.types.has_complex = true;
    join_complex_names(files_, tokens_);
  }
  for (const Token& token : tokens_)
    program_.wants_fibers |= token.kind == TokenKind::pragma && token.text.starts_with("quern fibers");
  program_.contracts = contraction_of(tokens_);
  read_packing();
  take_pragmas();
  scopes_.emplace_back();
}

// Removes pragmas from the tokens, except `unroll`, which the parser reads.
void Parser::take_pragmas() {
  std::size_t kept = 0;
  for (const Token& token : tokens_) {
    if (token.kind == TokenKind::pragma && !means_unrolling(token))
      pragmas_.emplace_back(kept, token);
    else
      tokens_[kept++] = token;
  }
  tokens_.resize(kept);
}

void Parser::set_target(Target target) {
  target_ = target;
  checker_.set_target(target);
}

bool Parser::accept_name(std::string_view name) {
  if (!peek().is_name(name)) return false;
  take();
  return true;
}

const Token& Parser::expect(std::string_view punctuator, std::string_view after) {
  const Token& token = peek();
  if (token.is(punct(punctuator))) return take();
  // If the expected token is missing at the end of a line, the message points there.
  const bool line_ended = position_ > 0 && tokens_[position_ - 1].at.line != token.at.line;
  Location at = token.at;
  if (line_ended || token.kind == TokenKind::end) {
    at = tokens_[position_ > 0 ? position_ - 1 : 0].at;
    at.column += position_ > 0 ? static_cast<int>(tokens_[position_ - 1].text.size()) : 0;
  }
  checker_.fail(at, "expected '" + std::string(punctuator) + "' after " + std::string(after));
}

const Token& Parser::expect_name(std::string_view what) {
  const Token& token = peek();
  if (token.kind != TokenKind::identifier)
    checker_.fail(token.at, "expected " + std::string(what) +
                                (token.kind == TokenKind::end ? " before the end of the source"
                                                              : " before '" + std::string(token.text) + "'"));
  return take();
}

// Skips to the closing bracket that matches the opening one just taken.
void Parser::skip_balanced(std::string_view open, std::string_view close) {
  const Location start = tokens_[position_ > 0 ? position_ - 1 : 0].at;
  for (int level = 1; level > 0;) {
    const Token& token = peek();
    if (token.kind == TokenKind::end)
      checker_.fail(start, "this '" + std::string(open) + "' has no '" + std::string(close) + "'");
    if (token.is(punct(open))) ++level;
    if (token.is(punct(close))) --level;
    take();
  }
}

void Parser::enter(Location at) {
  if (++depth_ > kMaxDepth) checker_.fail(at, "nested too deeply");
}

Parser::Symbol* Parser::find(std::string_view name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->names.find(name); found != scope->names.end()) return &found->second;
  return nullptr;
}

void Parser::declare(const Token& name, Symbol symbol) {
  const auto [entry, is_new] = scopes_.back().names.emplace(name.text, symbol);
  if (is_new) return;
  const Symbol& old = entry->second;
  const bool same_type =
      symbol.kind == Symbol::Kind::type && old.kind == symbol.kind && old.type.type == symbol.type.type;
  if (!same_type) checker_.fail(name.at, "'" + std::string(name.text) + "' is declared twice");
}

QualType* Parser::find_tag(std::string_view name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->tags.find(name); found != scope->tags.end()) return &found->second;
  return nullptr;
}

void Parser::check_characters() {
  for (const Token& token : tokens_)
    if (token.kind == TokenKind::other && target_ != Target::opencl) refuse_character(files_, token);
}

void Parser::skip_declaration(std::size_t start) {
  position_ = start;
  depth_ = 0;
  scopes_.resize(1);
  for (;;) {
    const Token& token = take();
    if (token.kind == TokenKind::end || token.is(punct(";"))) return;
    if (!token.is(punct("{"))) continue;
    skip_balanced("{", "}");
    accept(";");
    return;
  }
}

void Parser::declarations(bool tolerant) {
  // A character that begins no token.
  is_certain_ &= std::ranges::find(tokens_, TokenKind::other, &Token::kind) == tokens_.end();
  if (!tolerant) check_characters();
  while (peek().kind != TokenKind::end) {
    const std::size_t start = position_;
    if (!tolerant) {
      top_level(false);
      continue;
    }
    try {
      top_level(true);
    } catch (const BuildError&) {
      // Only the device's compiler understands this declaration.
      is_certain_ = false;
      skip_declaration(start);
    }
  }
}

std::vector<std::string_view> Parser::program_scope_names() const {
  std::vector<std::string_view> names;
  for (const auto& [name, symbol] : scopes_.front().names)
    if (symbol.kind != Symbol::Kind::function || !symbol.function->is_overloadable) names.push_back(name);
  std::ranges::sort(names);
  return names;
}

void Parser::body(Function& function) {
  position_ = function.body_begin;
  checker_.enter(&function);
  loops_ = switches_ = 0;
  labels_.clear();
  gotos_.clear();
  if (function.is_kernel) check_kernel(function);
  scopes_.emplace_back();
  for (Variable* parameter : function.parameters) {
    if (parameter->name.empty()) continue;
    Token name;
    name.text = parameter->name;
    name.at = parameter->at;
    Symbol symbol;
    symbol.variable = parameter;
    declare(name, symbol);
  }
  function.body = block(function.at);
  scopes_.pop_back();
  if (!function.unnamed.empty()) {
    Stmt* declaration = new_statement(StmtKind::declaration, function.at);
    declaration->variables = function.unnamed;
    function.body->block.insert(function.body->block.begin(), declaration);
  }
  for (const auto& [label, at] : gotos_)
    if (!labels_.contains(label)) checker_.fail(at, "label '" + std::string(label) + "' is not defined");
}

void Parser::bodies() {
  for (Function* function : program_.functions) body(*function);
  checker_.enter(nullptr);
  check_calls();
}

template <class Parse>
bool Parser::runs_without_error(std::vector<Diagnostic>& found, Parse&& parse) {
  try {
    parse();
    return true;
  } catch (const UnsupportedError& error) {
    // The compiler of an OpenCL device reads the text itself.
    if (target_ != Target::opencl)
      found.insert(found.end(), error.diagnostics().begin(), error.diagnostics().end());
  } catch (const BuildError& error) {
    found.insert(found.end(), error.diagnostics().begin(), error.diagnostics().end());
  }
  return false;
}

// Errors of declarations would repeat in the functions that use what they declare, so bodies are parsed only
// if there are none. The same holds for bodies and the call graph.
std::vector<Diagnostic> Parser::errors() {
  std::vector<Diagnostic> found;
  bool is_right = runs_without_error(found, [&] { check_characters(); });
  while (peek().kind != TokenKind::end) {
    const std::size_t start = position_;
    if (runs_without_error(found, [&] { top_level(target_ == Target::opencl); })) continue;
    is_right = false;
    skip_declaration(start);
  }
  if (!is_right) return found;
  for (Function* function : program_.functions) {
    if (runs_without_error(found, [&] { body(*function); })) continue;
    is_right = false;
    depth_ = 0;
    scopes_.resize(1);
  }
  checker_.enter(nullptr);
  if (is_right) runs_without_error(found, [&] { check_calls(); });
  return found;
}

// Checks that there is no recursion, which OpenCL C forbids. Adds to each function the work-item values that
// its callees need.
void Parser::check_calls() {
  std::unordered_map<const Function*, int> state;  // 1 while it is being visited, then 2
  const std::function<void(Function*, int)> visit = [&](Function* function, int depth) {
    state[function] = 1;
    if (depth > kMaxCallDepth) checker_.fail(function->at, "calls are nested too deeply");
    for (const auto& [callee, at] : function->calls) {
      if (!callee->is_defined)
        checker_.fail(at, "function '" + std::string(callee->name) + "' is declared but not defined");
      if (!callee->local_variables.empty())
        checker_.unsupported(
            at, "a call of kernel '" + std::string(callee->name) + "', which has variables in local memory,");
      const int seen = state[callee];
      if (seen == 1)
        checker_.fail(at, "'" + std::string(callee->name) + "' calls itself, and OpenCL C has no recursion");
      if (seen == 0) visit(callee, depth + 1);
      function->uses.merge(callee->uses);
      function->has_barrier |= callee->has_barrier;
      function->has_group_functions |= callee->has_group_functions;
    }
    state[function] = 2;
  };
  for (Function* function : program_.functions)
    if (state[function] == 0) visit(function, 0);
}

}  // namespace quern::frontend
