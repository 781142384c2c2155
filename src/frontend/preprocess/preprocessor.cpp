// SPDX-License-Identifier: MIT
// Files, directives and conditionals of the preprocessor. macro.cpp has the macro expansion.
#include "frontend/preprocess/preprocessor.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "frontend/preprocess/embedded_includes.hpp"
#include "frontend/stages.hpp"

namespace quern::frontend {
namespace {

constexpr std::size_t kMaxIncludeDepth = 64;
constexpr std::size_t kMaxIncludes = 2000;
constexpr std::size_t kMaxConditionals = 256;
constexpr std::size_t kMaxSourceBytes = std::size_t{64} << 20;
constexpr std::size_t kMostExpected = 100'000;  // upper limit for the tokens that are reserved at the start

bool read_file(const std::filesystem::path& path, std::string& text) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  if (std::filesystem::file_size(path, error) > kMaxSourceBytes || error) return false;
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream buffer;
  buffer << stream.rdbuf();
  text = buffer.str();
  return stream.good() || stream.eof();
}

}  // namespace

Preprocessor::Preprocessor(Files& files, const Source& source, Target target)
    : files_(files), source_(source), target_(target) {
  const int main = files.add(source.file, source.text);
  if (source.text.size() > kMaxSourceBytes) files.fail({main, 0, 0}, "the source is larger than 64 MiB");
  open_files_.push_back(std::make_unique<OpenFile>(Lexer(files, main)));
  for (const auto& [name, value] : source.defines) {
    const int file = files.add("<define " + name + ">", name + " " + value);
    Lexer lexer(files, file);
    std::vector<Token> line;
    for (Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next())
      line.push_back(token);
    define(std::move(line), {file, 1, 1});
  }
}

void Preprocessor::open(int file, Location from) {
  if (open_files_.size() >= kMaxIncludeDepth) files_.fail(from, "#include nested too deeply");
  if (++includes_ > kMaxIncludes) files_.fail(from, "too many files included");
  open_files_.push_back(std::make_unique<OpenFile>(Lexer(files_, file)));
}

Token Preprocessor::file_token() {
  OpenFile& file = *open_files_.back();
  Token token = file.has_pending ? file.pending : file.lexer.next();
  if (!file.has_pending && file.renamed >= 0) {
    token.at.file = file.renamed;
    token.at.line += file.line_shift;
  }
  file.has_pending = false;
  return token;
}

Token Preprocessor::peek_file_token() {
  OpenFile& file = *open_files_.back();
  if (!file.has_pending) {
    file.pending = file_token();
    file.has_pending = true;
  }
  return file.pending;
}

std::vector<Token> Preprocessor::rest_of_directive() {
  std::vector<Token> line;
  for (Token token = peek_file_token(); token.kind != TokenKind::end && !token.starts_line;
       token = peek_file_token())
    line.push_back(file_token());
  return line;
}

void Preprocessor::next(Token& token) {
  for (;;) {
    while (!contexts_.empty()) {
      Context& context = contexts_.back();
      if (context.position < context.tokens.size()) {
        token = context.tokens[context.position++];
        return;
      }
      if (context.macro) context.macro->disabled = false;
      contexts_.pop_back();
    }
    if (isolated_) {
      token = {};
      return;
    }
    token = file_token();
    if (token.kind == TokenKind::end) {
      OpenFile& file = *open_files_.back();
      if (!file.conditionals.empty()) files_.fail(file.conditionals.back().at, "#if without #endif");
      if (open_files_.size() == 1) return;
      open_files_.pop_back();
      continue;
    }
    if (token.starts_line && token.is(punct("#"))) {
      directive();
      if (!pragmas_.empty()) {
        token = pragmas_.back();
        pragmas_.pop_back();
        return;
      }
      continue;
    }
    return;
  }
}

