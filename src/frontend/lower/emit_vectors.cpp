// SPDX-License-Identifier: MIT
// Built-ins that move components: shuffle, upsample, and halves in memory.
#include "frontend/lower/emitter.hpp"

namespace quern::frontend::lower {
namespace {

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

// The components that a mask of numbers chooses; empty where it is computed.
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

std::string Emitter::shuffle(const Expr* e, const std::vector<std::string>& arguments) {
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
  const std::string t = type_text(type), r = type_text(result), s = type_text(type->element.type);
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
  if (fixed.empty()) parameters += ", " + type_text(mask->type.type) + " m";
  helper(name, qualifiers() + r + " " + name + "(" + parameters + ") { " + r + " r; " + body + "return r; }");
  return name + "(" + joined(passed) + ")";
}

std::string Emitter::upsample(const Expr* e, const std::vector<std::string>& arguments) {
  const Type* type = e->overload;
  const Type* result = e->type.type;
  const std::string name = "quern_upsample_" + name_of(type);
  const std::string t = type_text(result->scalar());
  const std::string u = type_text(program_.types.unsigned_of(result->scalar()));
  const std::string bits = std::to_string(8 * size_of(type->scalar()));
  const auto combined = [&](const std::string& part) {
    return "(" + t + ")((" + u + ")((" + u + ")x" + part + " << " + bits + ") | y" + part + ")";
  };
  std::string body = "return " + combined("") + ";";
  if (type->is_vector()) {
    body = type_text(result) + " r; ";
    for (std::size_t i = 0; i < type->count; ++i)
      body += "r." + lane(i) + " = " + combined("." + lane(i)) + "; ";
    body += "return r;";
  }
  helper(name, qualifiers() + type_text(result) + " " + name + "(" + type_text(type) + " x, " +
                   type_text(program_.types.unsigned_of(type)) + " y) { " + body + " }");
  return name + "(" + joined(arguments) + ")";
}

std::string Emitter::half_memory(const Expr* e, const std::vector<std::string>& arguments) {
  const HalfAccess access = half_access(e->text);
  const Type* type = e->overload;
  const Type* scalar = type->scalar();
  const bool loads = e->builtin->rule == Rule::vload_half;
  const std::string stride = std::to_string(access.is_aligned && access.lanes == 3 ? 4 : access.lanes);
  const std::string name = "quern_" + std::string(e->text) + (loads ? "" : "_" + name_of(scalar));
  if (!defined_.contains(name)) {
    const std::string t = type_text(type);
    std::string head, body;
    const auto part = [&](const char* x, std::size_t i) {
      return access.lanes > 1 ? std::string(x) + "." + lane(i) : std::string(x);
    };
    if (loads) {
      head = t + " " + name + "(unsigned long long x, const unsigned short *y)";
      body = t + " r; y += x * " + stride + "; ";
      for (std::size_t i = 0; i < access.lanes; ++i)
        body += part("r", i) + " = " + from_half("y[" + std::to_string(i) + "]") + "; ";
      body += "return r;";
    } else {
      head = "void " + name + "(" + t + " x, unsigned long long y, unsigned short *z)";
      body = "z += y * " + stride + "; ";
      for (std::size_t i = 0; i < access.lanes; ++i)
        body += "z[" + std::to_string(i) +
                "] = " + half_convert(program_.types.half, scalar, {access.rounding, false}, part("x", i)) +
                "; ";
    }
    helper(name, qualifiers() + head + " { " + body + " }");
  }
  return name + "(" + joined(arguments) + ")";
}

}  // namespace quern::frontend::lower
