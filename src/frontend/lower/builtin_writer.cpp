// SPDX-License-Identifier: MIT
// Writes calls of built-in functions.
#include "frontend/lower/builtin_writer.hpp"

namespace quern::frontend::lower {

std::string BuiltinWriter::fill_in(std::string_view text, const Type* type,
                                   const std::vector<std::string>& arguments) {
  Types& types = program_.types;
  const Type* scalar = type->scalar();
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '@') {
      if (scalar->kind == TypeKind::float_) out += 'f';
    } else if (c == '$' && i + 1 < text.size()) {
      const char what = text[++i];
      const std::uint64_t size = size_of(scalar);
      switch (what) {
        case 'T':
          out += types_.text(scalar);
          break;
        case 'U':
          out += types_.text(types.unsigned_of(scalar));
          break;
        case 'S':
          out += types_.text(types.signed_of(scalar));
          break;
        case 'B':
          out += std::to_string(8 * size);
          break;
        case 'W':
          if (size == 8)
            out += scalar->is_signed() ? "__int128" : "unsigned __int128";
          else
            out += scalar->is_signed() ? "long long" : "unsigned long long";
          break;
        case 'A':  // what CUDA's atomics take
          out += scalar->kind == TypeKind::long_ ? "unsigned long long" : types_.text(scalar);
          break;
        default:
          out += arguments[static_cast<std::size_t>(what - '0')];
          break;
      }
    } else {
      out += c;
    }
  }
  return out;
}

std::string BuiltinWriter::parameter_type(const Builtin& row, std::size_t index, const Type* type,
                                          const Expr* e) {
  Types& types = program_.types;
  const std::size_t last = e->arguments.size() - 1;
  switch (row.rule) {
    case Rule::real_int:
      return types_.text(index == 1 ? types.with_scalar(type, types.int_) : type);
    case Rule::nan:
      return types_.text(types.unsigned_of(type));
    case Rule::real_pointer:
      return types_.text(type) + (index == last ? " *" : "");
    case Rule::real_int_pointer:
    case Rule::real_real_int_pointer:
      return index == last ? types_.text(types.with_scalar(type, types.int_)) + " *" : types_.text(type);
    case Rule::atomic:
      return index == 0 ? "volatile " + types_.text(type) + " *" : types_.text(type);
    default:
      return types_.text(type);
  }
}

std::string BuiltinWriter::scalar_form(const Builtin& row, const Type* type,
                                       const std::vector<std::string>& arguments, const Expr* e) {
  if (type->kind == TypeKind::half) return half_form(row, arguments, e);
  const std::string_view text = dialect_.builtin_text(row, type, out_);
  if (!text.starts_with('{')) return fill_in(text, type, arguments);
  const std::string name = "quern_" + std::string(row.name) + "_" + name_of(type);
  if (!out_.is_defined(name)) {
    const Type* result = row.rule == Rule::test || row.rule == Rule::real_to_int ? program_.types.int_
                         : row.rule == Rule::integer_abs ? program_.types.unsigned_of(type)
                                                         : type;
    std::string head = types_.text(result) + " " + name + "(";
    for (std::size_t i = 0; i < e->arguments.size(); ++i)
      head += (i > 0 ? ", " : "") + parameter_type(row, i, type, e) + " " + "xyz"[i];
    out_.helper(name, head + ") " + fill_in(text, type, {}));
  }
  return call_text(name, arguments);
}

std::string BuiltinWriter::elementwise(const Expr* e, const std::vector<std::string>& arguments) {
  const Builtin& row = *e->builtin;
  const Type* type = e->overload;
  if (!type->is_vector()) return scalar_form(row, type, arguments, e);
  const std::string name = "quern_" + std::string(row.name) + "_" + name_of(type);
  if (!out_.is_defined(name)) {
    const Type* result = e->type.type;
    std::string head = types_.text(result) + " " + name + "(", body;
    for (std::size_t i = 0; i < e->arguments.size(); ++i)
      head += (i > 0 ? ", " : "") + parameter_type(row, i, type, e) + " " + "xyz"[i];
    for (std::size_t l = 0; l < type->count; ++l) {
      std::vector<std::string> parts;
      for (std::size_t i = 0; i < e->arguments.size(); ++i) {
        const std::string x(1, "xyz"[i]);
        parts.push_back(e->arguments[i]->type->is_pointer() ? "&" + x + "->" + lane(l) : x + "." + lane(l));
      }
      const std::string value = scalar_form(row, type->element.type, parts, e);
      body += "r." + lane(l) + " = (" + types_.text(result->element.type) + ")" +
              (row.rule == Rule::test ? "-" : "") + value + "; ";
    }
    out_.helper(name, head + ") { " + types_.text(result) + " r; " + body + "return r; }");
  }
  return call_text(name, arguments);
}

