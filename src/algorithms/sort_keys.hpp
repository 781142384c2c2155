// SPDX-License-Identifier: MIT
// Sort keys that are compared as unsigned integers (radix_keys.cl).
#pragma once

#include <cstdint>
#include <string_view>

#include "codegen/sort_form.hpp"
#include "quern/array.hpp"
#include "quern/sort.hpp"

namespace quern::algorithms {

struct KeyOrder : codegen::KeyForm {
  std::uint64_t flip = 0;  // argument of key_in() in radix_keys.cl
};

// Throws ArgumentError for a dtype that cannot be sorted.
KeyOrder key_order(std::string_view what, std::string_view name, const DType& dtype, SortOptions options);

[[nodiscard]] bool is_signed_integer(const DType& dtype);
[[nodiscard]] bool is_integer(const DType& dtype);         // includes bool
[[nodiscard]] bool is_floating_point(const DType& dtype);  // real numbers only

}  // namespace quern::algorithms
