// SPDX-License-Identifier: MIT
// What the distributions ask of their parameters, and how kernels are told.
#include <cmath>
#include <limits>

#include "quern/error.hpp"
#include "random/launch.hpp"

namespace quern::random {
namespace {

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

// "float" or "double"; anything else is no type for these numbers.
std::string real_type(const Array& out, const char* distribution) {
  if (out.dtype().scalar == Scalar::float32) return "float";
  if (out.dtype().scalar == Scalar::float64) return "double";
  refuse_type(std::string(distribution) + ": expected dtype float32 or float64, got " + out.dtype().name());
}

KernelArgument real(const std::string& type, double value) {
  return type == "float" ? KernelArgument(static_cast<float>(value)) : KernelArgument(value);
}

void check_not_negative(const char* distribution, const char* name, double value) {
  if (!(value >= 0) || std::isinf(value))
    refuse_value(std::string(distribution) + ": expected " + name + " >= 0 and finite, got " +
                 text_of(value));
}

void check_finite(const char* distribution, const char* name, double value) {
  if (!std::isfinite(value))
    refuse_value(std::string(distribution) + ": expected " + name + " to be finite, got " + text_of(value));
}

}  // namespace

Event draw_uniform(Generator& generator, const Queue& queue, const Array& out, const Uniform& distribution,
                   WaitList wait_for) {
  const std::string type = real_type(out, "uniform");
  const double range = distribution.high - distribution.low;
  check_finite("uniform", "low", distribution.low);
  check_finite("uniform", "high", distribution.high);
  if (!(range >= 0))
    refuse_value("uniform: expected low <= high, got " + text_of(distribution.low) + " and " +
                 text_of(distribution.high));
  if (range >
      (type == "float" ? double{std::numeric_limits<float>::max()} : std::numeric_limits<double>::max()))
    refuse_value("uniform: high - low is too large for " + out.dtype().name());
  // The kernel multiplies 24 bits of a word by the step itself.
  const double step = type == "float" ? static_cast<double>(static_cast<float>(range)) * 0x1p-24 : range;
  return fill(generator, queue, out,
              {"UNIFORM", type == "float" ? 1u : 2u, 1, type, type, real(type, step),
               real(type, distribution.low), real(type, 0)},
              wait_for);
}

Event draw_normal(Generator& generator, const Queue& queue, const Array& out, const Normal& distribution,
                  WaitList wait_for, bool exponentiated) {
  const char* const name = exponentiated ? "lognormal" : "normal";
  const std::string type = real_type(out, name);
  check_finite(name, "mean", distribution.mean);
  check_not_negative(name, exponentiated ? "sigma" : "scale", distribution.deviation);
  return fill(generator, queue, out,
              {exponentiated ? "LOGNORMAL" : "NORMAL", type == "float" ? 2u : 4u, 2, type, type,
               real(type, distribution.deviation), real(type, distribution.mean), real(type, 0)},
              wait_for);
}

Event draw_exponential(Generator& generator, const Queue& queue, const Array& out,
                       const Exponential& distribution, WaitList wait_for) {
  const std::string type = real_type(out, "exponential");
  check_not_negative("exponential", "scale", distribution.scale);
  return fill(generator, queue, out,
              {"EXPONENTIAL", type == "float" ? 1u : 2u, 1, type, type, real(type, distribution.scale),
               real(type, 0), real(type, 0)},
              wait_for);
}

Event draw_integers(Generator& generator, const Queue& queue, const Array& out, const Integers& distribution,
                    WaitList wait_for) {
  const DType& dtype = out.dtype();
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
  const std::string offset_type = dtype.itemsize == 8 ? "ulong" : "uint";
  const KernelArgument offset =
      dtype.itemsize == 8 ? KernelArgument(first) : KernelArgument(static_cast<std::uint32_t>(first));
  if (count != 0 && count <= std::uint64_t{1} << 32) {
    const auto range = static_cast<std::uint32_t>(count);  // 0: all 2^32
    const std::uint32_t refused = range == 0 ? 0 : (0u - range) % range;
    return fill(generator, queue, out, {"INTEGER", 1, 1, "uint", offset_type, range, refused, offset},
                wait_for);
  }
  const std::uint64_t refused = count == 0 ? 0 : (std::uint64_t{0} - count) % count;
  return fill(generator, queue, out, {"INTEGER", 2, 1, "ulong", offset_type, count, refused, offset},
              wait_for);
}

Event draw_gamma(Generator& generator, const Queue& queue, const Array& out, const Gamma& distribution,
                 WaitList wait_for) {
  real_type(out, "gamma");
  check_not_negative("gamma", "shape", distribution.shape);
  check_not_negative("gamma", "scale", distribution.scale);
  // Marsaglia and Tsang; a shape below 1 is drawn as one more, times a power of a uniform number.
  const bool small = distribution.shape < 1;
  const double d = distribution.shape + (small ? 1 : 0) - 1.0 / 3;
  const double parameters[] = {d, 1 / std::sqrt(9 * d), small ? 1 / distribution.shape : 0,
                               distribution.scale};
  return sample(generator, queue, out, "gamma", parameters, wait_for);
}

Event Generator::draw(const Queue& queue, const Array& out, const Distribution& distribution,
                      WaitList wait_for) {
  check_output(queue, out);
  struct Visitor {
    Generator& generator;
    const Queue& queue;
    const Array& out;
    WaitList wait_for;
    Event operator()(const Uniform& d) const { return draw_uniform(generator, queue, out, d, wait_for); }
    Event operator()(const Normal& d) const { return draw_normal(generator, queue, out, d, wait_for); }
    Event operator()(const Lognormal& d) const {
      return draw_normal(generator, queue, out, {d.mean, d.deviation}, wait_for, true);
    }
    Event operator()(const Exponential& d) const {
      return draw_exponential(generator, queue, out, d, wait_for);
    }
    Event operator()(const Gamma& d) const { return draw_gamma(generator, queue, out, d, wait_for); }
    Event operator()(const Integers& d) const { return draw_integers(generator, queue, out, d, wait_for); }
    Event operator()(const Poisson& d) const { return draw_poisson(generator, queue, out, d, wait_for); }
    Event operator()(const Binomial& d) const { return draw_binomial(generator, queue, out, d, wait_for); }
  };
  return std::visit(Visitor{*this, queue, out, wait_for}, distribution);
}

Array Generator::draw(const Queue& queue, Shape shape, DType dtype, const Distribution& distribution) {
  const Array result = empty(queue, std::move(shape), std::move(dtype));
  draw(queue, result, distribution);
  return result;
}

}  // namespace quern::random
