// SPDX-License-Identifier: MIT
// Operators on scalars and vectors, and the small functions they need.
#include "frontend/lower/emitter.hpp"

namespace quern::frontend::lower {
namespace {

std::string word(std::uint32_t op) {
  switch (op) {
    case punct("+"):
      return "add";
    case punct("-"):
      return "sub";
    case punct("*"):
      return "mul";
    case punct("/"):
      return "div";
    case punct("%"):
      return "mod";
    case punct("&"):
      return "and";
    case punct("|"):
      return "or";
    case punct("^"):
      return "xor";
    case punct("<<"):
      return "shl";
    case punct(">>"):
      return "shr";
    case punct("=="):
      return "eq";
    case punct("!="):
      return "ne";
    case punct("<"):
      return "lt";
    case punct(">"):
      return "gt";
    case punct("<="):
      return "le";
    case punct(">="):
      return "ge";
    case punct("&&"):
      return "both";
    case punct("||"):
      return "either";
    default:
      return "op";
  }
}

bool is_test(std::uint32_t op) {
  const std::string w = word(op);
  return w == "eq" || w == "ne" || w == "lt" || w == "gt" || w == "le" || w == "ge" || w == "both" ||
         w == "either";
}

}  // namespace

const std::string& Emitter::helper(const std::string& name, const std::string& text) {
  const auto [entry, is_new] = defined_.insert(name);
  if (!is_new) return *entry;
  // What works on half is long, because each step is rounded by itself: there gcc's own judgement is better.
  const std::string forced = "static inline __attribute__((always_inline)) ";
  const bool is_long = name.find("half") != name.npos && text.starts_with(forced);
  helpers_ += (is_long ? "static inline " + text.substr(forced.size()) : text) + "\n";
  return *entry;
}

// x and y are of `type`, save the right side of a shift.
std::string Emitter::scalar_operate(std::uint32_t op, const Type* type, const std::string& x,
                                    const std::string& y) {
  if (type->kind == TypeKind::half) return half_operate(op, x, y);
  const bool shifts = op == punct("<<") || op == punct(">>");
  const std::string bits = std::to_string(8 * size_of(type) - 1);
  if (shifts) {
    // OpenCL C shifts by the amount modulo the width.
    if (op == punct("<<") && type->is_signed()) {
      const Type* u = program_.types.unsigned_of(type);
      return "((" + type_text(type) + ")((" + type_text(u) + ")" + x + " << (" + y + " & " + bits + ")))";
    }
    return "(" + x + " " + spelled(op) + " (" + y + " & " + bits + "))";
  }
  if ((op == punct("/") || op == punct("%")) && type->is_integer() && !is_cuda()) {
    // Division by zero and INT_MIN / -1 give some value; on x86 they would kill the process.
    const std::string t = type_text(type), u = type_text(program_.types.unsigned_of(type));
    const bool divides = op == punct("/");
    std::string text =
        qualifiers() + t + " quern_" + word(op) + "_" + name_of(type) + "(" + t + " x, " + t + " y) { ";
    if (type->is_signed())
      text += "if (y == -1) return " + (divides ? "(" + t + ")(0 - (" + u + ")x)" : std::string("0")) + "; ";
    text += "return y == 0 ? 0 : (" + t + ")(x " + spelled(op) + " y); }";
    return helper("quern_" + word(op) + "_" + name_of(type), text) + "(" + x + ", " + y + ")";
  }
  return "(" + x + " " + spelled(op) + " " + y + ")";
}

std::string Emitter::operate(std::uint32_t op, const Type* type, const Type* right, const std::string& x,
                             const std::string& y) {
  if (!type->is_vector()) return scalar_operate(op, type, x, y);
  const Type* element = type->element.type;
  const Type* result = is_test(op) ? program_.types.signed_of(type) : type;
  const std::string name =
      "quern_" + word(op) + "_" + name_of(type) + (right != type ? "_" + name_of(right) : "");
  if (!defined_.contains(name)) {
    std::string text = qualifiers() + type_text(result) + " " + name + "(" + type_text(type) + " x, " +
                       type_text(right) + " y) { " + type_text(result) + " r; ";
    for (std::size_t i = 0; i < type->count; ++i) {
      const std::string value = scalar_operate(op, element, "x." + lane(i), "y." + lane(i));
      text += "r." + lane(i) + " = (" + type_text(result->element.type) + ")" + (is_test(op) ? "-" : "") +
              value + "; ";
    }
    helper(name, text + "return r; }");
  }
  return name + "(" + x + ", " + y + ")";
}

// A compound assignment through a pointer, where the target must be evaluated once.
std::string Emitter::store_helper(std::uint32_t op, const Type* target, const Type* computed,
                                  const Type* right) {
  const std::string name = "quern_store_" + word(op) + "_" + short_name(target) + "_" + short_name(computed) +
                           "_" + short_name(right);
  if (!defined_.contains(name)) {
    const std::string t = type_text(target);
    const std::string loaded = target->is_vector() ? "*p" : scalar_convert(computed, target, "(*p)");
    const std::string value = operate(op, computed, right, loaded, "y");
    helper(name, qualifiers() + t + " " + name + "(" + t + " *p, " + type_text(right) + " y) { return *p = " +
                     (target->is_vector() ? value : scalar_convert(target, computed, value)) + "; }");
  }
  return name;
}

std::string Emitter::splat(const Type* vector, const std::string& x) {
  const std::string name = "quern_splat_" + name_of(vector);
  if (!defined_.contains(name)) {
    const std::string t = type_text(vector);
    std::string text =
        qualifiers() + t + " " + name + "(" + type_text(vector->element.type) + " x) { " + t + " r; ";
    for (std::size_t i = 0; i < vector->count; ++i) text += "r." + lane(i) + " = x; ";
    helper(name, text + "return r; }");
  }
  return name + "(" + x + ")";
}

std::string Emitter::get_lanes_helper(const Type* vector, const Type* part,
                                      const std::vector<std::uint8_t>& lanes) {
  std::string name = "quern_get_" + name_of(vector) + "_";
  for (const std::uint8_t l : lanes) name += lane(l).substr(1);
  if (!defined_.contains(name)) {
    std::string text = qualifiers() + type_text(part) + " " + name + "(" + type_text(vector) + " x) { " +
                       type_text(part) + " r; ";
    for (std::size_t i = 0; i < lanes.size(); ++i) text += "r." + lane(i) + " = x." + lane(lanes[i]) + "; ";
    helper(name, text + "return r; }");
  }
  return name;
}

std::string Emitter::set_lanes_helper(const Type* vector, const Type* part,
                                      const std::vector<std::uint8_t>& lanes) {
  std::string name = "quern_set_" + name_of(vector) + "_";
  for (const std::uint8_t l : lanes) name += lane(l).substr(1);
  if (!defined_.contains(name)) {
    std::string text = qualifiers() + type_text(part) + " " + name + "(" + type_text(vector) + " *p, " +
                       type_text(part) + " x) { ";
    for (std::size_t i = 0; i < lanes.size(); ++i) text += "p->" + lane(lanes[i]) + " = x." + lane(i) + "; ";
    helper(name, text + "return x; }");
  }
  return name;
}

// `p->lanes op= y` for a vector that must be found only once, because finding it may have effects.
std::string Emitter::change_lanes_helper(std::uint32_t op, const Expr* swizzle, const Type* right) {
  const Type* vector = swizzle->operands[0]->type.type;
  const Type* part = swizzle->type.type;
  const std::string set = set_lanes_helper(vector, part, swizzle->lanes);
  const std::string name =
      "quern_change_" + word(op) + set.substr(std::size("quern_set") - 1) + "_" + short_name(right);
  if (!defined_.contains(name)) {
    std::string text = qualifiers() + type_text(part) + " " + name + "(" + type_text(vector) + " *p, " +
                       type_text(right) + " y) { " + type_text(part) + " x; ";
    for (std::size_t i = 0; i < swizzle->lanes.size(); ++i)
      text += "x." + lane(i) + " = p->" + lane(swizzle->lanes[i]) + "; ";
    helper(name, text + "return " + set + "(p, " + operate(op, part, right, "x", "y") + "); }");
  }
  return name;
}

}  // namespace quern::frontend::lower
