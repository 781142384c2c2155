// SPDX-License-Identifier: MIT
// Constructs of the language, kernel by kernel, against what C says the same code computes.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "base/half.hpp"
#include "frontend/host_program.hpp"

namespace quern::frontend::test {
namespace {

constexpr Sizes kLocal = {4, 1, 1};

std::uint16_t rounded(double x) {
  return to_half(x);
}

bool same_half(std::uint16_t a, std::uint16_t b) {
  return a == b || (std::isnan(from_half(a)) && std::isnan(from_half(b)));
}

struct HalfPairs {
  std::vector<std::uint16_t> a, b;
  HalfPairs() {
    for (std::uint32_t i = 0; i < 4096; ++i) {
      a.push_back(static_cast<std::uint16_t>(i * 40503U >> 3));
      b.push_back(static_cast<std::uint16_t>(i * 2654435761U >> 7));
    }
    for (const std::uint16_t x : {0x0000, 0x8000, 0x3c00, 0x0001, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x0400})
      for (const std::uint16_t y : {0x0000, 0x8000, 0x3c00, 0x8001, 0x7bff, 0x7c00, 0x03ff})
        a.push_back(static_cast<std::uint16_t>(x)), b.push_back(static_cast<std::uint16_t>(y));
  }
};

TEST(Half, arithmetic_rounds_once) {
  const HostProgram program(kernel_file("half"));
  const HalfPairs in;
  const std::size_t n = in.a.size();
  std::vector<std::uint16_t> out(8 * n);
  const std::uint16_t *pa = in.a.data(), *pb = in.b.data();
  std::uint16_t* po = out.data();
  program.run("half_arithmetic", {n, 1, 1}, kLocal, {&pa, &pb, &po});
  for (std::size_t i = 0; i < n; ++i) {
    // All but the quotient, the root and the last sum are exact in double; those are rounded at the 53rd bit,
    // where a half's rounding cannot turn on it, and the sum is exact in long double.
    const double x = from_half(in.a[i]), y = from_half(in.b[i]);
    const long double fused = static_cast<long double>(x) * y + x;
    const double once[8] = {
        x + y, x - y, x * y, x / y, -x, std::sqrt(std::fabs(x)), static_cast<double>(fused), 2 * x};
    for (std::size_t k = 0; k < 8; ++k)
      ASSERT_TRUE(same_half(out[8 * i + k], rounded(once[k])))
          << k << ": " << x << ", " << y << " gave " << from_half(out[8 * i + k]) << ", not "
          << from_half(rounded(once[k]));
  }
}

TEST(Half, compares_and_assigns) {
  const HostProgram program(kernel_file("half"));
  const HalfPairs in;
  const std::size_t n = in.a.size();
  std::vector<std::int32_t> out(4 * n);
  const std::uint16_t *pa = in.a.data(), *pb = in.b.data();
  std::int32_t* po = out.data();
  program.run("half_tests", {n, 1, 1}, kLocal, {&pa, &pb, &po});
  const auto h = [](double v) { return from_half(rounded(v)); };
  for (std::size_t i = 0; i < n; ++i) {
    const double x = from_half(in.a[i]), y = from_half(in.b[i]);
    if (std::isnan(x) || std::isnan(y)) continue;
    int r = (x != 0 ? 1 : 2) | (x < y ? 4 : 0) | (x == y ? 8 : 0) | (x >= y ? 16 : 0);
    r |= (x != 0 && y != 0 ? 32 : 0) | (x > 1 ? 64 : 0);
    double z = h(h(h(h(h(x + y) - 0.5) * 2) + 1) - 1);
    const double vx = h(-h(x + 1) * 2), vy = h(-h(y + z) * 2), vz = -2;
    const double w = z;
    z = h(z + 1);
    if (std::isnan(z) || std::isnan(vy)) continue;
    r |= (rounded(z) & 0xff) << 8;
    ASSERT_EQ(out[4 * i], r) << x << " " << y;
    ASSERT_EQ(static_cast<std::uint32_t>(out[4 * i + 1]), std::uint32_t{rounded(vx)} << 16 | rounded(vy))
        << x << " " << y;
    const double m = x < y ? y : x, c = std::fmin(std::fmax(x, -1), 1);
    if (x != 0 || y != 0) {
      ASSERT_EQ(static_cast<std::uint32_t>(out[4 * i + 2]), std::uint32_t{rounded(w)} << 16 | rounded(m))
          << x << " " << y;
      const std::uint32_t below = (vx < 0 ? 1 : 0) | (vy < 0 ? 2 : 0) | (vz < 0 ? 4 : 0);
      ASSERT_EQ(static_cast<std::uint32_t>(out[4 * i + 3]), below | std::uint32_t{rounded(c)} << 16)
          << x << " " << y;
    }
  }
}

TEST(Half, literals_and_constants) {
  const HostProgram program(kernel_file("half"));
  std::vector<std::uint16_t> out(8);
  std::vector<float> sums(8);
  std::uint16_t* po = out.data();
  float* ps = sums.data();
  program.run("half_literals", {8, 1, 1}, kLocal, {&po, &ps});
  const double expected[] = {1, -0.1, 65504, 65504, 0x1p-10, 0.1, 3, 3.14159265358979};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(out[i], rounded(expected[i])) << i;
  EXPECT_EQ(sums[0], 1 * 5 + 2 * 6 + 3 * 7 + 4 * 8 + 5 + 8);
}

struct Header {
  unsigned kind : 3;
  int level : 5;
  unsigned : 0;
  std::uint8_t flag : 1, rest : 7;
  short tail;
  std::uint64_t wide : 40;
};

TEST(Records, bit_fields_lie_and_wrap_as_in_c) {
  const HostProgram program(kernel_file("records"));
  std::vector<Header> all(32), expected(32);
  std::vector<int> out(128);
  Header* pa = all.data();
  int* po = out.data();
  program.run("bit_fields", {32, 1, 1}, kLocal, {&pa, &po});
  for (unsigned i = 0; i < 32; ++i) {
    Header& h = expected[i];
    h.kind = i & 7;
    const int level = ((static_cast<int>(i) - 19 + 16) & 31) - 16;  // five bits
    h.level = level;
    h.flag = 1;
    h.rest = 1;
    h.wide = ((std::uint64_t{i} << 38) | 5) & ((std::uint64_t{1} << 40) - 1);
    ASSERT_EQ(out[4 * i], static_cast<int>(h.kind) + 10 * level + 7000 + ((i & 7) < 5 ? 100000 : 0)) << i;
    ASSERT_EQ(out[4 * i + 1], static_cast<int>(sizeof(Header)) + 1);
    ASSERT_EQ(out[4 * i + 2], 200 - 30 + 9 + 77);
    ASSERT_EQ(out[4 * i + 3], 1 + 2 + static_cast<int>(h.wide >> 36));
  }
  EXPECT_EQ(std::memcmp(all.data(), expected.data(), 32 * sizeof(Header)), 0);
}

TEST(Records, members_of_unnamed_members_belong_to_the_whole) {
  struct Variant {
    int tag;
    std::int32_t whole;
  };
  const HostProgram program(kernel_file("records"));
  std::vector<Variant> all(10);
  std::vector<int> out(10);
  Variant* pa = all.data();
  int* po = out.data();
  program.run("unnamed_members", {10, 1, 1}, kLocal, {&pa, &po});
  std::int32_t real = 0;
  const float f = 1.5f;
  std::memcpy(&real, &f, 4);
  for (int i = 0; i < 10; ++i) {
    const std::int32_t whole = i & 1 ? real : i;
    const auto low = static_cast<std::int16_t>(whole), high = static_cast<std::int16_t>(whole >> 16);
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(all[at].tag, (i & 1 ? 3 : 1) + i);
    EXPECT_EQ(all[at].whole, whole);
    EXPECT_EQ(out[at], static_cast<int>(static_cast<unsigned>(whole) + static_cast<unsigned>(low ^ high) +
                                        static_cast<unsigned>(i << 16 | 5) + static_cast<unsigned>(real)));
  }
}

TEST(Records, attributes_shape_the_layout) {
  const HostProgram program(kernel_file("records"));
  std::vector<int> out(6);
  int* po = out.data();
  program.run("layouts", {1, 1, 1}, {1, 1, 1}, {&po});
  struct __attribute__((packed)) Mixed {
    char c;
    int i __attribute__((aligned(4)));
    char d;
    float f;
  };
  const std::vector<int> expected = {sizeof(Mixed), offsetof(Mixed, i), offsetof(Mixed, f), 0x04030201, 3, 8};
  EXPECT_EQ(out, expected);
}

TEST(ProgramScope, global_and_static_variables_keep_their_values) {
  const HostProgram program(kernel_file("program_scope"));
  std::vector<int> out(8);
  int* po = out.data();
  program.run("change", {8, 1, 1}, kLocal, {&po});
  const int primes[] = {2, 3, 5, 7};
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(out[static_cast<std::size_t>(i)], primes[i & 3] + (i & 1 ? 220 : 110) + 3 + "abc"[i & 3] + 7);
  program.run("change", {8, 1, 1}, kLocal, {&po});
  program.run("look", {1, 1, 1}, {1, 1, 1}, {&po});
  EXPECT_EQ(out[0], 46);
  EXPECT_EQ(out[1], 4);
  EXPECT_EQ(out[2], 5);
}

TEST(Components, shuffle_takes_the_components_that_the_mask_names) {
  const HostProgram program(kernel_file("components"));
  alignas(16) static float a[32];
  alignas(16) static std::uint32_t m[32];
  for (std::uint32_t i = 0; i < 32; ++i) a[i] = static_cast<float>(i) + 0.5f, m[i] = i * 7 + (i << 20);
  std::vector<float> out(34 * 8);
  float *pa = a, *po = out.data();
  std::uint32_t* pm = m;
  program.run("shuffles", {8, 1, 1}, kLocal, {&pa, &pm, &po});
  for (std::size_t i = 0; i < 8; ++i) {
    const float* x = a + 4 * i;
    const auto two = [&](std::size_t k) { return k < 4 ? x[k] : x[k - 4] * 10.0f; };
    const float* r = out.data() + 34 * i;
    for (std::size_t k = 0; k < 4; ++k) {
      ASSERT_EQ(r[k], x[m[4 * i + k] & 3]);
      ASSERT_EQ(r[4 + k], two(m[4 * i + k] & 7));
    }
    for (std::size_t k = 0; k < 8; ++k) {
      ASSERT_EQ(r[8 + k], two(7 - k));
      ASSERT_EQ(r[16 + 2 * k], two(7 - k));
      ASSERT_EQ(r[17 + 2 * k], two(7 - k) + 100.0f);
    }
    ASSERT_EQ(r[32], x[3]);
    ASSERT_EQ(r[33], x[1]);
  }
  std::vector<std::uint8_t> bytes(64), narrow(24);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{10});
  std::uint8_t *pb = bytes.data(), *pn = narrow.data();
  program.run("narrow", {4, 1, 1}, kLocal, {&pb, &pn});
  for (std::size_t i = 0; i < 4; ++i) {
    const std::uint8_t* v = bytes.data() + 16 * i;
    const std::vector<std::uint8_t> want = {v[15], v[1], v[i], v[1], v[2], v[1]};
    EXPECT_EQ(std::vector<std::uint8_t>(narrow.begin() + static_cast<long>(6 * i),
                                        narrow.begin() + static_cast<long>(6 * i + 6)),
              want);
  }
}

TEST(Components, upsample_joins_two_halves) {
  const HostProgram program(kernel_file("components"));
  std::vector<std::int64_t> out(8);
  std::int64_t* po = out.data();
  program.run("upsamples", {1, 1, 1}, {1, 1, 1}, {&po});
  const std::vector<std::int64_t> expected = {-257,
                                              0xfe01,
                                              -3 * 65536 + 7,
                                              0xffff0007,
                                              -4LL * (1LL << 32) + 9,
                                              static_cast<std::int64_t>(0x8000000000000009),
                                              -65531,
                                              -2 * 65536 + 5};
  EXPECT_EQ(out, expected);
}

TEST(Attributes, are_read_wherever_the_grammar_has_them) {
  const HostProgram program(kernel_file("attributes"));
  std::vector<int> out(8);
  int* po = out.data();
  program.run("hinted", {8, 1, 1}, kLocal, {&po});
  EXPECT_EQ(out, std::vector<int>(8, 1040 + 32 + 1));
  program.run("required", {8, 1, 1}, {8, 1, 1}, {&po});
  EXPECT_EQ(out, std::vector<int>(8, 8));
  int template_ = 100;
  program.run("class", {8, 1, 1}, kLocal, {&po, &template_});
  EXPECT_EQ(out, std::vector<int>(8, 115));
}

TEST(Atomics, count_in_every_type) {
  const HostProgram program(kernel_file("atomics"));
  std::vector<std::int32_t> i = {5, 5, 5, 5, 0, 0, 0, 0, -1};
  std::vector<std::uint32_t> u = {0, 0xffffffff};
  std::vector<std::int64_t> l(4);
  std::vector<std::uint64_t> q(2);
  std::vector<float> f = {1, 1, -1, 1};
  double d = 1;
  auto *pi = i.data(), *pq = reinterpret_cast<std::int32_t*>(q.data());
  auto* pu = u.data();
  auto* pl = l.data();
  auto* pf = f.data();
  auto* pd = &d;
  program.run("counters", {200, 1, 1}, kLocal, {&pi, &pu, &pl, &pq, &pf, &pd}, {0, 0, 0}, 1, 3);
  int joined = 0;
  for (int id = 0; id < 200; ++id) joined ^= id;
  const std::vector<std::int32_t> want = {19905, 5 - 19900, 205, -195, -199, 199, 0xffff, joined, ~0xffff};
  EXPECT_EQ(i, want);
  EXPECT_EQ(u, (std::vector<std::uint32_t>{0xffffff7f, 0xffffff00 - 127}));
  EXPECT_EQ(l, (std::vector<std::int64_t>{19900LL << 33, -(199LL << 33), 199LL << 33, 200}));
  std::uint64_t largest = 0;
  for (std::uint64_t id = 0; id < 200; ++id) largest = std::max(largest, id << 50);
  EXPECT_EQ(q, (std::vector<std::uint64_t>{largest, ~std::uint64_t{0}}));
  EXPECT_EQ(f, (std::vector<float>{101, 101, 199, -199}));
  EXPECT_EQ(d, 1 - 50.0);
}

TEST(Atomics, of_opencl_2_take_orders_and_scopes) {
  const HostProgram program(kernel_file("atomics"));
  std::vector<std::int32_t> a(10), guarded(2);
  std::vector<std::uint64_t> b = {0, 0, ~std::uint64_t{0}};
  std::int32_t lock = 0;
  std::vector<float> out = {0, 1.5f};
  a[9] = 4;
  auto *pa = a.data(), *pg = guarded.data(), *pl = &lock;
  auto* pb = b.data();
  auto* po = out.data();
  program.run("of_opencl_2", {100, 1, 1}, kLocal, {&pa, &pb, &pl, &pg, &po}, {0, 0, 0}, 1, 2);
  EXPECT_EQ(a, (std::vector<std::int32_t>{4950, -4950, -99, 99, 200, 300, 17, 18, 19, 5}));
  std::uint64_t joined = 0;
  for (std::uint64_t id = 0; id < 100; ++id) joined ^= id;
  EXPECT_EQ(b, (std::vector<std::uint64_t>{~std::uint64_t{0}, joined, 0}));
  EXPECT_EQ(guarded, (std::vector<std::int32_t>{4, 4950}));
  EXPECT_EQ(out, (std::vector<float>{1.5f, 2.5f}));
  EXPECT_EQ(lock, 0);
}

TEST(Atomics, a_pointer_without_a_space_points_anywhere) {
  const HostProgram program(kernel_file("atomics"));
  std::vector<int> a = {10, 20, 30}, out(4);
  auto *pa = a.data(), *po = out.data();
  program.run("spaces", {1, 1, 1}, {1, 1, 1}, {&pa, &pa, &po});
  EXPECT_EQ(out, (std::vector<int>{66, 1, 1, 1}));
}

TEST(Printf, prints_vectors_component_by_component) {
  const HostProgram program(kernel_file("printing"));
  int x = 255;
  float y = 0.5f;
  testing::internal::CaptureStdout();
  program.run("print_all", {1, 1, 1}, {1, 1, 1}, {&x, &y});
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "255 255 ff| 0.50|text|q%\n"
            "1.500000,-2.000000,3.250000,0.500000\n"
            "1.50,-2.00,3.25,0.50|   1.5,  -2.0\n"
            "-1,2,3,4 ff,2,3,4 -7,8 1,-2,3 1099511627776,-1\n"
            "-1099511627776 5 -3 300    7|8     |+9\n"
            "1.5 5.000000e-01\n");
}

TEST(Printf, a_format_without_its_values_is_an_error) {
  for (const char* call :
       {"printf(\"%d %d\", 1)", "printf(\"%s\", 1)", "printf(\"%v4f\", 1.0f)", "printf(\"%v5f\", 1.0f)",
        "printf(\"%q\", 1)", "printf(\"%\")", "printf(\"%d\", \"text\")"}) {
    Source source;
    source.text = std::string("kernel void f() { ") + call + "; }";
    EXPECT_THROW(lower_to_c(source), BuildError) << call;
  }
}

}  // namespace
}  // namespace quern::frontend::test