void Preprocessor::directive() {
  const Token first = peek_file_token();
  if (first.starts_line || first.kind == TokenKind::end) return;  // a # alone on its line
  const Token name = file_token();
  const std::string_view word = name.text;
  if (word == "define") {
    define(rest_of_directive(), name.at);
  } else if (word == "undef") {
    const std::vector<Token> line = rest_of_directive();
    if (line.empty() || line[0].kind != TokenKind::identifier)
      files_.fail(name.at, "#undef expects a macro name");
    macros_[line[0].text] = nullptr;
  } else if (word == "if" || word == "ifdef" || word == "ifndef" || word == "elif" || word == "else" ||
             word == "endif") {
    conditional(name);
  } else if (word == "include" || word == "include_next") {
    include(name.at, word == "include_next");
  } else if (word == "line") {
    line_directive(name.at);
  } else if (word == "pragma") {
    pragma(name.at);
  } else if (word == "error") {
    files_.fail(name.at, "#error " + std::string(open_files_.back()->lexer.rest_of_line()));
  } else if (word == "warning") {
    const std::string text(open_files_.back()->lexer.rest_of_line());
    warnings_.push_back(files_.diagnostic(name.at, "#warning " + text, Diagnostic::Severity::warning));
  } else if (name.kind == TokenKind::number) {  // "# 12 "file"", the output of another preprocessor
    OpenFile& file = *open_files_.back();
    file.pending = name;
    file.has_pending = true;
    file.pending.starts_line = false;
    line_directive(name.at);
  } else if (word != "ident" && word != "sccs") {
    files_.fail(name.at, "unknown directive #" + std::string(word));
  }
  rest_of_directive();
}

void Preprocessor::define(std::vector<Token> line, Location at) {
  if (line.empty() || line[0].kind != TokenKind::identifier) files_.fail(at, "#define expects a name");
  const Token name = line[0];
  if (name.text == "defined") files_.fail(name.at, "'defined' cannot be a macro");
  auto macro = std::make_shared<Macro>();
  std::size_t i = 1;
  if (line.size() > 1 && line[1].is(punct("(")) && !line[1].after_space) {
    macro->function_like = true;
    i = 2;
    const auto token = [&]() -> const Token& {
      if (i >= line.size())
        files_.fail(name.at, "the parameter list of macro '" + std::string(name.text) + "' has no ')'");
      return line[i];
    };
    while (!token().is(punct(")"))) {
      if (macro->variadic) files_.fail(token().at, "'...' must be the last parameter of a macro");
      if (token().is(punct("..."))) {
        macro->variadic = true;
        macro->parameters.push_back("__VA_ARGS__");
      } else if (token().kind == TokenKind::identifier) {
        if (std::ranges::find(macro->parameters, token().text) != macro->parameters.end())
          files_.fail(token().at, "macro '" + std::string(name.text) + "' has two parameters '" +
                                      std::string(token().text) + "'");
        macro->parameters.push_back(token().text);
        if (i + 1 < line.size() && line[i + 1].is(punct("..."))) {
          macro->variadic = true;
          ++i;
        }
      } else {
        files_.fail(token().at, "a macro's parameter must be a name");
      }
      ++i;
      if (token().is(punct(",")) && !(i + 1 < line.size() && line[i + 1].is(punct(")"))))
        ++i;
      else if (!token().is(punct(")")))
        files_.fail(token().at, "expected ',' or ')' in the parameter list of a macro");
    }
    ++i;
  }
  macro->body.assign(line.begin() + static_cast<std::ptrdiff_t>(i), line.end());
  if (!macro->body.empty() && (macro->body.front().is(punct("##")) || macro->body.back().is(punct("##"))))
    files_.fail(name.at, "'##' cannot be at either end of a macro");
  for (std::size_t k = 0; k < macro->body.size() && macro->function_like; ++k) {
    const bool fits =
        k + 1 < macro->body.size() && macro->body[k + 1].kind == TokenKind::identifier &&
        std::ranges::find(macro->parameters, macro->body[k + 1].text) != macro->parameters.end();
    if (macro->body[k].is(punct("#")) && !fits)
      files_.fail(macro->body[k].at, "'#' in a macro must be followed by a parameter");
  }
  definitions_.names.emplace_back(name.text);
  for (const Token& token : line)
    if (token.kind == TokenKind::identifier) definitions_.mentioned.emplace_back(token.text);
  macros_[name.text] = std::move(macro);
}

