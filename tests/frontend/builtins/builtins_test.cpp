// SPDX-License-Identifier: MIT
// The tables of sections 6.12.2 to 6.12.12 of OpenCL C: every built-in, for every type and every width. A
// vector's components are what the function gives for each of them; what the scalar functions give, other
// tests check.
#include <cstring>

#include "frontend/host_program.hpp"
#include "frontend/nvrtc.hpp"
#include "frontend/translation.hpp"

namespace quern::frontend::test {
namespace {

using Names = std::vector<std::string>;

const Names kRealUnary = {
    "acos",   "acosh", "acospi", "asin",  "asinh", "asinpi", "atan",  "atanh",   "atanpi",  "cbrt", "ceil",
    "cos",    "cosh",  "cospi",  "erf",   "erfc",  "exp",    "exp2",  "exp10",   "expm1",   "fabs", "floor",
    "lgamma", "log",   "log2",   "log10", "log1p", "logb",   "rint",  "round",   "rsqrt",   "sin",  "sinh",
    "sinpi",  "sqrt",  "tan",    "tanh",  "tanpi", "tgamma", "trunc", "degrees", "radians", "sign"};
const Names kRealBinary = {"atan2", "atan2pi",   "copysign", "fdim",   "fmax",      "fmin",
                           "fmod",  "hypot",     "maxmag",   "minmag", "nextafter", "pow",
                           "powr",  "remainder", "step",     "max",    "min"};
const Names kRealTernary = {"fma", "mad", "clamp", "mix", "smoothstep", "bitselect"};
const Names kTests = {"isfinite", "isinf", "isnan", "isnormal", "signbit"};
const Names kComparisons = {"isequal",     "isnotequal",    "isgreater", "isgreaterequal", "isless",
                            "islessequal", "islessgreater", "isordered", "isunordered"};
const Names kNativeUnary = {"cos",   "exp",   "exp2",  "exp10", "log",  "log2",
                            "log10", "recip", "rsqrt", "sin",   "sqrt", "tan"};
const Names kIntegerUnary = {"abs", "clz", "ctz", "popcount"};
const Names kIntegerBinary = {"abs_diff", "add_sat", "hadd",   "rhadd",  "max",
                              "min",      "mul_hi",  "rotate", "sub_sat"};
const Names kIntegerTernary = {"clamp", "mad_hi", "mad_sat", "bitselect"};
constexpr unsigned kWidths[] = {1, 2, 3, 4, 8, 16};

bool is_real(const std::string& type) {
  return type == "half" || type == "float" || type == "double";
}

// A kernel that counts the calls whose first or last component is not what the scalar call gives.
class Calls {
 public:
  Calls(std::string type, std::vector<unsigned> widths)
      : type_(std::move(type)), widths_(std::move(widths)) {}
  [[nodiscard]] const std::vector<unsigned>& widths() const { return widths_; }

  // `pattern` is the call, with $ before each value: "fmax($a, $b)".
  void add(const std::string& pattern, bool is_test = false) {
    for (const unsigned width : widths_) {
      const std::string n = width > 1 ? std::to_string(width) : "";
      if (width == 1) {
        count(filled(pattern, "1", ""), filled(pattern, "1", ""));
        continue;
      }
      for (const std::string& lane : {std::string("0"), std::string(1, "0123456789abcdef"[width - 1])})
        count((is_test ? "-" : "") + filled(pattern, n, "") + ".s" + lane, filled(pattern, n, ".s" + lane));
    }
  }
  void add_each(const Names& names, unsigned arity, bool is_test = false, const std::string& prefix = "") {
    for (const std::string& name : names)
      add(prefix + name + (arity == 1 ? "($a)" : arity == 2 ? "($a, $b)" : "($a, $b, $c)"), is_test);
  }
  void line(const std::string& text) { body_ += "  " + text + "\n"; }
  void count(const std::string& x, const std::string& y) {
    line("bad += DIFFERS(" + x + ", " + y + "); ++count;");
  }

  [[nodiscard]] std::string text() const {
    std::string t =
        "#define DIFFERS(x, y) (!((x) == (y) || ((x) != (x) && (y) != (y))))\n"
        "kernel void run(global const " +
        type_ + " *xs, global " + type_ +
        " *ys, global const int *is, global int *out) {\n  int bad = 0, count = 0;\n";
    for (const char* v : {"a", "b", "c"})
      for (const unsigned width : kWidths) {
        const std::string n = width > 1 ? std::to_string(width) : "",
                          k(1, static_cast<char>('0' + (*v - 'a')));
        const std::string name = v + std::to_string(width);
        t += "  " + type_ + n + " " + name + " = " +
             (width > 1 ? "vload" + n + "(" + k + ", xs)" : "xs[" + k + "]") + ";\n";
        if (*v == 'a')
          t += "  int" + n + " i" + std::to_string(width) + " = " +
               (width > 1 ? "vload" + n + "(0, is)" : "is[0]") + ";\n";
      }
    return t + body_ + "  out[0] = bad;\n  out[1] = count;\n}\n";
  }

