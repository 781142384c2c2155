// SPDX-License-Identifier: MIT
// Writes operators and their helper functions.
#include "frontend/lower/operator_writer.hpp"

#include "frontend/lower/names.hpp"

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

std::string OperatorWriter::scalar_operate(std::uint32_t op, const Type* type, const std::string& x,
                                           const std::string& y) {
  if (type->kind == TypeKind::half) return half_operate(op, x, y);
  const bool shifts = op == punct("<<") || op == punct(">>");
  const std::string bits = std::to_string(8 * size_of(type) - 1);
  if (shifts) {
    // OpenCL C shifts by the amount modulo the width.
    if (op == punct("<<") && type->is_signed()) {
      const Type* u = program_.types.unsigned_of(type);
      return "((" + types_.text(type) + ")((" + types_.text(u) + ")" + x + " << (" + y + " & " + bits + ")))";
    }
    return "(" + x + " " + spelled(op) + " (" + y + " & " + bits + "))";
  }
  if ((op == punct("/") || op == punct("%")) && type->is_integer() && dialect_.division_traps()) {
    // Division by zero and INT_MIN / -1 are undefined in OpenCL C and give any value; on x86 they would end
    // the process.
    const std::string t = types_.text(type), u = types_.text(program_.types.unsigned_of(type));
    const bool divides = op == punct("/");
    std::string text = t + " quern_" + word(op) + "_" + name_of(type) + "(" + t + " x, " + t + " y) { ";
    if (type->is_signed())
      text += "if (y == -1) return " + (divides ? "(" + t + ")(0 - (" + u + ")x)" : std::string("0")) + "; ";
    text += "return y == 0 ? 0 : (" + t + ")(x " + spelled(op) + " y); }";
    return out_.helper("quern_" + word(op) + "_" + name_of(type), text) + "(" + x + ", " + y + ")";
  }
  return "(" + x + " " + spelled(op) + " " + y + ")";
}

std::string OperatorWriter::half_operate(std::uint32_t op, const std::string& x, const std::string& y) {
  if (const auto native = dialect_.half_operation(op)) {
    const std::string name = "quern_" + word(op) + "_half";
    out_.helper(name, "unsigned short " + name + "(unsigned short x, unsigned short y) { " + *native + " }");
    return name + "(" + x + ", " + y + ")";
  }
  const std::string a = conversions_.from_half(x), b = conversions_.from_half(y),
                    sign = " " + spelled(op) + " ";
  switch (op) {
    case punct("+"):
    case punct("-"):
    case punct("*"):
    case punct("/"):
      return conversions_.to_half(a + sign + b);
    case punct("&&"):
    case punct("||"):
      return "(" + a + " != 0" + sign + b + " != 0)";
    default:
      return "(" + a + sign + b + ")";
  }
}

std::string OperatorWriter::operate(std::uint32_t op, const Type* type, const Type* right,
                                    const std::string& x, const std::string& y) {
  if (!type->is_vector()) return scalar_operate(op, type, x, y);
  const Type* element = type->element.type;
  const Type* result = is_test(op) ? program_.types.signed_of(type) : type;
  const std::string name =
      "quern_" + word(op) + "_" + name_of(type) + (right != type ? "_" + name_of(right) : "");
  if (!out_.is_defined(name)) {
    std::string text = types_.text(result) + " " + name + "(" + types_.text(type) + " x, " +
                       types_.text(right) + " y) { " + types_.text(result) + " r; ";
    for (std::size_t i = 0; i < type->count; ++i) {
      const std::string value = scalar_operate(op, element, "x." + lane(i), "y." + lane(i));
      text += "r." + lane(i) + " = (" + types_.text(result->element.type) + ")" + (is_test(op) ? "-" : "") +
              value + "; ";
    }
    out_.helper(name, text + "return r; }");
  }
  return name + "(" + x + ", " + y + ")";
}

std::string OperatorWriter::store_helper(std::uint32_t op, const Type* target, const Type* computed,
                                         const Type* right) {
  std::string name = "quern_store_" + word(op) + "_" + short_name(target) + "_" + short_name(computed) + "_" +
                     short_name(right);
  if (!out_.is_defined(name)) {
    const std::string t = types_.text(target);
    const std::string loaded =
        target->is_vector() ? "*p" : conversions_.scalar_convert(computed, target, "(*p)");
    const std::string value = operate(op, computed, right, loaded, "y");
    out_.helper(name,
                t + " " + name + "(" + t + " *p, " + types_.text(right) + " y) { return *p = " +
                    (target->is_vector() ? value : conversions_.scalar_convert(target, computed, value)) +
                    "; }");
  }
  return name;
}

