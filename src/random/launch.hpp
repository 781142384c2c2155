// SPDX-License-Identifier: MIT
// The launches of the generators' kernels.
#pragma once

#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "algorithms/launch/kernel_table.hpp"
#include "array/node.hpp"
#include "codegen/random_form.hpp"
#include "quern/random.hpp"

namespace quern::random {

// A checked type of random elements, and a checked array for them: contiguous, on the queue's device.
void check_type(const Queue& queue, const DType& dtype);
void check_output(const Queue& queue, const Array& out);
[[noreturn]] void refuse_value(const std::string& what);  // ArgumentErrors
[[noreturn]] void refuse_type(const std::string& what);

// A parameter as a kernel takes it.
template <class T>
array::NumberBytes bytes_of(T value) {
  array::NumberBytes bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// How words become elements, with the parameters as the form has them.
struct Making {
  codegen::RandomForm form;
  array::NumberBytes a{}, b{}, c{};
};
// Of distributions that take the same number of words for each element; nothing for others. Throws
// ArgumentError for types and parameters that a distribution does not have.
std::optional<Making> making_of(const DType& dtype, const Distribution& distribution);

// Takes the words for so many elements, and says so in the form.
State reserve_for(Generator& generator, Making& making, std::size_t count);
// Elements from the state's position on.
Event fill(const State& state, const Queue& queue, const Array& out, const Making& making, WaitList wait_for);
// The same as an expression, which is computed where and when it is needed.
Array lazy_draw(const State& state, const Queue& queue, Shape shape, const Making& making);

// One element for each place in the stream, by a kernel of random_sample.cl whose last parameters these
// are.
Event sample(Generator& generator, const Queue& queue, const Array& out, const std::string& kernel,
             std::span<const double> parameters, WaitList wait_for);

// The same by a kernel that is compiled into the library: `loop` of codegen::random_loops(), from the state's
// position on.
Event call_sampler(const State& state, const Queue& queue, const Array& out, const std::string& loop,
                   std::span<const array::NumberBytes> parameters, WaitList wait_for);

// The greatest value of an integer type, as far as a double holds it.
double greatest(const DType& dtype);

Event draw_gamma(Generator& generator, const Queue& queue, const Array& out, const Gamma& distribution,
                 WaitList wait_for);
Event draw_poisson(Generator& generator, const Queue& queue, const Array& out, const Poisson& distribution,
                   WaitList wait_for);
Event draw_binomial(Generator& generator, const Queue& queue, const Array& out, const Binomial& distribution,
                    WaitList wait_for);

// Words of a counter that stay the same over a draw.
std::uint32_t stream_word(const State& state);

}  // namespace quern::random
