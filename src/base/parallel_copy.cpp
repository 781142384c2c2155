// SPDX-License-Identifier: MIT
// Large copies in pieces over the thread pool.
#include "base/parallel_copy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/arithmetic.hpp"
#include "base/long_work.hpp"
#include "base/thread_pool.hpp"

namespace quern {

void parallel_copy(void* to, const void* from, std::size_t nbytes) {
  constexpr std::size_t kBlock = std::size_t{64} << 10;
  constexpr std::size_t kBlocksAtLeast =
      8;  // half a MiB takes some 50 us, well above the cost of waking a worker
  if (nbytes < 2 * kBlocksAtLeast * kBlock) {
    if (nbytes != 0) std::memcpy(to, from, nbytes);
    return;
  }
  const std::size_t blocks = divided_up(nbytes, kBlock);
  const auto work = work_of_copy("", nbytes);
  parallel_for(blocks, kBlocksAtLeast, [=, work = work.get()](std::uint64_t first, std::uint64_t last) {
    const std::size_t begin = first * kBlock, end = std::min<std::size_t>(last * kBlock, nbytes);
    std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, end - begin);
    if (work) work->advance(end - begin);
  });
}

}  // namespace quern
