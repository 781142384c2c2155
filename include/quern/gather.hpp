// SPDX-License-Identifier: MIT
// Moving elements by index: gather, scatter, transpose.
#pragma once

#include <cstdint>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/event.hpp"
#include "quern/queue.hpp"

namespace QUERN_API quern {

// Treatment of indices out of bounds, which include negative ones.
enum class OutOfRange : std::uint8_t {
  drop,   // gather returns zero, scatter writes nothing
  clip,   // use the nearest valid index
  wrap,   // modulo the length: -1 is the last element
  check,  // checked first, which waits: throws ArgumentError of Kind::index and writes nothing
};

// out[i] = x[positions[i]]; positions are integers of any dtype, elements of any dtype.
Array gather(const Queue& queue, const Array& x, const Array& positions, OutOfRange rule = OutOfRange::drop);
Event gather(const Queue& queue, const Array& x, const Array& positions, const Array& out,
             OutOfRange rule = OutOfRange::drop, WaitList wait_for = {});

// How scatter combines a value with the stored one. All but `set` are atomic, so every value counts if
// indices repeat; if several values are `set` at one index, any of them may remain.
enum class Combine : std::uint8_t {
  set,      // any dtype
  add,      // integers and floating-point numbers of 32 and 64 bits, as all below
  min,      // NaN counts as the least,
  max,      // and as the greatest
  bit_and,  // integers
  bit_or,
  bit_xor,
  exchange,  // returns the previous value
};

// out[positions[i]] = combine(out[positions[i]], values[i]).
Event scatter(const Queue& queue, const Array& out, const Array& positions, const Array& values,
              Combine combine = Combine::set, OutOfRange rule = OutOfRange::drop, WaitList wait_for = {});
// previous[i] is the value that values[i] replaced; unchanged if the index is dropped.
Event scatter_exchange(const Queue& queue, const Array& out, const Array& positions, const Array& values,
                       const Array& previous, OutOfRange rule = OutOfRange::drop, WaitList wait_for = {});

// The transpose of a contiguous matrix, of any dtype.
Array transpose(const Queue& queue, const Array& matrix);
Event transpose(const Queue& queue, const Array& matrix, const Array& out, WaitList wait_for = {});

}  // namespace quern
