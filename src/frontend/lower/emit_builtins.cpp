// SPDX-License-Identifier: MIT
// Built-in functions of the lowered text, from the texts of the table.
#include "frontend/lower/emitter.hpp"

namespace quern::frontend::lower {
namespace {

constexpr std::int64_t kLocalFence = 1;      // CLK_LOCAL_MEM_FENCE
constexpr std::int64_t kWorkGroupScope = 1;  // memory_scope_work_group

}  // namespace

std::string Emitter::fill_in(std::string_view text, const Type* type,
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
          out += type_text(scalar);
          break;
        case 'U':
          out += type_text(types.unsigned_of(scalar));
          break;
        case 'S':
          out += type_text(types.signed_of(scalar));
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
          out += scalar->kind == TypeKind::long_ ? "unsigned long long" : type_text(scalar);
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

// sinf and its like, whose vector variants the C library has: declared so that gcc may call those. They are
// the names in a row's text that are not spelled as the compiler's built-ins.
void Emitter::declare_library_functions(std::string_view text, const Type* type) {
  needs_libmvec_ = true;
  if (defined_.insert("QUERN_SIMD").second)
    helpers_ +=
        "#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)\n"
        "#if __has_include(<bits/libm-simd-decl-stubs.h>)\n"
        "#define QUERN_SIMD __attribute__((simd(\"notinbranch\"), const))\n"
        "#endif\n#endif\n"
        "#ifndef QUERN_SIMD\n#define QUERN_SIMD __attribute__((const))\n#endif\n";
  const std::string t = type_text(type);
  for (const std::string_view word : {"sin@(", "cos@(", "exp@(", "log@(", "pow@("}) {
    const std::size_t at = text.find(word);
    if (at == text.npos || (at > 0 && text[at - 1] == '_')) continue;
    const std::string name = std::string(word.substr(0, 3)) + (type->kind == TypeKind::float_ ? "f" : "");
    helper("prototype " + name,
           "QUERN_SIMD " + t + " " + name + "(" + t + (word.starts_with("pow") ? ", " + t : "") + ");");
  }
}

std::string Emitter::parameter_type(const Builtin& row, std::size_t index, const Type* type, const Expr* e) {
  Types& types = program_.types;
  const std::size_t last = e->arguments.size() - 1;
  switch (row.rule) {
    case Rule::real_int:
      return type_text(index == 1 ? types.with_scalar(type, types.int_) : type);
    case Rule::nan:
      return type_text(types.unsigned_of(type));
    case Rule::real_pointer:
      return type_text(type) + (index == last ? " *" : "");
    case Rule::real_int_pointer:
    case Rule::real_real_int_pointer:
      return index == last ? type_text(types.with_scalar(type, types.int_)) + " *" : type_text(type);
    case Rule::atomic:
      return index == 0 ? "volatile " + type_text(type) + " *" : type_text(type);
    default:
      return type_text(type);
  }
}

// The call for scalar arguments; `type` is the scalar T.
std::string Emitter::scalar_form(const Builtin& row, const Type* type,
                                 const std::vector<std::string>& arguments, const Expr* e) {
  if (type->kind == TypeKind::half) return half_form(row, arguments, e);
  std::string_view text = is_cuda() ? row.cuda : row.c;
  if (!is_cuda() && type->kind == TypeKind::float_ && !row.c_float.empty()) text = row.c_float;
  if (is_cuda() && size_of(type) == 8 && !row.cuda_wide.empty()) text = row.cuda_wide;
  // The native_ intrinsics of CUDA are for float.
  if (is_cuda() && type->kind == TypeKind::double_ && row.name.starts_with("native_"))
    if (const Builtin* plain = find_builtin(row.name.substr(7))) text = plain->cuda;
  if (is_cuda() && type->kind == TypeKind::double_ && row.name == "native_divide") text = "($0 / $1)";
  if (is_cuda() && type->kind == TypeKind::double_ && row.name == "native_recip") text = "(1 / $0)";
  const bool own_text = text.data() == row.c_float.data() && text.starts_with('{');
  if (!is_cuda() && (row.flags & kLibm) != 0 && !own_text) needs_libm_ = true;
  if (!is_cuda() && (row.flags & kSimd) != 0 && !own_text) declare_library_functions(text, type);
  if (!text.starts_with('{')) return fill_in(text, type, arguments);
  const std::string name = "quern_" + std::string(row.name) + "_" + name_of(type);
  if (!defined_.contains(name)) {
    const Type* result = row.rule == Rule::test || row.rule == Rule::real_to_int ? program_.types.int_
                         : row.rule == Rule::integer_abs ? program_.types.unsigned_of(type)
                                                         : type;
    std::string head = qualifiers() + type_text(result) + " " + name + "(";
    for (std::size_t i = 0; i < e->arguments.size(); ++i)
      head += (i > 0 ? ", " : "") + parameter_type(row, i, type, e) + " " + "xyz"[i];
    helper(name, head + ") " + fill_in(text, type, {}));
  }
  std::string call = name + "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) call += (i > 0 ? ", " : "") + arguments[i];
  return call + ")";
}

std::string Emitter::elementwise(const Expr* e, const std::vector<std::string>& arguments) {
  const Builtin& row = *e->builtin;
  const Type* type = e->overload;
  if (!type->is_vector()) return scalar_form(row, type, arguments, e);
  const std::string name = "quern_" + std::string(row.name) + "_" + name_of(type);
  if (!defined_.contains(name)) {
    const Type* result = e->type.type;
    std::string head = qualifiers() + type_text(result) + " " + name + "(", body;
    for (std::size_t i = 0; i < e->arguments.size(); ++i)
      head += (i > 0 ? ", " : "") + parameter_type(row, i, type, e) + " " + "xyz"[i];
    for (std::size_t l = 0; l < type->count; ++l) {
      std::vector<std::string> parts;
      for (std::size_t i = 0; i < e->arguments.size(); ++i) {
        const std::string x(1, "xyz"[i]);
        parts.push_back(e->arguments[i]->type->is_pointer() ? "&" + x + "->" + lane(l) : x + "." + lane(l));
      }
      const std::string value = scalar_form(row, type->element.type, parts, e);
      body += "r." + lane(l) + " = (" + type_text(result->element.type) + ")" +
              (row.rule == Rule::test ? "-" : "") + value + "; ";
    }
    helper(name, head + ") { " + type_text(result) + " r; " + body + "return r; }");
  }
  std::string call = name + "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) call += (i > 0 ? ", " : "") + arguments[i];
  return call + ")";
}

std::string Emitter::geometric(const Builtin& row, const Type* type,
                               const std::vector<std::string>& arguments) {
  const Type* scalar = type->scalar();
  const bool reduces = row.rule == Rule::dot || row.rule == Rule::length || row.rule == Rule::distance;
  if (scalar->kind == TypeKind::half) {
    const Type* wide = program_.types.with_scalar(type, program_.types.float_);
    std::vector<std::string> converted;
    for (const std::string& a : arguments)
      converted.push_back(type->is_vector() ? convert_helper(wide, type) + "(" + a + ")" : from_half(a));
    const std::string value = geometric(row, wide, converted);
    return reduces || !type->is_vector() ? to_half(value) : convert_helper(type, wide) + "(" + value + ")";
  }
  const std::string t = type_text(type), s = type_text(scalar);
  const std::string root = fill_in(is_cuda() ? row.cuda : row.c, type, {});
  const std::size_t lanes = type->is_vector() ? type->count : 1;
  const auto part = [&](const char* x, std::size_t i) {
    return type->is_vector() ? std::string(x) + "." + lane(i) : std::string(x);
  };
  const auto sum_of_products = [&](const char* x, const char* y) {
    std::string text;
    for (std::size_t i = 0; i < lanes; ++i) text += (i > 0 ? " + " : "") + part(x, i) + " * " + part(y, i);
    return "(" + text + ")";
  };
  // Brings x to where its squares neither overflow nor vanish; all but the fast_ functions promise that. Both
  // factors are powers of two, and there is no branch, so that a loop around it still vectorises.
  const bool scales = !row.name.starts_with("fast_");
  const auto scaled = [&] {
    if (!scales) return std::string();
    const bool is_float = scalar->kind == TypeKind::float_;
    const std::string abs = is_cuda()  ? (is_float ? "fabsf" : "fabs")
                            : is_float ? "__builtin_fabsf"
                                       : "__builtin_fabs";
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
  if (!defined_.contains(name)) {
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
    std::string head = qualifiers() + (reduces ? s : t) + " " + name + "(" + t + " x";
    if (arguments.size() > 1) head += ", " + t + " y";
    helper(name, head + ") { " + body + " }");
  }
  return name + "(" + arguments[0] + (arguments.size() > 1 ? ", " + arguments[1] : "") + ")";
}

// vload and vstore, whose pointers are aligned for one element only; select, bitselect, any, all.
std::string Emitter::memory(const Expr* e, const std::vector<std::string>& arguments) {
  const Builtin& row = *e->builtin;
  const Type* type = e->overload;
  const std::string t = type_text(type), s = type_text(type->scalar());
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
      const std::string sc = type_text(program_.types.signed_of(c->scalar()));
      head = t + " " + name + "(" + t + " x, " + t + " y, " + type_text(c) + " z)";
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
        return u == type ? std::string(x) : reinterpret_helper(u, type) + "(" + x + ")";
      };
      const std::string ut = type_text(u);
      head = t + " " + name + "(" + t + " x, " + t + " y, " + t + " z)";
      body = "const " + ut + " a = " + bits("x") + ", b = " + bits("y") + ", c = " + bits("z") + "; " + ut +
             " r; ";
      for (std::size_t i = 0; i < lanes; ++i)
        body += part("r", i) + " = (" + type_text(u->scalar()) + ")((" + part("a", i) + " & ~" +
                part("c", i) + ") | (" + part("b", i) + " & " + part("c", i) + ")); ";
      body += "return " + (u == type ? std::string("r") : reinterpret_helper(type, u) + "(r)") + ";";
      break;
    }
    default: {  // any, all
      const std::string ss = type_text(program_.types.signed_of(type->scalar()));
      head = "int " + name + "(" + t + " x)";
      body = "return ";
      for (std::size_t i = 0; i < lanes; ++i)
        body +=
            (i > 0 ? (row.name == "any" ? " | " : " & ") : "") + ("((" + ss + ")") + part("x", i) + " < 0)";
      body += ";";
    }
  }
  if (!defined_.contains(name)) helper(name, qualifiers() + head + " { " + body + " }");
  std::string call = name + "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) call += (i > 0 ? ", " : "") + arguments[i];
  return call + ")";
}

