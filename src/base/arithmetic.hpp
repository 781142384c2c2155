// SPDX-License-Identifier: MIT
// Division that rounds up, for non-negative numbers.
#pragma once

#include <concepts>
#include <type_traits>

namespace quern {

template <std::integral T>
[[nodiscard]] constexpr T divided_up(T count, std::type_identity_t<T> parts) {
  return static_cast<T>((count + parts - 1) / parts);
}

template <std::integral T>
[[nodiscard]] constexpr T rounded_up(T count, std::type_identity_t<T> multiple) {
  return static_cast<T>(divided_up(count, multiple) * multiple);
}

}  // namespace quern
