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

// Checks a dtype of random elements, and an array for them: contiguous, on the queue's device.
void check_type(const Queue& queue, const DType& dtype);
void check_output(const Queue& queue, const Array& out);
[[noreturn]] void refuse_value(const std::string& what);  // throw ArgumentError
[[noreturn]] void refuse_type(const std::string& what);

// A parameter as a kernel takes it.
template <class T>
array::NumberBytes bytes_of(T value) {
  array::NumberBytes bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// How words become elements, with the parameters of the form.
struct Making {
  codegen::RandomForm form;
  array::NumberBytes a{}, b{}, c{};
};
// The form of distributions that take the same number of words for each element; nothing for others. Throws
// ArgumentError for unsupported dtypes and parameters.
std::optional<Making> making_of(const DType& dtype, const Distribution& distribution);

// Reserves the words for `count` elements, and records them in the form.
State reserve_for(Generator& generator, Making& making, std::size_t count);
// Elements from the state's position on.
Event fill(const State& state, const Queue& queue, const Array& out, const Making& making, WaitList wait_for);
// The same as a lazy expression.
Array lazy_draw(const State& state, const Queue& queue, Shape shape, const Making& making);

// One element for each position in the stream, by a kernel of random_sample.cl with these last arguments.
Event sample(Generator& generator, const Queue& queue, const Array& out, const std::string& kernel,
             std::span<const double> parameters, WaitList wait_for);

// The same by a precompiled kernel of the library, a sampler of codegen::random_loops(), from the state's
// position on.
Event call_sampler(const State& state, const Queue& queue, const Array& out, const std::string& kernel,
                   bool in_float, std::span<const array::NumberBytes> parameters, WaitList wait_for);

// The greatest value of an integer type, as nearly as a double holds it.
double greatest(const DType& dtype);

Event draw_gamma(Generator& generator, const Queue& queue, const Array& out, const Gamma& distribution,
                 WaitList wait_for);
Event draw_poisson(Generator& generator, const Queue& queue, const Array& out, const Poisson& distribution,
                   WaitList wait_for);
Event draw_binomial(Generator& generator, const Queue& queue, const Array& out, const Binomial& distribution,
                    WaitList wait_for);

// The words of a counter that are constant over a draw.
std::uint32_t stream_word(const State& state);

}  // namespace quern::random
