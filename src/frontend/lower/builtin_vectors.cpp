// SPDX-License-Identifier: MIT
// Built-ins that move components: vload and vstore, select, shuffle, upsample, and halves in memory.
#include "frontend/lower/builtin_writer.hpp"

namespace quern::frontend::lower {
namespace {

// Returns the components that a constant mask selects; empty if the mask is not constant.
std::vector<std::uint64_t> constant_mask(const Expr* mask) {
  std::vector<std::uint64_t> lanes;
  if (mask->kind != ExprKind::vector_literal) return lanes;
  for (const Expr* part : mask->arguments) {
    if (!part->type->is_scalar()) return {};
    const auto value = constant_value(part);
    if (!value) return {};
    lanes.push_back(static_cast<std::uint64_t>(*value));
  }
  return lanes;
}

}  // namespace

// vload and vstore, whose pointers are aligned for one element only; select, bitselect, any, all.
std::string BuiltinWriter::memory(const Expr* e, const std::vector<std::string>& arguments) {
  const Builtin& row = *e->builtin;
  const Type* type = e->overload;
  const std::string t = types_.text(type), s = types_.text(type->scalar());
  const std::size_t lanes = type->is_vector() ? type->count : 1;
  std::string name = "quern_" + std::string(row.name) + "_" + name_of(type);
  std::string head, body;
  const auto part = [&](const std::string& x, std::size_t i) {
    return type->is_vector() ? x + "." + lane(i) : x;
  };
  switch (row.rule) {
    case Rule::vload:
      head = t + " " + name + "(unsigned long long x, const " + s + " *y)";
      body = t + " r; y += x * " + std::to_string(lanes) + "; ";
      for (std::size_t i = 0; i < lanes; ++i) body += "r." + lane(i) + " = y[" + std::to_string(i) + "]; ";
      body += "return r;";
      break;
    case Rule::vstore:
      head = "void " + name + "(" + t + " x, unsigned long long y, " + s + " *z)";
      body = "z += y * " + std::to_string(lanes) + "; ";
      for (std::size_t i = 0; i < lanes; ++i) body += "z[" + std::to_string(i) + "] = x." + lane(i) + "; ";
      break;
    case Rule::select: {
      const Type* c = e->arguments[2]->type.type;
      name += "_" + name_of(c);
      const std::string sc = types_.text(program_.types.signed_of(c->scalar()));
      head = t + " " + name + "(" + t + " x, " + t + " y, " + types_.text(c) + " z)";
      if (!type->is_vector()) {
        body = "return z ? y : x;";
      } else {
        for (std::size_t i = 0; i < lanes; ++i)
          body += part("x", i) + " = (" + sc + ")" + part("z", i) + " < 0 ? " + part("y", i) + " : " +
                  part("x", i) + "; ";
        body += "return x;";
      }
      break;
    }
    case Rule::bits: {
      const Type* u = program_.types.unsigned_of(type);
      const auto bits = [&](const char* x) {
        return u == type ? std::string(x) : conversions_.reinterpret_helper(u, type) + "(" + x + ")";
      };
      const std::string ut = types_.text(u);
      head = t + " " + name + "(" + t + " x, " + t + " y, " + t + " z)";
      body = "const " + ut + " a = " + bits("x") + ", b = " + bits("y") + ", c = " + bits("z") + "; " + ut +
             " r; ";
      for (std::size_t i = 0; i < lanes; ++i)
        body += part("r", i) + " = (" + types_.text(u->scalar()) + ")((" + part("a", i) + " & ~" +
                part("c", i) + ") | (" + part("b", i) + " & " + part("c", i) + ")); ";
      body +=
          "return " + (u == type ? std::string("r") : conversions_.reinterpret_helper(type, u) + "(r)") + ";";
      break;
    }
    default: {  // any, all
      const std::string ss = types_.text(program_.types.signed_of(type->scalar()));
      head = "int " + name + "(" + t + " x)";
      body = "return ";
      for (std::size_t i = 0; i < lanes; ++i)
        body +=
            (i > 0 ? (row.name == "any" ? " | " : " & ") : "") + ("((" + ss + ")") + part("x", i) + " < 0)";
      body += ";";
    }
  }
  if (!out_.is_defined(name)) out_.helper(name, head + " { " + body + " }");
  return call_text(name, arguments);
}

std::string BuiltinWriter::shuffle(const Expr* e, const std::vector<std::string>& arguments) {
  const Type* type = e->overload;
  const Type* result = e->type.type;
  const Expr* mask = e->arguments.back();
  const bool two = e->arguments.size() == 3;
  const std::size_t slots = type->count * (two ? 2 : 1);
  const auto component = [&](std::uint64_t index) {
    const std::size_t i = index & (slots - 1);
    return (i < type->count ? "x." : "y.") + lane(i % type->count);
  };
  const std::vector<std::uint64_t> fixed = constant_mask(mask);
  std::string name = "quern_" + std::string(e->builtin->name) + "_" + name_of(type), body;
  const std::string t = types_.text(type), r = types_.text(result), s = types_.text(type->element.type);
  if (fixed.empty()) {
    name += "_" + name_of(mask->type.type);
    body = "const " + s + " all[] = {";
    for (std::size_t i = 0; i < slots; ++i) body += (i > 0 ? ", " : "") + component(i);
    body += "}; ";
    for (std::size_t i = 0; i < result->count; ++i)
      body += "r." + lane(i) + " = all[m." + lane(i) + " & " + std::to_string(slots - 1) + "]; ";
  } else {
    for (std::size_t i = 0; i < result->count; ++i) {
      name += "_" + std::to_string(fixed[i] & (slots - 1));
      body += "r." + lane(i) + " = " + component(fixed[i]) + "; ";
    }
  }
  std::string parameters = t + " x" + (two ? ", " + t + " y" : "");
  std::vector<std::string> passed(arguments.begin(), arguments.end() - (fixed.empty() ? 0 : 1));
  if (fixed.empty()) parameters += ", " + types_.text(mask->type.type) + " m";
  out_.helper(name, r + " " + name + "(" + parameters + ") { " + r + " r; " + body + "return r; }");
  return call_text(name, passed);
}

std::string BuiltinWriter::upsample(const Expr* e, const std::vector<std::string>& arguments) {
  const Type* type = e->overload;
  const Type* result = e->type.type;
  const std::string name = "quern_upsample_" + name_of(type);
  const std::string t = types_.text(result->scalar());
  const std::string u = types_.text(program_.types.unsigned_of(result->scalar()));
  const std::string bits = std::to_string(8 * size_of(type->scalar()));
  const auto combined = [&](const std::string& part) {
    return "(" + t + ")((" + u + ")((" + u + ")x" + part + " << " + bits + ") | y" + part + ")";
  };
  std::string body = "return " + combined("") + ";";
  if (type->is_vector()) {
    body = types_.text(result) + " r; ";
    for (std::size_t i = 0; i < type->count; ++i)
      body += "r." + lane(i) + " = " + combined("." + lane(i)) + "; ";
    body += "return r;";
  }
  out_.helper(name, types_.text(result) + " " + name + "(" + types_.text(type) + " x, " +
                        types_.text(program_.types.unsigned_of(type)) + " y) { " + body + " }");
  return call_text(name, arguments);
}

std::string BuiltinWriter::half_memory(const Expr* e, const std::vector<std::string>& arguments) {
  const HalfAccess access = half_access(e->text);
  const Type* type = e->overload;
  const Type* scalar = type->scalar();
  const bool loads = e->builtin->rule == Rule::vload_half;
  const std::string stride = std::to_string(access.is_aligned && access.lanes == 3 ? 4 : access.lanes);
  const std::string name = "quern_" + std::string(e->text) + (loads ? "" : "_" + name_of(scalar));
  if (!out_.is_defined(name)) {
    const std::string t = types_.text(type);
    std::string head, body;
    const auto part = [&](const char* x, std::size_t i) {
      return access.lanes > 1 ? std::string(x) + "." + lane(i) : std::string(x);
    };
    if (loads) {
      head = t + " " + name + "(unsigned long long x, const unsigned short *y)";
      body = t + " r; y += x * " + stride + "; ";
      for (std::size_t i = 0; i < access.lanes; ++i)
        body += part("r", i) + " = " + conversions_.from_half("y[" + std::to_string(i) + "]") + "; ";
      body += "return r;";
    } else {
      head = "void " + name + "(" + t + " x, unsigned long long y, unsigned short *z)";
      body = "z += y * " + stride + "; ";
      for (std::size_t i = 0; i < access.lanes; ++i)
        body +=
            "z[" + std::to_string(i) + "] = " +
            conversions_.half_convert(program_.types.half, scalar, {access.rounding, false}, part("x", i)) +
            "; ";
    }
    out_.helper(name, head + " { " + body + " }");
  }
  return call_text(name, arguments);
}

}  // namespace quern::frontend::lower
