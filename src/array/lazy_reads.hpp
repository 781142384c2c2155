// SPDX-License-Identifier: MIT
// Which memory pending expressions read. The memory carries a flag for it, so that an operation that writes
// memory which no expression reads looks no further.
#pragma once

#include "array/node.hpp"

namespace quern::detail {
class UseRecord;
}

namespace quern::array {

// Sets the flag of the memory that an array lies in.
void note_lazy_read(const detail::ArrayValue& value);
// Does so for all that a node reads, itself or through nodes that are not in the graph. Returns whether some of
// it is shared. Graph::mutex is held.
bool note_lazy_reads(const Node& node);
// Whether the expression reads this memory. Graph::mutex is held.
[[nodiscard]] bool reads(const Node& node, const detail::UseRecord& memory);

// Whether another library shares the memory that an array lies in.
[[nodiscard]] bool is_shared(const detail::ArrayValue& value);
// Waits until the memory holds what was enqueued for it, where another library shares it as host memory: that
// library reads and writes without telling us.
void wait_for_shared(const detail::ArrayValue& value, const Queue& queue);

}  // namespace quern::array
