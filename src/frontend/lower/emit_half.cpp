// SPDX-License-Identifier: MIT
// half: kept as its bits in an unsigned short, and computed in float. The sum, product, quotient and root of
// two halves, rounded to float and then to half, are rounded as if once, since float has more than twice the
// digits; other compilers' half types are not asked for, so every compiler gives the same bits.
#include "frontend/lower/emitter.hpp"

namespace quern::frontend::lower {
namespace {

// To the nearest, ties to even. What is below the normal numbers is rounded by adding 0.5, whose last place
// is the least half.
constexpr std::string_view kToNearest =
    "const unsigned u = $as_uint(x), a = u & 0x7fffffffu; "
    "const unsigned n = (a + 0xfffu + (a >> 13 & 1u) - 0x38000000u) >> 13; "
    "const unsigned d = $as_uint($as_float(a) + 0.5f) - 0x3f000000u; "
    "const unsigned r = a < 0x38800000u ? d : a < 0x47800000u ? n : a <= 0x7f800000u ? 0x7c00u : 0x7e00u | "
    "(a >> 13 & 0x3ffu); "
    "return (unsigned short)(u >> 16 & 0x8000u | r);";

// What the format holds of the magnitude, and one unit more where something is cut off and `away` says so.
constexpr std::string_view kDirected =
    "const unsigned u = $as_uint(x), a = u & 0x7fffffffu, s = u >> 31, e = a >> 23; "
    "const unsigned m = e == 0 ? 0 : (a & 0x7fffffu) | 0x800000u, k = e < 113u ? (e > 95u ? 126u - e : 31u) "
    ": "
    "13u; "
    "const unsigned t = e < 113u ? m >> k : (a - 0x38000000u) >> 13; "
    "const unsigned cut = a != 0 && (e < 103u || (m & ((1u << k) - 1u)) != 0); "
    "const unsigned r = a > 0x7f800000u ? 0x7e00u | (a >> 13 & 0x3ffu) : a == 0x7f800000u ? 0x7c00u : a >= "
    "0x47800000u ? 0x7bffu + ($away) : t + (cut & ($away)); "
    "return (unsigned short)(s << 15 | r);";

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

std::string_view ptx_rounding(Rounding rounding) {
  switch (rounding) {
    case Rounding::to_zero:
      return "rz";
    case Rounding::up:
      return "rp";
    case Rounding::down:
      return "rm";
    default:
      return "rn";
  }
}

}  // namespace

std::string Emitter::from_half(const std::string& x) {
  const std::string name = "quern_from_half";
  if (!defined_.contains(name)) {
    if (is_cuda()) {
      helper(name,
             qualifiers() + "float " + name +
                 "(unsigned short x) { float r; asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(r) : \"h\"(x)); return "
                 "r; }");
    } else {
      const std::string as_float = reinterpret_helper(program_.types.float_, program_.types.uint);
      const std::string as_uint = reinterpret_helper(program_.types.uint, program_.types.float_);
      helper(name, qualifiers() + "float " + name +
                       "(unsigned short x) { const unsigned a = x & 0x7fffu, s = (x & 0x8000u) << 16; const "
                       "unsigned small = " +
                       as_uint +
                       "((float)(int)a * 0x1p-24f), r = a < 0x400u ? small : a < 0x7c00u ? (a << 13) + "
                       "0x38000000u : (a << 13) | 0x7f800000u; return " +
                       as_float + "(s | r); }");
    }
  }
  return name + "(" + x + ")";
}

// From a float.
std::string Emitter::to_half(const std::string& x, Rounding rounding) {
  const bool directed = rounding != Rounding::none && rounding != Rounding::to_even;
  const std::string name = "quern_to_half" + (directed ? "_" + std::string(ptx_rounding(rounding)) : "");
  if (!defined_.contains(name)) {
    std::string body;
    if (is_cuda()) {
      body = "unsigned short r; asm(\"cvt." + std::string(ptx_rounding(rounding)) +
             ".f16.f32 %0, %1;\" : \"=h\"(r) : \"f\"(x)); return r;";
    } else {
      Types& types = program_.types;
      body = replaced(std::string(directed ? kDirected : kToNearest), "$as_uint",
                      reinterpret_helper(types.uint, types.float_));
      body = replaced(body, "$as_float", reinterpret_helper(types.float_, types.uint));
      body = replaced(body, "$away",
                      rounding == Rounding::up     ? "1u - s"
                      : rounding == Rounding::down ? "s"
                                                   : "0u");
    }
    helper(name, qualifiers() + "unsigned short " + name + "(float x) { " + body + " }");
  }
  return name + "(" + x + ")";
}

std::string Emitter::half_convert(const Type* to, const Type* from, const Conversion& mode,
                                  const std::string& x) {
  Types& types = program_.types;
  if (to == from) return x;
  if (from->kind == TypeKind::half) {
    if (to->kind == TypeKind::bool_) return "(" + from_half(x) + " != 0)";
    return conversion(to, types.float_, mode, from_half(x));
  }
  if (from->kind == TypeKind::float_) return to_half(x, mode.rounding);
  if (from->kind == TypeKind::double_) {
    const std::string rounding(ptx_rounding(mode.rounding));
    if (is_cuda()) {
      const std::string name = "quern_to_half_double_" + rounding;
      helper(name, qualifiers() + "unsigned short " + name + "(double x) { unsigned short r; asm(\"cvt." +
                       rounding + ".f16.f64 %0, %1;\" : \"=h\"(r) : \"d\"(x)); return r; }");
      return name + "(" + x + ")";
    }
    // To a float whose last bit tells that something was cut off: then the second rounding is right.
    const std::string name = "quern_odd_float";
    const std::string bits = reinterpret_helper(types.uint, types.float_);
    helper(name, qualifiers() + "float " + name +
                     "(double x) { const float f = (float)x; const unsigned u = " + bits +
                     "(f); const double d = f; const unsigned larger = __builtin_fabs(d) > "
                     "__builtin_fabs(x); return " +
                     reinterpret_helper(types.float_, types.uint) +
                     "(d == x || x != x ? u : (u - larger) | 1u); }");
    return to_half(name + "(" + x + ")", mode.rounding);
  }
  // An integer: what is far beyond the range may be cut to a number that a float holds.
  if (size_of(from) <= 2) return to_half("(float)" + x, mode.rounding);
  const std::string name = "quern_near_" + name_of(from);
  const std::string low = from->is_signed() ? "x < -131072 ? -131072.0f : " : "";
  helper(name, qualifiers() + "float " + name + "(" + type_text(from) + " x) { return " + low +
                   "x > 131072 ? 131072.0f : (float)x; }");
  return to_half(name + "(" + x + ")", mode.rounding);
}

std::string Emitter::half_operate(std::uint32_t op, const std::string& x, const std::string& y) {
  const bool native = is_cuda() && (op == punct("+") || op == punct("-") || op == punct("*"));
  if (native) {
    const std::string word = op == punct("+") ? "add" : op == punct("-") ? "sub" : "mul";
    const std::string name = "quern_" + word + "_half";
    helper(name, qualifiers() + "unsigned short " + name +
                     "(unsigned short x, unsigned short y) { unsigned short r; asm(\"" + word +
                     ".rn.f16 %0, %1, %2;\" : \"=h\"(r) : \"h\"(x), \"h\"(y)); return r; }");
    return name + "(" + x + ", " + y + ")";
  }
  const std::string a = from_half(x), b = from_half(y), sign = " " + spelled(op) + " ";
  switch (op) {
    case punct("+"):
    case punct("-"):
    case punct("*"):
    case punct("/"):
      return to_half(a + sign + b);
    case punct("&&"):
    case punct("||"):
      return "(" + a + " != 0" + sign + b + " != 0)";
    default:
      return "(" + a + sign + b + ")";
  }
}

// A built-in of halves: the float function between two conversions, with few exceptions.
std::string Emitter::half_form(const Builtin& row, const std::vector<std::string>& arguments, const Expr* e) {
  Types& types = program_.types;
  const std::string t = "unsigned short", name = "quern_" + std::string(row.name) + "_half";
  const auto call = [&] {
    std::string text = name + "(";
    for (std::size_t i = 0; i < arguments.size(); ++i) text += (i > 0 ? ", " : "") + arguments[i];
    return text + ")";
  };
  if (row.name == "fabs") return "((unsigned short)(" + arguments[0] + " & 0x7fff))";
  if (row.name == "copysign")
    return "((unsigned short)((" + arguments[0] + " & 0x7fff) | (" + arguments[1] + " & 0x8000)))";
  // By its bits: CUDA's conversion of a not-a-number drops the sign.
  if (row.name == "signbit") return "((int)((" + arguments[0] + ") >> 15))";
  if (row.name == "nan") return "((unsigned short)(" + arguments[0] + " & 0x3ff | 0x7e00))";
  if (row.name == "fma") {
    // The product is exact in double. Where the sum is not, its last bit says so to the rounding that
    // follows.
    const Type* d = types.double_;
    const std::string bits = reinterpret_helper(types.ulong, d), back = reinterpret_helper(d, types.ulong);
    const std::string rounded = half_convert(types.half, d, {}, "o");
    helper(name, qualifiers() + t + " " + name + "(" + t + " x, " + t + " y, " + t +
                     " z) { const double p = (double)" + from_half("x") + " * (double)" + from_half("y") +
                     ", c = " + from_half("z") +
                     ", s = p + c, v = s - p, r = (p - (s - v)) + (c - v); const unsigned long long u = " +
                     bits + "(s); const double o = r == 0 || !(r == r) ? s : " + back +
                     "(((r > 0) == (s > 0) ? u : u - 1) | 1ull); return " + rounded + "; }");
    return call();
  }
  if (row.name == "nextafter") {
    helper(name, qualifiers() + t + " " + name + "(" + t + " x, " + t +
                     " y) { const float a = " + from_half("x") + ", b = " + from_half("y") +
                     "; if (a != a || b != b) return 0x7e00; if (a == b) return y; if (a == 0) return (" + t +
                     ")((y & 0x8000) | 1); return (" + t + ")((a < b) == (a > 0) ? x + 1 : x - 1); }");
    return call();
  }
  if (row.name == "isnormal") {
    helper(name, qualifiers() + "int " + name + "(" + t +
                     " x) { const int e = x >> 10 & 31; return e != 0 && e != 31; }");
    return call();
  }
  if (row.rule == Rule::real_pointer) {
    const std::string inner = scalar_form(row, types.float_, {from_half("x"), "&w"}, e);
    helper(name, qualifiers() + t + " " + name + "(" + t + " x, " + t + " *y) { float w; const float r = " +
                     inner + "; *y = " + to_half("w") + "; return " + to_half("r") + "; }");
    return call();
  }
  std::vector<std::string> converted;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool is_half = e->arguments[i]->type->scalar()->kind == TypeKind::half;
    converted.push_back(is_half ? from_half(arguments[i]) : arguments[i]);
  }
  const std::string value = scalar_form(row, types.float_, converted, e);
  const bool is_int = row.rule == Rule::test || row.rule == Rule::real_to_int;
  return is_int ? value : to_half(value);
}

}  // namespace quern::frontend::lower