// Negates each component: 0 - x would lose the sign of zero.
std::string OperatorWriter::negate_helper(const Type* vector) {
  const bool is_half = vector->element->kind == TypeKind::half;
  std::string name = "quern_neg_" + name_of(vector);
  if (!out_.is_defined(name)) {
    std::string text = types_.text(vector) + " " + name + "(" + types_.text(vector) + " x) { ";
    for (std::size_t i = 0; i < vector->count; ++i)
      text += "x." + lane(i) + " = (" + types_.text(vector->element.type) + ")" +
              (is_half ? "(x." + lane(i) + " ^ 0x8000)" : "-x." + lane(i)) + "; ";
    out_.helper(name, text + "return x; }");
  }
  return name;
}

std::string OperatorWriter::choose_helper(const Type* condition, const Type* type) {
  std::string name = "quern_choose_" + name_of(type) + "_" + name_of(condition);
  if (!out_.is_defined(name)) {
    const std::string t = types_.text(type), c = types_.text(condition);
    const std::string s = types_.text(program_.types.signed_of(condition->element.type));
    std::string text = t + " " + name + "(" + c + " c, " + t + " x, " + t + " y) { " + t + " r; ";
    for (std::size_t i = 0; i < type->count; ++i)
      text +=
          "r." + lane(i) + " = (" + s + ")c." + lane(i) + " < 0 ? x." + lane(i) + " : y." + lane(i) + "; ";
    out_.helper(name, text + "return r; }");
  }
  return name;
}

std::string OperatorWriter::splat(const Type* vector, const std::string& x) {
  const std::string name = "quern_splat_" + name_of(vector);
  if (!out_.is_defined(name)) {
    const std::string t = types_.text(vector);
    std::string text = t + " " + name + "(" + types_.text(vector->element.type) + " x) { " + t + " r; ";
    for (std::size_t i = 0; i < vector->count; ++i) text += "r." + lane(i) + " = x; ";
    out_.helper(name, text + "return r; }");
  }
  return name + "(" + x + ")";
}

std::string OperatorWriter::get_lanes_helper(const Type* vector, const Type* part,
                                             const std::vector<std::uint8_t>& lanes) {
  std::string name = "quern_get_" + name_of(vector) + "_";
  for (const std::uint8_t l : lanes) name += lane(l).substr(1);
  if (!out_.is_defined(name)) {
    std::string text =
        types_.text(part) + " " + name + "(" + types_.text(vector) + " x) { " + types_.text(part) + " r; ";
    for (std::size_t i = 0; i < lanes.size(); ++i) text += "r." + lane(i) + " = x." + lane(lanes[i]) + "; ";
    out_.helper(name, text + "return r; }");
  }
  return name;
}

std::string OperatorWriter::set_lanes_helper(const Type* vector, const Type* part,
                                             const std::vector<std::uint8_t>& lanes) {
  std::string name = "quern_set_" + name_of(vector) + "_";
  for (const std::uint8_t l : lanes) name += lane(l).substr(1);
  if (!out_.is_defined(name)) {
    std::string text =
        types_.text(part) + " " + name + "(" + types_.text(vector) + " *p, " + types_.text(part) + " x) { ";
    for (std::size_t i = 0; i < lanes.size(); ++i) text += "p->" + lane(lanes[i]) + " = x." + lane(i) + "; ";
    out_.helper(name, text + "return x; }");
  }
  return name;
}

std::string OperatorWriter::change_lanes_helper(std::uint32_t op, const Expr* swizzle, const Type* right) {
  const Type* vector = swizzle->operands[0]->type.type;
  const Type* part = swizzle->type.type;
  const std::string set = set_lanes_helper(vector, part, swizzle->lanes);
  std::string name =
      "quern_change_" + word(op) + set.substr(std::size("quern_set") - 1) + "_" + short_name(right);
  if (!out_.is_defined(name)) {
    std::string text = types_.text(part) + " " + name + "(" + types_.text(vector) + " *p, " +
                       types_.text(right) + " y) { " + types_.text(part) + " x; ";
    for (std::size_t i = 0; i < swizzle->lanes.size(); ++i)
      text += "x." + lane(i) + " = p->" + lane(swizzle->lanes[i]) + "; ";
    out_.helper(name, text + "return " + set + "(p, " + operate(op, part, right, "x", "y") + "); }");
  }
  return name;
}

}  // namespace quern::frontend::lower
