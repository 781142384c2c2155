// SPDX-License-Identifier: MIT
// The parser of OpenCL C. It parses declarations first and function bodies afterwards, so that functions may
// be in any order and signatures need no bodies.
#pragma once

#include <algorithm>
#include <unordered_map>

#include "frontend/check/checker.hpp"
#include "frontend/preprocess/token.hpp"

namespace quern::frontend {

// Turns _Pragma("text") into what #pragma text is.
void read_pragma_operators(std::vector<Token>& tokens);

class Parser {
 public:
  Parser(Files& files, std::vector<Token> tokens, Program& program, Target target);

  // Parses types, data of program scope and function headers. If `tolerant`, parameters of unknown types
  // become opaque, and declarations that the parser does not understand are skipped.
  void declarations(bool tolerant = false);
  // Whether a parser that is not tolerant would have found the same declarations.
  [[nodiscard]] bool is_certain() const { return is_certain_; }
  void set_target(Target target);
  // Parses the bodies, then checks the call graph.
  void bodies();
  // Parses all and returns what declarations(), bodies() and the check of the call graph throw, for as many
  // declarations, or else functions, as have errors. The tree is not usable afterwards.
  std::vector<Diagnostic> errors();
  // Returns the names that the program declares at program scope: functions that are not overloadable, data,
  // types and enumerators.
  [[nodiscard]] std::vector<std::string_view> program_scope_names() const;
  // Whether a pragma stays among the tokens.
  [[nodiscard]] static bool means_unrolling(const Token& token) {
    return token.kind == TokenKind::pragma && token.text.starts_with("unroll");
  }
  // The tokens that the expressions of the tree refer to.
  [[nodiscard]] const std::vector<Token>& tokens() const { return tokens_; }
  // All other pragmas, each with the position of the token after it.
  [[nodiscard]] const std::vector<std::pair<std::size_t, Token>>& pragmas() const { return pragmas_; }

 private:
  struct Symbol {
    enum class Kind : std::uint8_t { variable, type, function, enumerator };
    Kind kind = Kind::variable;
    Variable* variable = nullptr;
    QualType type;
    Function* function = nullptr;
    std::int64_t value = 0;
    std::uint64_t alignment = 1;  // of a type: the alignment that its typedef requires
  };
  struct Scope {
    std::unordered_map<std::string_view, Symbol> names;
    std::unordered_map<std::string_view, QualType> tags;
    std::unordered_map<std::string_view, QualType> enumerations;  // with their integer types
  };
  struct Specifiers {
    QualType type;
    bool is_kernel = false, is_typedef = false, is_static = false;
    std::array<std::uint64_t, 3> required_local = {};
    std::uint64_t alignment = 1;       // of the declared object
    std::uint64_t type_alignment = 1;  // that the typedef of the type requires
    bool packed = false;
    bool is_overloadable = false;
    int unroll = -1;  // from opencl_unroll_hint: 0 unrolls completely, n unrolls n times
  };
  struct Declarator {
    QualType type;
    Token name;
    bool is_function = false;
  };

  // Tokens
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
  void enter(Location at);  // one level deeper; throws at the limit
  void leave() { --depth_; }

  void take_pragmas();
  // #pragma pack (parser_records.cpp)
  void read_packing();
  [[nodiscard]] std::uint64_t packing() const;

  // Names
  Symbol* find(std::string_view name);
  void declare(const Token& name, Symbol symbol);
  QualType* find_tag(std::string_view name);
  [[nodiscard]] bool starts_type(std::size_t ahead = 0);

  // Structures, unions and enumerations (parser_records.cpp)
  QualType structure();
  void structure_body(Record& record, Specifiers& extra);
  QualType enumeration();
  void structure_fields(Record& record);
  bool static_assertion();
  void unnamed_member(Record& record, const Specifiers& specs);
  void bit_field(Record& record, const Declarator& d, Specifiers& own);

  // Declarations (parser_declarations.cpp)
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

  // Functions (parser_functions.cpp)
  void function(const Specifiers& specs, Declarator& header, bool tolerant);
  Function* declared_function(const Declarator& header, const std::vector<Variable*>& params,
                              bool is_overloadable);
  std::vector<Variable*> parameters(bool tolerant);
  void check_kernel(const Function& function);

  // Initialisers (parser_initialisers.cpp)
  Expr* initialiser(QualType& type, Location at);
  Expr* text_of(QualType& type, Location at);
  Expr* braced(const QualType& type, Location at);
  Expr* elements(const QualType& type, bool in_braces, Location at, Expr* begun = nullptr,
                 bool single = false);
  Expr* element(const QualType& type);

  // Statements (parser_statements.cpp)
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

  // Expressions (parser_expressions.cpp)
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
  // Returns the number type that a token names, if the program may write T(x) for (T)(x); otherwise null.
  const Type* constructed_type(const Token& token);
  bool starts_constructor(std::size_t ahead);
  // Records the tokens of an expression: from `first` to the last one taken.
  Expr* spanned(Expr* expression, std::size_t first, std::size_t op = 0) const;
  Expr* alignment_expression(const Token& word);
  std::int64_t constant_expression(std::string_view what);

  void body(Function& function);
  void check_calls();
  void check_characters();
  // Continues after the ';' or the block that ends a declaration.
  void skip_declaration(std::size_t start);
  // Adds what `parse` throws, and returns whether it does not throw.
  template <class Parse>
  bool runs_without_error(std::vector<Diagnostic>& found, Parse&& parse);

  static constexpr int kMaxTypeDepth = 60;
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 40;  // limit for one object

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
  // From #pragma pack: the position of the first token, n.
  std::vector<std::pair<std::size_t, std::uint64_t>> packing_;
  Expr* pending_element_ = nullptr;
  std::uint64_t initialised_ = 0;  // number of elements in all initialisers
  // State of the function that is being parsed
  int loops_ = 0, switches_ = 0;
  int repetitions_ = 0;
  std::unordered_map<std::string_view, Location> labels_, gotos_;
};

}  // namespace quern::frontend
