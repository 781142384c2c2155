// SPDX-License-Identifier: MIT
// Writes conversions between scalar types; half_conversions.cpp has those of half.
#include "frontend/lower/conversion_writer.hpp"

#include <array>

#include "frontend/lower/names.hpp"

namespace quern::frontend::lower {
namespace {

std::string power_of_two(std::uint64_t exponent, const Type* type) {
  return "0x1p" + std::to_string(exponent) + (type->kind == TypeKind::float_ ? "f" : "");
}

std::string suffix_of(const Conversion& mode) {
  constexpr std::array<std::string_view, 5> kSuffixes = {"", "_rte", "_rtz", "_rtp", "_rtn"};
  return std::string(mode.saturates ? "_sat" : "") +
         std::string(kSuffixes[static_cast<std::size_t>(mode.rounding)]);
}

}  // namespace

// If the compiler may replace conversions to integer and back by trunc(), 0 gets its own branch, which keeps
// it +0.
std::string ConversionWriter::scalar_convert(const Type* to, const Type* from, const std::string& x) {
  if (to == from) return x;
  if (to->kind == TypeKind::half || from->kind == TypeKind::half) return half_convert(to, from, {}, x);
  std::string text = "((" + types_.text(to) + ")" + x + ")";
  if (!dialect_.merges_conversions() || !program_.to_integer || !program_.to_real || !from->is_real() ||
      !to->is_integer() || to->kind == TypeKind::bool_)
    return text;
  const std::string name = "quern_truncate_" + name_of(to) + "_" + name_of(from), t = types_.text(to);
  out_.helper(
      name, t + " " + name + "(" + types_.text(from) + " x) { return x > -1 && x < 1 ? 0 : (" + t + ")x; }");
  return name + "(" + x + ")";
}

// The bounds of an integer type are compared in the source's own type, where each is exact: the least value
// and one past the greatest are powers of two.
std::string ConversionWriter::saturate_real(const Type* to, const Type* from) {
  const std::uint64_t bits = 8 * size_of(to) - (to->is_signed() ? 1 : 0);
  const std::string t = types_.text(to), u = types_.text(program_.types.unsigned_of(to));
  const std::string most = to->is_signed() ? "(" + t + ")((" + u + ")-1 >> 1)" : "(" + t + ")-1";
  const std::string least = to->is_signed() ? "(" + t + ")(-(" + most + ") - 1)" : "0";
  return "return !(r == r) ? 0 : r < " + (to->is_signed() ? "-" + power_of_two(bits, from) : "0") + " ? " +
         least + " : r >= " + power_of_two(bits, from) + " ? " + most + " : " +
         scalar_convert(to, from, "r") + ";";
}

std::string ConversionWriter::saturate_integer(const Type* to, const Type* from) {
  const std::string t = types_.text(to), u = types_.text(program_.types.unsigned_of(to));
  const std::string most = to->is_signed() ? "(" + t + ")((" + u + ")-1 >> 1)" : "(" + t + ")-1";
  const std::string least = to->is_signed() ? "(" + t + ")(-(" + most + ") - 1)" : "0";
  std::string text;
  if (from->is_signed()) text = "if (x < " + least + ") return " + least + "; ";
  // x is now at least the smallest value of the target. If all such x fit, no upper bound is needed.
  const bool fits = to->is_signed() ? size_of(from) < size_of(to) + (from->is_signed() ? 1 : 0)
                                    : size_of(from) <= size_of(to);
  if (!fits) {
    const std::string wide = from->is_signed() && to->is_signed() ? "long long" : "unsigned long long";
    const std::string value = from->is_signed() && !to->is_signed() ? "x > 0 && " : "";
    text += "if (" + value + "(" + wide + ")x > (" + wide + ")(" + most + ")) return " + most + "; ";
  }
  return text + "return (" + t + ")x;";
}

// Directed rounding of an integer: truncates the magnitude to the format's digits, and adds one unit in the
// last place if digits were lost and the direction is away from zero.
std::string ConversionWriter::round_integer(const Type* to, Rounding rounding) {
  const std::string t = types_.text(to), name = "quern_cut_" + name_of(to);
  const std::string width = to->kind == TypeKind::float_ ? "24" : "53";
  const std::string leading = dialect_.leading_zeros("u");
  out_.helper(
      name, t + " " + name + "(unsigned long long u, int away) { const int shift = u == 0 ? 0 : 64 - " +
                width + " - " + leading + "; if (shift <= 0) return (" + t +
                ")u; const unsigned long long low = u & ((1ull << shift) - 1); const " + t + " cut = (" + t +
                ")(u - low); return low != 0 && away ? cut + (" + t + ")(1ull << shift) : cut; }");
  const std::string away = rounding == Rounding::up     ? "!negative"
                           : rounding == Rounding::down ? "negative"
                                                        : "0";
  return "const int negative = x < 0; const " + t + " r = " + name +
         "(negative ? 0 - (unsigned long long)x : (unsigned long long)x, " + away +
         "); return negative ? -r : r;";
}

// Rounds to the nearest float, and takes its neighbour if the nearest is on the wrong side.
std::string ConversionWriter::round_double(Rounding rounding) {
  Types& types = program_.types;
  const std::string bits = reinterpret_helper(types.uint, types.float_);
  const std::string back = reinterpret_helper(types.float_, types.uint);
  std::string wrong = "const int up = f < x, down = f > x; ";
  if (rounding == Rounding::up) wrong += "const int step = up ? (u >> 31 ? -1 : 1) : 0; ";
  if (rounding == Rounding::down) wrong += "const int step = down ? (u >> 31 ? 1 : -1) : 0; ";
  if (rounding == Rounding::to_zero) wrong += "const int step = (u >> 31 ? up : down) ? -1 : 0; ";
  return "const float f = (float)x; const unsigned u = " + bits + "(f); " + wrong + "return " + back +
         "(u + (unsigned)step);";
}

std::string ConversionWriter::rounded(const Type* real, Rounding rounding, const std::string& x) {
  if (rounding == Rounding::none || rounding == Rounding::to_zero) return x;  // a cast does that
  const std::string name = rounding == Rounding::to_even ? "rint"
                           : rounding == Rounding::up    ? "ceil"
                                                         : "floor";
  out_.requirements.libm = true;
  return dialect_.library_function(name) + (real->kind == TypeKind::float_ ? "f(" : "(") + x + ")";
}

// convert_T of one scalar.
std::string ConversionWriter::conversion(const Type* to, const Type* from, const Conversion& mode,
                                         const std::string& x) {
  if (to->kind == TypeKind::half || from->kind == TypeKind::half) return half_convert(to, from, mode, x);
  const bool directed = mode.rounding != Rounding::none && mode.rounding != Rounding::to_even;
  std::string body;
  if (to->is_integer() && from->is_integer()) {
    if (mode.saturates) body = saturate_integer(to, from);
  } else if (to->is_integer()) {
    if (mode.saturates)
      body = "const " + types_.text(from) + " r = " + rounded(from, mode.rounding, "x") + "; " +
             saturate_real(to, from);
    else
      return scalar_convert(to, from, rounded(from, mode.rounding, x));
  } else if (from->is_integer()) {
    if (directed && 8 * size_of(from) > (to->kind == TypeKind::float_ ? 24U : 53U))
      body = round_integer(to, mode.rounding);
  } else if (directed && to->kind == TypeKind::float_ && from->kind == TypeKind::double_) {
    body = round_double(mode.rounding);
  }
  if (body.empty()) return scalar_convert(to, from, x);
  const std::string name = "quern_convert_" + name_of(to) + "_" + name_of(from) + suffix_of(mode);
  out_.helper(name, types_.text(to) + " " + name + "(" + types_.text(from) + " x) { " + body + " }");
  return name + "(" + x + ")";
}

std::string ConversionWriter::convert_builtin(const Expr* e, const std::string& x) {
  const Type* to = e->overload;
  const Type* from = e->arguments[0]->type.type;
  const Conversion mode = Conversion::unpacked(e->op);
  if (!to->is_vector()) return conversion(to, from, mode, x);
  return convert_helper(to, from, mode) + "(" + x + ")";
}

std::string ConversionWriter::convert_helper(const Type* to, const Type* from, const Conversion& mode) {
  std::string name = "quern_convert_" + name_of(to) + "_" + name_of(from) + suffix_of(mode);
  if (!out_.is_defined(name)) {
    const bool plain = mode.rounding == Rounding::none && !mode.saturates;
    const Type *a = to->element.type, *b = from->element.type;
    const std::string t = types_.text(to), f = types_.text(from);
    std::string text = t + " " + name + "(" + f + " x) { " + t + " r; ";
    for (std::size_t i = 0; i < to->count; ++i) {
      const std::string x = "x." + lane(i);
      text += "r." + lane(i) + " = " + (plain ? scalar_convert(a, b, x) : conversion(a, b, mode, x)) + "; ";
    }
    out_.helper(name, text + "return r; }");
  }
  return name;
}

std::string ConversionWriter::reinterpret_helper(const Type* to, const Type* from) {
  std::string name = "quern_as_" + name_of(to) + "_" + name_of(from);
  if (!out_.is_defined(name)) {
    const std::string t = types_.text(to), f = types_.text(from);
    out_.helper(name, t + " " + name + "(" + f + " x) { " + t + " r; " + dialect_.library_function("memcpy") +
                          "(&r, &x, sizeof(r)); return r; }");
  }
  return name;
}

}  // namespace quern::frontend::lower
