// SPDX-License-Identifier: MIT
// The type checker: builds typed expressions out of what the parser reads, with every conversion made
// explicit.
#pragma once

#include <span>

#include "frontend/frontend.hpp"
#include "frontend/parse/ast.hpp"

namespace quern::frontend {

// A type in the quotes of a message.
std::string quoted(const QualType& type);
std::string quoted(const Type* type);
bool is_null_constant(const Expr* e);

class Checker {
 public:
  Checker(Files& files, Program& program, Target target)
      : files_(files), program_(program), target_(target) {}
  void set_target(Target target) { target_ = target; }  // whose name messages have

  void enter(Function* function) { function_ = function; }
  [[nodiscard]] Function* current() const { return function_; }
  [[noreturn]] void fail(Location at, const std::string& text) const { files_.fail(at, text); }
  // Names the construct and the device, as every construct that is still missing does.
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
  // A complex number of its parts, or of another number (checker_complex.cpp).
  Expr* complex_literal(const Type* type, std::vector<Expr*> parts, Location at);
  // T(...) and static_cast<T>(x), as C++ has them.
  Expr* constructor(const Type* type, std::vector<Expr*> arguments, Location at);
  Expr* static_cast_of(Expr* operand, QualType type, Location at);
  Expr* vector_literal(const Type* type, std::vector<Expr*> parts, Location at);
  Expr* call(Function* callee, std::vector<Expr*> arguments, Location at);
  // The same of whichever overload fits best; `first` is the one that was declared first.
  Expr* overloaded_call(Function* first, std::vector<Expr*> arguments, Location at);
  // A call of a built-in function by name; null when there is none of that name.
  Expr* builtin(std::string_view name, std::vector<Expr*> arguments, Location at);

  // An object without a name that holds a value, for what needs a place in memory: (int[]){1, 2}[i].
  Expr* object_of(Expr* value);
  // The operand's value: loaded, an array as a pointer to its first element.
  Expr* value(Expr* operand);
  // An implicit conversion; `what` says for what, as in "argument 2 of 'f'".
  Expr* convert(Expr* operand, const Type* to, std::string_view what);
  Expr* condition(Expr* operand);
  void check_writable(const Expr* target, Location at);
  // Counts the expressions of the current function and stops runaway input.
  void count_node(Location at);
  // Notes how deep an expression is, and refuses one that passes over it could not descend.
  Expr* measured(Expr* expression);

 private:
  Expr* convert_node(Expr* operand, const Type* to);
  Expr* pointer_arithmetic(std::uint32_t op, Expr* a, Expr* b, Location at);
  Expr* pointer_conversion(Expr* operand, const Type* to, std::string_view what);
  Expr* shift(std::uint32_t op, Expr* a, Expr* b, Location at);
  Expr* comparison(std::uint32_t op, Expr* a, Expr* b, Location at);
  // Brings two arithmetic operands to their common type.
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
  // (checker_groups.cpp)
  Expr* group_function(const Builtin& row, Expr* call, Location at);
  void use_place_in_group();
  const Type* exchanged_type(Expr* value, std::string_view name);

  Files& files_;
  Program& program_;
  Target target_;
  Function* function_ = nullptr;
};

}  // namespace quern::frontend