 private:
  static std::string filled(const std::string& pattern, const std::string& width, const std::string& lane) {
    std::string text;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] != '$') {
        text += pattern[i];
        continue;
      }
      text += std::string(1, pattern[++i]) + width + lane;
    }
    return text;
  }
  std::string type_, body_;
  std::vector<unsigned> widths_;
};

void add_memory(Calls& calls, const std::string& type) {
  for (const unsigned width : {2U, 3U, 4U, 8U, 16U}) {
    const std::string n = std::to_string(width);
    calls.line("vstore" + n + "(b" + n + ", 2, ys);");
    calls.count("vload" + n + "(2, ys).s1", "b" + n + ".s1");
    calls.count("vec_step(" + type + n + ")", width == 3 ? "4" : n);
    if (width != 3) {
      const std::string mask = type == "char" || type == "uchar"                       ? "uchar"
                               : type == "short" || type == "ushort" || type == "half" ? "ushort"
                               : type == "int" || type == "uint" || type == "float"    ? "uint"
                                                                                       : "ulong";
      calls.count("shuffle(a" + n + ", (" + mask + n + ")(1)).s1", "a" + n + ".s1");
      calls.count("shuffle2(a" + n + ", b" + n + ", (" + mask + n + ")(" + n + ")).s0", "b" + n + ".s0");
    }
  }
}

std::string program_for(const std::string& type, const std::vector<unsigned>& widths) {
  Calls calls(type, widths);
  add_memory(calls, type);
  const bool wide = type == "double" || type == "long" || type == "ulong";
  const std::string mask = wide                                                    ? "long"
                           : type == "half" || type == "short" || type == "ushort" ? "short"
                           : type == "char" || type == "uchar"                     ? "char"
                                                                                   : "int";
  for (const unsigned width : {2U, 3U, 4U, 8U, 16U}) {
    const std::string n = std::to_string(width);
    calls.count("select(a" + n + ", b" + n + ", (" + mask + n + ")(-1)).s1", "b" + n + ".s1");
    calls.count("(a" + n + " == a" + n + " ? b" + n + " : a" + n + ").s0", "b" + n + ".s0");
  }
  calls.count("select(a1, b1, (" + mask + ")0)", "a1");
  if (!is_real(type)) {
    calls.add_each(kIntegerUnary, 1);
    calls.add_each(kIntegerBinary, 2);
    calls.add_each(kIntegerTernary, 3);
    if (type == "int" || type == "uint") calls.add_each({"mul24"}, 2), calls.add_each({"mad24"}, 3);
    if (type[0] != 'u')
      for (const unsigned width : kWidths)
        calls.line("bad += any(a" + std::to_string(width) + ") < all(a" + std::to_string(width) +
                   "); ++count;");
    if (!wide) {
      const std::string u = type[0] == 'u' ? type : "u" + type;
      calls.count("upsample(a1, as_" + u + "(b1))", "upsample(a1, as_" + u + "(b1))");
      for (const std::string n : {"2", "3", "4", "8", "16"})
        calls.count("upsample(a" + n + ", as_" + u + n + "(b" + n + ")).s1",
                    "upsample(a" + n + ".s1, as_" + u + "(b" + n + ".s1))");
    }
    return calls.text();
  }
  calls.add_each(kRealUnary, 1);
  calls.add_each(kRealBinary, 2);
  calls.add_each(kRealTernary, 3);
  calls.add_each(kTests, 1, true);
  calls.add_each(kComparisons, 2, true);
  for (const std::string f : {"ldexp", "pown", "rootn"}) calls.add(f + "($a, $i)");
  calls.add("ilogb($a)");
  for (const unsigned width : calls.widths()) {
    const std::string w = std::to_string(width), n = width > 1 ? w : "", s = width > 1 ? ".s1" : "";
    const std::string a = "a" + w, b = "b" + w;
    for (const std::string f : {"fract", "modf", "sincos"}) {
      calls.line("{ " + type + n + " p; " + type + " q; bad += DIFFERS(" + f + "(" + a + ", &p)" + s + ", " +
                 f + "(" + a + s + ", &q)) | DIFFERS(p" + s + ", q); ++count; }");
    }
    for (const std::string& f : {"frexp(" + a, "lgamma_r(" + a, "remquo(" + a + ", " + b}) {
      std::string scalar = f;
      if (width > 1) {
        scalar = f.substr(0, f.find('(') + 1) + a + s;
        if (f.find(',') != f.npos) scalar += ", " + b + s;
      }
      calls.line("{ int" + n + " p; int q; bad += DIFFERS((" + f + ", &p))" + s + ", " + scalar +
                 ", &q)) | (p" + s + " != q); ++count; }");
    }
    if (width <= 4) {
      for (const std::string f : {"length", "fast_length"}) calls.count(f + "(" + a + ")", f + "(" + a + ")");
      for (const std::string f : {"dot", "distance", "fast_distance"})
        calls.count(f + "(" + a + ", " + b + ")", f + "(" + b + ", " + a + ")");
      for (const std::string f : {"normalize", "fast_normalize"})
        calls.count(f + "(" + a + ")" + s, f + "(" + a + ")" + s);
    }
    if (width == 3 || width == 4)
      calls.count("cross(" + a + ", " + b + ").s0", "-cross(" + b + ", " + a + ").s0");
    if (width > 1) {  // a scalar for all components
      for (const std::string& f :
           {"fmax(" + a + ", c1)", "fmin(" + a + ", c1)", "max(" + a + ", c1)", "min(" + a + ", c1)",
            "clamp(" + a + ", b1, c1)", "mix(" + a + ", " + b + ", c1)", "step(c1, " + a + ")",
            "smoothstep(b1, c1, " + a + ")", "ldexp(" + a + ", is[1])"}) {
        std::string scalar = f;
        for (const std::string& v : {a, b})
          for (std::size_t at = scalar.find(v); at != scalar.npos; at = scalar.find(v, at + v.size() + 3))
            scalar.insert(at + v.size(), ".s1");
        calls.count(f + ".s1", scalar);
      }
    }
  }
  calls.count("isnan(nan((" +
                  std::string(type == "double" ? "ulong"
                              : type == "half" ? "ushort"
                                               : "uint") +
                  ")5))",
              "1");
  if (type == "float") {
    for (const std::string prefix : {"native_", "half_"}) {
      calls.add_each(kNativeUnary, 1, false, prefix);
      calls.add_each({"divide", "powr"}, 2, false, prefix);
    }
  }
  return calls.text();
}

