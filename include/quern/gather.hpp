// SPDX-License-Identifier: MIT
// Elements moved about by their positions: gather, scatter, transpose.
#pragma once

#include <cstdint>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/event.hpp"
#include "quern/queue.hpp"

namespace QUERN_API quern {

// What becomes of positions outside of the array; negative ones are outside.
enum class OutOfRange : std::uint8_t {
  drop,   // gather gives zero, scatter does nothing
  clip,   // the nearest end
  wrap,   // modulo the length: -1 is the last element
  check,  // looked at first, which waits: an ArgumentError, and nothing is written
};

// out[i] = x[positions[i]]; positions are integers of any dtype, elements of any dtype.
Array gather(const Queue& queue, const Array& x, const Array& positions, OutOfRange rule = OutOfRange::drop);
Event gather(const Queue& queue, const Array& x, const Array& positions, const Array& out,
             OutOfRange rule = OutOfRange::drop, WaitList wait_for = {});

// How scatter combines a value with what is there. All but `set` are atomic, so every value counts where
// positions repeat; of several `set`s to one position any may be last.
enum class Combine : std::uint8_t {
  set,      // any dtype
  add,      // integers and floating-point numbers of 32 and 64 bits, as all below
  min,      // NaN counts as the least,
  max,      // and as the greatest
  bit_and,  // integers
  bit_or,
  bit_xor,
  exchange,  // keeps what was there
};

// out[positions[i]] = out[positions[i]] (combined with) values[i].
Event scatter(const Queue& queue, const Array& out, const Array& positions, const Array& values,
              Combine combine = Combine::set, OutOfRange rule = OutOfRange::drop, WaitList wait_for = {});
// previous[i] is what values[i] took the place of; untouched where the position is dropped.
Event scatter_exchange(const Queue& queue, const Array& out, const Array& positions, const Array& values,
                       const Array& previous, OutOfRange rule = OutOfRange::drop, WaitList wait_for = {});

// The transpose of a contiguous matrix, of any dtype.
Array transpose(const Queue& queue, const Array& matrix);
Event transpose(const Queue& queue, const Array& matrix, const Array& out, WaitList wait_for = {});

}  // namespace quern
