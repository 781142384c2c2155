// SPDX-License-Identifier: MIT
// What the files of this folder share: places of entries as one number, and the kernels of compressed rows.
#pragma once

#include <cstdint>

#include "quern/array.hpp"
#include "quern/sparse.hpp"

namespace quern::sparse {

// Whether row * columns + column fits 64 bits for all places.
[[nodiscard]] bool has_keys(const Size& size);
// row * columns + column of each entry. Throws ArgumentError if the numbers do not fit.
Array keys_of(const Csr& matrix);
// The matrix with one entry at each of these increasing places.
Csr csr_of_sorted_keys(const Size& size, const Array& keys, const Array& data, const DType& type);

// For starts of segments, and the number of elements: the segment of each element, in the dtype of the
// starts.
Array segment_of_each(const Array& starts, std::int64_t count);
// The sum of each segment of the values.
Array segment_sums(const Array& values, const Array& starts);

}  // namespace quern::sparse
