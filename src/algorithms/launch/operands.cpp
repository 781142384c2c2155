// SPDX-License-Identifier: MIT
// The arguments of a generated kernel as operands: where their elements are, and which loop fits them.
#include "algorithms/launch/operands.hpp"

#include <algorithm>

#include "base/dtype_kinds.hpp"
#include "quern/error.hpp"
#include "runtime/allocation.hpp"
#include "runtime/argument_types.hpp"
#include "runtime/queue_state.hpp"

namespace quern::algorithms {
namespace {

using codegen::Operand;
using codegen::Placement;
using Kind = KernelArgument::Kind;

[[noreturn]] void reject(const std::string& kernel, std::size_t index, const Operand& operand,
                         ArgumentError::Kind kind, const std::string& text) {
  const Parameter& parameter = operand.argument.parameter;
  throw ArgumentError(kind, "argument " + std::to_string(index) + " ('" + parameter.name + "', " +
                                parameter.type_name + ") of " + kernel + ": " + text);
}

// If the device cannot pass the address of the buffer, the operand starts some elements before it, at an
// address that the device can pass, and the loop adds their number.
void move_start(BoundOperand& bound, std::size_t alignment) {
  const std::size_t start = bound.given->offset();
  if (alignment <= 1 || start % alignment == 0) return;
  for (std::size_t before = 0; before <= start && before <= alignment * bound.itemsize;
       before += bound.itemsize) {
    if ((start - before) % alignment != 0) continue;
    bound.moved = bound.given->extended(before);
    bound.offset += before;
    return;
  }
}

// A view of elements of the parameter's type.
void bind_array(BoundOperand& bound, const std::string& kernel, const Operand& operand, const Array& array) {
  const DType& wanted = operand.argument.parameter.dtype;
  if (!detail::fits_pointer(wanted, array)) {
    reject(kernel, bound.argument, operand, ArgumentError::Kind::type,
           "expected an array of " + wanted.name() + ", got an array of " + array.dtype().name() +
               detail::pointer_difference(wanted, array));
  }
  if (detail::is_complex(array.dtype()) && wanted.lanes == 1 && wanted.itemsize < array.dtype().itemsize) {
    reject(kernel, bound.argument, operand, ArgumentError::Kind::type,
           "expected an array of " + wanted.name() + ", got an array of " + array.dtype().name() +
               ", each element of which is two of them; declare it as '" + array.dtype().name() +
               " *', or pass its real or imaginary part");
  }
  const ArrayMemory& memory = array.evaluate();
  bound.given = &memory.buffer;
  bound.offset = memory.offset;
  bound.contiguous = memory.contiguous;
  bound.is_base = operand.is_base;
  if (memory.offset % wanted.itemsize != 0)
    reject(kernel, bound.argument, operand, ArgumentError::Kind::value, "the first element is not aligned");
  // Vectors of the array's elements.
  if (array.dtype().itemsize != wanted.itemsize) {
    if (!memory.contiguous)
      reject(kernel, bound.argument, operand, ArgumentError::Kind::value,
             "a strided view of " + array.dtype().name() + " has no elements of " + wanted.name());
    const auto count = static_cast<std::int64_t>(array.nbytes() / wanted.itemsize);
    bound.view = {{count}, {1}};
    return;
  }
  const auto itemsize = static_cast<std::int64_t>(wanted.itemsize);
  bound.view = {array.shape(), memory.strides};
  for (std::int64_t& stride : bound.view.strides) {
    if (stride % itemsize != 0) {
      reject(kernel, bound.argument, operand, ArgumentError::Kind::value,
             "strides of " + std::to_string(stride) + " bytes are not a multiple of the element's " +
                 std::to_string(itemsize));
    }
    stride /= itemsize;
  }
}

// Elements from the start of a buffer to its end.
void bind_buffer(BoundOperand& bound, const Buffer& buffer) {
  bound.given = &buffer;
  bound.view = {{static_cast<std::int64_t>(buffer.size() / bound.itemsize)}, {1}};
}

}  // namespace

bool has_precision(const DType& dtype, const DeviceProperties& device) {
  const bool is_half = dtype.scalar == Scalar::float16;
  const bool is_double = dtype.scalar == Scalar::float64 || dtype.scalar == Scalar::complex128;
  return (!is_half || device.has_fp16) && (!is_double || device.has_fp64);
}

bool BoundOperand::is_aligned(std::size_t nbytes) const {
  return detail::is_aligned(buffer(), offset, nbytes);
}

BoundOperands bind_operands(const std::string& kernel, const std::vector<Operand>& operands,
                            std::span<const KernelArgument> arguments, const Queue& queue,
                            bool allow_missing) {
  if (arguments.size() != operands.size()) {
    throw ArgumentError(ArgumentError::Kind::type, kernel + " takes " + std::to_string(operands.size()) +
                                                       " arguments, got " + std::to_string(arguments.size()));
  }
  const detail::QueueState& state = *queue.state();
  const Device& device = state.context()->devices()[state.device()];
  const DeviceProperties& properties = device.properties();
  BoundOperands result;
  for (std::size_t a = 0; a < operands.size(); ++a) {
    const Operand& operand = operands[a];
    const Parameter& parameter = operand.argument.parameter;
    if ((operand.is_element || !parameter.is_pointer) && !has_precision(parameter.dtype, properties))
      check_precision("argument " + std::to_string(a) + " ('" + parameter.name + "', " + parameter.type_name +
                          ") of " + kernel,
                      parameter.dtype, device);
    if (!operand.is_element) continue;
    const KernelArgument& argument = arguments[a];
    if (argument.kind == Kind::null_pointer && allow_missing) continue;
    BoundOperand& bound = result.emplace_back();
    bound.argument = a;
    bound.itemsize = parameter.dtype.itemsize;
    bound.written = operand.use.writes;
    if (argument.kind == Kind::array) {
      bind_array(bound, kernel, operand, *argument.array);
    } else if (argument.kind == Kind::buffer) {
      bind_buffer(bound, *argument.buffer);
    } else {
      reject(kernel, a, operand, ArgumentError::Kind::type,
             "expected an array, got " + detail::describe(argument));
    }
    const Buffer& buffer = *bound.given;
    if (buffer.released()) reject(kernel, a, operand, ArgumentError::Kind::value, "the buffer was released");
    if (buffer.allocation()->context() != state.context()) {
      reject(kernel, a, operand, ArgumentError::Kind::value,
             "the memory is on " + buffer.device().spec() + ", but the queue is on " + device.spec() +
                 "; copy it there first");
    }
    move_start(bound, properties.sub_buffer_alignment);
  }
  return result;
}

InlineVector<codegen::View, 8> views_of(const BoundOperands& bound) {
  InlineVector<codegen::View, 8> views;
  views.reserve(bound.size());
  for (const BoundOperand& operand : bound) views.push_back(operand.view);
  return views;
}

void check_precision(const std::string& what, const DType& dtype, const Device& device) {
  if (has_precision(dtype, device.properties())) return;
  throw ArgumentError(ArgumentError::Kind::type, what + ": " + dtype.name() + " needs " +
                                                     (dtype.scalar == Scalar::float16 ? "half" : "double") +
                                                     " precision, which " + device.spec() + " does not have");
}

std::int64_t size_of_pointers(const std::string& kernel, const std::vector<Operand>& operands,
                              std::span<const KernelArgument> arguments) {
  for (std::size_t a = 0; a < operands.size(); ++a) {
    const std::size_t itemsize = std::max<std::size_t>(operands[a].argument.parameter.dtype.itemsize, 1);
    if (!operands[a].argument.parameter.is_pointer) continue;
    if (arguments[a].kind == Kind::array)
      return static_cast<std::int64_t>(arguments[a].array->nbytes() / itemsize);
    if (arguments[a].kind == Kind::buffer)
      return static_cast<std::int64_t>(arguments[a].buffer->size() / itemsize);
  }
  throw ArgumentError(
      ArgumentError::Kind::value,
      kernel + ": no array among the arguments says how many elements there are; pass size=, their number");
}

codegen::IndexSpace ranged_space(const std::string& kernel, const BoundOperands& bound,
                                 const IndexRange& range) {
  codegen::IndexSpace space;
  const std::int64_t count = range.count();
  const std::int64_t last = range.start + (count - 1) * range.step;
  space.lengths = {count};
  for (const BoundOperand& operand : bound) {
    const codegen::IndexSpace own = codegen::index_space(operand.view.shape, std::span(&operand.view, 1));
    const bool leaves =
        count > 0 && (std::min(range.start, last) < 0 || std::max(range.start, last) >= own.size());
    if (own.rank() > 1 || leaves) {
      throw ArgumentError(ArgumentError::Kind::value,
                          kernel + ": the range from " + std::to_string(range.start) + " to " +
                              std::to_string(last) + (leaves ? " leaves the " : " cannot count the ") +
                              std::to_string(own.size()) + " elements of argument " +
                              std::to_string(operand.argument) +
                              (own.rank() > 1 ? ", which is strided in several dimensions" : ""));
    }
    space.strides.push_back({own.size() == 1 ? 1 : own.strides[0][0]});
  }
  return space;
}

codegen::OperandLayout layout_of(const BoundOperand& operand, std::span<const std::int64_t> strides,
                                 std::size_t rank, const DeviceProperties& device) {
  using codegen::Inner;
  // If a pointer cannot point to the first element, the kernel adds the offset.
  const std::size_t start = operand.buffer().offset() + operand.offset;
  if (!operand.is_base && rank == 1 && strides[0] == 1 &&
      start % std::max<std::size_t>(device.sub_buffer_alignment, 1) == 0)
    return {Placement::linear, Inner::unit};
  return {Placement::strided, strides[0] == 1 ? Inner::unit : strides[0] == 0 ? Inner::zero : Inner::any};
}

bool can_be_fixed(const std::vector<Operand>& operands, const BoundOperand& operand) {
  const DType& dtype = operands[operand.argument].argument.parameter.dtype;
  return !operand.written && !operand.is_base && dtype.lanes == 1 && dtype.scalar != Scalar::structure &&
         dtype.scalar != Scalar::float16;
}

unsigned vector_width(const std::vector<Operand>& operands, const BoundOperands& bound,
                      const codegen::IndexSpace& space, const codegen::LoopVariant& variant) {
  std::size_t widest = 0;
  for (const BoundOperand& operand : bound) {
    const codegen::OperandLayout& layout = variant.operands[operand.argument];
    if (operand.is_base) return 1;
    if (layout.placement == Placement::strided && layout.inner == codegen::Inner::any) return 1;
    if (layout.inner == codegen::Inner::zero) {
      if (operand.written) return 1;
      continue;
    }
    const DType& dtype = operands[operand.argument].argument.parameter.dtype;
    const bool is_plain = dtype.lanes == 1 && dtype.scalar != Scalar::structure &&
                          dtype.scalar != Scalar::float16 && dtype.scalar != Scalar::complex64 &&
                          dtype.scalar != Scalar::complex128;
    if (!is_plain) return 1;
    widest = std::max(widest, dtype.itemsize);
  }
  if (widest == 0 || widest > 8) return 1;
  const std::size_t width = kVectorBytes / widest;
  if (variant.rank > 1 && space.lengths[0] % static_cast<std::int64_t>(width) != 0) return 1;
  for (std::size_t b = 0; b < bound.size(); ++b) {
    if (variant.operands[bound[b].argument].inner == codegen::Inner::zero) continue;
    const std::size_t itemsize = operands[bound[b].argument].argument.parameter.dtype.itemsize;
    if (!bound[b].is_aligned(width * itemsize)) return 1;
    for (std::size_t d = 1; d < space.rank(); ++d)
      if (space.strides[b][d] % static_cast<std::int64_t>(width) != 0) return 1;
  }
  return static_cast<unsigned>(width);
}

LoopArguments::LoopArguments(std::span<const KernelArgument> own, const BoundOperands& bound,
                             std::span<const codegen::OperandLayout> layouts)
    : list_(own.begin(), own.end()) {
  for (const BoundOperand& operand : bound) {
    const bool is_linear = layouts[operand.argument].placement == Placement::linear;
    list_[operand.argument] = KernelArgument(operand.buffer(), is_linear ? operand.offset : 0);
  }
}

void LoopArguments::add_strides(const BoundOperands& bound, const codegen::IndexSpace& space,
                                const codegen::LoopVariant& variant) {
  for (std::size_t b = 0; b < bound.size(); ++b) {
    const codegen::OperandLayout& layout = variant.operands[bound[b].argument];
    if (layout.placement != Placement::strided) continue;
    add(static_cast<std::int64_t>(bound[b].offset / bound[b].itemsize));
    for (std::size_t d = layout.inner == codegen::Inner::any ? 0 : 1; d < space.rank(); ++d)
      add(space.strides[b][d]);
  }
}

}  // namespace quern::algorithms
