// SPDX-License-Identifier: MIT
// The parser of OpenCL C. Declarations are read first and function bodies afterwards, so functions may be in
// any order and signatures need no body to be understood.
#pragma once

#include <algorithm>
#include <unordered_map>

#include "frontend/check/checker.hpp"
#include "frontend/preprocess/token.hpp"

namespace quern::frontend {

// _Pragma("text") becomes what #pragma text is.
void read_pragma_operators(std::vector<Token>& tokens);

class Parser {
 public:
  Parser(Files& files, std::vector<Token> tokens, Program& program, Target target);

  // Reads types, program-scope data and function headers. When `tolerant`, parameters of unknown types become
  // opaque, and a declaration that is not understood is left out.
  void declarations(bool tolerant = false);
  // Whether a strict reading would have found the same declarations.
  [[nodiscard]] bool is_certain() const { return is_certain_; }
  void set_target(Target target);
  // Reads the bodies, then checks the call graph.
  void bodies();
  // What the declarations of the program's scope call functions, data, types and numbers. Functions that are
  // overloadable are not among them.
  [[nodiscard]] std::vector<std::string_view> program_scope_names() const;
  // The pragmas that stay among the tokens.
  [[nodiscard]] static bool means_unrolling(const Token& token) {
    return token.kind == TokenKind::pragma && token.text.starts_with("unroll");
  }
  // What expressions of the tree were read from.
  [[nodiscard]] const std::vector<Token>& tokens() const { return tokens_; }
  // The other pragmas, each with the number of the token behind it.
  [[nodiscard]] const std::vector<std::pair<std::size_t, Token>>& pragmas() const { return pragmas_; }

 private:
  struct Symbol {
    enum class Kind : std::uint8_t { variable, type, function, enumerator };
    Kind kind = Kind::variable;
    Variable* variable = nullptr;
    QualType type;
    Function* function = nullptr;
    std::int64_t value = 0;
    std::uint64_t alignment = 1;  // of a type: at least, as its typedef says
  };
  struct Scope {
    std::unordered_map<std::string_view, Symbol> names;
    std::unordered_map<std::string_view, QualType> tags;
    std::unordered_map<std::string_view, QualType> enumerations;  // the integers they are
  };
  struct Specifiers {
    QualType type;
    bool is_kernel = false, is_typedef = false, is_static = false;
    std::array<std::uint64_t, 3> required_local = {};
    std::uint64_t alignment = 1;       // of what is declared
    std::uint64_t type_alignment = 1;  // of what is declared with the type itself, as its typedef says
    bool packed = false;
    bool is_overloadable = false;
    int unroll = -1;  // of opencl_unroll_hint: 0 for all, n for n
  };
  struct Declarator {
    QualType type;
    Token name;
    bool is_function = false;
  };

