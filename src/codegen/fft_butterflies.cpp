// SPDX-License-Identifier: MIT
// Emits butterflies: transforms of a few points in registers.
#include "codegen/fft_butterflies.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

namespace quern::codegen {
namespace {

std::string literal(double value, bool is_double) {
  std::array<char, 40> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific, is_double ? 17 : 9);
  return std::string(buffer.data(), end.ptr) + (is_double ? "" : "f");
}
constexpr const char* kButterfly2 = R"(
inline void butterfly_2(point *v) {
  const point a = v[0];
  v[0] = a + v[1];
  v[1] = a - v[1];
}
)";
constexpr const char* kButterfly4 = R"(
inline void butterfly_4(point *v) {
  const point a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = v[1] - v[3];
  v[0] = a + c;
  v[1] = (point)(b.x + d.y, b.y - d.x);
  v[2] = a - c;
  v[3] = (point)(b.x - d.y, b.y + d.x);
}
)";

// A butterfly of a power of two by two halves: even and odd points.
std::string power_butterfly(int radix, bool is_double) {
  const int half = radix / 2;
  const std::string r = std::to_string(radix), h = std::to_string(half);
  std::string text = "inline void butterfly_" + r + "(point *v) {\n  point e[" + h + "], o[" + h + "];\n";
  for (int k = 0; k < half; ++k)
    text += "  e[" + std::to_string(k) + "] = v[" + std::to_string(2 * k) + "]; o[" + std::to_string(k) +
            "] = v[" + std::to_string(2 * k + 1) + "];\n";
  text += "  butterfly_" + h + "(e);\n  butterfly_" + h + "(o);\n";
  for (int k = 0; k < half; ++k) {
    const std::string n = std::to_string(k), o = "o[" + n + "]";
    const double angle = 2 * std::numbers::pi * k / radix;
    if (k == half / 2) {
      text += "  " + o + " = (point)(" + o + ".y, -" + o + ".x);\n";
    } else if (k > 0) {
      text += "  " + o + " = times(" + o + ", (point)(" + literal(std::cos(angle), is_double) + ", " +
              literal(-std::sin(angle), is_double) + "));\n";
    }
    text += "  v[" + n + "] = e[" + n + "] + " + o + "; v[" + std::to_string(k + half) + "] = e[" + n +
            "] - " + o + ";\n";
  }
  return text + "}\n";
}

std::string odd_butterfly(int radix, bool is_double) {
  const int half = (radix - 1) / 2;
  const std::string r = std::to_string(radix), h = std::to_string(half);
  std::string text = "inline void butterfly_" + r + "(point *v) {\n  point a[" + h + "], b[" + h +
                     "], sum = v[0];\n  const point first = v[0];\n";
  for (int j = 1; j <= half; ++j) {
    const std::string at = std::to_string(j - 1), one = "v[" + std::to_string(j) + "]",
                      two = "v[" + std::to_string(radix - j) + "]";
    text += "  a[" + at + "] = " + one + " + " + two + "; b[" + at + "] = " + one + " - " + two +
            "; sum += a[" + at + "];\n";
  }
  text += "  v[0] = sum;\n";
  for (int k = 1; k <= half; ++k) {
    // t = first + sums of cosines, u = sums of sines
    std::string sums = "    point t = first, u = (point)(0, 0);\n";
    for (int j = 1; j <= half; ++j) {
      const double angle = 2 * std::numbers::pi * (j * k % radix) / radix;
      const std::string at = std::to_string(j - 1);
      sums += "    t = fma((point)(" + literal(std::cos(angle), is_double) + "), a[" + at +
              "], t); u = fma((point)(" + literal(std::sin(angle), is_double) + "), b[" + at + "], u);\n";
    }
    text += "  {\n" + sums + "    v[" + std::to_string(k) + "] = (point)(t.x + u.y, t.y - u.x);\n    v[" +
            std::to_string(radix - k) + "] = (point)(t.x - u.y, t.y + u.x);\n  }\n";
  }
  return text + "}\n";
}

}  // namespace

std::string fft_butterflies(const std::vector<int>& radices, bool is_double) {
  const auto has = [&](int radix) {
    return std::find(radices.begin(), radices.end(), radix) != radices.end();
  };
  std::string text;
  if (has(1)) text += "inline void butterfly_1(point *v) {}\n";
  if (has(2)) text += kButterfly2;
  if (has(4) || has(8) || has(16) || has(32)) text += kButterfly4;
  if (has(8) || has(16) || has(32)) text += power_butterfly(8, is_double);
  if (has(16) || has(32)) text += power_butterfly(16, is_double);
  if (has(32)) text += power_butterfly(32, is_double);
  for (int radix = 3; radix < 64; radix += 2)
    if (has(radix)) text += odd_butterfly(radix, is_double);
  return text;
}

}  // namespace quern::codegen
