// SPDX-License-Identifier: MIT
// How random numbers are made of the words of a counter-based generator, and the function that computes one
// where an expression needs it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "quern/dtype.hpp"

namespace quern::codegen {

// What shapes the text of a draw; parameters and places in the stream are arguments.
struct RandomForm {
  enum class Kind : std::uint8_t { uniform, normal, lognormal, exponential, integer };

  Kind kind = Kind::uniform;
  DType dtype;                // of the elements
  bool is_threefry = false;   // Philox otherwise
  bool is_wide = false;       // integers of more than 2^32, which take two words
  bool starts_block = false;  // the first element is the first of a block

  // So many words of a block become `unit` elements together.
  [[nodiscard]] unsigned words() const;
  [[nodiscard]] unsigned unit() const;
  [[nodiscard]] unsigned block_elements() const { return 4 / words() * unit(); }
  [[nodiscard]] DType parameter() const;  // of a and b
  [[nodiscard]] DType offset() const;     // of c
  // The function of random_values.cl; of integers what its name begins with.
  [[nodiscard]] std::string value_function() const;

  // What the function takes besides the number of the element: start (of the first element: its number, or
  // its block's where it starts one), stream, the key's words by twos, a, b and c.
  [[nodiscard]] std::vector<DType> arguments() const;
  [[nodiscard]] std::string function_name() const;
  // Its definition. It needs random.cl and random_values.cl.
  [[nodiscard]] std::string definition() const;
  // All of it as a number.
  [[nodiscard]] std::uint64_t code() const;
  [[nodiscard]] const char* name() const;  // of the distribution
};

}  // namespace quern::codegen