Preprocessor::Found Preprocessor::find_include(std::string_view spelled, bool is_next) {
  const std::string name(spelled.substr(1, spelled.size() - 2));
  if (const std::string_view embedded = embedded_include(name); spelled[0] == '<' && !embedded.empty())
    return {Found::Kind::text, name, std::string(embedded)};
  if (name.find('\0') != name.npos) return {};
  const auto in_memory =
      std::ranges::find(source_.headers, name, &std::pair<std::string, std::string>::first);
  if (in_memory != source_.headers.end()) {
    if (include_once_.contains(name)) return {Found::Kind::read_before, name, {}};
    return {Found::Kind::text, name, in_memory->second};
  }
  depends_on_files_ = true;
  const std::string& includer = files_.name(open_files_.back()->lexer.file());
  std::vector<std::string> candidates;
  if (spelled[0] == '"' && !is_next)
    candidates.push_back((std::filesystem::path(includer).parent_path() / name).lexically_normal().string());
  for (const std::string& folder : source_.include_paths)
    candidates.push_back((std::filesystem::path(folder) / name).lexically_normal().string());
  if (is_next) {  // searches only after the folder of this file
    const auto own = std::ranges::find(candidates, includer);
    if (own != candidates.end()) candidates.erase(candidates.begin(), own + 1);
  }
  Found found;
  for (std::string& path : candidates) {
    const bool is_once = include_once_.contains(path);
    if (!is_once && !read_file(path, found.text)) continue;
    found.kind = is_once ? Found::Kind::read_before : Found::Kind::text;
    found.name = std::move(path);
    return found;
  }
  // If no file is found, #include "name" also finds embedded files.
  if (const std::string_view embedded = embedded_include(name); !embedded.empty())
    return {Found::Kind::text, name, std::string(embedded)};
  return found;
}

void Preprocessor::include(Location at, bool is_next) {
  OpenFile& from = *open_files_.back();
  std::string text(from.lexer.header_name());
  if (text.empty()) {  // a macro gives the file name
    const int line = files_.add(files_.name(at.file), std::string(from.lexer.rest_of_line()));
    Lexer lexer(files_, line);
    std::vector<Token> tokens;
    for (Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next()) {
      token.at = at;
      tokens.push_back(token);
    }
    for (const Token& token : expand_all(std::move(tokens))) text += token.text;
    const bool is_name = text.size() > 2 && ((text.front() == '"' && text.back() == '"') ||
                                             (text.front() == '<' && text.back() == '>'));
    if (!is_name) files_.fail(at, "#include expects \"file\" or <file>");
  }
  Found found = find_include(text, is_next);
  if (found.kind == Found::Kind::read_before) return;
  if (found.kind == Found::Kind::text) {
    open(files_.add(std::move(found.name), std::move(found.text)), at);
    return;
  }
  if (target_ != Target::cuda_c) files_.fail(at, "cannot find the include file " + text);
  Token kept;  // keeps the directive in the text, for NVRTC
  kept.kind = TokenKind::pragma;
  kept.text = files_.keep("#include " + text);
  kept.at = at;
  kept.starts_line = true;
  pragmas_.push_back(kept);
}

void Preprocessor::line_directive(Location at) {
  const std::vector<Token> line = expand_all(rest_of_directive());
  if (line.empty() || line[0].kind != TokenKind::number || line[0].text.size() > 9 ||
      line[0].text.find_first_not_of("0123456789") != std::string_view::npos)
    files_.fail(at, "#line expects a line number");
  OpenFile& file = *open_files_.back();
  std::string name = files_.name(file.renamed >= 0 ? file.renamed : file.lexer.file());
  if (line.size() > 1 && line[1].kind == TokenKind::string) {
    name.clear();
    const std::string_view spelled = line[1].text.substr(1, line[1].text.size() - 2);
    for (std::size_t i = 0; i < spelled.size(); ++i) {
      if (spelled[i] == '\\' && i + 1 < spelled.size()) ++i;
      name += spelled[i];
    }
  }
  const int real_line = at.line - file.line_shift;
  const int shift = std::stoi(std::string(line[0].text)) - (real_line + 1);
  if (file.has_pending) {  // this token was read before the directive took effect
    file.pending.at.line += shift - file.line_shift;
  }
  file.renamed = files_.add_part(name, file.lexer.file());
  file.line_shift = shift;
  if (file.has_pending) file.pending.at.file = file.renamed;
}

void Preprocessor::pragma(Location at) {
  OpenFile& file = *open_files_.back();
  const std::string_view text = file.lexer.rest_of_line();
  if (text == "once") {
    include_once_.insert(std::filesystem::path(files_.name(file.lexer.file())).lexically_normal().string());
    return;
  }
  Token token;
  token.kind = TokenKind::pragma;
  token.text = text;
  token.at = at;
  token.starts_line = true;
  pragmas_.push_back(token);
}