std::string Emitter::work_item(const Expr* e) {
  const std::string_view name = e->builtin->name;
  if (e->builtin->rule == Rule::work_dim) return work_item_value(name, 0);
  const Expr* d = e->arguments[0];
  // Out of range: sizes are 1, ids and offsets 0.
  const bool is_size = name == "get_global_size" || name == "get_local_size" ||
                       name == "get_enqueued_local_size" || name == "get_num_groups";
  const std::string other = is_size ? "1ull" : "0ull";
  if (d->kind == ExprKind::integer) return d->integer < 3 ? work_item_value(name, d->integer) : other;
  const std::string helper_name = "quern_pick";
  helper(helper_name,
         qualifiers() +
             "unsigned long long quern_pick(unsigned d, unsigned long long x, unsigned long long y, unsigned "
             "long long z, "
             "unsigned long long other) { return d == 0 ? x : d == 1 ? y : d == 2 ? z : other; }");
  return helper_name + "(" + expr(d) + ", " + work_item_value(name, 0) + ", " + work_item_value(name, 1) +
         ", " + work_item_value(name, 2) + ", " + other + ")";
}

// All arguments are flags that only tell how little may be ordered: everything is.
std::string Emitter::barrier(const Expr* e) {
  if (is_cuda())
    return e->builtin->name == "work_group_barrier" && e->arguments.size() > 1 &&
                   constant_value(e->arguments[1]) != kWorkGroupScope
               ? "(__threadfence(), __syncthreads())"
               : "__syncthreads()";
  return "quern_c->runtime->barrier(quern_c, " + meeting(e->at) + ")";
}

std::string Emitter::builtin(const Expr* e) {
  const Builtin& row = *e->builtin;
  if (row.rule == Rule::work_item || row.rule == Rule::work_dim) return work_item(e);
  std::vector<std::string> arguments;
  for (const Expr* a : e->arguments) arguments.push_back(expr(a));
  switch (row.rule) {
    case Rule::fence:
      // Local memory is seen by one work-group only, which on the host is one thread.
      if (row.name.ends_with("mem_fence") && constant_value(e->arguments[0]) == kLocalFence)
        return is_cuda() ? "__threadfence_block()" : "__atomic_signal_fence(__ATOMIC_SEQ_CST)";
      return std::string(is_cuda() ? row.cuda : row.c);
    case Rule::barrier:
      return barrier(e);
    case Rule::atomic2:
      return atomic(e, arguments);
    case Rule::space:
      return space_test(e, arguments[0]);
    case Rule::group:
      return group_function(e, arguments);
    case Rule::print:
      return print(e, arguments);
    case Rule::convert:
      return convert_builtin(e, arguments[0]);
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
      if (!is_cuda() && (row.flags & kLibm) != 0) needs_libm_ = true;
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
