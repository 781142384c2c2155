// SPDX-License-Identifier: MIT
// Allocates the memory of host buffers, and counts it against the machine's limits.
#include "backend/host/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>

#include "base/system_memory.hpp"
#include "quern/error.hpp"

namespace quern::backend::host {
namespace {

constexpr std::size_t kLookedAt = std::size_t{16} << 20;

std::atomic<std::size_t> living{0};  // bytes of all blocks

[[noreturn]] void refuse(std::size_t nbytes, const std::string& why, std::size_t limit) {
  throw OutOfDeviceMemory("the host cannot allocate " + std::to_string(nbytes) + " bytes: " + why,
                          {nbytes, living.load(), 0, limit});
}

void check_memory_suffices(std::size_t nbytes) {
  if (nbytes < kLookedAt) return;
  const SystemMemory memory = system_memory();
  if (memory.total == 0) return;  // the system does not tell
  if (nbytes > memory.available) {
    refuse(nbytes, std::to_string(memory.available) + " bytes are available", memory.total);
  }
  const std::size_t in_use = living.load();
  if (in_use > memory.total || nbytes > memory.total - in_use) {
    refuse(nbytes,
           std::to_string(in_use) + " bytes of " + std::to_string(memory.total) + " are allocated already",
           memory.total);
  }
}

}  // namespace

Block::Block(std::size_t nbytes) : size_(nbytes) {
  check_memory_suffices(nbytes);
  if (nbytes >= kHugePage) {
    // One page more than requested, so that an aligned range lies within; the rest is unmapped.
    const std::size_t wanted = (nbytes + kHugePage - 1) / kHugePage * kHugePage;
    if (wanted < nbytes || wanted + kHugePage < wanted)
      refuse(nbytes, "the address space is too small", SIZE_MAX);
    void* raw = mmap(nullptr, wanted + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED) refuse(nbytes, "the system refused to map it", 0);
    const auto begin = reinterpret_cast<std::uintptr_t>(raw);
    const std::uintptr_t aligned = (begin + kHugePage - 1) / kHugePage * kHugePage;
    if (aligned != begin) munmap(raw, aligned - begin);
    munmap(reinterpret_cast<void*>(aligned + wanted), begin + kHugePage - aligned);
    data_ = reinterpret_cast<void*>(aligned);
    mapped_ = wanted;
#ifdef MADV_HUGEPAGE
    madvise(data_, mapped_, MADV_HUGEPAGE);  // a hint: without it the memory works as well, only slower
#endif
  } else {
    const std::size_t rounded = (std::max<std::size_t>(nbytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
    data_ = std::aligned_alloc(kAlignment, rounded);
    if (data_ == nullptr) refuse(nbytes, "the heap is exhausted", 0);
  }
  living.fetch_add(size_);
}

Block::~Block() {
  living.fetch_sub(size_);
  if (mapped_ != 0) {
    munmap(data_, mapped_);
  } else {
    std::free(data_);
  }
}

}  // namespace quern::backend::host
