// SPDX-License-Identifier: MIT
// The specialisation of a generated kernel: its loop structure, and the memory layout of each operand. Never
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

// GPUs need many work-items with a few neighbouring elements each; CPUs need long loops.
enum class LoopStyle : std::uint8_t { grid, chunks };

// The structure that suits the device, unless loop_structure() (quern/compilation.hpp) overrides it. Throws
// as loop_structure().
LoopStyle loop_style(const DeviceProperties& device);

// The stride of an operand along the innermost loop.
enum class Inner : std::uint8_t { unit, zero, any };

// How the kernel addresses an operand's elements.
enum class Placement : std::uint8_t {
  none,     // a scalar, or a pointer that the snippet itself uses
  linear,   // element i is x[i]
  strided,  // by an offset and a stride for each loop
};

struct OperandLayout {
  Placement placement = Placement::none;
  Inner inner = Inner::unit;
  // The same in all rows of a work-item of a grid, so that it is read once, before them.
  bool is_fixed = false;
};

// An argument and how the snippet uses it.
struct Operand {
  Argument argument;
  ElementUse use;
  bool is_element = false;  // accessed only at the index, so that the loop may load, broadcast and store it
  bool is_named_output = false;  // declared as an output, independent of its use
  bool is_base = false;          // its name is a pointer to the element at the index
};

// One character of a kernel's key.
[[nodiscard]] char key_of(const OperandLayout& layout);

struct LoopVariant {
  LoopStyle style = LoopStyle::grid;
  std::uint8_t rank = 1;    // number of loops
  std::uint8_t vector = 1;  // neighbouring elements that a work-item loads and stores at once
  std::uint8_t strips = 1;  // vectors of a work-item, a work-group's length apart
  std::uint16_t group = 0;  // work-items of a group, if the kernel is built for that number
  bool whole = false;       // the elements fill all vectors
  bool wide = false;        // 64-bit indices
  bool ranged = false;      // the caller gives the start and step of the index
  InlineVector<OperandLayout, 16> operands;

  [[nodiscard]] const char* index_type() const { return wide ? "long" : "int"; }
  [[nodiscard]] std::string key() const;
};

// The C name of a user's kernel: avoids names that the language or a device's library reserves.
std::string symbol_of(const std::string& name);

// Names in generated text for data of operand `a`.
std::string operand_name(const char* what, std::size_t a);

// The operands of a snippet over these arguments; a macro of the preamble may use them, too.
std::vector<Operand> operands_of(const std::vector<Argument>& arguments,
                                 const std::vector<const Snippet*>& snippets, const Preamble& preamble,
                                 Snippet::Form form);

// `, const int quern_n0, ...`: the parameters after the user's own: lengths, then offset and strides of each
// strided operand.
std::string loop_parameters(const LoopVariant& variant, const char* length = "quern_n");

}  // namespace quern::codegen