  // tokens
  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(position_ + ahead, tokens_.size() - 1)];
  }
  const Token& take() {
    const Token& token = peek();
    if (position_ + 1 < tokens_.size()) ++position_;
    return token;
  }
  bool accept(std::string_view punctuator) {
    if (!peek().is(punct(punctuator))) return false;
    take();
    return true;
  }
  bool accept_name(std::string_view name);
  const Token& expect(std::string_view punctuator, std::string_view after);
  const Token& expect_name(std::string_view what);
  void skip_balanced(std::string_view open, std::string_view close);
  void enter(Location at);  // one level deeper; throws when too deep
  void leave() { --depth_; }

  void take_pragmas();
  // #pragma pack (parser_records.cpp)
  void read_packing();
  [[nodiscard]] std::uint64_t packing() const;

  // names
  Symbol* find(std::string_view name);
  void declare(const Token& name, Symbol symbol);
  QualType* find_tag(std::string_view name);
  [[nodiscard]] bool starts_type(std::size_t ahead = 0);

  // structures, unions and enumerations (parser_records.cpp)
  QualType structure();
  void structure_body(Record& record, Specifiers& extra);
  QualType enumeration();
  void structure_fields(Record& record);
  bool static_assertion();
  void unnamed_member(Record& record, const Specifiers& specs);
  void bit_field(Record& record, const Declarator& d, Specifiers& own);

  // declarations (parser_declarations.cpp)
  void top_level(bool tolerant);
  Specifiers specifiers(bool tolerant = false);
  void attributes(Specifiers& into);
  Declarator declarator(QualType base, bool needs_name, Specifiers* attributes_into = nullptr);
  QualType type_of_expression();
  QualType array_suffix(QualType element);
  QualType type_name();
  Variable* new_variable(const Token& name, QualType type);
  void type_definition(const Specifiers& specs, const Declarator& d, const Specifiers& own, bool tolerant);
  static std::uint64_t least_alignment(const Specifiers& specs, const Specifiers& own, const QualType& type);
  void refuse_opaque(const QualType& type, Location at);
  void program_scope_variable(const Specifiers& specs, Declarator& header, Specifiers& own);
  void local_variables(const Specifiers& specs, Stmt& into);

  // functions (parser_functions.cpp)
  void function(const Specifiers& specs, Declarator& header, bool tolerant);
  Function* declared_function(const Declarator& header, const std::vector<Variable*>& params,
                              bool is_overloadable);
  std::vector<Variable*> parameters(bool tolerant);
  void check_kernel(const Function& function);

  // initialisers (parser_initialisers.cpp)
  Expr* initialiser(QualType& type, Location at);
  Expr* text_of(QualType& type, Location at);
  Expr* braced(const QualType& type, Location at);
  Expr* elements(const QualType& type, bool in_braces, Location at, Expr* begun = nullptr,
                 bool single = false);
  Expr* element(const QualType& type);

  // statements (parser_statements.cpp)
  Stmt* statement();
  Stmt* block(Location at);
  Stmt* new_statement(StmtKind kind, Location at);
  Stmt* if_statement(Location at);
  Stmt* for_statement(Location at, int unroll);
  Stmt* switch_statement(Location at);
  Stmt* return_statement(Location at);
  Stmt* declaration_statement();
  Stmt* loop_body();
  int unroll_count(const Token& pragma);

  // expressions (parser_expressions.cpp)
  Expr* expression();
  Expr* assignment();
  Expr* conditional();
  Expr* binary(int minimum);
  Expr* unary();
  Expr* postfix(Expr* operand, std::size_t first);
  Expr* primary();
  Expr* call(const Token& name);
  std::vector<Expr*> call_arguments(Location at);
  Expr* cast_or_literal(const Token& open);
  Expr* string_literal();
  Expr* text_constant(std::string bytes, Location at);
  Expr* size_of_expression(const Token& word);
  Expr* repeated(const Expr* test, std::size_t first, Location at);
  Expr* generic_selection(const Token& word);
  Expr* constructor(const Type* type);
  Expr* static_cast_expression();
  // The type of numbers that a token names, where the program may write T(x) for (T)(x); null where it names
  // none.
  const Type* constructed_type(const Token& token);
  bool starts_constructor(std::size_t ahead);
  // Notes which tokens an expression was read from: `first` to the last one taken.
  Expr* spanned(Expr* expression, std::size_t first, std::size_t op = 0) const;
  Expr* alignment_expression(const Token& word);
  std::int64_t constant_expression(std::string_view what);

  void check_calls();

  static constexpr int kMaxTypeDepth = 60;
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 40;  // of one object

  Files& files_;
  std::vector<Token> tokens_;
  std::vector<std::pair<std::size_t, Token>> pragmas_;
  bool is_certain_ = true;
  Program& program_;
  Target target_;
  Checker checker_;
  std::size_t position_ = 0;
  int depth_ = 0;
  std::vector<Scope> scopes_;
  std::vector<std::pair<std::size_t, std::uint64_t>> packing_;  // of #pragma pack: the token it begins at, n
  Expr* pending_element_ = nullptr;
  std::uint64_t initialised_ = 0;  // elements of all initialisers together
  // of the function being read
  int loops_ = 0, switches_ = 0;
  int repetitions_ = 0;
  std::unordered_map<std::string_view, Location> labels_, gotos_;
};

}  // namespace quern::frontend
