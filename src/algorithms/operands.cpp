// SPDX-License-Identifier: MIT
// The arguments of a call to a generated kernel, seen as operands: where their elements lie, and what loop
// suits them.
#include "algorithms/operands.hpp"

#include <algorithm>

#include "quern/error.hpp"
#include "runtime/allocation.hpp"
#include "runtime/argument_types.hpp"

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

// Where the buffer begins at no place that the device can point a kernel to, it is made to begin at one that
// lies so many elements before, and the loop adds them.
void move_start(BoundOperand& bound) {
  const std::size_t alignment = bound.buffer.device().properties().sub_buffer_alignment;
  const std::size_t start = bound.buffer.offset();
  for (std::size_t before = 0; before <= start && before <= alignment * bound.itemsize;
       before += bound.itemsize) {
    if ((start - before) % alignment != 0) continue;
    bound.buffer = bound.buffer.extended(before);
    bound.offset += before;
    return;
  }
}

// A view of elements of the parameter's type.
BoundOperand bind_array(const std::string& kernel, std::size_t index, const Operand& operand,
                        const Array& array) {
  const DType& wanted = operand.argument.parameter.dtype;
  if (!detail::fits_pointer(wanted, array)) {
    reject(kernel, index, operand, ArgumentError::Kind::type,
           "expected an array of " + wanted.name() + ", got an array of " + array.dtype().name() +
               detail::structure_difference(wanted, array.dtype()));
  }
  BoundOperand bound;
  bound.argument = index;
  bound.itemsize = wanted.itemsize;
  bound.buffer = array.buffer();
  bound.offset = array.offset();
  if (!bound.buffer.released()) move_start(bound);
  bound.written = operand.use.writes;
  bound.contiguous = array.contiguous();
  if (array.offset() % wanted.itemsize != 0)
    reject(kernel, index, operand, ArgumentError::Kind::value, "the first element is not aligned");
  // Vectors of the array's elements, or parts of its numbers.
  if (array.dtype().itemsize != wanted.itemsize) {
    if (!array.contiguous())
      reject(kernel, index, operand, ArgumentError::Kind::value,
             "a strided view of " + array.dtype().name() + " has no elements of " + wanted.name());
    const auto count = static_cast<std::int64_t>(array.nbytes() / wanted.itemsize);
    bound.view = {{count}, {1}};
    return bound;
  }
  const auto itemsize = static_cast<std::int64_t>(wanted.itemsize);
  bound.view.shape = array.shape();
  for (const std::int64_t stride : array.strides()) {
    if (stride % itemsize != 0) {
      reject(kernel, index, operand, ArgumentError::Kind::value,
             "strides of " + std::to_string(stride) + " bytes are no multiple of the element's " +
                 std::to_string(itemsize));
    }
    bound.view.strides.push_back(stride / itemsize);
  }
  return bound;
}

}  // namespace

bool is_aligned(const Buffer& buffer, std::size_t offset, std::size_t nbytes) {
  // OpenCL's memory objects are handles, and aligned to the largest type.
  const bool is_address = buffer.device().properties().dialect != Dialect::opencl_c;
  const std::uintptr_t base = is_address ? buffer.allocation()->memory().native_handle() : 0;
  return (base + buffer.offset() + offset) % nbytes == 0;
}

bool BoundOperand::is_aligned(std::size_t nbytes) const {
  return algorithms::is_aligned(buffer, offset, nbytes);
}

