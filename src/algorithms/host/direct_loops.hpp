// SPDX-License-Identifier: MIT
// Calls precompiled loops directly on the calling thread, for contiguous elements.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "codegen/ops.hpp"
#include "frontend/host_abi.h"

namespace quern::algorithms {

// out[i] = loop(inputs[0][i], ...) for a loop of host_loop() or choosing_loop().
void run_loop(quern_kernel_function* loop, std::span<const void* const> inputs, void* out,
              std::int64_t count);

// Reduces elements of one type by an operation. It uses the same steps in the same order as ReductionLoops
// for a single row, so that results are bitwise equal.
class RowReducer {
 public:
  using Element = std::array<std::byte, 16>;
  RowReducer(const codegen::Op& op, const DType& item, const Element& neutral);
  // Whether the library has the loops for this type and operation.
  [[nodiscard]] bool is_complete() const noexcept { return lanes_ != nullptr && fold_ != nullptr; }
  [[nodiscard]] Element reduce(const void* elements, std::int64_t count) const;

 private:
  quern_kernel_function *lanes_, *fold_;
  std::size_t itemsize_;
  Element neutral_;
};

}  // namespace quern::algorithms
