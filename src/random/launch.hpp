// SPDX-License-Identifier: MIT
// The launches of the generators' kernels.
#pragma once

#include <span>
#include <string>

#include "algorithms/kernel_table.hpp"
#include "quern/random.hpp"

namespace quern::random {

// A checked array for random elements: contiguous, on the queue's device.
void check_output(const Queue& queue, const Array& out);
[[noreturn]] void refuse_value(const std::string& what);  // ArgumentErrors
[[noreturn]] void refuse_type(const std::string& what);

// How words become elements: `words` of a block together become `unit` elements.
struct Making {
  std::string kind;  // the define that random_fill.cl knows it by
  unsigned words = 1, unit = 1;
  std::string parameter_type, offset_type;  // of a and b, and of c
  KernelArgument a, b, c;
};
Event fill(Generator& generator, const Queue& queue, const Array& out, const Making& making,
           WaitList wait_for);

// One element for each place in the stream, by a kernel of random_sample.cl whose last parameters these
// are.
Event sample(Generator& generator, const Queue& queue, const Array& out, const std::string& kernel,
             std::span<const double> parameters, WaitList wait_for);

Event draw_uniform(Generator& generator, const Queue& queue, const Array& out, const Uniform& distribution,
                   WaitList wait_for);
Event draw_normal(Generator& generator, const Queue& queue, const Array& out, const Normal& distribution,
                  WaitList wait_for, bool exponentiated = false);
Event draw_exponential(Generator& generator, const Queue& queue, const Array& out,
                       const Exponential& distribution, WaitList wait_for);
Event draw_integers(Generator& generator, const Queue& queue, const Array& out, const Integers& distribution,
                    WaitList wait_for);
Event draw_gamma(Generator& generator, const Queue& queue, const Array& out, const Gamma& distribution,
                 WaitList wait_for);
Event draw_poisson(Generator& generator, const Queue& queue, const Array& out, const Poisson& distribution,
                   WaitList wait_for);
Event draw_binomial(Generator& generator, const Queue& queue, const Array& out, const Binomial& distribution,
                    WaitList wait_for);

// Words of a counter that stay the same over a draw.
std::uint32_t stream_word(const State& state);

}  // namespace quern::random