std::vector<BoundOperand> bind_operands(const std::string& kernel, const std::vector<Operand>& operands,
                                        std::span<const KernelArgument> arguments, const Queue& queue,
                                        bool allow_missing) {
  if (arguments.size() != operands.size()) {
    throw ArgumentError(ArgumentError::Kind::type, kernel + " takes " + std::to_string(operands.size()) +
                                                       " arguments, got " + std::to_string(arguments.size()));
  }
  std::vector<BoundOperand> result;
  for (std::size_t a = 0; a < operands.size(); ++a) {
    const Operand& operand = operands[a];
    const Parameter& parameter = operand.argument.parameter;
    if (operand.is_element || !parameter.is_pointer)
      check_precision("argument " + std::to_string(a) + " ('" + parameter.name + "', " + parameter.type_name +
                          ") of " + kernel,
                      parameter.dtype, queue.device());
    if (!operand.is_element) continue;
    const KernelArgument& argument = arguments[a];
    if (argument.kind == Kind::null_pointer && allow_missing) continue;
    if (argument.kind == Kind::array) {
      result.push_back(bind_array(kernel, a, operand, *argument.array));
    } else if (argument.kind == Kind::buffer) {
      const DType& dtype = operand.argument.parameter.dtype;
      const auto count = static_cast<std::int64_t>(argument.buffer->size() / dtype.itemsize);
      result.push_back(bind_array(kernel, a, operand, Array(*argument.buffer, dtype, {count})));
    } else {
      reject(kernel, a, operand, ArgumentError::Kind::type,
             "expected an array, got " + detail::describe(argument));
    }
    const Buffer& buffer = result.back().buffer;
    if (buffer.released()) reject(kernel, a, operand, ArgumentError::Kind::value, "the buffer was released");
    if (!(buffer.context() == queue.context())) {
      reject(kernel, a, operand, ArgumentError::Kind::value,
             "the memory is on " + buffer.device().spec() + ", but the queue is on " + queue.device().spec() +
                 "; copy it there first");
    }
  }
  return result;
}

void check_precision(const std::string& what, const DType& dtype, const Device& device) {
  const bool is_half = dtype.scalar == Scalar::float16;
  const bool is_double = dtype.scalar == Scalar::float64 || dtype.scalar == Scalar::complex128;
  const DeviceProperties& properties = device.properties();
  if ((!is_half || properties.has_fp16) && (!is_double || properties.has_fp64)) return;
  throw ArgumentError(ArgumentError::Kind::type, what + ": " + dtype.name() + " needs " +
                                                     (is_half ? "half" : "double") + " precision, which " +
                                                     device.spec() + " does not have");
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
      kernel + ": no array among the arguments says how many elements there are; give a range");
}

codegen::IndexSpace ranged_space(const std::string& kernel, const std::vector<BoundOperand>& bound,
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
  // Where a pointer cannot start at the first element, the kernel adds the offset.
  const std::size_t start = operand.buffer.offset() + operand.offset;
  if (rank == 1 && strides[0] == 1 && start % std::max<std::size_t>(device.sub_buffer_alignment, 1) == 0)
    return {Placement::linear, Inner::unit};
  return {Placement::strided, strides[0] == 1 ? Inner::unit : strides[0] == 0 ? Inner::zero : Inner::any};
}

unsigned vector_width(const std::vector<Operand>& operands, const std::vector<BoundOperand>& bound,
                      const codegen::IndexSpace& space, const codegen::LoopVariant& variant) {
  std::size_t widest = 0;
  for (const BoundOperand& operand : bound) {
    const codegen::OperandLayout& layout = variant.operands[operand.argument];
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
  const std::size_t width = 16 / widest;
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

LoopArguments::LoopArguments(std::span<const KernelArgument> own, const std::vector<BoundOperand>& bound,
                             const std::vector<codegen::OperandLayout>& layouts)
    : list_(own.begin(), own.end()) {
  arrays_.reserve(bound.size());  // the list refers to them
  for (const BoundOperand& operand : bound) {
    KernelArgument& argument = list_[operand.argument];
    if (layouts[operand.argument].placement == Placement::strided) {
      argument = KernelArgument(operand.buffer);
    } else if (argument.kind == Kind::array && !operand.contiguous) {
      // Of one element, or of dimensions whose gaps are never stepped over.
      const std::size_t itemsize = argument.array->dtype().itemsize;
      const auto count = static_cast<std::int64_t>((operand.buffer.size() - operand.offset) / itemsize);
      arrays_.emplace_back(operand.buffer, argument.array->dtype(), Shape{count},
                           Strides{static_cast<std::int64_t>(itemsize)}, operand.offset);
      argument = KernelArgument(arrays_.back());
    }
  }
}

void LoopArguments::add_strides(const std::vector<BoundOperand>& bound, const codegen::IndexSpace& space,
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
