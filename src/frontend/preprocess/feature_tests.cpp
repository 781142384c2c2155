// SPDX-License-Identifier: MIT
// The operators of #if: defined(name), and __has_include, __has_attribute and the others of clang and C23.
#include <algorithm>
#include <array>

#include "frontend/preprocess/preprocessor.hpp"

namespace quern::frontend {
namespace {

constexpr std::array<std::string_view, 9> kQuestions = {
    "__has_include",   "__has_include_next",  "__has_attribute",   "__has_builtin", "__has_feature",
    "__has_extension", "__has_cpp_attribute", "__has_c_attribute", "__has_warning"};

bool is_about_file(std::string_view question) {
  return question == "__has_include" || question == "__has_include_next";
}

// Attributes that the front end implements, and hints that do not change results.
constexpr std::array<std::string_view, 24> kAttributes = {"reqd_work_group_size",
                                                          "work_group_size_hint",
                                                          "vec_type_hint",
                                                          "packed",
                                                          "aligned",
                                                          "overloadable",
                                                          "endian",
                                                          "opencl_unroll_hint",
                                                          "always_inline",
                                                          "noinline",
                                                          "const",
                                                          "pure",
                                                          "unused",
                                                          "used",
                                                          "deprecated",
                                                          "may_alias",
                                                          "nosvm",
                                                          "convergent",
                                                          "hot",
                                                          "cold",
                                                          "flatten",
                                                          "nonnull",
                                                          "nothrow",
                                                          "warn_unused_result"};

// Extensions of clang that this front end implements.
constexpr std::array<std::string_view, 2> kExtensions = {"attribute_overloadable", "c_static_assert"};

// Returns the name without leading and trailing underscores: __packed__ is packed.
std::string_view bare_name(std::string_view word) {
  if (word.size() > 4 && word.starts_with("__") && word.ends_with("__"))
    return word.substr(2, word.size() - 4);
  return word;
}

template <class Words>
bool contains(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

bool is_feature_test(std::string_view name) {
  return name.starts_with("__has_") && contains(kQuestions, name);
}

bool Preprocessor::is_defined(std::string_view name) {
  return find_macro(name) != nullptr || is_feature_test(name);
}

// Returns whether the last token is the operand of defined or of a feature test, so that it must not be
// expanded. A macro may still name the file of __has_include.
bool Preprocessor::is_asked_about(const std::vector<Token>& output) {
  std::size_t before = output.size() - 1;
  if (before > 0 && output[before - 1].is_name("defined")) return true;
  while (before > 0 && !output[before - 1].is(punct("(")) && !output[before - 1].is(punct(")"))) --before;
  if (before < 2 || !output[before - 1].is(punct("("))) return false;
  const std::string_view question = output[before - 2].text;
  if (question == "defined") return before == output.size() - 1;
  if (!is_feature_test(question)) return false;
  return !is_about_file(question) || output[before].is(punct("<"));
}

bool Preprocessor::has_feature(std::string_view question, const std::vector<Token>& subject, Location at) {
  std::string text;
  for (const Token& token : subject) {
    if (!text.empty() && token.after_space) text += ' ';
    text += token.text;
  }
  if (is_about_file(question)) {
    const bool is_name = text.size() > 2 && ((text.front() == '"' && text.back() == '"') ||
                                             (text.front() == '<' && text.back() == '>'));
    if (!is_name) files_.fail(at, std::string(question) + " expects (\"file\") or (<file>)");
    return find_include(text, question == "__has_include_next").kind != Found::Kind::none;
  }
  if (text.empty()) files_.fail(at, std::string(question) + " expects a name in parentheses");
  if (question == "__has_attribute") return contains(kAttributes, bare_name(text));
  if (question == "__has_builtin") return text.starts_with("__builtin_") && find_macro(subject[0].text);
  if (question == "__has_feature" || question == "__has_extension")
    return contains(kExtensions, bare_name(text));
  return false;  // [[...]] attributes and named warnings are not supported
}

std::vector<Token> Preprocessor::without_feature_tests(const std::vector<Token>& line) {
  std::vector<Token> plain;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_defined_word = line[i].is_name("defined");
    if (!is_defined_word && !(line[i].kind == TokenKind::identifier && is_feature_test(line[i].text))) {
      plain.push_back(line[i]);
      continue;
    }
    const bool brackets = i + 1 < line.size() && line[i + 1].is(punct("("));
    Token value = line[i];
    value.kind = TokenKind::number;
    std::size_t end = i + 1;  // the last token of the question
    bool answer = false;
    if (is_defined_word) {
      const std::size_t name = i + (brackets ? 2 : 1);
      end = name + (brackets ? 1 : 0);
      if (name >= line.size() || line[name].kind != TokenKind::identifier ||
          (brackets && (end >= line.size() || !line[end].is(punct(")")))))
        files_.fail(line[i].at, "'defined' expects a macro name");
      answer = is_defined(line[name].text);
    } else {
      std::size_t depth = 0;
      for (end = i + 1; brackets && end < line.size(); ++end) {
        if (line[end].is(punct("("))) ++depth;
        if (line[end].is(punct(")")) && --depth == 0) break;
      }
      if (!brackets || end >= line.size())
        files_.fail(line[i].at, std::string(line[i].text) + " expects parentheses");
      const auto from = line.begin() + static_cast<std::ptrdiff_t>(i);
      const auto to = line.begin() + static_cast<std::ptrdiff_t>(end);
      answer = has_feature(line[i].text, {from + 2, to}, line[i].at);
    }
    value.text = answer ? "1" : "0";
    plain.push_back(value);
    i = end;
  }
  return plain;
}

}  // namespace quern::frontend