class EveryBuiltin : public testing::TestWithParam<std::string> {};

TEST_P(EveryBuiltin, gives_each_component_what_the_scalar_call_gives) {
  const std::string type = GetParam();
  alignas(64) unsigned char xs[1024] = {}, ys[1024] = {};
  for (std::size_t i = 0; i < 64; ++i) {
    const double v = 0.25 + 0.01 * static_cast<double>(i);
    const auto h = static_cast<std::uint16_t>(0x3400 + 3 * i);
    const auto f = static_cast<float>(v);
    if (type == "double") std::memcpy(xs + 8 * i, &v, 8);
    if (type == "float") std::memcpy(xs + 4 * i, &f, 4);
    if (type == "half") std::memcpy(xs + 2 * i, &h, 2);
  }
  if (!is_real(type))
    for (std::size_t i = 0; i < sizeof xs; ++i) xs[i] = static_cast<unsigned char>(i * 37 + (i >> 3));
  std::vector<std::int32_t> is = {3, 2, 5, 3, 7, 1, 2, 3, 4, 5, 6, 7, 2, 3, 4, 5}, out(2);
  auto *px = xs, *py = ys;
  auto *pi = is.data(), *po = out.data();
  // One width at a time: all of them in one function take the compiler minutes.
  for (const unsigned width : kWidths) {
    Source source;
    source.text = program_for(type, {width});
    const HostProgram program(source, "cc", "-O1");
    out = {0, 0};
    program.run("run", {1, 1, 1}, {1, 1, 1}, {&px, &py, &pi, &po});
    EXPECT_EQ(out[0], 0) << "vectors of " << width;
    EXPECT_GT(out[1], 40) << "vectors of " << width;
  }
}

TEST_P(EveryBuiltin, compiles_for_cuda) {
  if (!nvrtc().present()) GTEST_SKIP() << "NVRTC is not installed";
  Source source;
  // NVRTC inlines it all, so the floating-point functions are tested with one width of vectors only.
  const bool real = is_real(GetParam());
  source.text =
      program_for(GetParam(), real ? std::vector<unsigned>{1, 2} : std::vector<unsigned>{1, 2, 3, 4, 8, 16});
  const auto [ok, log] = nvrtc().compile(lower_to_cuda(source).text);
  EXPECT_TRUE(ok) << log;
}

INSTANTIATE_TEST_SUITE_P(Types, EveryBuiltin,
                         testing::Values("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong",
                                         "half", "float", "double"),
                         [](const auto& p) { return p.param; });

TEST(Images, are_refused_by_name_and_line) {
  for (const char* text :
       {"kernel void f(read_only image2d_t i, global float4 *o) {\n o[0] = read_imagef(i, (int2)(0)); }",
        "constant sampler_t s = 3;\nkernel void f() {}",
        "kernel void f(global int *o) {\n  sampler_t s = 1; }"}) {
    Source source;
    source.text = text;
    for (const Target target : {Target::host, Target::cuda}) {
      try {
        (void)Translation(source, target).lower(target);
        FAIL() << text;
      } catch (const BuildError& error) {
        const std::string what = error.what();
        EXPECT_TRUE(what.find("image") != what.npos || what.find("sampler") != what.npos) << what;
        EXPECT_NE(what.find("kernel.cl:"), what.npos) << what;
      }
    }
  }
}

}  // namespace
}  // namespace quern::frontend::test
