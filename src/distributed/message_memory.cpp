// SPDX-License-Identifier: MIT
// Large memory of messages, kept in the order in which it was released.
#include "distributed/message_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <list>
#include <mutex>
#include <new>

namespace quern::distributed {
namespace {

constexpr std::align_val_t kMemoryAlignment{64};
constexpr std::size_t kHugePage = std::size_t{2} << 20;

class KeptMemory {
 public:
  static KeptMemory& instance() {
    static auto* const kept = new KeptMemory;  // never destroyed: messages may outlive static objects
    return *kept;
  }

  // Memory of at least this size, and of at most twice of it; null if there is none.
  std::byte* take(std::size_t& capacity) {
    const std::lock_guard lock(mutex_);
    auto best = pieces_.end();
    for (auto piece = pieces_.begin(); piece != pieces_.end(); ++piece) {
      if (piece->capacity < capacity || piece->capacity > 2 * capacity) continue;
      if (best == pieces_.end() || piece->capacity < best->capacity) best = piece;
    }
    if (best == pieces_.end()) return nullptr;
    const Piece found = *best;
    pieces_.erase(best);
    nbytes_ -= found.capacity;
    capacity = found.capacity;
    return found.memory;
  }

  void release(std::byte* memory, std::size_t capacity) noexcept {
    std::list<Piece> dropped;
    try {
      dropped.push_back({memory, capacity});
      const std::lock_guard lock(mutex_);
      if (capacity <= kMostKept) {
        pieces_.splice(pieces_.end(), dropped);
        nbytes_ += capacity;
      }
      while (nbytes_ > kMostKept) {
        nbytes_ -= pieces_.front().capacity;
        dropped.splice(dropped.end(), pieces_, pieces_.begin());
      }
    } catch (const std::bad_alloc&) {
      free(memory);
    }
    for (const Piece& piece : dropped) free(piece.memory);
  }

  std::size_t nbytes() {
    const std::lock_guard lock(mutex_);
    return nbytes_;
  }

 private:
  struct Piece {
    std::byte* memory;
    std::size_t capacity;
  };
  static void free(std::byte* memory) noexcept { ::operator delete[](memory, std::align_val_t{kHugePage}); }

  std::mutex mutex_;
  std::list<Piece> pieces_;  // the oldest first
  std::size_t nbytes_ = 0;
};

}  // namespace

std::shared_ptr<std::byte[]> message_memory(std::size_t nbytes) {
  if (nbytes < kLargeMemory) {
    return {new (kMemoryAlignment) std::byte[nbytes],
            [](std::byte* memory) { ::operator delete[](memory, kMemoryAlignment); }};
  }
  std::size_t capacity = (nbytes + kHugePage - 1) / kHugePage * kHugePage;
  KeptMemory& kept = KeptMemory::instance();
  std::byte* memory = kept.take(capacity);
  if (memory == nullptr) {
    memory = new (std::align_val_t{kHugePage}) std::byte[capacity];
    ::madvise(memory, capacity, MADV_HUGEPAGE);  // a hint
  }
  return {memory, [capacity](std::byte* released) { KeptMemory::instance().release(released, capacity); }};
}

std::size_t kept_message_memory() {
  return KeptMemory::instance().nbytes();
}

}  // namespace quern::distributed
