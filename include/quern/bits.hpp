// SPDX-License-Identifier: MIT
// Truths packed into the bits of bytes, and back.
#pragma once

#include <cstdint>
#include <optional>

#include "quern/api.hpp"
#include "quern/array.hpp"

namespace QUERN_API quern {

enum class BitOrder : std::uint8_t { big, little };  // whether the first element is the highest bit

// Along an axis, or of all elements in C order. Of integers, whether they are 0. Bits that are left over in
// the last byte are 0.
Array packbits(const Array& a, std::optional<int> axis = {}, BitOrder order = BitOrder::big);
// Of uint8, 0 and 1 as uint8. `count` says how many, which is filled up with 0; a negative one leaves so many
// out at the end.
Array unpackbits(const Array& a, std::optional<int> axis = {}, std::optional<std::int64_t> count = {},
                 BitOrder order = BitOrder::big);

}  // namespace quern
