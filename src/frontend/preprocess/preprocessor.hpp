// SPDX-License-Identifier: MIT
// The C preprocessor: source in, the tokens a parser sees out.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "frontend/frontend.hpp"
#include "frontend/preprocess/lexer.hpp"

namespace quern::frontend {

class Preprocessor {
 public:
  Preprocessor(Files& files, const Source& source, Target target);
  // The whole translation unit. Ends with a TokenKind::end token.
  std::vector<Token> run();
  // What #define directives and the source's own defines said so far.
  [[nodiscard]] const Macros& definitions() const { return definitions_; }
  [[nodiscard]] const std::vector<Diagnostic>& warnings() const { return warnings_; }
  // Whether the text asked for a macro that differs between the targets of OpenCL C.
  [[nodiscard]] bool depends_on_target() const { return depends_on_target_; }
  // Whether the text asked for a file, found or not: its tokens may differ the next time.
  [[nodiscard]] bool depends_on_files() const { return depends_on_files_; }

 private:
  struct Macro {
    bool function_like = false;
    bool variadic = false;  // the last parameter takes the rest
    bool disabled = false;  // being expanded
    std::vector<std::string_view> parameters;
    std::vector<Token> body;
  };
  using MacroPtr = std::shared_ptr<Macro>;
  // Tokens to read before those of the file: the expansion of a macro.
  struct Context {
    std::vector<Token> tokens;
    std::size_t position = 0;
    MacroPtr macro;
  };
  struct Conditional {
    Location at;
    bool taken = false;  // some branch of it
    bool in_else = false;
  };
  struct OpenFile {
    explicit OpenFile(Lexer l) : lexer(std::move(l)) {}
    Lexer lexer;
    Token pending;
    bool has_pending = false;
    int renamed = -1;  // by #line
    int line_shift = 0;
    std::vector<Conditional> conditionals;
  };

  void open(int file, Location from);
  Token file_token();
  Token peek_file_token();
  std::vector<Token> rest_of_directive();
  // From contexts, then from files; directives are carried out. Into a token of its reader, because one that
  // is handed on by value is copied several times.
  void next(Token& token);
  // All that next() gives, macros expanded, and the end.
  std::vector<Token> expanded_rest(std::size_t expected);
  bool opens_arguments();
  void directive();
  void define(std::vector<Token> line, Location at);
  // What an #include names, with its quotes or brackets, in a file: its text, or that it is read already.
  struct Found {
    enum class Kind : std::uint8_t { none, read_before, text };
    Kind kind = Kind::none;
    std::string name, text;
  };
  Found find_include(std::string_view name, bool is_next);
  void include(Location at, bool is_next);
  void line_directive(Location at);
  void pragma(Location at);
  void conditional(const Token& name);
  void skip_to_branch();
  static bool is_asked_about(const std::vector<Token>& output);
  // defined(name), __has_include("file"), __has_attribute(name)... as numbers (feature_tests.cpp)
  std::vector<Token> without_questions(const std::vector<Token>& line);
  bool is_defined(std::string_view name);
  bool has_feature(std::string_view question, const std::vector<Token>& subject, Location at);
  bool evaluate(const std::vector<Token>& line, Location at);

  const MacroPtr& find_macro(std::string_view name);  // null when there is none
  bool expand(const Token& token);  // false when it is no macro; otherwise its expansion comes next
  std::vector<std::vector<Token>> arguments(const Macro& macro, const Token& name);
  std::vector<Token> substitute(const Macro& macro, std::vector<std::vector<Token>> arguments, Location at);
  Token paste(const Token& a, const Token& b);
  Token stringise(const std::vector<Token>& tokens, const Token& hash);
  std::vector<Token> expand_all(std::vector<Token> tokens);
  void count(std::size_t tokens, Location at);
  void add_output(Token token, std::vector<Token>& output);

  Files& files_;
  const Source& source_;
  Target target_;
  std::unordered_map<std::string_view, MacroPtr> macros_;  // null: known to be none, or undefined by the user
  std::vector<std::unique_ptr<OpenFile>> open_files_;
  std::vector<Context> contexts_;
  std::unordered_set<std::string> include_once_;
  std::vector<Token> pragmas_;
  std::vector<Diagnostic> warnings_;
  Macros definitions_;
  bool isolated_ = false;  // reading a list of tokens, not the files
  int nesting_ = 0;
  std::size_t produced_ = 0;
  std::size_t includes_ = 0;
  int counter_ = 0;            // of __COUNTER__
  bool in_condition_ = false;  // expanding the line of an #if
  bool depends_on_target_ = false;
  bool depends_on_files_ = false;
};

// The value of a preprocessing expression whose macros have been expanded.
bool evaluate_condition(const Files& files, const std::vector<Token>& tokens, Location at);

// Whether this is __has_include or one of its relatives, which #if knows and which count as defined.
bool is_feature_test(std::string_view name);

// Macros every OpenCL C program has, such as M_PI_F; empty when there is none of that name.
std::string_view predefined_macro(std::string_view name, Target target);

// What the tokens look like as text again, one line for each line they came from.
std::string to_text(const std::vector<Token>& tokens);

}  // namespace quern::frontend
