// SPDX-License-Identifier: MIT
// Finds the pending expressions that read some memory.
#include "array/lazy_reads.hpp"

#include <algorithm>

#include "runtime/allocation.hpp"
#include "runtime/queue_state.hpp"

namespace quern::array {
namespace {

detail::UseRecord* record_of(const detail::ArrayValue& value) {
  const Buffer& buffer = value.memory().buffer;
  return buffer.released() ? nullptr : &buffer.allocation()->uses();
}

}  // namespace

void note_lazy_read(const detail::ArrayValue& value) {
  detail::UseRecord* const record = record_of(value);
  if (record != nullptr && !record->laziness().is_read.load()) record->laziness().is_read.store(true);
}

void note_lazy_read(const ArrayMemory& memory) {
  memory.buffer.allocation()->uses().laziness().is_read.store(true, std::memory_order_relaxed);
}

bool note_lazy_reads(const Node& node) {
  bool reads_shared = false;
  for (const ValuePtr& input : node.inputs()) {
    if (const Node* const inner = pending_node(*input)) {
      if (!inner->is_in_graph()) reads_shared |= note_lazy_reads(*inner);
      continue;
    }
    detail::UseRecord* const record = record_of(*input);
    if (record == nullptr) continue;
    detail::UseRecord::Laziness& laziness = record->laziness();
    if (!laziness.is_read.load()) laziness.is_read.store(true);
    reads_shared |= laziness.shares.load() != 0;
  }
  return reads_shared;
}

bool reads(const Node& node, const detail::UseRecord& memory) {
  return std::any_of(node.inputs().begin(), node.inputs().end(), [&](const ValuePtr& input) {
    const Node* const inner = pending_node(*input);
    return inner != nullptr ? reads(*inner, memory) : record_of(*input) == &memory;
  });
}

bool is_shared(const detail::ArrayValue& value) {
  detail::UseRecord* const record = record_of(value);
  return record != nullptr && record->laziness().shares.load() != 0;
}

void wait_for_shared(const detail::ArrayValue& value, const Queue& queue) {
  if (!is_shared(value) || !queue.state()->properties().shares_host_memory) return;
  value.memory().buffer.wait_until(Deadline::max(), true);
}

}  // namespace quern::array
