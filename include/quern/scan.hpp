// SPDX-License-Identifier: MIT
// Ready-made scans: cumulative sums, products, maxima and minima of an array or of its segments; and values
// reduced over runs of equal keys.
//
// Arrays are one-dimensional and contiguous. Sums and products of bool and of small integers are 64 bits
// wide, as NumPy's. Maxima and minima propagate NaN.
#pragma once

#include <cstdint>
#include <utility>

#include "quern/api.hpp"
#include "quern/kernel.hpp"

namespace QUERN_API quern {

enum class ScanOperation : std::uint8_t { sum, product, maximum, minimum };

// Starts of segments: where an array of bool or integers is not zero, or where neighbouring keys differ.
struct Segments {
  const Array* starts = nullptr;
  const Array* keys = nullptr;
};

struct ScanOptions {
  ScanOperation operation = ScanOperation::sum;
  bool exclusive = false;  // exclude the element itself; the first element of a segment gets the identity
  Segments segments = {};
};

// The default dtype of a scan of such elements.
DType scan_dtype(const DType& dtype, ScanOperation operation);

// Returns a new array, or writes `out`, whose dtype the scan is computed in and which may be `x` itself.
Array scan(const Queue& queue, const Array& x, const ScanOptions& options = {});
Event scan(const Queue& queue, const Array& x, const Array& out, const ScanOptions& options = {},
           WaitList wait_for = {});

// For each run of equal keys, the key and its combined values, in 64 bits for sums of small integers. The
// form without outputs waits for the number of runs; the other writes it to `count`, of one uint64 or int64,
// and does not wait. There are at most as many runs as keys, and only the device knows how many: of more runs
// than an output has elements, the first are written, and `count` is the whole number. An output has at least
// one element.
std::pair<Array, Array> reduce_by_key(const Queue& queue, const Array& keys, const Array& values,
                                      ScanOperation operation = ScanOperation::sum);
Event reduce_by_key(const Queue& queue, const Array& keys, const Array& values, const Array& keys_out,
                    const Array& values_out, const Array& count, ScanOperation operation = ScanOperation::sum,
                    WaitList wait_for = {});

}  // namespace quern