std::string BuiltinWriter::geometric(const Builtin& row, const Type* type,
                                     const std::vector<std::string>& arguments) {
  const Type* scalar = type->scalar();
  const bool reduces = row.rule == Rule::dot || row.rule == Rule::length || row.rule == Rule::distance;
  if (scalar->kind == TypeKind::half) {
    const Type* wide = program_.types.with_scalar(type, program_.types.float_);
    std::vector<std::string> converted;
    for (const std::string& a : arguments)
      converted.push_back(type->is_vector() ? conversions_.convert_helper(wide, type) + "(" + a + ")"
                                            : conversions_.from_half(a));
    const std::string value = geometric(row, wide, converted);
    return reduces || !type->is_vector() ? conversions_.to_half(value)
                                         : conversions_.convert_helper(type, wide) + "(" + value + ")";
  }
  const std::string t = types_.text(type), s = types_.text(scalar);
  const std::string root = fill_in(dialect_.builtin_text(row, scalar, out_), type, {});
  const std::size_t lanes = type->is_vector() ? type->count : 1;
  const auto part = [&](const char* x, std::size_t i) {
    return type->is_vector() ? std::string(x) + "." + lane(i) : std::string(x);
  };
  const auto sum_of_products = [&](const char* x, const char* y) {
    std::string text;
    for (std::size_t i = 0; i < lanes; ++i) text += (i > 0 ? " + " : "") + part(x, i) + " * " + part(y, i);
    return "(" + text + ")";
  };
  // Scales x so that its squares neither overflow nor underflow, which only the fast_ functions may do. Both
  // factors are powers of two, and there is no branch, so that an enclosing loop still vectorises.
  const bool scales = !row.name.starts_with("fast_");
  const auto scaled = [&] {
    if (!scales) return std::string();
    const bool is_float = scalar->kind == TypeKind::float_;
    const std::string abs = dialect_.library_function(is_float ? "fabsf" : "fabs");
    std::string text = s + " m = " + abs + "(" + part("x", 0) + "); ";
    for (std::size_t i = 1; i < lanes; ++i) {
      const std::string a = abs + "(" + part("x", i) + ")";
      text += "m = " + a + " > m ? " + a + " : m; ";
    }
    const std::string up = is_float ? "0x1p65f" : "0x1p520", down = is_float ? "0x1p-65f" : "0x1p-520";
    text += "const " + s + " f = m > " + (is_float ? "0x1p60f" : "0x1p500") + " ? " + down + " : m < " +
            (is_float ? "0x1p-60f" : "0x1p-500") + " ? " + up + " : 1, g = f > 1 ? " + down + " : f < 1 ? " +
            up + " : 1; ";
    for (std::size_t i = 0; i < lanes; ++i) text += part("x", i) + " *= f; ";
    return text;
  };
  const std::string unscaled = scales ? " * g" : "";
  const std::string name = "quern_" + std::string(row.name) + "_" + name_of(type);
  if (!out_.is_defined(name)) {
    std::string body;
    switch (row.rule) {
      case Rule::dot:
        body = "return " + sum_of_products("x", "y") + ";";
        break;
      case Rule::length:
        body = scaled() + "return " + root + sum_of_products("x", "x") + unscaled + ";";
        break;
      case Rule::distance:
        for (std::size_t i = 0; i < lanes; ++i) body += part("x", i) + " -= " + part("y", i) + "; ";
        body += scaled() + "return " + root + sum_of_products("x", "x") + unscaled + ";";
        break;
      case Rule::normalize:
        body =
            scaled() + "const " + s + " l = " + root + sum_of_products("x", "x") + "; if (l == 0) return x; ";
        for (std::size_t i = 0; i < lanes; ++i) body += part("x", i) + " /= l; ";
        body += "return x;";
        break;
      default:  // cross
        body = t +
               " r; r.s0 = x.s1 * y.s2 - x.s2 * y.s1; r.s1 = x.s2 * y.s0 - x.s0 * y.s2; r.s2 = x.s0 * y.s1 - "
               "x.s1 * y.s0; ";
        if (lanes == 4) body += "r.s3 = 0; ";
        body += "return r;";
    }
    std::string head = (reduces ? s : t) + " " + name + "(" + t + " x";
    if (arguments.size() > 1) head += ", " + t + " y";
    out_.helper(name, head + ") { " + body + " }");
  }
  return name + "(" + arguments[0] + (arguments.size() > 1 ? ", " + arguments[1] : "") + ")";
}

std::string BuiltinWriter::call(const Expr* e, const std::vector<std::string>& arguments) {
  const Builtin& row = *e->builtin;
  switch (row.rule) {
    case Rule::fence:
      return device_.fence(e);
    case Rule::barrier:
      return device_.barrier(e);
    case Rule::atomic2:
      return device_.atomic(e, arguments);
    case Rule::space:
      return device_.space_test(e, arguments[0]);
    case Rule::group:
      return device_.group_function(e, arguments);
    case Rule::print:
      return print(e, arguments);
    case Rule::convert:
      return conversions_.convert_builtin(e, arguments[0]);
    case Rule::shuffle:
      return shuffle(e, arguments);
    case Rule::upsample:
      return upsample(e, arguments);
    case Rule::vload_half:
    case Rule::vstore_half:
      return half_memory(e, arguments);
    case Rule::dot:
    case Rule::length:
    case Rule::distance:
    case Rule::normalize:
    case Rule::cross:
      return geometric(row, e->overload, arguments);
    case Rule::vload:
    case Rule::vstore:
    case Rule::select:
    case Rule::bits:
    case Rule::any_all:
      return memory(e, arguments);
    default:
      return elementwise(e, arguments);
  }
}

}  // namespace quern::frontend::lower
