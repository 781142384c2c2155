// SPDX-License-Identifier: MIT
// Conversion of a counter-based generator's words to random numbers, and the function that computes one in an
// expression.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "quern/dtype.hpp"

namespace quern::codegen {

// The properties of a draw that determine its source; parameters and positions in the stream are arguments.
struct RandomForm {
  enum class Kind : std::uint8_t { uniform, normal, lognormal, exponential, integer };

  Kind kind = Kind::uniform;
  DType dtype;                // of the elements
  bool is_threefry = false;   // Philox otherwise
  bool is_wide = false;       // integers with a range above 2^32, which take two words
  bool starts_block = false;  // the first element is the first of a block

  // The number of words of a block that become `unit` elements together.
  [[nodiscard]] unsigned words() const;
  [[nodiscard]] unsigned unit() const;
  [[nodiscard]] unsigned block_elements() const { return 4 / words() * unit(); }
  [[nodiscard]] DType parameter() const;  // of a and b
  [[nodiscard]] DType offset() const;     // of c
  // The function of random_values.cl; for integers the prefix of its name.
  [[nodiscard]] std::string value_function() const;

  // The definitions for random_fill.cl.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> fill_defines() const;

  // The arguments of the function besides the index of the element: start (the position of the first element,
  // or of its block if it starts one), stream, the key's words in pairs, a, b and c.
  [[nodiscard]] std::vector<DType> arguments() const;
  [[nodiscard]] std::string function_name() const;
  // Its definition. It needs random.cl and random_values.cl.
  [[nodiscard]] std::string definition() const;
  // The whole form as a number.
  [[nodiscard]] std::uint64_t code() const;
  [[nodiscard]] const char* name() const;  // of the distribution
};

}  // namespace quern::codegen
