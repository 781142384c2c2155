// SPDX-License-Identifier: MIT
// The arguments of a generated kernel as operands: where their elements are, and which loop fits them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codegen/index_space.hpp"
#include "codegen/loop.hpp"
#include "quern/elementwise.hpp"
#include "runtime/argument_types.hpp"

namespace quern::algorithms {

using detail::is_aligned;  // memory of other libraries has any alignment

// One element operand of a call.
struct BoundOperand {
  std::size_t argument = 0;       // its index among the arguments
  const Buffer* given = nullptr;  // what the argument refers to
  Buffer moved;  // starts at an aligned address before `given`, if the device cannot pass that of `given`
  std::size_t itemsize = 0;
  std::size_t offset = 0;  // bytes from the start of the buffer to the first element
  codegen::View view;
  bool written = false;
  bool contiguous = true;
  bool is_base = false;  // the kernel also uses elements elsewhere in the buffer

  [[nodiscard]] const Buffer& buffer() const noexcept { return moved.released() ? *given : moved; }
  // Whether vectors of so many bytes may be loaded from the first element on.
  [[nodiscard]] bool is_aligned(std::size_t nbytes) const;
};

using BoundOperands = InlineVector<BoundOperand, 8>;

// Checks the count and each element operand: kind, dtype, strides, device. Throws ArgumentError naming it.
// With `allow_missing` arguments that are null are omitted.
BoundOperands bind_operands(const std::string& kernel, const std::vector<codegen::Operand>& operands,
                            std::span<const KernelArgument> arguments, const Queue& queue,
                            bool allow_missing = false);
InlineVector<codegen::View, 8> views_of(const BoundOperands& bound);

// Whether the device can compute with such elements.
[[nodiscard]] bool has_precision(const DType& dtype, const DeviceProperties& device);
// Throws ArgumentError if it cannot.
void check_precision(const std::string& what, const DType& dtype, const Device& device);

// The number of elements of a loop over contiguous pointers: that of the first one.
std::int64_t size_of_pointers(const std::string& kernel, const std::vector<codegen::Operand>& operands,
                              std::span<const KernelArgument> arguments);

// The loop over a range of indices into flat operands, with each operand's own stride. Throws ArgumentError
// for an index that an operand does not have.
codegen::IndexSpace ranged_space(const std::string& kernel, const BoundOperands& bound,
                                 const IndexRange& range);

// How to pass an operand: `linear` if the pointer can point to the first element.
codegen::OperandLayout layout_of(const BoundOperand& operand, std::span<const std::int64_t> strides,
                                 std::size_t rank, const DeviceProperties& device);

// Whether the element may be read once before the loop, because the loop does not write it.
bool can_be_fixed(const std::vector<codegen::Operand>& operands, const BoundOperand& operand);

// The most bytes that a work-item loads at once.
inline constexpr std::size_t kVectorBytes = 16;
// The number of elements that a work-item loads at once: those of the widest operand that fit these bytes, or
// 1 if an operand cannot be loaded so.
unsigned vector_width(const std::vector<codegen::Operand>& operands, const BoundOperands& bound,
                      const codegen::IndexSpace& space, const codegen::LoopVariant& variant);

// The arguments of a generated kernel: those of the user, then those of the loop.
class LoopArguments {
 public:
  LoopArguments(std::span<const KernelArgument> own, const BoundOperands& bound,
                std::span<const codegen::OperandLayout> layouts);
  void add(std::int64_t value) { list_.emplace_back(value); }
  void add(double value) { list_.emplace_back(value); }
  void add(Buffer buffer) {
    list_.emplace_back(*buffers_.emplace_back(std::make_unique<Buffer>(std::move(buffer))));
  }
  // Offset and strides of the strided operands, as codegen::loop_parameters declares them.
  void add_strides(const BoundOperands& bound, const codegen::IndexSpace& space,
                   const codegen::LoopVariant& variant);
  [[nodiscard]] std::span<const KernelArgument> list() const { return {list_.data(), list_.size()}; }

 private:
  std::vector<std::unique_ptr<Buffer>> buffers_;  // the list refers to them
  InlineVector<KernelArgument, 16> list_;
};

}  // namespace quern::algorithms
