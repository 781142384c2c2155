// SPDX-License-Identifier: MIT
// Arrays whose elements are spread over ranks. Each rank has a block of them, an Array on its own device.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "quern/api.hpp"
#include "quern/arithmetic.hpp"
#include "quern/array.hpp"
#include "quern/distributed/communicator.hpp"
#include "quern/distributed/layout.hpp"
#include "quern/reduce.hpp"
#include "quern/views.hpp"

namespace quern {
namespace QUERN_API distributed {

class Margins;

// A handle, as Array is. Functions of distributed arrays are called by all ranks in the same order. Those
// that need elements of other ranks communicate where they are called; work on the blocks is lazy.
class DistributedArray {
 public:
  // Elements that are not initialised. If the first axis is split, the memory has space for rows of the
  // neighbouring blocks, so that slices shifted along this axis need no copy of the block.
  static DistributedArray empty(const Communicator& communicator, const Layout& layout, const DType& dtype,
                                const Queue& queue);
  // The blocks of all ranks form the array. Throws ArgumentError if the shape of this rank's block is not
  // that of the layout.
  DistributedArray(Communicator communicator, Layout layout, Array local);

  [[nodiscard]] const Communicator& communicator() const noexcept { return communicator_; }
  [[nodiscard]] const Layout& layout() const noexcept { return layout_; }
  [[nodiscard]] Shape shape() const { return layout_.shape(); }
  [[nodiscard]] const DType& dtype() const noexcept { return local_.dtype(); }
  // This rank's block. Writes to it change the array.
  [[nodiscard]] const Array& local() const noexcept { return local_; }

  // Internal: space around the block; null if there is none.
  [[nodiscard]] const std::shared_ptr<Margins>& margins() const noexcept { return margins_; }

 private:
  Communicator communicator_;
  Layout layout_;
  Array local_;
  std::shared_ptr<Margins> margins_;
};

// Takes the block of this rank out of an array that all ranks have; a replicated array shares its memory.
// Does not communicate.
DistributedArray distribute(const Communicator& communicator, const Layout& layout, const Array& whole);

// The same elements in another layout.
DistributedArray redistribute(const DistributedArray& array, const Layout& layout);

// All elements on every rank, or on one rank; other ranks get an array of no elements.
Array gather(const DistributedArray& array);
Array gather(const DistributedArray& array, int root);

using DistributedOperand = std::variant<DistributedArray, Number>;
// Operands in one layout. The first operand that has the shape of the result decides about it.
struct Aligned {
  Communicator communicator;
  Layout layout;              // of the result
  std::vector<Array> blocks;  // of the arrays among the operands; they broadcast to the block of the result
};
Aligned align(std::string_view name, std::span<const DistributedArray> arrays);
// Elementwise, with NumPy's broadcasting. Operands whose layout differs from the result's are redistributed.
DistributedArray apply(std::string_view name, std::span<const DistributedOperand> operands);

// Reduces by the names of quern::reduce(). All ranks get the same bits: partial results are combined in the
// order of the ranks.
DistributedArray reduce(std::string_view name, const DistributedArray& array,
                        const ReduceOptions& options = {});

// The index along an axis of each element, int64; its other axes have length 1. Does not communicate.
Array global_indices(const DistributedArray& array, std::size_t axis);

}  // namespace distributed
}  // namespace quern
