// SPDX-License-Identifier: MIT
// Built-in functions of half.
#include "frontend/lower/builtin_writer.hpp"

namespace quern::frontend::lower {

// Calls the float function between two conversions. A few functions have another form.
std::string BuiltinWriter::half_form(const Builtin& row, const std::vector<std::string>& arguments,
                                     const Expr* e) {
  Types& types = program_.types;
  const std::string t = "unsigned short", name = "quern_" + std::string(row.name) + "_half";
  if (row.name == "fabs") return "((unsigned short)(" + arguments[0] + " & 0x7fff))";
  if (row.name == "copysign")
    return "((unsigned short)((" + arguments[0] + " & 0x7fff) | (" + arguments[1] + " & 0x8000)))";
  // Reads the sign bit, because CUDA's conversion to float drops the sign of NaN.
  if (row.name == "signbit") return "((int)((" + arguments[0] + ") >> 15))";
  if (row.name == "nan") return "((unsigned short)(" + arguments[0] + " & 0x3ff | 0x7e00))";
  if (row.name == "fma") {
    // The product is exact in double. If the sum is inexact, its last bit is set, so that the rounding to
    // half is correct.
    const Type* d = types.double_;
    const std::string bits = conversions_.reinterpret_helper(types.ulong, d),
                      back = conversions_.reinterpret_helper(d, types.ulong);
    const std::string rounded = conversions_.half_convert(types.half, d, {}, "o");
    out_.helper(name,
                t + " " + name + "(" + t + " x, " + t + " y, " + t + " z) { const double p = (double)" +
                    conversions_.from_half("x") + " * (double)" + conversions_.from_half("y") +
                    ", c = " + conversions_.from_half("z") +
                    ", s = p + c, v = s - p, r = (p - (s - v)) + (c - v); const unsigned long long u = " +
                    bits + "(s); const double o = r == 0 || !(r == r) ? s : " + back +
                    "(((r > 0) == (s > 0) ? u : u - 1) | 1ull); return " + rounded + "; }");
    return call_text(name, arguments);
  }
  if (row.name == "nextafter") {
    out_.helper(
        name, t + " " + name + "(" + t + " x, " + t + " y) { const float a = " + conversions_.from_half("x") +
                  ", b = " + conversions_.from_half("y") +
                  "; if (a != a || b != b) return 0x7e00; if (a == b) return y; if (a == 0) return (" + t +
                  ")((y & 0x8000) | 1); return (" + t + ")((a < b) == (a > 0) ? x + 1 : x - 1); }");
    return call_text(name, arguments);
  }
  if (row.name == "isnormal") {
    out_.helper(name,
                "int " + name + "(" + t + " x) { const int e = x >> 10 & 31; return e != 0 && e != 31; }");
    return call_text(name, arguments);
  }
  if (row.rule == Rule::real_pointer) {
    const std::string inner = scalar_form(row, types.float_, {conversions_.from_half("x"), "&w"}, e);
    out_.helper(name, t + " " + name + "(" + t + " x, " + t + " *y) { float w; const float r = " + inner +
                          "; *y = " + conversions_.to_half("w") + "; return " + conversions_.to_half("r") +
                          "; }");
    return call_text(name, arguments);
  }
  std::vector<std::string> converted;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool is_half = e->arguments[i]->type->scalar()->kind == TypeKind::half;
    converted.push_back(is_half ? conversions_.from_half(arguments[i]) : arguments[i]);
  }
  const std::string value = scalar_form(row, types.float_, converted, e);
  const bool is_int = row.rule == Rule::test || row.rule == Rule::real_to_int;
  return is_int ? value : conversions_.to_half(value);
}

}  // namespace quern::frontend::lower
