// SPDX-License-Identifier: MIT
// What a generated kernel is specialised for: how its loop runs, and how each operand lies in memory. Never
// lengths or values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/arguments.hpp"
#include "codegen/snippet.hpp"
#include "quern/inline_vector.hpp"
#include "quern/properties.hpp"

namespace quern::codegen {

// GPUs want many work-items that take a few neighbouring elements each; CPUs want long loops.
enum class LoopStyle : std::uint8_t { grid, chunks };

// QUERN_LOOPS=grid or chunks overrides what the device would get, to compare or test them. Throws
// ArgumentError for another: who sets it must not be shown figures of something else.
LoopStyle loop_style(const DeviceProperties& device);

// How an operand steps along the innermost loop.
enum class Inner : std::uint8_t { unit, zero, any };

// How the kernel finds an operand's elements.
enum class Placement : std::uint8_t {
  none,     // a scalar, or a pointer that the snippet itself uses
  linear,   // element i is x[i]
  strided,  // by an offset and a stride for each loop
};

struct OperandLayout {
  Placement placement = Placement::none;
  Inner inner = Inner::unit;
  // The same in all rows that a work-item of a grid goes through, so that it is read once, before them.
  bool is_fixed = false;
};

// An argument and what the snippet does with it.
struct Operand {
  Argument argument;
  ElementUse use;
  bool is_element = false;  // touched only at the index, so that the loop may load, broadcast and store it
  bool is_named_output = false;  // declared as an output, whatever the snippet does with it
  bool is_place = false;  // its name is a pointer to the element at the index, from which the snippet goes on
};

// One character of a kernel's key.
[[nodiscard]] char key_of(const OperandLayout& layout);

struct LoopVariant {
  LoopStyle style = LoopStyle::grid;
  std::uint8_t rank = 1;    // loops
  std::uint8_t vector = 1;  // neighbouring elements that a work-item loads and stores at once
  std::uint8_t strips = 1;  // such vectors that it takes, a work-group's length apart
  std::uint16_t group = 0;  // work-items of a group, where the kernel is made for so many
  bool whole = false;       // the elements fill all vectors
  bool wide = false;        // 64-bit indices
  bool ranged = false;      // the index starts and steps as the caller says
  InlineVector<OperandLayout, 16> operands;

  [[nodiscard]] const char* index_type() const { return wide ? "long" : "int"; }
  [[nodiscard]] std::string key() const;
};

// The C name of a kernel that a user calls so: no name that the language or a device's library has for
// itself.
std::string symbol_of(const std::string& name);

// Names that generated text gives to what belongs to operand `a`.
std::string operand_name(const char* what, std::size_t a);

// The operands that a snippet over these arguments has; a macro of the preamble may use them, too.
std::vector<Operand> operands_of(const std::vector<Argument>& arguments,
                                 const std::vector<const Snippet*>& snippets, const Preamble& preamble,
                                 Snippet::Form form);

// `, const int quern_n0, ...`: the parameters that follow the user's own: lengths, then offset and strides of
// each strided operand.
std::string loop_parameters(const LoopVariant& variant, const char* length = "quern_n");

}  // namespace quern::codegen
