// SPDX-License-Identifier: MIT
// The arguments of a call to a generated kernel, seen as operands: where their elements lie, and what loop
// suits them.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "codegen/index_space.hpp"
#include "codegen/loop.hpp"
#include "quern/elementwise.hpp"

namespace quern::algorithms {

// Whether vectors of so many bytes may be loaded from there on. Memory of others begins anywhere.
[[nodiscard]] bool is_aligned(const Buffer& buffer, std::size_t offset, std::size_t nbytes);

// One element operand of a call.
struct BoundOperand {
  std::size_t argument = 0;  // its place among the arguments
  Buffer buffer;
  std::size_t itemsize = 0;
  std::size_t offset = 0;  // bytes from the start of the buffer to the first element
  codegen::View view;
  bool written = false;
  bool contiguous = true;

  // Whether vectors of so many bytes may be loaded from the first element on.
  [[nodiscard]] bool is_aligned(std::size_t nbytes) const;
};

// Checks the count and each element operand: kind, dtype, strides, device. Throws ArgumentError naming it.
// Arguments that are null are left out where `allow_missing`.
std::vector<BoundOperand> bind_operands(const std::string& kernel,
                                        const std::vector<codegen::Operand>& operands,
                                        std::span<const KernelArgument> arguments, const Queue& queue,
                                        bool allow_missing = false);

// Throws ArgumentError where the device cannot compute with such elements.
void check_precision(const std::string& what, const DType& dtype, const Device& device);

// What a loop over contiguous pointers alone counts to: the elements of the first of them.
std::int64_t size_of_pointers(const std::string& kernel, const std::vector<codegen::Operand>& operands,
                              std::span<const KernelArgument> arguments);

// The loop over a range of indices into flat operands, with each operand's own stride. Throws ArgumentError
// for an index that an operand does not have.
codegen::IndexSpace ranged_space(const std::string& kernel, const std::vector<BoundOperand>& bound,
                                 const IndexRange& range);

// How to pass an operand: `linear` where the pointer itself can start at the first element.
codegen::OperandLayout layout_of(const BoundOperand& operand, std::span<const std::int64_t> strides,
                                 std::size_t rank, const DeviceProperties& device);

// Elements that one work-item may take at once: as many as 16 bytes hold of the widest, 1 where something
// forbids it.
unsigned vector_width(const std::vector<codegen::Operand>& operands, const std::vector<BoundOperand>& bound,
                      const codegen::IndexSpace& space, const codegen::LoopVariant& variant);

// The arguments of a generated kernel: the user's own, followed by what the loop needs.
class LoopArguments {
 public:
  LoopArguments(std::span<const KernelArgument> own, const std::vector<BoundOperand>& bound,
                const std::vector<codegen::OperandLayout>& layouts);
  void add(std::int64_t value) { list_.emplace_back(value); }
  void add(Buffer buffer) { list_.emplace_back(buffers_.emplace_back(std::move(buffer))); }
  // Offset and strides of the strided operands, as codegen::loop_parameters declares them.
  void add_strides(const std::vector<BoundOperand>& bound, const codegen::IndexSpace& space,
                   const codegen::LoopVariant& variant);
  [[nodiscard]] std::span<const KernelArgument> list() const { return list_; }

 private:
  std::vector<Array> arrays_;
  std::deque<Buffer> buffers_;
  std::vector<KernelArgument> list_;
};

}  // namespace quern::algorithms
