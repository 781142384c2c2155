// SPDX-License-Identifier: MIT
// Which memory pending expressions read. Such memory has a flag, so that an operation that writes other
// memory need not search the expressions.
#pragma once

#include "array/node.hpp"

namespace quern::detail {
class UseRecord;
}

namespace quern::array {

// Sets the flag of the array's memory.
void note_lazy_read(const detail::ArrayValue& value);
// The same for new memory of a node that is not in memory yet, so that no other thread can refer to it.
void note_lazy_read(const ArrayMemory& memory);
// Sets the flags of all memory that a node reads, directly or through nodes that are not in the graph.
// Returns whether another library shares some of it. The caller holds Graph::mutex.
bool note_lazy_reads(const Node& node);
// Returns whether the expression reads this memory. The caller holds Graph::mutex.
[[nodiscard]] bool reads(const Node& node, const detail::UseRecord& memory);

// Returns whether another library shares the array's memory.
[[nodiscard]] bool is_shared(const detail::ArrayValue& value);
// If another library shares the array's memory as host memory, waits until the operations enqueued on it are
// done. That library reads and writes the memory without notice.
void wait_for_shared(const detail::ArrayValue& value, const Queue& queue);

}  // namespace quern::array
