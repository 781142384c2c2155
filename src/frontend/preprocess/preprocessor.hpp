// SPDX-License-Identifier: MIT
// The C preprocessor: turns a source into the tokens that the parser reads.
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
  // Returns the tokens of the whole translation unit, TokenKind::end last.
  std::vector<Token> run();
  // Returns the tokens of a further file, TokenKind::end last, with the macros that are defined so far. The
  // caller has called run().
  std::vector<Token> run_next(int file);
  // The macros defined so far by #define directives and by the source's `defines`.
  [[nodiscard]] const Macros& definitions() const { return definitions_; }
  [[nodiscard]] const std::vector<Diagnostic>& warnings() const { return warnings_; }
  // Whether the text uses a macro that differs between the targets of OpenCL C.
  [[nodiscard]] bool depends_on_target() const { return depends_on_target_; }
  // Whether the text names an include file, found or not. The tokens may then differ next time.
  [[nodiscard]] bool depends_on_files() const { return depends_on_files_; }

 private:
  struct Macro {
    bool function_like = false;
    bool variadic = false;  // the last parameter takes all remaining arguments
    bool disabled = false;  // while it is being expanded
    std::vector<std::string_view> parameters;
    std::vector<Token> body;
  };
  using MacroPtr = std::shared_ptr<Macro>;
  // The tokens of a macro expansion, read before those of the file.
  struct Context {
    std::vector<Token> tokens;
    std::size_t position = 0;
    MacroPtr macro;
  };
  struct Conditional {
    Location at;
    bool taken = false;  // whether one of its branches was taken
    bool in_else = false;
  };
  struct OpenFile {
    explicit OpenFile(Lexer l) : lexer(std::move(l)) {}
    Lexer lexer;
    Token pending;
    bool has_pending = false;
    int renamed = -1;  // the part of the file that a #line directive began
    int line_shift = 0;
    std::vector<Conditional> conditionals;
  };

  void open(int file, Location from);
  Token file_token();
  Token peek_file_token();
  std::vector<Token> rest_of_directive();
  // Reads the next token from the contexts, then from the files, and executes directives. Writes into the
  // caller's token, because returning it by value costs several copies.
  void next(Token& token);
  // Returns all remaining tokens with macros expanded, the end token included.
  std::vector<Token> expanded_rest(std::size_t expected);
  std::vector<Token> rest_of_unit(std::size_t characters);
  bool opens_arguments();
  void directive();
  void define(std::vector<Token> line, Location at);
  // The result of looking up an #include: its text, or that it has #pragma once and was included before.
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
  // Replaces defined(name), __has_include("file"), __has_attribute(name) and the like by numbers
  // (feature_tests.cpp).
  std::vector<Token> without_feature_tests(const std::vector<Token>& line);
  bool is_defined(std::string_view name);
  bool has_feature(std::string_view question, const std::vector<Token>& subject, Location at);
  bool evaluate(const std::vector<Token>& line, Location at);

  const MacroPtr& find_macro(std::string_view name);  // null if there is none
  bool expand(const Token& token);  // false if it is not a macro; otherwise the next tokens are its expansion
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
  // Null: the name is known not to be a macro, or undefined.
  std::unordered_map<std::string_view, MacroPtr> macros_;
  std::vector<std::unique_ptr<OpenFile>> open_files_;
  std::vector<Context> contexts_;
  std::unordered_set<std::string> include_once_;
  std::vector<Token> pragmas_;
  std::vector<Diagnostic> warnings_;
  Macros definitions_;
  bool isolated_ = false;  // reads a list of tokens instead of the files
  int nesting_ = 0;
  std::size_t produced_ = 0;
  std::size_t includes_ = 0;
  int counter_ = 0;            // of __COUNTER__
  bool in_condition_ = false;  // expands the line of an #if
  bool depends_on_target_ = false;
  bool depends_on_files_ = false;
};

// Evaluates a preprocessing expression whose macros are expanded.
bool evaluate_condition(const Files& files, const std::vector<Token>& tokens, Location at);

// Whether this is an operator of #if such as __has_include; these count as defined.
bool is_feature_test(std::string_view name);

// Returns the definition of a macro that every OpenCL C program has, such as M_PI_F; empty if there is none.
std::string_view predefined_macro(std::string_view name, Target target);

// Returns the tokens as text, on the lines that they came from.
std::string to_text(const std::vector<Token>& tokens);

}  // namespace quern::frontend
