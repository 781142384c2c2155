// SPDX-License-Identifier: MIT
// Memory of messages. Large memory is kept for later messages, because touching fresh pages takes longer than
// copying into memory that is in use.
#pragma once

#include <cstddef>
#include <memory>

namespace quern::distributed {

// Memory of this size and larger is kept, up to kMostKept bytes for the whole process.
constexpr std::size_t kLargeMemory = std::size_t{1} << 20;
constexpr std::size_t kMostKept = std::size_t{256} << 20;

// Aligned to 64 bytes, and large memory to huge pages. Not initialised.
std::shared_ptr<std::byte[]> message_memory(std::size_t nbytes);
// Bytes that no message uses at present.
std::size_t kept_message_memory();

}  // namespace quern::distributed
