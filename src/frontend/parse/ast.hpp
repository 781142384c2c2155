// SPDX-License-Identifier: MIT
// The typed syntax tree of a program. Every conversion is a node of its own, so the lowering need not know
// the conversion rules of the language.
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

// A compile-time constant: `integer` for an integer type, `real` for a floating-point type.
struct Constant {
  std::int64_t integer = 0;
  double real = 0;
};

struct Variable {
  std::string_view name;
  QualType type;
  Location at;
  Expr* initial = nullptr;
  std::vector<Constant> values;  // its components, if they are known at compile time and never change
  bool is_parameter = false;
  bool is_program_scope = false;
  bool is_static = false;   // static or constant, declared inside a function
  bool is_written = false;  // assigned to after its declaration
  bool is_address_taken = false;
  std::uint64_t least_alignment = 1;  // from __attribute__((aligned(n)))

  // Whether it is in local memory: shared by the work-group and uninitialised when the kernel starts.
  [[nodiscard]] bool is_local() const { return type.space == Space::local; }
};

enum class ExprKind : std::uint8_t {
  integer,
  real,
  string,
  variable,
  call,         // callee, arguments
  builtin,      // builtin, arguments; `overload` is the T of its rule
  convert,      // operands[0] to `type`: a conversion, a vector of equal components, or a pointer cast
  reinterpret,  // as_type
  unary,        // op: - ~ ! + & *
  increment,    // op: ++ or --, is_postfix
  binary,       // op on operands of one type: arithmetic, shifts, comparisons, && and ||, pointer arithmetic
  assign,       // op "=", or the operator of a compound assignment, which computes in the type `overload`
  conditional,
  comma,
  member,
  index,
  swizzle,  // lanes of operands[0]
  vector_literal,
  complex_call,  // a function of complex numbers: `text` is the helper's name, `overload` its type
  list,          // { ... } of an array or structure; a null argument means zero
};

struct Expr {
  ExprKind kind = ExprKind::integer;
  Location at;
  QualType type;
  bool is_lvalue = false;
  // A literal, possibly negated: it adapts to the type of a built-in's other arguments.
  bool is_literal = false;
  bool is_postfix = false;
  int depth = 0;  // of the tree below it; 0 if not yet computed
  std::uint32_t op = 0;
  // The range of tokens of the expression, without enclosing parentheses. op_token is the operator, the
  // member's name or the end of a cast's type. Implicit conversions have no tokens.
  std::uint32_t first_token = 0, last_token = 0, op_token = 0;
  std::array<Expr*, 3> operands = {};
  std::vector<Expr*> arguments;
  std::uint64_t integer = 0;
  double real = 0;
  std::string_view text;  // a string's tokens; a builtin's name as written
  Variable* variable = nullptr;
  Function* callee = nullptr;
  const Builtin* builtin = nullptr;
  const Type* overload = nullptr;
  const Field* field = nullptr;  // of a member; of a list: the member of a union that it initialises
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
  Expr* condition =
      nullptr;             // also the value of return and case, and the expression of an expression statement
  Expr* step = nullptr;    // of for; of a case with a range: its last value
  Stmt* first = nullptr;   // initialiser of for, then-branch or body
  Stmt* second = nullptr;  // else-branch
  std::vector<Stmt*> block;
  std::vector<Variable*> variables;
  std::string_view label;
  int unroll = -1;  // from #pragma unroll: 0 unrolls completely, n unrolls n times
};

// The work-item functions that a function and its callees call.
struct WorkItemUse {
  std::array<bool, 3> global_id = {}, local_id = {}, group_id = {};
  bool launch = false;  // sizes, offsets, number of dimensions

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
  int overload = 0;                   // its position among the functions of the same name
  Function* next_overload = nullptr;  // the next function of the same name
  // Goto or switch: in C++ a jump may not skip an initialiser, so declarations lose theirs.
  bool has_jumps = false;
  std::array<std::uint64_t, 3> required_local = {};
  std::size_t body_begin = 0;  // the token after its opening brace
  std::vector<std::pair<Function*, Location>> calls;
  std::vector<Variable*> locals;           // private variables without the parameters
  std::vector<Variable*> unnamed;          // those of `locals` that hold temporary values of expressions
  std::vector<Variable*> local_variables;  // in local memory, in order of declaration; kernels only
  bool has_barrier = false;                // in itself or in a callee
  bool has_group_functions = false;        // calls work_group_reduce or another function with barriers inside
  bool is_called = false;
  WorkItemUse uses;
  std::size_t nodes = 0;       // number of expressions, without callees
  std::size_t components = 0;  // the same, where a vector counts once for each component
};

// Allocates nodes in blocks. Nodes keep their address until the pool is destroyed.
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
  // Data of program scope and static data, in constant or global memory, in order.
  std::vector<Variable*> constants;
  Pool<Expr> exprs;
  Pool<Stmt> stmts;
  std::deque<Variable> variables;
  std::deque<Function> function_store;
  std::vector<Diagnostic> warnings;
  std::vector<std::pair<std::size_t, const Type*>> complex_names;  // tokens that are built-in complex types
  bool for_debugging = false;               // the lowering keeps the source's statements
  bool single_precision_constants = false;  // -cl-single-precision-constant
  bool flushes_denormals = false;           // -cl-denorms-are-zero; host only
  std::optional<bool> contracts;            // see Lowered::contracts
  bool checks_bounds = false;               // accesses to buffers are checked; host only
  bool wants_fibers = false;                // #pragma quern fibers: no kernel is split at its barriers
  bool to_real = false;                     // some integer is converted to floating point
  bool to_integer = false;                  // some floating-point number is converted to an integer
};

// The value of a constant integer expression; nothing if it is not constant.
std::optional<std::int64_t> constant_value(const Expr* expression);
// The same for any number, or for a component of a vector.
std::optional<Constant> constant_component(const Expr* expression, std::size_t lane);
// Computes and stores a constant variable's values. A chain of constants therefore takes linear time.
void note_value(Variable& variable);

}  // namespace quern::frontend
