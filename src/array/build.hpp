// SPDX-License-Identifier: MIT
// Makes nodes. Types, shapes and devices are checked here, so that evaluation need not check them again.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "array/node.hpp"
#include "quern/arithmetic.hpp"

namespace quern::array {

// Returns the given queue, or the queue of the operands if it is null.
Queue queue_of(std::span<const Operand> operands, const Queue* queue);
Queue queue_of(const Array& array, const Queue* queue);
DType default_float(const Queue& queue);
// Throws ArgumentError if an operand is on another device than the queue.
void check_place(std::span<const Operand> operands, const Queue& queue, std::string_view what);

ValuePtr number_node(const Queue& queue, const Number& number, const DType& dtype, const Shape& shape);
ValuePtr cast_node(const Queue& queue, const ValuePtr& value, const DType& dtype);
ValuePtr as_input(const Queue& queue, const Operand& operand, const DType& dtype);
// Makes a node for an operation of the op table. The node is not yet part of the graph.
std::shared_ptr<Node> apply_node(const codegen::Op& op, std::span<const Operand> operands, Queue queue);
// Makes a node that takes elements of `yes` where the condition is true and of `no` elsewhere, converted to
// `dtype`. The node is not yet part of the graph.
std::shared_ptr<Node> where_node(const Operand& condition, const Operand& yes, const Operand& no,
                                 const DType& dtype, const Queue& queue);
// Makes a node part of the graph. It is evaluated when its elements are needed, or before memory that it
// reads is written.
Array lazy(std::shared_ptr<Node> node);

}  // namespace quern::array
