// SPDX-License-Identifier: MIT
// Checks of the distributions' parameters, and their arguments for kernels.
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <variant>

#include "quern/error.hpp"
#include "random/families.hpp"

namespace quern::random {
namespace {

using Kind = codegen::RandomForm::Kind;

void check_real(const DType& dtype, const char* distribution) {
  if (dtype.scalar == Scalar::float32 || dtype.scalar == Scalar::float64) return;
  refuse_type(std::string(distribution) + ": expected dtype float32 or float64, got " + dtype.name());
}

Making real_making(Kind kind, const DType& dtype, double a, double b) {
  Making making;
  making.form.kind = kind;
  making.form.dtype = dtype;
  const bool is_float = dtype.itemsize == 4;
  making.a = is_float ? bytes_of(static_cast<float>(a)) : bytes_of(a);
  making.b = is_float ? bytes_of(static_cast<float>(b)) : bytes_of(b);
  return making;
}

void check_not_negative(const char* distribution, const char* name, double value) {
  if (!(value >= 0) || std::isinf(value))
    refuse_value(std::string(distribution) + ": expected " + name + " >= 0 and finite, got " +
                 number_text(value));
}

void check_finite(const char* distribution, const char* name, double value) {
  if (!std::isfinite(value))
    refuse_value(std::string(distribution) + ": expected " + name + " to be finite, got " +
                 number_text(value));
}

Making making_for(const DType& dtype, const Uniform& distribution) {
  check_real(dtype, "uniform");
  const bool is_float = dtype.itemsize == 4;
  const double range = distribution.high - distribution.low;
  check_finite("uniform", "low", distribution.low);
  check_finite("uniform", "high", distribution.high);
  if (!(range >= 0))
    refuse_value("uniform: expected low <= high, got " + number_text(distribution.low) + " and " +
                 number_text(distribution.high));
  if (range > (is_float ? double{std::numeric_limits<float>::max()} : std::numeric_limits<double>::max()))
    refuse_value("uniform: high - low is too large for " + dtype.name());
  // The kernel multiplies 24 bits of a word by the step itself.
  const double step = is_float ? static_cast<double>(static_cast<float>(range)) * 0x1p-24 : range;
  return real_making(Kind::uniform, dtype, step, distribution.low);
}

Making normal_making(Kind kind, const DType& dtype, double mean, double deviation) {
  const bool is_plain = kind == Kind::normal;
  const char* const name = is_plain ? "normal" : "lognormal";
  check_real(dtype, name);
  check_finite(name, "mean", mean);
  check_not_negative(name, is_plain ? "scale" : "sigma", deviation);
  return real_making(kind, dtype, deviation, mean);
}

Making making_for(const DType& dtype, const Normal& distribution) {
  return normal_making(Kind::normal, dtype, distribution.mean, distribution.deviation);
}

Making making_for(const DType& dtype, const Lognormal& distribution) {
  return normal_making(Kind::lognormal, dtype, distribution.mean, distribution.deviation);
}

Making making_for(const DType& dtype, const Exponential& distribution) {
  check_real(dtype, "exponential");
  check_not_negative("exponential", "scale", distribution.scale);
  return real_making(Kind::exponential, dtype, distribution.scale, 0);
}

Making making_for(const DType& dtype, const Integers& distribution) {
  if (dtype.scalar > Scalar::uint64)
    refuse_type("integers: expected an integer dtype or bool, got " + dtype.name());
  const auto first = static_cast<std::uint64_t>(distribution.first);
  const auto last = static_cast<std::uint64_t>(distribution.last);
  const bool is_unsigned = dtype.scalar >= Scalar::uint8 || dtype.scalar == Scalar::boolean;
  if (is_unsigned && dtype.itemsize == 8 ? first > last : distribution.first > distribution.last)
    refuse_value("integers: expected low < high, or low <= high with an endpoint");
  if (dtype.itemsize < 8) {
    const unsigned bits = dtype.scalar == Scalar::boolean ? 1 : static_cast<unsigned>(dtype.itemsize * 8);
    const std::int64_t least = is_unsigned ? 0 : -(std::int64_t{1} << (bits - 1));
    const std::int64_t greatest = least + ((std::int64_t{1} << bits) - 1);
    if (distribution.first < least || distribution.last > greatest)
      refuse_value("integers: the bounds " + std::to_string(distribution.first) + " and " +
                   std::to_string(distribution.last) + " do not fit " + dtype.name());
  }
  const std::uint64_t count = last - first + 1;  // 0: all 2^64
  Making making;
  making.form.kind = Kind::integer;
  making.form.dtype = dtype;
  making.form.is_wide = count == 0 || count > std::uint64_t{1} << 32;
  making.c = dtype.itemsize == 8 ? bytes_of(first) : bytes_of(static_cast<std::uint32_t>(first));
  if (making.form.is_wide) {
    making.a = bytes_of(count);
    making.b = bytes_of(count == 0 ? 0 : (std::uint64_t{0} - count) % count);
  } else {
    const auto range = static_cast<std::uint32_t>(count);  // 0: all 2^32
    making.a = bytes_of(range);
    making.b = bytes_of(range == 0 ? 0u : (0u - range) % range);
  }
  return making;
}

}  // namespace

std::optional<Making> making_of(const DType& dtype, const Distribution& distribution) {
  return std::visit(
      [&](const auto& one) -> std::optional<Making> {
        if constexpr (requires { making_for(dtype, one); }) return making_for(dtype, one);
        return std::nullopt;
      },
      distribution);
}

Event draw_gamma(Generator& generator, const Queue& queue, const Array& out, const Gamma& distribution,
                 WaitList wait_for) {
  check_real(out.dtype(), "gamma");
  check_not_negative("gamma", "shape", distribution.shape);
  check_not_negative("gamma", "scale", distribution.scale);
  // Marsaglia and Tsang; a shape below 1 is drawn with shape + 1 and multiplied by a power of a uniform
  // number.
  const bool small = distribution.shape < 1;
  const double d = distribution.shape + (small ? 1 : 0) - 1.0 / 3;
  const double parameters[] = {d, 1 / std::sqrt(9 * d), small ? 1 / distribution.shape : 0,
                               distribution.scale};
  return sample(generator, queue, out, "gamma", parameters, wait_for);
}

Event Generator::draw(const Queue& queue, const Array& out, const Distribution& distribution,
                      WaitList wait_for) {
  check_output(queue, out);
  if (auto making = making_of(out.dtype(), distribution)) {
    if (out.size() == 0) return queue.marker(wait_for);
    const State state = reserve_for(*this, *making, out.size());
    return fill(state, queue, out, *making, wait_for);
  }
  return std::visit(
      [&](const auto& one) -> Event {
        using One = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<One, Gamma>) {
          return draw_gamma(*this, queue, out, one, wait_for);
        } else if constexpr (std::is_same_v<One, Poisson>) {
          return draw_poisson(*this, queue, out, one, wait_for);
        } else if constexpr (std::is_same_v<One, Binomial>) {
          return draw_binomial(*this, queue, out, one, wait_for);
        } else if constexpr (std::is_empty_v<One>) {
          return draw_family(*this, queue, out, One::family, {}, wait_for);
        } else if constexpr (One::family > Family::binomial) {
          const auto values = std::bit_cast<std::array<double, sizeof(One) / sizeof(double)>>(one);
          return draw_family(*this, queue, out, One::family, values, wait_for);
        } else {
          throw std::logic_error("numbers of words that are known have a form");
        }
      },
      distribution);
}

Array Generator::draw(const Queue& queue, Shape shape, DType dtype, const Distribution& distribution) {
  check_type(queue, dtype);
  const std::size_t count = element_count(shape, dtype.itemsize);
  // An exponential function may round differently in another kernel, and a draw must have the same bits
  // everywhere.
  const bool is_exact = !std::holds_alternative<Lognormal>(distribution);
  if (auto making = making_of(dtype, distribution); making && is_exact && count != 0) {
    const State state = reserve_for(*this, *making, count);
    return lazy_draw(state, queue, std::move(shape), *making);
  }
  Array result = empty(queue, std::move(shape), std::move(dtype));
  draw(queue, result, distribution);
  return result;
}

}  // namespace quern::random
