// SPDX-License-Identifier: MIT
// Making nodes: types, shapes and places are checked here, so that evaluation has nothing left to refuse.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "array/node.hpp"
#include "quern/arithmetic.hpp"

namespace quern::array {

// The queue that was asked for, or the one the operands are on.
Queue queue_of(std::span<const Operand> operands, const Queue* queue);
Queue queue_of(const Array& array, const Queue* queue);
DType default_float(const Queue& queue);
// Throws ArgumentError where an operand is on another device than the queue.
void check_place(std::span<const Operand> operands, const Queue& queue, std::string_view what);

ValuePtr number_node(const Queue& queue, const Number& number, const DType& dtype, Shape shape);
ValuePtr cast_node(const Queue& queue, const ValuePtr& value, const DType& dtype);
ValuePtr as_input(const Queue& queue, const Operand& operand, const DType& dtype);
// An operation of the table; not part of the graph yet.
std::shared_ptr<Node> apply_node(const codegen::Op& op, std::span<const Operand> operands,
                                 const Queue& queue);
// Elements of one where the condition holds, of the other elsewhere, in this type; not part of the graph yet.
std::shared_ptr<Node> where_node(const Operand& condition, const Operand& yes, const Operand& no,
                                 const DType& dtype, const Queue& queue);
// Makes a node part of the graph: it is evaluated when it is needed, or before what it reads is written.
Array lazy(std::shared_ptr<Node> node);

}  // namespace quern::array
