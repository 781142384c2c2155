// SPDX-License-Identifier: MIT
// Text that the emitters share: element accesses, vector loads and stores, loops over outer dimensions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/loop.hpp"

namespace quern::codegen {

inline std::string number(std::size_t value) {
  return std::to_string(value);
}

// The parameters that the user declared.
std::string declarations(const std::vector<Operand>& operands);

// The #line directive after which messages use this name.
std::string lines_of(std::string_view file);

// A user's text on separate lines, so that messages count its lines: `before`, the text, `after`.
std::string located(std::string_view role, const std::string& text, std::string_view before,
                    std::string_view after);

// The spelling of an element of the named operand if its loops' indices are known (`i`, quern_i0, and
// quern_rowA of each strided operand), or quern_vA[0] of a fixed one; nothing if it stays as the user wrote
// it.
std::string element_spelling(const std::vector<Operand>& operands, const LoopVariant& variant,
                             std::string_view name);

// Whether neighbouring elements of an operand are kept in registers when `vector` of them are processed at
// once.
bool in_registers(const OperandLayout& layout);

// Statements that copy between memory and the private array, from element quern_base on (for rows, quern_i0);
// for a strip, from that many elements later.
std::string load_vector(const Operand& operand, const LoopVariant& variant, std::size_t a,
                        const std::string& array, unsigned strip = 0);
std::string store_vector(const Operand& operand, const LoopVariant& variant, std::size_t a,
                         const std::string& array, unsigned strip = 0);

// The inner text for each value of the outer indices, with quern_row (the number of the row in C order) and
// quern_rowA (the start of the row of each strided operand) defined; fixed operands have been read into
// quern_vA.
std::string outer_loops(const std::vector<Operand>& operands, const LoopVariant& variant,
                        const std::string& inner);

}  // namespace quern::codegen
