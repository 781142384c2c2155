// SPDX-License-Identifier: MIT
// Calls precompiled loops on the calling thread.
#include "algorithms/host/direct_loops.hpp"

#include <cstring>

#include "algorithms/host/host_loop_table.hpp"

namespace quern::algorithms {
namespace {

void call(quern_kernel_function* loop, const void* const* arguments, std::int64_t items) {
  const auto count = static_cast<unsigned long long>(items);
  const quern_launch launch = {{count, 1, 1}, {count, 1, 1}, {0, 0, 0}, {1, 1, 1}, 1,
                               arguments,     nullptr,       nullptr,   nullptr};
  loop(&launch, 0, 1);
}

}  // namespace

void run_loop(quern_kernel_function* loop, std::span<const void* const> inputs, void* out,
              std::int64_t count) {
  const void* arguments[5];
  std::size_t n = 0;
  for (; n < inputs.size(); ++n) arguments[n] = &inputs[n];
  arguments[n] = &out;
  arguments[n + 1] = &count;
  call(loop, arguments, count);
}

RowReducer::RowReducer(const codegen::Op& op, const DType& item, const Element& neutral)
    : lanes_(reducing_loop(codegen::HostLoop::Kind::lanes, &op, item.scalar)),
      fold_(reducing_loop(codegen::HostLoop::Kind::fold, &op, item.scalar)),
      itemsize_(item.itemsize),
      neutral_(neutral) {}

RowReducer::Element RowReducer::reduce(const void* elements, std::int64_t count) const {
  const auto lanes = static_cast<std::int64_t>(codegen::reduction_lanes(itemsize_));
  const std::int64_t in_lanes = count / lanes * lanes, rest = count - in_lanes;
  alignas(128) std::array<std::byte, 128> side_by_side;
  alignas(16) Element result = neutral_;
  const void *from = elements, *to = side_by_side.data();
  if (in_lanes > 0) {
    for (std::size_t at = 0; at < side_by_side.size(); at += itemsize_)
      std::memcpy(side_by_side.data() + at, neutral_.data(), itemsize_);
    const void* const arguments[] = {&from, &to, &in_lanes};
    call(lanes_, arguments, 1);
    const void *joined = side_by_side.data(), *single = result.data();
    const void* const join[] = {&joined, &single, &lanes};
    call(fold_, join, 1);
  }
  if (rest > 0) {
    from = static_cast<const std::byte*>(elements) + static_cast<std::size_t>(in_lanes) * itemsize_;
    to = result.data();
    const void* const arguments[] = {&from, &to, &rest};
    call(fold_, arguments, 1);
  }
  return result;
}

}  // namespace quern::algorithms
