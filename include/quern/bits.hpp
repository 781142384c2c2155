// SPDX-License-Identifier: MIT
// Booleans packed into the bits of bytes, and back.
#pragma once

#include <cstdint>
#include <optional>

#include "quern/api.hpp"
#include "quern/array.hpp"

namespace QUERN_API quern {

enum class BitOrder : std::uint8_t { big, little };  // whether the first element is the highest bit

// Packs along an axis, or all elements in C order. An integer counts as true if it is not 0. Unused bits of
// the last byte are 0.
Array packbits(const Array& a, std::optional<int> axis = {}, BitOrder order = BitOrder::big);
// Unpacks uint8 to 0 and 1 as uint8. `count` is the number of results, padded with 0; a negative count omits
// that many at the end.
Array unpackbits(const Array& a, std::optional<int> axis = {}, std::optional<std::int64_t> count = {},
                 BitOrder order = BitOrder::big);

}  // namespace quern
