// SPDX-License-Identifier: MIT
// Accesses to the memory of buffers that are checked, for kernels on the host (host_bounds.h).
#include "frontend/lower/analysis/tree.hpp"
#include "frontend/lower/expression_writer.hpp"

namespace quern::frontend::lower {
namespace {

constexpr int kAnyArgument = -1, kUnknown = -2;

constexpr std::string_view kHelpers =
    "typedef struct quern_range { unsigned long long begin, end; } quern_range;\n"
    "typedef struct quern_here { const quern_launch *launch; const char *const *names; unsigned long long "
    "item[3]; } quern_here;\n"
    "typedef struct quern_bounds { quern_runtime runtime; const quern_range *ranges; unsigned long long "
    "count; quern_here *(*here)(void); void *(*fail)(const void *, unsigned long long, unsigned long long, "
    "int, const char *); } quern_bounds;\n"
    "const int quern_checks_bounds = 1;\n"
    "static _Thread_local quern_here *quern_now;\n"
    "static inline int quern_is_in(quern_range range, unsigned long long at, unsigned long long size) { "
    "return at >= range.begin && at <= range.end && size <= range.end - at; }\n"
    "static inline void *quern_checked(const volatile void *at, unsigned long long size, unsigned long long "
    "unit, int argument, const char *where) {\n"
    "  const quern_bounds *const bounds = (const quern_bounds *)quern_now->launch->runtime;\n"
    "  if (argument >= 0) {\n"
    "    if (quern_is_in(bounds->ranges[argument], (unsigned long long)at, size)) return (void *)at;\n"
    "  } else {\n"
    "    for (unsigned long long i = 0; i < bounds->count; ++i)\n"
    "      if (quern_is_in(bounds->ranges[i], (unsigned long long)at, size)) return (void *)at;\n"
    "  }\n"
    "  return bounds->fail((const void *)at, size, unit, argument, where);\n"
    "}";

bool is_global_pointer(const Type* type) {
  return type->is_pointer() && type->element.space == Space::global;
}

// Whether a pointer may come from elsewhere than the arguments: an address in an integer or in memory, or a
// variable of the program.
bool has_foreign_pointers(const Program& program) {
  for (const Variable* v : program.constants)
    if (v->type.space == Space::global) return true;
  bool found = false;
  for (const Function* f : program.functions) {
    each_expression_in(f->body, [&](const Expr* e) {
      if (!is_global_pointer(e->type.type)) return;
      const bool is_loaded = e->kind == ExprKind::member || e->kind == ExprKind::index ||
                             (e->kind == ExprKind::unary && e->op == punct("*"));
      const bool is_cast = e->kind == ExprKind::convert && !e->operands[0]->type->is_pointer() &&
                           e->operands[0]->type->kind != TypeKind::array;
      found |= is_loaded || is_cast || e->kind == ExprKind::reinterpret;
    });
  }
  return found;
}

}  // namespace

// Whether a pointer variable of the current function may be changed after its declaration.
bool ExpressionWriter::changes(const Variable* pointer) const {
  if (changing_in_ != scope_.function) {
    changing_in_ = scope_.function;
    changing_.clear();
    each_expression_in(scope_.function->body, [&](const Expr* e) {
      if (const Variable* const v = assigned_by(e)) changing_.insert(v);
      if (e->kind == ExprKind::unary && e->op == punct("&"))
        if (const Variable* const v = root_of(e->operands[0])) changing_.insert(v);
    });
  }
  return changing_.contains(pointer);
}

// The number of the kernel's argument whose memory a pointer belongs to.
int ExpressionWriter::argument_of(const Expr* pointer) const {
  switch (pointer->kind) {
    case ExprKind::variable: {
      const Variable* const v = pointer->variable;
      if (v->is_program_scope) return kUnknown;
      if (changes(v)) return kAnyArgument;
      if (!v->is_parameter) return v->initial ? argument_of(v->initial) : kAnyArgument;
      const std::vector<Variable*>& parameters = scope_.function->parameters;
      // A kernel that others call gets their pointers.
      const bool is_launched = scope_.function->is_kernel && !scope_.function->is_called;
      for (std::size_t i = 0; is_launched && i < parameters.size(); ++i)
        if (parameters[i] == v) return static_cast<int>(i);
      return kAnyArgument;
    }
    case ExprKind::binary:
      return argument_of(pointer->operands[pointer->operands[0]->type->is_pointer() ? 0 : 1]);
    case ExprKind::convert:
      return pointer->operands[0]->type->is_pointer() ? argument_of(pointer->operands[0]) : kUnknown;
    case ExprKind::comma:
      return argument_of(pointer->operands[1]);
    case ExprKind::unary: {  // the address of an element or member
      const Expr* object = pointer->operands[0];
      while (pointer->op == punct("&")) {
        const bool is_element = object->kind == ExprKind::index && object->operands[0]->type->is_pointer();
        const bool is_target = object->kind == ExprKind::unary && object->op == punct("*");
        if (is_element || is_target) return argument_of(object->operands[0]);
        if (object->kind != ExprKind::member && object->kind != ExprKind::index) break;
        object = object->operands[0];
      }
      return kUnknown;
    }
    case ExprKind::increment:
    case ExprKind::assign:
    case ExprKind::conditional:
    case ExprKind::call:
      return kAnyArgument;
    default:
      return kUnknown;
  }
}

// The argument against which an access through this pointer is checked; nothing if it is not checked.
std::optional<int> ExpressionWriter::checked_argument(const Expr* pointer) {
  if (!program_.checks_bounds || scope_.function == nullptr || !pointer->type->is_pointer())
    return std::nullopt;
  const Space space = pointer->type->element.space;
  if (space != Space::global && space != Space::constant) return std::nullopt;
  const int argument = argument_of(pointer);
  if (argument >= 0) return argument;
  if (argument == kUnknown || space == Space::constant) return std::nullopt;
  if (!has_foreign_pointers_) has_foreign_pointers_ = has_foreign_pointers(program_);
  return *has_foreign_pointers_ ? std::nullopt : std::optional(kAnyArgument);
}

// A pointer of the type of `pointer`, with `count` elements from `address` that may be accessed.
std::string ExpressionWriter::checked_address(const Expr* pointer, const std::string& address,
                                              std::size_t count, int argument, Location at) {
  const std::string type = types_.declare({pointer->type.type}, "");
  const std::string unit = "sizeof(*(" + type + ")0)";
  const std::string size = count == 1 ? unit : std::to_string(count) + " * " + unit;
  return "((" + type + ")quern_checked(" + address + ", " + size + ", " + unit + ", " +
         std::to_string(argument) + ", " + string_literal(out_.location_text(at)) + "))";
}

// The arguments of a built-in function that accesses the memory behind its pointers.
void ExpressionWriter::check_arguments(const Expr* e, std::vector<std::string>& arguments) {
  const Rule rule = e->builtin->rule;
  const bool is_vload = rule == Rule::vload, is_vstore = rule == Rule::vstore;
  const bool accesses_one = rule == Rule::atomic || rule == Rule::atomic2 || rule == Rule::real_pointer ||
                            rule == Rule::real_int_pointer || rule == Rule::real_real_int_pointer;
  if (!accesses_one && !is_vload && !is_vstore) return;
  for (std::size_t i = 0; i < e->arguments.size(); ++i) {
    const Expr* const pointer = e->arguments[i];
    const auto argument = checked_argument(pointer);
    if (!argument) continue;
    if (accesses_one) {
      arguments[i] = checked_address(pointer, arguments[i], 1, *argument, e->at);
      continue;
    }
    // The whole vector is checked, and the function gets its address with the offset 0.
    const std::size_t offset = is_vload ? 0 : 1;
    const Type* const vector = is_vload ? e->type.type : e->arguments[0]->type.type;
    const std::string count = std::to_string(vector->count);
    const std::string address =
        "(" + arguments[i] + " + " + count + " * (unsigned long long)(" + arguments[offset] + "))";
    arguments[i] = checked_address(pointer, address, vector->count, *argument, e->at);
    arguments[offset] = "0";
  }
}

const std::string& ExpressionWriter::bounds_helpers() {
  return out_.define_text("quern_bounds", kHelpers);
}

}  // namespace quern::frontend::lower