void Preprocessor::conditional(const Token& name) {
  OpenFile& file = *open_files_.back();
  const std::string_view word = name.text;
  if (word == "if" || word == "ifdef" || word == "ifndef") {
    if (file.conditionals.size() >= kMaxConditionals) files_.fail(name.at, "#if nested too deeply");
    const std::vector<Token> line = rest_of_directive();
    bool taken = false;
    if (word == "if") {
      taken = evaluate(line, name.at);
    } else {
      if (line.empty() || line[0].kind != TokenKind::identifier)
        files_.fail(name.at, "#" + std::string(word) + " expects a macro name");
      taken = is_defined(line[0].text) == (word == "ifdef");
    }
    file.conditionals.push_back({name.at, taken, false});
    if (!taken) skip_to_branch();
    return;
  }
  if (file.conditionals.empty()) files_.fail(name.at, "#" + std::string(word) + " without #if");
  rest_of_directive();
  if (word == "endif") {
    file.conditionals.pop_back();
    return;
  }
  if (file.conditionals.back().in_else) files_.fail(name.at, "#" + std::string(word) + " after #else");
  file.conditionals.back().in_else = word == "else";
  skip_to_branch();  // an earlier branch was taken
}

void Preprocessor::skip_to_branch() {
  OpenFile& file = *open_files_.back();
  std::size_t depth = 0;
  for (;;) {
    Token token = file_token();
    if (token.kind == TokenKind::end) {
      files_.fail(file.conditionals.back().at, "#if without #endif");
    }
    if (!token.starts_line || !token.is(punct("#"))) continue;
    const Token name = peek_file_token();
    if (name.starts_line || name.kind != TokenKind::identifier) continue;
    file_token();
    const std::string_view word = name.text;
    if (word == "if" || word == "ifdef" || word == "ifndef") {
      ++depth;
    } else if (word == "endif") {
      if (depth-- > 0) continue;
      file.conditionals.pop_back();
      rest_of_directive();
      return;
    } else if (depth == 0 && (word == "elif" || word == "else")) {
      Conditional& state = file.conditionals.back();
      if (state.in_else) files_.fail(name.at, "#" + std::string(word) + " after #else");
      state.in_else = word == "else";
      if (state.taken) continue;
      if (word == "else" || evaluate(rest_of_directive(), name.at)) {
        state.taken = true;
        rest_of_directive();
        return;
      }
    }
  }
}

// Macros are expanded first, because `defined` may come from a macro.
bool Preprocessor::evaluate(const std::vector<Token>& line, Location at) {
  in_condition_ = true;
  const std::vector<Token> expanded = expand_all(line);
  in_condition_ = false;
  return evaluate_condition(files_, without_feature_tests(expanded), at);
}

std::vector<Token> Preprocessor::run() {
  count_stage(Stage::preprocess);
  return rest_of_unit(source_.text.size());
}

std::vector<Token> Preprocessor::run_next(int file) {
  open_files_.clear();
  open_files_.push_back(std::make_unique<OpenFile>(Lexer(files_, file)));
  return rest_of_unit(files_.text(file).size());
}

std::vector<Token> Preprocessor::rest_of_unit(std::size_t characters) {
  // Reserves one token for two characters, which is enough for most sources.
  std::vector<Token> output = expanded_rest(std::min(characters / 2 + 1, kMostExpected));
  output.back().at = output.size() == 1 ? Location{0, 1, 1} : output[output.size() - 2].at;
  return output;
}

std::string to_text(const std::vector<Token>& tokens) {
  std::string text;
  for (std::size_t i = 0; i + 1 < tokens.size() || (i < tokens.size() && tokens[i].kind != TokenKind::end);
       ++i) {
    const Token& token = tokens[i];
    const bool new_line =
        i > 0 && (token.at.line != tokens[i - 1].at.line || token.at.file != tokens[i - 1].at.file ||
                  token.kind == TokenKind::pragma || tokens[i - 1].kind == TokenKind::pragma);
    if (new_line)
      text += '\n';
    else if (i > 0)
      text += ' ';
    if (token.kind == TokenKind::pragma && !token.text.starts_with('#')) text += "#pragma ";
    text += token.text;
  }
  if (!text.empty()) text += '\n';
  return text;
}

}  // namespace quern::frontend
