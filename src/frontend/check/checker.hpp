// SPDX-License-Identifier: MIT
// The type checker. The parser calls it to build typed expressions, in which every conversion is explicit.
#pragma once

#include <span>

#include "frontend/frontend.hpp"
#include "frontend/parse/ast.hpp"

namespace quern::frontend {

// The name of a type in quotes, for messages.
std::string quoted(const QualType& type);
std::string quoted(const Type* type);
bool is_null_constant(const Expr* e);

// The error of a construct that the target's own compiler may support.
class UnsupportedError : public BuildError {
 public:
  explicit UnsupportedError(const BuildError& error) : BuildError(error.what(), error.diagnostics()) {}
};

class Checker {
 public:
  Checker(Files& files, Program& program, Target target)
      : files_(files), program_(program), target_(target) {}
  void set_target(Target target) { target_ = target; }  // whose name messages have

  void enter(Function* function) { function_ = function; }
  [[nodiscard]] Function* current() const { return function_; }
  [[noreturn]] void fail(Location at, const std::string& text) const { files_.fail(at, text); }
  // Throws an UnsupportedError that says that the target does not support a construct.
  [[noreturn]] void unsupported(Location at, const std::string& what) const;
  void warn(Location at, std::string text);
  Types& types() { return program_.types; }

  Expr* make(ExprKind kind, Location at, QualType type);
  Expr* integer(Location at, std::uint64_t value, const Type* type);
  Expr* number(const Token& token);
  Expr* variable(Variable* variable, Location at);
  Expr* unary(std::uint32_t op, Expr* operand, Location at);
  Expr* increment(std::uint32_t op, bool postfix, Expr* operand, Location at);
  Expr* binary(std::uint32_t op, Expr* a, Expr* b, Location at);
  Expr* assign(std::uint32_t op, Expr* target, Expr* value, Location at);
  Expr* conditional(Expr* condition, Expr* yes, Expr* no, Location at);
  Expr* comma(Expr* a, Expr* b, Location at);
  Expr* member(Expr* object, const Token& name, bool arrow);
  Expr* index(Expr* base, Expr* position, Location at);
  Expr* cast(Expr* operand, QualType type, Location at);
  // A complex number from its two parts or from another number (checker_complex.cpp).
  Expr* complex_literal(const Type* type, std::vector<Expr*> parts, Location at);
  // T(...) and static_cast<T>(x) of C++.
  Expr* constructor(const Type* type, std::vector<Expr*> arguments, Location at);
  Expr* static_cast_of(Expr* operand, QualType type, Location at);
  Expr* vector_literal(const Type* type, std::vector<Expr*> parts, Location at);
  Expr* call(Function* callee, std::vector<Expr*> arguments, Location at);
  // Calls the overload that fits best. `first` is the overload that was declared first.
  Expr* overloaded_call(Function* first, std::vector<Expr*> arguments, Location at);
  // Calls a built-in function by name. Returns null if there is none.
  Expr* builtin(std::string_view name, std::vector<Expr*> arguments, Location at);

  // Stores a value in an unnamed variable, for expressions that need an address: (int[]){1, 2}[i].
  Expr* object_of(Expr* value);
  // Returns the operand's value. An array becomes a pointer to its first element.
  Expr* value(Expr* operand);
  // Converts implicitly. `what` names the purpose in messages, such as "argument 2 of 'f'".
  Expr* convert(Expr* operand, const Type* to, std::string_view what);
  Expr* condition(Expr* operand);
  void check_writable(const Expr* target, Location at);
  // Counts the expressions of the current function, and throws at the limit.
  void count_node(Location at);
  // Computes the depth of an expression, and throws if it is too deep for recursive functions.
  Expr* measured(Expr* expression);

 private:
  Expr* convert_node(Expr* operand, const Type* to);
  Expr* pointer_arithmetic(std::uint32_t op, Expr* a, Expr* b, Location at);
  Expr* pointer_conversion(Expr* operand, const Type* to, std::string_view what);
  Expr* shift(std::uint32_t op, Expr* a, Expr* b, Location at);
  Expr* comparison(std::uint32_t op, Expr* a, Expr* b, Location at);
  // Converts two arithmetic operands to their common type.
  const Type* unify(Expr*& a, Expr*& b, Location at);
  Expr* swizzle(Expr* vector, const Token& name);
  Expr* component(Expr* vector, Expr* position, Location at);
  void mark_written(const Expr* target);

  // Complex numbers (checker_complex.cpp)
  const Type* complex_of(std::span<Expr* const> operands);
  Expr* complex_binary(std::uint32_t op, Expr* a, Expr* b, Location at);
  Expr* complex_conversion(Expr* operand, const Type* to, std::string_view what);
  Expr* complex_member(Expr* object, const Token& name);
  Expr* complex_function(std::string_view name, std::vector<Expr*>& arguments, Location at);
  Expr* real_function(std::string_view name, Expr* argument, Location at);

  Expr* builtin_call(const Builtin& row, std::string_view name, std::vector<Expr*> arguments, Location at);
  Expr* conversion_function(std::string_view name, std::vector<Expr*>& arguments, Location at);
  Expr* work_item(const Builtin& row, Expr* call, Location at);
  const Type* resolve_real(std::span<Expr*> arguments, std::string_view name, Location at);
  const Type* resolve_integer(std::span<Expr*> arguments, std::string_view name, Location at);
  const Type* resolve_24_bits(std::span<Expr*> arguments, std::string_view name, Location at);
  const Type* resolve_number(std::span<Expr*> arguments, std::string_view name, Location at);
  Expr* atomic_call(Expr* call, Location at);
  Expr* space_call(Expr* call, Location at);
  Expr* half_memory(Expr* call, Location at);
  Expr* vector_memory(const Builtin& row, Expr* call, Location at);
  void check_printf(Expr* call, Location at);
  // Work-groups and sub-groups (checker_groups.cpp)
  Expr* group_function(const Builtin& row, Expr* call, Location at);
  void use_place_in_group();
  const Type* exchanged_type(Expr* value, std::string_view name);

  Files& files_;
  Program& program_;
  Target target_;
  Function* function_ = nullptr;
};

}  // namespace quern::frontend
