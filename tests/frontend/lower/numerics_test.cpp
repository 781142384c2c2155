// SPDX-License-Identifier: MIT
// Integer semantics bit by bit, floating-point functions within OpenCL's bounds, vectors component by
// component.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "frontend/host_program.hpp"

namespace quern::frontend::test {
namespace {

template <class T>
T saturated(__int128 v) {
  return static_cast<T>(
      std::clamp<__int128>(v, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

std::int64_t expected_integers(std::int32_t x, std::int32_t y) {
  using i32 = std::int32_t;
  using u32 = std::uint32_t;
  using i64 = std::int64_t;
  const auto ux = static_cast<u32>(x), uy = static_cast<u32>(y);
  const i64 lx = x, ly = static_cast<i64>(y) * (1 << 20);
  auto c = static_cast<std::int8_t>(x);
  auto uc = static_cast<std::uint8_t>(y);
  const auto s = static_cast<std::int16_t>(ux * uy);
  std::uint64_t h = 17;
  const auto mix = [&](i64 v) { h = h * 31 + static_cast<std::uint64_t>(v); };
  const auto w = [](u32 v) { return static_cast<i32>(v); };
  mix(w(ux + uy)), mix(w(ux - uy)), mix(w(ux * uy)), mix(w(0 - ux)), mix(~y);
  mix(w(ux << (uy & 31))), mix(x >> (uy & 31)), mix(ux << (uy & 31)), mix(ux >> (uy & 31));
  mix(static_cast<i64>(static_cast<std::uint64_t>(lx) << (uy & 63))), mix(lx >> (uy & 63));
  if (y != 0 && !(x == INT32_MIN && y == -1)) mix(x / y), mix(x % y);
  if (uy != 0) mix(ux / uy), mix(ux % uy);
  i32 q = (y | 1) == -1 ? w(0 - ux) : x / (y | 1);
  mix(q), q = x % 7, mix(q), q = w(static_cast<u32>(q) << (uy & 31)), mix(q), q >>= 3, mix(q), q ^= x, mix(q);
  mix(c + uc), mix(c * c), mix(s), mix(static_cast<std::uint8_t>(uc + 200)), mix(c >> 1);
  c = static_cast<std::int8_t>(c + 100), mix(c), uc = static_cast<std::uint8_t>(uc - 7), mix(uc);
  mix(x < y), mix(ux < uy), mix(ux < uy), mix((x & y) | (x ^ y)), mix(!x), mix(x && y), mix(x || y);
  mix(x < 0 ? 0 - ux : ux), mix(x < y ? uy - ux : ux - uy), mix((lx * y) >> 32);
  mix(static_cast<i64>((static_cast<std::uint64_t>(ux) * uy) >> 32)),
      mix(static_cast<i64>((static_cast<__int128>(lx) * ly) >> 64));
  mix(std::rotl(ux, static_cast<int>(uy & 31)));
  mix(static_cast<std::int8_t>(std::rotl(static_cast<std::uint8_t>(c), c & 7)));
  mix(std::popcount(ux)), mix(std::popcount(static_cast<std::uint8_t>(c))), mix(std::countl_zero(ux));
  mix(std::countl_zero(static_cast<std::uint8_t>(c))), mix(std::countl_zero(static_cast<std::uint64_t>(lx)));
  mix((lx + y) >> 1), mix(static_cast<i64>((static_cast<std::uint64_t>(ux) + uy + 1) >> 1));
  mix(std::min(x, y)), mix(std::max(ux, uy)), mix(std::clamp(x, -5, 5)), mix((x & 0xfff) * (y & 0xfff) + 3),
      mix((x & 0xff) * 3);
  mix(saturated<i32>(static_cast<__int128>(x) + y)), mix(saturated<i32>(static_cast<__int128>(x) - y));
  mix(saturated<u32>(static_cast<__int128>(ux) + uy)), mix(saturated<u32>(static_cast<__int128>(ux) - uy));
  mix(saturated<std::int8_t>(static_cast<int>(c) + static_cast<std::int8_t>(y)));
  mix(saturated<std::uint8_t>(static_cast<int>(uc) - static_cast<std::uint8_t>(x)));
  mix(x > y ? y : x), mix(ux), mix(static_cast<std::uint8_t>(x)), mix('a' + '\n' + '\x41'), mix(0x7fffffff),
      mix(12);
  mix(static_cast<i64>(x > y ? static_cast<u32>(x) : ux)), mix(y), mix(5 + 15), mix((x & ~0xff) | (y & 0xff)),
      mix(x == y ? 1 : 2);
  return static_cast<std::int64_t>(h);
}

TEST(Numerics, integers_wrap_shift_and_divide_as_opencl_says) {
  const HostProgram program(kernel_file("integers"));
  std::vector<std::int32_t> a, b;
  const std::int32_t values[] = {0,         1,  -1,  2,   7,   -13,     31,        32,        33,
                                 63,        64, 127, 128, 255, 1000003, INT32_MAX, INT32_MIN, INT32_MIN + 1,
                                 0x12345678};
  for (const std::int32_t x : values)
    for (const std::int32_t y : values) a.push_back(x), b.push_back(y);
  std::vector<std::int64_t> out(a.size());
  const std::int32_t *pa = a.data(), *pb = b.data();
  std::int64_t* po = out.data();
  program.run("integers", {a.size(), 1, 1}, {32, 1, 1}, {&pa, &pb, &po});
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(out[i], expected_integers(a[i], b[i])) << a[i] << ", " << b[i];
}

std::vector<float> interesting() {
  std::vector<float> v = {0.0f,  -0.0f,  1.0f,  -1.0f,  0.5f,     1.5f, 2.5f,
                          -2.5f, 1e-40f, 3e38f, -7.25f, 100.125f, 0.1f};
  for (int i = 1; i < 400; ++i) v.push_back(std::ldexp(std::sin(static_cast<float>(i)) * 1.3f, i % 9 - 4));
  return v;
}

TEST(Numerics, correctly_rounded_functions_give_the_same_bits_as_a_scalar_loop) {
  const HostProgram program(kernel_file("math"));
  std::vector<float> x = interesting(), y = x;
  std::reverse(y.begin(), y.end());
  for (float& v : y)
    if (v == 0) v = 3.0f;
  x.push_back(NAN), y.push_back(1.0f), x.push_back(2.0f), y.push_back(INFINITY);
  std::vector<float> out(24 * x.size());
  const float *px = x.data(), *py = y.data();
  float* po = out.data();
  program.run("exact", {x.size(), 1, 1}, {64, 1, 1}, {&px, &py, &po});
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float a = x[i], b = y[i];
    const bool whole = std::fabs(a) < 1e9f;  // for conversions to int, which must fit
    const float flipped = std::bit_cast<float>(std::bit_cast<std::int32_t>(a) ^ 1);
    const float expected[24] = {std::sqrt(std::fabs(a)),
                                a / b,
                                std::fma(a, b, 1.0f),
                                std::floor(a),
                                std::ceil(a),
                                std::trunc(a),
                                std::round(a),
                                std::rint(a),
                                std::fmin(a, b),
                                std::fmax(a, 0.0f),
                                std::fmod(a, b),
                                std::copysign(a, b),
                                a < -1  ? -1
                                : a > 1 ? 1
                                        : a,
                                std::isnan(a) ? 0
                                : a > 0       ? 1.0f
                                : a < 0       ? -1.0f
                                              : a,
                                b < a ? 0.0f : 1.0f,
                                static_cast<float>(std::isnan(a) + 2 * std::isinf(b) + 4 * std::signbit(a)),
                                a < b ? b : a,
                                a * 8,
                                flipped,
                                whole ? static_cast<float>(static_cast<int>(a)) : 0,
                                whole ? static_cast<float>(static_cast<int>(std::rint(a))) : 0,
                                static_cast<float>((a < b) + 2 * std::isfinite(a) + 4 * (a == a)),
                                a < b ? b : a,
                                std::nextafter(a, b)};
    for (std::size_t k = 0; k < 24; ++k) {
      if (!whole && (k == 19 || k == 20)) continue;
      const float got = out[24 * i + k];
      if (std::isnan(expected[k])) {
        EXPECT_TRUE(std::isnan(got)) << "function " << k << " of " << a << ", " << b;
      } else {
        EXPECT_EQ(std::bit_cast<std::uint32_t>(got), std::bit_cast<std::uint32_t>(expected[k]))
            << "function " << k << " of " << a << ", " << b;
      }
    }
  }
}

double ulps(float got, double exact) {
  if (std::isnan(exact) || std::isinf(static_cast<float>(exact)))
    return (std::isnan(got) && std::isnan(exact)) || got == static_cast<float>(exact) ? 0 : 1e9;
  const auto near = static_cast<float>(exact);
  const double unit =
      std::max(static_cast<double>(std::fabs(std::nextafter(near, INFINITY) - near)), 0x1p-149);
  return std::fabs(static_cast<double>(got) - exact) / unit;
}

TEST(Numerics, other_functions_keep_opencls_bounds) {
  const HostProgram program(kernel_file("math"));
  const std::vector<float> x = interesting();
  std::vector<float> out(16 * x.size());
  const float* px = x.data();
  float* po = out.data();
  program.run("bounded", {x.size(), 1, 1}, {64, 1, 1}, {&px, &po});
  const double bounds[16] = {4, 4, 5, 3, 3, 16, 6, 4, 3, 3, 2, 5, 16, 2, 4, 8};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = x[i], m = std::fabs(a);
    const double exact[16] = {std::sin(a),
                              std::cos(a),
                              std::tan(a),
                              std::exp(a),
                              std::log(m),
                              std::pow(m, 1.5),
                              std::atan2(a, 2.0),
                              std::hypot(a, 3.0),
                              std::exp2(a),
                              std::log2(m),
                              std::cbrt(a),
                              std::tanh(a),
                              std::erf(a),
                              1 / std::sqrt(m),
                              static_cast<double>(x[i] + (2.0f - x[i]) * 0.25f),
                              a};
    for (std::size_t k = 0; k < 16; ++k) {
      if ((m > 1e30 || m < 1e-30) && k == 15) continue;
      EXPECT_LE(ulps(out[16 * i + k], exact[k]), bounds[k])
          << "function " << k << " of " << a << " gives " << out[16 * i + k] << ", not " << exact[k];
    }
  }
}

TEST(Numerics, the_logarithm_that_vectorises_is_within_one_ulp_over_its_whole_range) {
  Source source;
  source.text =
      "kernel void f(global const float *x, global float *y) { size_t i = get_global_id(0); y[i] = "
      "log(x[i]); }";
  const HostProgram program(source);
  std::vector<float> x, y;
  for (std::uint32_t bits = 1; bits < 0x7f800000; bits += 9973) x.push_back(std::bit_cast<float>(bits));
  const std::size_t positive = x.size();
  for (const float special : {0.0f, -0.0f, -1.0f, INFINITY, -INFINITY, NAN}) x.push_back(special);
  y.resize(x.size());
  const float* px = x.data();
  float* py = y.data();
  program.run("f", {x.size(), 1, 1}, {1024, 1, 1}, {&px, &py});
  double worst = 0;
  for (std::size_t i = 0; i < positive; ++i)
    worst = std::max(worst, ulps(y[i], std::log(static_cast<double>(x[i]))));
  EXPECT_LE(worst, 1.5);
  RecordProperty("worst_ulp_times_1000", static_cast<int>(1000 * worst));
  EXPECT_EQ(y[positive], -INFINITY);
  EXPECT_EQ(y[positive + 1], -INFINITY);
  EXPECT_TRUE(std::isnan(y[positive + 2]));
  EXPECT_EQ(y[positive + 3], INFINITY);
  EXPECT_TRUE(std::isnan(y[positive + 4]));
  EXPECT_TRUE(std::isnan(y[positive + 5]));
}

TEST(Numerics, vectors_follow_their_components) {
  const HostProgram program(kernel_file("vectors"));
  constexpr std::size_t n = 40;
  alignas(64) static float a[4 * n], b[4 * n], out[4 * n], flat[3 * n];
  alignas(64) static std::int32_t ints[4 * n];
  for (std::size_t i = 0; i < 4 * n; ++i)
    a[i] = std::sin(static_cast<float>(i)) * 9, b[i] = std::cos(static_cast<float>(3 * i)) * 9;
  float *pa = a, *pb = b, *po = out, *pf = flat;
  std::int32_t* pi = ints;
  program.run("vectors", {n, 1, 1}, {8, 1, 1}, {&pa, &pb, &po, &pi, &pf});
  const float offsets[2][4] = {{1, 2, 3, 4}, {0.5f, 0.5f, 0.5f, 0.5f}};
  const int table[] = {1, 1, 2, 3, 5, 8};
  for (std::size_t i = 0; i < n; ++i) {
    const float *u = a + 4 * i, *v = b + 4 * i;
    const float divisor[4] = {1, 2, 4, 8};
    float r[4];
    for (int k = 0; k < 4; ++k) r[k] = u[k] * 2.0f + v[k] / divisor[k] - u[(k + 1) % 4];
    r[0] = v[2], r[1] = v[3], r[3] += 1, r[0] *= 2, r[1] *= 2;
    bool any = false;
    for (int k = 0; k < 4; ++k)
      r[k] += offsets[i & 1][k], any |= u[k] < v[k], r[k] = u[k] < v[k] ? r[k] : -r[k];
    r[3] += v[1] + v[0] + std::sqrt(u[0] * u[0] + u[1] * u[1]);
    const int low[4] = {table[i % 6], 1, 2, 3};
    for (int k = 0; k < 4; ++k) {
      r[k] = std::clamp(r[k], -100.0f, 100.0f);
      ASSERT_EQ(out[4 * i + static_cast<std::size_t>(k)],
                std::fmax(r[k], u[k]) + (u[k] + (v[k] - u[k]) * 0.5f))
          << i << " " << k;
      int w = ((static_cast<int>(u[k]) * 4) | low[k]) + 1;
      w = (u[k] > v[k] ? -1 : w) % 7;
      ASSERT_EQ(ints[4 * i + static_cast<std::size_t>(k)],
                w + (any ? 10 : 20) + std::bit_cast<std::int32_t>(u[k]) / 1000)
          << i << " " << k;
    }
    const float cross[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    for (std::size_t k = 0; k < 3; ++k) ASSERT_EQ(flat[3 * i + k], cross[k]);
  }
}

TEST(Numerics, the_text_of_a_kernel_reaches_the_compiler_with_only_what_it_uses) {
  const std::string text = lower_to_c(kernel_file("vector_add")).text;
  EXPECT_EQ(text.find("quern-link"), std::string::npos);
  EXPECT_EQ(text.find("#include"), std::string::npos);
  EXPECT_EQ(text.find("float4"), std::string::npos);
  EXPECT_TRUE(lower_to_c(kernel_file("math")).text.starts_with("/* quern-link: m mvec */\n"));
}

TEST(Numerics, macros_reach_the_kernel) {
  const HostProgram program(kernel_file("preprocessor"));
  std::vector<float> a = {1, 2, 3}, b(3);
  const float* pa = a.data();
  float* pb = b.data();
  program.run("plus_kernel", {3, 1, 1}, {3, 1, 1}, {&pa, &pb});
  EXPECT_EQ(b, (std::vector<float>{13, 14, 15}));
  std::vector<int> sums(2);
  int* ps = sums.data();
  program.run("varied", {2, 1, 1}, {1, 1, 1}, {&ps});
  EXPECT_EQ(sums[1], 28 + 8 * 6);
}

}  // namespace
}  // namespace quern::frontend::test
