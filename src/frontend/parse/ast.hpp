// SPDX-License-Identifier: MIT
// The typed tree of a program. Conversions are explicit nodes, so that the lowering need not know the
// language's rules.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/builtins/builtins.hpp"
#include "frontend/types.hpp"

namespace quern::frontend {

struct Expr;
struct Stmt;
struct Function;

// A number that is known when the program is built: of an integer type or of a floating-point type.
struct Constant {
  std::int64_t integer = 0;
  double real = 0;
};

struct Variable {
  std::string_view name;
  QualType type;
  Location at;
  Expr* initial = nullptr;
  std::vector<Constant> values;  // its components, where they are known and never change
  bool is_parameter = false;
  bool is_program_scope = false;
  bool is_static = false;   // a constant or static one inside a function
  bool is_written = false;  // after its declaration
  bool is_address_taken = false;
  std::uint64_t least_alignment = 1;  // of __attribute__((aligned(n)))

  // In local memory: one for the work-group, without a value when the kernel starts.
  [[nodiscard]] bool is_local() const { return type.space == Space::local; }
};

enum class ExprKind : std::uint8_t {
  integer,
  real,
  string,
  variable,
  call,         // callee, arguments
  builtin,      // builtin, arguments; `overload` is the T of its rule
  convert,      // operands[0] to `type`: a conversion, a splat or a reinterpretation of a pointer
  reinterpret,  // as_type
  unary,        // op: - ~ ! + & *
  increment,    // op: ++ or --, is_postfix
  binary,       // op on operands of one type; shifts, comparisons, && || too; pointer arithmetic
  assign,       // op "=", or the operator of a compound assignment, computed in `overload`
  conditional,
  comma,
  member,
  index,
  swizzle,  // lanes of operands[0]
  vector_literal,
  complex_call,  // of a function of complex numbers: `text` is the helper's name, `overload` its type
  list,          // { ... } of an array or structure; a null argument is zero
};

struct Expr {
  ExprKind kind = ExprKind::integer;
  Location at;
  QualType type;
  bool is_lvalue = false;
  bool is_literal = false;  // a number, possibly negated: it adapts to the other arguments of a built-in
  bool is_postfix = false;
  int depth = 0;  // of the tree below it; 0 while it is not known
  std::uint32_t op = 0;
  // The tokens it was read from, brackets around it not included, and of these the operator, the member's
  // name or the end of a cast's type. Of conversions that no token asks for: none.
  std::uint32_t first_token = 0, last_token = 0, op_token = 0;
  std::array<Expr*, 3> operands = {};
  std::vector<Expr*> arguments;
  std::uint64_t integer = 0;
  double real = 0;
  std::string_view text;  // of a string: its tokens, of a builtin: the name that was written
  Variable* variable = nullptr;
  Function* callee = nullptr;
  const Builtin* builtin = nullptr;
  const Type* overload = nullptr;
  const Field* field = nullptr;  // of a member; of a list: the union's member that it initialises
  std::vector<std::uint8_t> lanes;
};

enum class StmtKind : std::uint8_t {
  empty,
  expression,
  declaration,
  block,
  if_,
  for_,
  while_,
  do_,
  switch_,
  case_,
  default_,
  break_,
  continue_,
  return_,
  goto_,
  label,
};

struct Stmt {
  StmtKind kind = StmtKind::empty;
  Location at;
  Expr* condition = nullptr;  // also the value of return, case and expression
  Expr* step = nullptr;       // of for; the last value of a case that is a range
  Stmt* first = nullptr;      // initialiser of for, then-branch, body
  Stmt* second = nullptr;     // else-branch
  std::vector<Stmt*> block;
  std::vector<Variable*> variables;
  std::string_view label;
  int unroll = -1;  // #pragma unroll: 0 for all, n for n
};

// Which of a work-item's values a function needs, its callees' included.
struct WorkItemUse {
  std::array<bool, 3> global_id = {}, local_id = {}, group_id = {};
  bool launch = false;  // sizes, offsets, dimensions

  void merge(const WorkItemUse& other);
};

struct Function {
  std::string_view name;
  Location at;
  QualType result;
  std::vector<Variable*> parameters;
  Stmt* body = nullptr;
  bool is_kernel = false;
  bool is_defined = false;
  bool is_overloadable = false;       // __attribute__((overloadable))
  int overload = 0;                   // which of the functions of its name, in order of declaration
  Function* next_overload = nullptr;  // declared after it
  bool has_jumps = false;             // goto or switch: declarations cannot keep their initialisers in C++
  std::array<std::uint64_t, 3> required_local = {};
  std::size_t body_begin = 0;  // the token after its opening brace
  std::vector<std::pair<Function*, Location>> calls;
  std::vector<Variable*> locals;           // private ones; parameters not included
  std::vector<Variable*> unnamed;          // of `locals`, those that values in its expressions live in
  std::vector<Variable*> local_variables;  // in local memory: of a kernel only, in order of declaration
  bool has_barrier = false;                // itself or one of its callees
  bool has_group_functions = false;        // work_group_reduce and its like, which have barriers inside
  bool wants_fixed_local = false;          // set by the lowering: a constant local size makes it faster
  bool is_called = false;
  WorkItemUse uses;
  std::size_t nodes = 0;       // expressions, its callees' not included
  std::size_t components = 0;  // the same, a vector's counted one by one
};

// Nodes that stay where they are until all are gone, many to an allocation.
template <class T>
class Pool {
 public:
  T& emplace_back() {
    if (used_ == kChunk) {
      chunks_.push_back(std::make_unique<std::array<T, kChunk>>());
      used_ = 0;
    }
    ++size_;
    return (*chunks_.back())[used_++];
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kChunk = 64;
  std::vector<std::unique_ptr<std::array<T, kChunk>>> chunks_;
  std::size_t used_ = kChunk, size_ = 0;
};

struct Program {
  Types types;
  std::vector<Function*> functions;  // in order of definition
  std::vector<Variable*> constants;  // data of program scope and static ones, in order; also in global memory
  Pool<Expr> exprs;
  Pool<Stmt> stmts;
  std::deque<Variable> variables;
  std::deque<Function> function_store;
  std::vector<Diagnostic> warnings;
  std::vector<std::pair<std::size_t, const Type*>> complex_names;  // tokens that are built-in complex types
  bool for_debugging = false;                                      // lowered statement by statement
  bool single_precision_constants = false;                         // -cl-single-precision-constant
  bool flushes_denormals = false;                                  // -cl-denorms-are-zero, on the host
  std::optional<bool> contracts;                                   // Lowered::contracts
  bool wants_fibers = false;  // #pragma quern fibers: no kernel is split at its barriers
  bool to_real = false;       // somewhere an integer becomes a floating-point number
  bool to_integer = false;    // and the other way round
};

// The value of a constant integer expression; nothing when it is none.
std::optional<std::int64_t> constant_value(const Expr* expression);
// The same of any number, or of a component of a vector.
std::optional<Constant> constant_component(const Expr* expression, std::size_t lane);
// Computes a variable's values once, so that chains of constants cost no more than they are long.
void note_value(Variable& variable);

}  // namespace quern::frontend
