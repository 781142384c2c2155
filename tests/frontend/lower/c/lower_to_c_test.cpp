// SPDX-License-Identifier: MIT
// Kernels lowered to C, built with the machine's compiler, against sequential loops.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>

#include "frontend/host_program.hpp"

namespace quern::frontend::test {
namespace {

std::vector<float> ramp(std::size_t n, float scale = 0.5f) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = scale * static_cast<float>(i) - 3.0f;
  return v;
}

template <class T>
const void* pass(T& pointer_or_value) {
  return &pointer_or_value;
}

TEST(LowerToC, adds_vectors) {
  const HostProgram program(kernel_file("vector_add"));
  auto a = ramp(1000), b = ramp(1000, 0.25f);
  std::vector<float> c(1000);
  float *pa = a.data(), *pb = b.data(), *pc = c.data();
  program.run("vector_add", {1000, 1, 1}, {64, 1, 1}, {&pa, &pb, &pc}, {0, 0, 0}, 1, 3);
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(c[i], a[i] + b[i]) << i;
  program.run("twice", {1000, 1, 1}, {1000, 1, 1}, {&pc});
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(c[i], 2 * (a[i] + b[i])) << i;
}

TEST(LowerToC, a_guard_stops_at_its_bound_and_no_earlier) {
  const HostProgram program(kernel_file("lin_comb"));
  auto x = ramp(1024), y = ramp(1024, 2.0f);
  float a = 5, b = 6;
  float *px = x.data(), *py = y.data();
  for (const char* kernel : {"lin_comb_int", "lin_comb_uint", "lin_comb_size"}) {
    for (const std::uint64_t n : {1, 7, 63, 64, 65, 999, 1000, 1024}) {
      for (const unsigned long long offset : {0ULL, 5ULL}) {
        std::vector<float> z(1100, -1.0f);
        float* pz = z.data();
        std::uint64_t bound = n;  // little-endian: the low half is the int
        program.run(kernel, {1000, 1, 1}, {64, 1, 1}, {&a, &px, &b, &py, &pz, &bound}, {offset, 0, 0}, 1, 2);
        for (std::size_t i = 0; i < 1024; ++i) {
          const bool written = i >= offset && i < 1000 + offset && i < n;
          ASSERT_EQ(z[i], written ? a * x[i] + b * y[i] : -1.0f) << kernel << " " << n << " " << i;
        }
      }
    }
  }
  int negative = -4;
  std::vector<float> z(1000, -1.0f);
  float* pz = z.data();
  program.run("lin_comb_int", {1000, 1, 1}, {64, 1, 1}, {&a, &px, &b, &py, &pz, &negative});
  EXPECT_EQ(z, std::vector<float>(1000, -1.0f));
}

TEST(LowerToC, computes_linear_combinations_of_float4) {
  const HostProgram program(kernel_file("lin_comb"));
  alignas(16) static float x[4000], y[4000], z[4000];
  for (int i = 0; i < 4000; ++i) x[i] = static_cast<float>(i), y[i] = 1.0f / static_cast<float>(i + 1);
  float a = 5, b = 6;
  float *px = x, *py = y, *pz = z;
  program.run("lin_comb4", {1000, 1, 1}, {128, 1, 1}, {&a, &px, &b, &py, &pz});
  for (int i = 0; i < 4000; ++i) ASSERT_EQ(z[i], a * x[i] + b * y[i]) << i;
}

TEST(LowerToC, finds_the_pixels_inside_a_polygon) {
  const HostProgram program(kernel_file("polygon_mask"));
  std::mt19937 random(7);
  std::uniform_real_distribution<float> uniform(0.0f, 1.0f);
  std::vector<float> corners(48);
  for (float& c : corners) c = uniform(random);
  int count = 24, width = 101, height = 67;
  const float* pc = corners.data();
  std::vector<std::uint8_t> expected(static_cast<std::size_t>(width * height));
  for (int r = 0; r < height; ++r) {
    for (int c = 0; c < width; ++c) {
      const float px = (static_cast<float>(c) + 0.5f) / static_cast<float>(width);
      const float py = (static_cast<float>(r) + 0.5f) / static_cast<float>(height);
      bool inside = false;
      for (int i = 0, j = count - 1; i < count; j = i++) {
        const float ax = corners[2 * i], ay = corners[2 * i + 1], bx = corners[2 * j],
                    by = corners[2 * j + 1];
        if ((ay > py) != (by > py) && px < (bx - ax) * (py - ay) / (by - ay) + ax) inside = !inside;
      }
      expected[static_cast<std::size_t>(r * width + c)] = inside;
    }
  }
  for (const char* kernel : {"polygon_mask", "polygon_mask_constant"}) {
    for (const Sizes local : {Sizes{16, 4, 1}, Sizes{128, 1, 1}, Sizes{1, 1, 1}}) {
      std::vector<std::uint8_t> mask(expected.size(), 7);
      std::uint8_t* pm = mask.data();
      program.run(kernel, {112, 72, 1}, local, {&pc, &count, &width, &height, &pm}, {0, 0, 0}, 2, 5);
      EXPECT_EQ(mask, expected) << kernel << " " << local[0];
    }
  }
}

TEST(LowerToC, sweeps_a_grid) {
  const HostProgram program(kernel_file("jacobi"));
  int width = 70, height = 41;
  std::vector<double> from(static_cast<std::size_t>(width * height)), to(from.size(), 0.0),
      expected(from.size(), 0.0);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = std::sin(static_cast<double>(i));
  for (int r = 1; r < height - 1; ++r)
    for (int c = 1; c < width - 1; ++c) {
      const auto at = [&](int rr, int cc) { return from[static_cast<std::size_t>(rr * width + cc)]; };
      expected[static_cast<std::size_t>(r * width + c)] =
          0.25 * (at(r - 1, c) + at(r + 1, c) + at(r, c - 1) + at(r, c + 1));
    }
  double *pf = from.data(), *pt = to.data();
  program.run("jacobi", {80, 48, 1}, {16, 16, 1}, {&pf, &pt, &width, &height}, {0, 0, 0}, 2, 4);
  EXPECT_EQ(to, expected);
}

std::uint32_t hash(std::uint32_t x) {
  x ^= x >> 16, x *= 0x7feb352dU, x ^= x >> 15, x *= 0x846ca68bU;
  return x ^ x >> 16;
}

TEST(LowerToC, counts_points_with_an_atomic) {
  const HostProgram program(kernel_file("pi"));
  int hits = 0, points = 100, expected = 0;
  std::uint32_t seed = 12345;
  int* ph = &hits;
  program.run("pi", {500, 1, 1}, {64, 1, 1}, {&ph, &points, &seed}, {0, 0, 0}, 1, 3);
  for (std::uint32_t id = 0; id < 500; ++id)
    for (std::uint32_t i = 0; i < 100; ++i) {
      const float x = static_cast<float>(hash(seed + 2 * (id * 100 + i)) >> 8) * 0x1p-24f;
      const float y = static_cast<float>(hash(seed + 2 * (id * 100 + i) + 1) >> 8) * 0x1p-24f;
      expected += x * x + y * y < 1.0f;
    }
  EXPECT_EQ(hits, expected);
}

TEST(LowerToC, draws_the_mandelbrot_set) {
  const HostProgram program(kernel_file("mandelbrot"));
  int width = 64, limit = 50;
  float x0 = -2.0f, y0 = -1.0f, step = 0.04f;
  std::vector<int> out(64 * 48);
  int* po = out.data();
  program.run("mandelbrot", {64, 48, 1}, {16, 8, 1}, {&po, &width, &limit, &x0, &y0, &step}, {0, 0, 0}, 2);
  for (int y = 0; y < 48; ++y)
    for (int x = 0; x < 64; ++x) {
      const float cr = x0 + static_cast<float>(x) * step, ci = y0 + static_cast<float>(y) * step;
      float zr = 0, zi = 0;
      int n = 0;
      for (; n < limit && zr * zr + zi * zi <= 4.0f; ++n) {
        const float t = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = t;
      }
      ASSERT_EQ(out[static_cast<std::size_t>(y * 64 + x)], n) << x << "," << y;
    }
}

TEST(LowerToC, multiplies_a_sparse_matrix) {
  const HostProgram program(kernel_file("spmv"));
  int rows = 300;
  std::vector<int> start = {0}, columns;
  std::vector<double> values, x(300), y(300, -1), expected(300, 0.0);
  for (int r = 0; r < rows; ++r) {
    x[static_cast<std::size_t>(r)] = r * 0.5;
    for (int c = r % 7; c < rows; c += 13 + r % 5) columns.push_back(c), values.push_back(c - 0.25 * r);
    start.push_back(static_cast<int>(columns.size()));
  }
  for (std::size_t r = 0; r < 300; ++r)
    for (auto k = static_cast<std::size_t>(start[r]); k < static_cast<std::size_t>(start[r + 1]); ++k)
      expected[r] += values[k] * x[static_cast<std::size_t>(columns[k])];
  const int *ps = start.data(), *pc = columns.data();
  const double *pv = values.data(), *px = x.data();
  double* py = y.data();
  program.run("spmv", {320, 1, 1}, {32, 1, 1}, {&ps, &pc, &pv, &px, &py, &rows});
  EXPECT_EQ(y, expected);
}

TEST(LowerToC, moves_structures_in_place) {
  struct Particle {
    float position[3], velocity[3], mass;
    int alive;
    std::uint8_t tags[4];
  };
  const HostProgram program(kernel_file("particles"));
  std::vector<Particle> all(50);
  for (int i = 0; i < 50; ++i) {
    const auto f = static_cast<float>(i);
    all[static_cast<std::size_t>(i)] = {
        {f, f + 1, f + 2}, {i % 3 == 0 ? 0.0f : f, 2, 3}, f * 0.1f, i % 5, {1, 2, 3, 4}};
  }
  std::vector<Particle> expected = all;
  std::vector<std::uint32_t> bits(50, 0), expected_bits(50, 0);
  float dt = 0.25f;
  for (std::size_t i = 0; i < 50; ++i) {
    Particle& p = expected[i];
    if (p.alive == 0) continue;
    for (int d = 0; d < 3; ++d) p.position[d] += p.velocity[d] * dt;
    p.alive = p.velocity[0] == 0 ? 4 : 3;
    p.tags[i & 3] = static_cast<std::uint8_t>(p.tags[i & 3] + sizeof(Particle));
    std::memcpy(&expected_bits[i], &p.mass, 4);
  }
  Particle* pa = all.data();
  std::uint32_t* pb = bits.data();
  program.run("step", {50, 1, 1}, {16, 1, 1}, {&pa, &dt, &pb});
  EXPECT_EQ(std::memcmp(all.data(), expected.data(), sizeof(Particle) * 50), 0);
  EXPECT_EQ(bits, expected_bits);
}

int reserved(int c, int n) {
  int t = 0;
  switch (c) {
    case 0:
      t = n;
      break;
    case 1:
      t = n * 2;
      [[fallthrough]];
    case 2:
      t += 1;
      break;
    case -3:
      return -1;
    default:
      if (n > 5) goto far;
      t = 100;
  }
  return t;
far:
  do {
    t += n;
    if (t > 50) break;
    if (t & 1) continue;
    ++t;
  } while (t < 40);
  return t;
}

TEST(LowerToC, keeps_the_flow_of_control) {
  const HostProgram program(kernel_file("control"));
  std::vector<int> out(60);
  std::vector<double> powers(60);
  int* po = out.data();
  double* pp = powers.data();
  program.run("control", {60, 1, 1}, {8, 1, 1}, {&po, &pp});
  for (int i = 0; i < 60; ++i) {
    int n = 0;
    for (int k = 0; k < 10; k++) {
      if (k == 3) continue;
      if (k == 8) break;
      for (;;) {
        n += k;
        if (n % 3 == 0 || n > 40) break;
        n++;
      }
    }
    while (--n >= 20) {
    }
    int list[6] = {5, i & 7, 3, 0, 9, 0}, digits = 0;
    std::sort(list, list + 6);
    for (const int v : list) digits = digits * 3 + v;
    ASSERT_EQ(out[static_cast<std::size_t>(i)], reserved(i % 7 - 3, i) + n * 1000 + (i ? 7 : 8) + digits)
        << i;
    ASSERT_EQ(powers[static_cast<std::size_t>(i)], std::ldexp(1.0, i % 11 - 5));
  }
}

TEST(LowerToC, counts_ids_in_three_dimensions_with_offsets) {
  const HostProgram program(kernel_file("index3"));
  const Sizes global = {10, 7, 5}, local = {4, 3, 2}, offset = {100, 20, 3};
  std::vector<std::uint64_t> out(350);
  std::uint64_t* po = out.data();
  program.run("index3", global, local, {&po}, offset, 3, 4);
  for (std::uint64_t z = 0; z < 5; ++z)
    for (std::uint64_t y = 0; y < 7; ++y)
      for (std::uint64_t x = 0; x < 10; ++x) {
        const std::uint64_t id[4] = {x, y, z, 0};
        std::uint64_t v = x + 100 + 1000 * (y + 20) + 1000000 * (z + 3);
        for (std::size_t d = 0; d < 4; ++d) {
          const std::uint64_t l = d < 3 ? local[d] : 1, g = d < 3 ? global[d] : 1;
          const std::uint64_t group = id[d] / l, groups = (g + l - 1) / l, size = std::min(l, g - group * l);
          v = v * 31 + id[d] % l + 7 * group + 3 * groups + size;
        }
        ASSERT_EQ(out[x + 10 * (y + 7 * z)], v + 3 + x) << x << "," << y << "," << z;
      }
}

TEST(LowerToC, runs_the_whole_row_of_groups_whatever_the_split) {
  const HostProgram program(kernel_file("vector_add"));
  for (const unsigned long long n : {1ULL, 2ULL, 255ULL, 256ULL, 257ULL}) {
    for (const unsigned long long pieces : {1ULL, 2ULL, 7ULL}) {
      std::vector<float> a(n, 3.0f);
      float* pa = a.data();
      program.run("twice", {n, 1, 1}, {16, 1, 1}, {&pa}, {0, 0, 0}, 1, pieces);
      EXPECT_EQ(a, std::vector<float>(n, 6.0f)) << n << " in " << pieces;
    }
  }
}

TEST(LowerToC, evaluates_an_initialiser_once) {
  const HostProgram program(kernel_file("indices"));
  const Sizes global = {100, 1, 1}, local = {16, 1, 1};
  const std::vector<int> in = {3, 1, 4, 1, 5, 9, 2, 6};
  const int* pi = in.data();
  int n = 3, count = 0;
  int* pc = &count;
  std::vector<int> out(100);
  int* po = out.data();
  const auto expect = [&](const char* kernel, const std::vector<const void*>& arguments, auto&& value) {
    std::fill(out.begin(), out.end(), 0);
    program.run(kernel, global, local, arguments);
    for (int i = 0; i < 100; ++i) ASSERT_EQ(out[static_cast<std::size_t>(i)], value(i)) << kernel << " " << i;
  };
  expect("effects_atomic", {&pc, &po}, [](int) { return 1; });
  EXPECT_EQ(count, 100);
  expect("effects_increment", {&po}, [](int i) { return (i + 1) * 100 + i + 1; });
  expect("effects_assign", {&po}, [](int i) { return (1 + i) * 10 + i; });
  expect("effects_call", {&po}, [](int) { return 7; });
  expect("effects_loop", {&po, &pi, &n}, [&](int) { return in[0] + in[2] + in[4]; });
  expect("effects_jump", {&po, &pi}, [&](int i) {
    const auto at = static_cast<std::size_t>(i);
    return in[at & 7] + in[(at + 1) & 7] + in[(at + 2) & 7];
  });
}

TEST(LowerToC, a_guard_compares_in_the_type_of_its_operands) {
  const HostProgram program(kernel_file("guards"));
  for (const char* kernel : {"uint_below_long", "uint_return_long", "int_up_to_long", "size_below_long"}) {
    for (long long n : {-3LL, -1LL, 0LL, 5LL, 100LL, 1LL << 40}) {
      std::vector<int> out(100), expected(100);
      int* po = out.data();
      const bool inclusive = std::string(kernel) == "int_up_to_long";
      for (long long i = 0; i < 100; ++i) expected[static_cast<std::size_t>(i)] = inclusive ? i <= n : i < n;
      program.run(kernel, {100, 1, 1}, {16, 1, 1}, {&po, &n});
      EXPECT_EQ(out, expected) << kernel << " " << n;
    }
  }
}

TEST(LowerToC, an_index_in_an_int_wraps_as_the_int_does) {
  const HostProgram program(kernel_file("indices"));
  std::vector<int> in(100), out(100);
  for (int i = 0; i < 100; ++i) in[static_cast<std::size_t>(i)] = i * i + 1;
  int *po = out.data(), *pi = in.data();
  std::uint32_t minus_one = 0xffffffff;
  long long far = (1LL << 40) - 1;
  const auto expect = [&](const char* kernel, const void* argument) {
    std::fill(out.begin(), out.end(), 0);
    program.run(kernel, {100, 1, 1}, {16, 1, 1}, {&po, &pi, argument});
    EXPECT_EQ(out, in) << kernel;
  };
  expect("shifted_by_uint", &minus_one);
  expect("shifted_by_long", &far);
  expect("scaled_by_uint", &minus_one);
}

TEST(LowerToC, changes_components_of_components) {
  const HostProgram program(kernel_file("vectors"));
  std::vector<int> out(20);
  int* po = out.data();
  program.run("nested_components", {20, 1, 1}, {4, 1, 1}, {&po});
  for (int i = 0; i < 20; ++i) {
    int v[4] = {i, i + 1, i + 2, i + 3}, q[4] = {9, i + 1, 30, 20};
    ++v[2], ++v[3];
    const int before[2] = {v[1]--, v[0]--};
    const int after[2] = {++v[1], ++v[3]};
    q[2] += 5;
    ++q[2];
    int expected = v[0] + 3 * v[1] + 5 * v[2] + 7 * v[3] + 11 * (before[0] + 2 * before[1]) +
                   13 * (after[0] + 2 * after[1]);
    expected += 100 * (q[0] + 3 * q[1] + 5 * q[2] + 7 * q[3]) + q[2];
    ASSERT_EQ(out[static_cast<std::size_t>(i)], expected) << i;
  }
}

}  // namespace
}  // namespace quern::frontend::test
