// SPDX-License-Identifier: MIT
// convert_T with every rounding and with saturation, for every pair of scalar types and as vectors; halves in
// memory. The oracle computes in long double under the floating-point unit's own rounding modes.
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "base/half.hpp"
#include "frontend/host_program.hpp"

namespace quern::frontend::test {
namespace {

enum class Kind : std::uint8_t { integer, real };

struct Scalar {
  const char* name;
  std::size_t size;
  Kind kind;
  bool is_signed;
};

constexpr Scalar kScalars[] = {{"char", 1, Kind::integer, true},  {"uchar", 1, Kind::integer, false},
                               {"short", 2, Kind::integer, true}, {"ushort", 2, Kind::integer, false},
                               {"int", 4, Kind::integer, true},   {"uint", 4, Kind::integer, false},
                               {"long", 8, Kind::integer, true},  {"ulong", 8, Kind::integer, false},
                               {"half", 2, Kind::real, true},     {"float", 4, Kind::real, true},
                               {"double", 8, Kind::real, true}};

constexpr const char* kModes[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
constexpr int kRoundings[] = {FE_TONEAREST, FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};

template <class T>
long double read_as(const unsigned char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<long double>(value);
}

long double read(const Scalar& type, const unsigned char* bytes) {
  const std::string name = type.name;
  if (name == "char") return read_as<std::int8_t>(bytes);
  if (name == "uchar") return read_as<std::uint8_t>(bytes);
  if (name == "short") return read_as<std::int16_t>(bytes);
  if (name == "ushort") return read_as<std::uint16_t>(bytes);
  if (name == "int") return read_as<std::int32_t>(bytes);
  if (name == "uint") return read_as<std::uint32_t>(bytes);
  if (name == "long") return read_as<std::int64_t>(bytes);
  if (name == "ulong") return read_as<std::uint64_t>(bytes);
  if (name == "float") return read_as<float>(bytes);
  if (name == "double") return read_as<double>(bytes);
  std::uint16_t bits = 0;
  std::memcpy(&bits, bytes, 2);
  return static_cast<long double>(from_half(bits));
}

// The half that a rounding gives: of the two neighbours of |x|, found by bisection over the ordered bits.
std::uint16_t to_half(long double x, int rounding) {
  if (std::isnan(x)) return 0x7e00;
  const bool negative = std::signbit(x);
  const long double a = std::fabs(x);
  const auto sign = static_cast<std::uint16_t>(negative ? 0x8000 : 0);
  std::uint16_t low = 0, high = 0x7c00;  // value(low) <= a < value(high)
  if (std::isinf(x)) return static_cast<std::uint16_t>(sign | 0x7c00);
  while (high - low > 1) {
    const auto middle = static_cast<std::uint16_t>((low + high) / 2);
    (static_cast<long double>(from_half(middle)) <= a ? low : high) = middle;
  }
  const auto value = [](std::uint16_t bits) {  // as if the exponent went on
    return bits == 0x7c00 ? 65536.0L : static_cast<long double>(from_half(bits));
  };
  bool away = false;
  if (value(low) != a) {
    const long double middle = (value(low) + value(high)) / 2;
    away = rounding == FE_TONEAREST  ? a > middle || (a == middle && (low & 1) != 0)
           : rounding == FE_UPWARD   ? !negative
           : rounding == FE_DOWNWARD ? negative
                                     : false;
  }
  return static_cast<std::uint16_t>(sign | (away ? high : low));
}

// What lies in the range of every value of the type, or does not. Undefined without saturation when outside.
struct Expected {
  bool defined = true;
  std::vector<unsigned char> bytes;
};

Expected oracle(const Scalar& to, long double x, bool from_real, std::size_t mode, bool saturates) {
  Expected result;
  result.bytes.resize(to.size);
  const auto write = [&](auto value) { std::memcpy(result.bytes.data(), &value, to.size); };
  const std::string name = to.name;
  if (to.kind == Kind::real) {
    const int rounding = kRoundings[mode];
    if (name == "half") {
      write(to_half(x, rounding));
    } else {
      std::fesetround(rounding);
      volatile long double v = x;
      if (name == "float") {
        volatile float f = static_cast<float>(v);
        write(static_cast<float>(f));
      } else {
        volatile double d = static_cast<double>(v);
        write(static_cast<double>(d));
      }
      std::fesetround(FE_TONEAREST);
    }
    return result;
  }
  const int bits = static_cast<int>(8 * to.size) - (to.is_signed ? 1 : 0);
  const long double most = std::ldexp(1.0L, bits) - 1, least = to.is_signed ? -std::ldexp(1.0L, bits) : 0;
  long double r = x;
  if (std::isnan(x)) {
    if (!saturates) result.defined = false;
    return result;
  }
  if (from_real) {
    std::fesetround(mode == 0 ? FE_TOWARDZERO : kRoundings[mode]);
    volatile long double v = x;
    r = std::nearbyint(v);
    std::fesetround(FE_TONEAREST);
  }
  if (r < least || r > most) {
    // Integers wrap; a floating-point number out of range gives some value.
    if (!saturates && from_real) result.defined = false;
    if (saturates) r = r < least ? least : most;
  }
  if (!result.defined) return result;
  if (r < 0)
    write(static_cast<std::uint64_t>(static_cast<std::int64_t>(r)));
  else
    write(static_cast<std::uint64_t>(r));
  return result;
}

std::vector<unsigned char> samples(const Scalar& type) {
  std::vector<unsigned char> bytes;
  const auto add = [&](const auto& value) {
    const auto* p = reinterpret_cast<const unsigned char*>(&value);
    bytes.insert(bytes.end(), p, p + type.size);
  };
  if (type.kind == Kind::integer) {
    for (int shift = 0; shift < 64; ++shift)
      for (const std::int64_t delta : {-3, -1, 0, 1, 2, 77}) {
        add(static_cast<std::uint64_t>((std::uint64_t{1} << shift) + static_cast<std::uint64_t>(delta)));
        add(static_cast<std::uint64_t>(0 - (std::uint64_t{1} << shift) + static_cast<std::uint64_t>(delta)));
      }
    return bytes;
  }
  std::vector<double> values = {0.0,
                                -0.0,
                                0.5,
                                1.5,
                                2.5,
                                -0.5,
                                -1.5,
                                -2.5,
                                0.3,
                                -0.7,
                                65504,
                                65519.9,
                                65520,
                                65536,
                                1e-8,
                                6e-8,
                                5.9604645e-8,
                                2.98e-8,
                                -2.98023224e-8,
                                8.9e-8,
                                6.1e-5,
                                -6.09e-5,
                                1e300,
                                -1e300,
                                1e-300,
                                HUGE_VAL,
                                -HUGE_VAL,
                                std::nan(""),
                                3.4028235677973366e38};
  for (int e = -30; e < 70; ++e)
    for (const double m : {1.0, 1.0 + 0x1p-10, 1.0 + 0x1p-11, 1.0 + 0x1p-11 + 0x1p-40, 1.0 + 0x3p-12,
                           1.999999, 1 + 0x1p-24, 1 + 0x1p-24 + 0x1p-50, 1 + 0x3p-24, 2 - 0x1p-52})
      for (const double sign : {1.0, -1.0}) values.push_back(sign * std::ldexp(m, e));
  for (const double v : values) {
    if (type.size == 2) {
      add(quern::to_half(v));
    } else if (type.size == 4) {
      add(static_cast<float>(v));
    } else {
      add(v);
    }
  }
  return bytes;
}

// One kernel for a target and a number of lanes: every rounding, plain and saturating, one after the other.
std::string kernel_name(const Scalar& to, unsigned lanes) {
  return "to_" + std::string(to.name) + std::to_string(lanes);
}

class ConvertFrom : public testing::TestWithParam<std::size_t> {};

TEST_P(ConvertFrom, rounds_and_saturates) {
  const Scalar& from = kScalars[GetParam()];
  Source source;
  for (const Scalar& to : kScalars)
    for (const unsigned lanes : {1U, 4U}) {
      const std::string n = lanes > 1 ? std::to_string(lanes) : "";
      source.text += "kernel void " + kernel_name(to, lanes) + "(global const " + from.name + n +
                     " *in, global " + to.name + n +
                     " *out) { size_t i = get_global_id(0), n = get_global_size(0);";
      for (std::size_t k = 0; k < (to.kind == Kind::integer ? 10 : 5); ++k)
        source.text += " out[i + " + std::to_string(k) + " * n] = convert_" + to.name + n +
                       (k >= 5 ? "_sat" : "") + kModes[k % 5] + "(in[i]);";
      source.text += " }\n";
    }
  const HostProgram program(source);
  std::vector<unsigned char> in = samples(from);
  while (in.size() % (4 * from.size) != 0)
    in.insert(in.end(), in.begin(), in.begin() + static_cast<long>(from.size));
  const std::size_t n = in.size() / from.size;
  const auto aligned = [](std::vector<unsigned char>& v) {
    return v.data() + (64 - reinterpret_cast<std::uintptr_t>(v.data()) % 64);
  };
  std::vector<unsigned char> source_memory(in.size() + 64);
  unsigned char* pi = aligned(source_memory);
  std::memcpy(pi, in.data(), in.size());
  for (const Scalar& to : kScalars)
    for (const unsigned lanes : {1U, 4U}) {
      std::vector<unsigned char> memory(10 * n * to.size + 64);
      unsigned char* out = aligned(memory);
      program.run(kernel_name(to, lanes), {n / lanes, 1, 1}, {16, 1, 1}, {&pi, &out});
      for (std::size_t k = 0; k < (to.kind == Kind::integer ? 10 : 5); ++k)
        for (std::size_t i = 0; i < n; ++i) {
          const long double x = read(from, in.data() + i * from.size);
          const Expected expected = oracle(to, x, from.kind == Kind::real, k % 5, k >= 5);
          const unsigned char* result = out + (k * n + i) * to.size;
          if (!expected.defined) continue;
          const long double want = read(to, expected.bytes.data()), got = read(to, result);
          if (std::isnan(want) && std::isnan(got)) continue;
          ASSERT_EQ(std::memcmp(expected.bytes.data(), result, to.size), 0)
              << "convert_" << to.name << (k >= 5 ? "_sat" : "") << kModes[k % 5] << " of " << from.name
              << " " << static_cast<double>(x) << ": " << static_cast<double>(got) << ", not "
              << static_cast<double>(want);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Every, ConvertFrom, testing::Range(std::size_t{0}, std::size(kScalars)),
                         [](const auto& p) { return std::string(kScalars[p.param].name); });

TEST(HalvesInMemory, are_loaded_and_stored_with_every_rounding) {
  Source source;
  for (const char* type : {"float", "double"})
    for (const char* mode : kModes)
      source.text += std::string("kernel void of_") + type + mode + "(global const " + type +
                     " *in, global half *out) { size_t i = get_global_id(0); vstore_half" + mode +
                     "(in[i], i, out); }\n";
  source.text +=
      "kernel void load(global const half *in, global float *out) { size_t i = get_global_id(0); out[i] = "
      "vload_half(i, in); }\n";
  for (const unsigned n : {2U, 3U, 4U, 8U, 16U}) {
    const std::string v = std::to_string(n);
    source.text += "kernel void copy" + v +
                   "(global const half *in, global half *out) { size_t i = get_global_id(0); vstore_half" +
                   v + "_rtz(vload_half" + v + "(i, in), i, out); }\n";
    source.text += "kernel void aligned" + v +
                   "(global const half *in, global half *out) { size_t i = get_global_id(0); vstorea_half" +
                   v + "(vloada_half" + v + "(i, in), i, out); }\n";
  }
  const HostProgram program(source);
  std::vector<std::uint16_t> all(65536), back(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  std::vector<float> floats(65536);
  std::uint16_t *pa = all.data(), *pb = back.data();
  float* pf = floats.data();
  program.run("load", {65536, 1, 1}, {64, 1, 1}, {&pa, &pf});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double want = from_half(all[i]);
    ASSERT_TRUE(std::isnan(want) ? std::isnan(floats[i])
                                 : floats[i] == want && std::signbit(floats[i]) == std::signbit(want))
        << i;
  }
  program.run("of_float", {65536, 1, 1}, {64, 1, 1}, {&pf, &pb});
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!std::isnan(floats[i])) {
      ASSERT_EQ(back[i], all[i]);
    }
  }
  const Scalar kFloat = kScalars[9], kDouble = kScalars[10];
  for (const Scalar& type : {kFloat, kDouble}) {
    std::vector<unsigned char> in = samples(type);
    const std::size_t n = in.size() / type.size;
    std::vector<double> memory(n);
    std::memcpy(memory.data(), in.data(), in.size());
    double* pi = memory.data();
    for (std::size_t mode = 0; mode < 5; ++mode) {
      std::vector<std::uint16_t> out(n);
      std::uint16_t* po = out.data();
      program.run("of_" + std::string(type.name) + kModes[mode], {n, 1, 1}, {16, 1, 1}, {&pi, &po});
      for (std::size_t i = 0; i < n; ++i) {
        const long double x = read(type, in.data() + i * type.size);
        if (std::isnan(x)) continue;
        ASSERT_EQ(out[i], to_half(x, kRoundings[mode]))
            << type.name << kModes[mode] << " " << static_cast<double>(x);
      }
    }
  }
  for (const unsigned lanes : {2U, 3U, 4U, 8U, 16U}) {
    for (const char* kind : {"copy", "aligned"}) {
      alignas(32) static std::uint16_t in[1024], out[1024];
      for (std::size_t i = 0; i < 1024; ++i) in[i] = static_cast<std::uint16_t>(i * 7), out[i] = 0xffff;
      std::uint16_t *pi = in, *po = out;
      const unsigned long long items = 48;
      program.run(kind + std::to_string(lanes), {items, 1, 1}, {16, 1, 1}, {&pi, &po});
      const bool padded = lanes == 3 && std::string(kind) == "aligned";
      for (std::size_t i = 0; i < 1024; ++i) {
        const std::size_t stride = padded ? 4 : lanes;
        const bool written = i < items * stride && (!padded || i % 4 != 3);
        ASSERT_EQ(out[i], written ? in[i] : 0xffff) << kind << lanes << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace quern::frontend::test
