// SPDX-License-Identifier: MIT
// Ready-made prefix sums, products, maxima and minima, of an array or of its segments; and values reduced
// over runs of equal keys.
//
// Arrays are one-dimensional and contiguous. Sums and products of bool and of small integers are 64 bits
// wide, as NumPy's. NaNs are passed on by maxima and minima.
#pragma once

#include <cstdint>
#include <utility>

#include "quern/api.hpp"
#include "quern/kernel.hpp"

namespace QUERN_API quern {

enum class ScanOperation : std::uint8_t { sum, product, maximum, minimum };

// Where segments start: where an array of bool or of integers is not zero, or where neighbouring keys differ.
struct Segments {
  const Array* starts = nullptr;
  const Array* keys = nullptr;
};

struct ScanOptions {
  ScanOperation operation = ScanOperation::sum;
  bool exclusive = false;  // without the element itself; the first of a segment has the neutral element
  Segments segments = {};
};

// The dtype that a scan of such elements has where nobody asks for another.
DType scan_dtype(const DType& dtype, ScanOperation operation);

// In a new array, or in `out`, whose dtype the scan is computed in, and which may be `x` itself.
Array scan(const Queue& queue, const Array& x, const ScanOptions& options = {});
Event scan(const Queue& queue, const Array& x, const Array& out, const ScanOptions& options = {},
           WaitList wait_for = {});

// Of each run of equal keys, the key and its values combined, in 64 bits where sums of small integers need
// it. The form without outputs waits for their number; the other writes it to `count`, of one uint64 or
// int64, and does not wait.
std::pair<Array, Array> reduce_by_key(const Queue& queue, const Array& keys, const Array& values,
                                      ScanOperation operation = ScanOperation::sum);
Event reduce_by_key(const Queue& queue, const Array& keys, const Array& values, const Array& keys_out,
                    const Array& values_out, const Array& count, ScanOperation operation = ScanOperation::sum,
                    WaitList wait_for = {});

}  // namespace quern
