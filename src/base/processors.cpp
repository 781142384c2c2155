// SPDX-License-Identifier: MIT
// Reads affinity masks, and sets them for new threads.
#include "base/processors.hpp"

#include <sched.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <thread>

namespace quern {
#ifdef __linux__
namespace {

// A set of processors below a limit.
class ProcessorSet {
 public:
  explicit ProcessorSet(std::size_t limit) noexcept
      : limit_(limit), bytes_(CPU_ALLOC_SIZE(limit)), set_(CPU_ALLOC(limit)) {
    if (set_ != nullptr) CPU_ZERO_S(bytes_, set_.get());
  }
  [[nodiscard]] cpu_set_t* get() const noexcept { return set_.get(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::vector<int> members() const {
    std::vector<int> result;
    for (std::size_t i = 0; i < limit_; ++i)
      if (CPU_ISSET_S(i, bytes_, set_.get())) result.push_back(static_cast<int>(i));
    return result;
  }
  void add(int processor) const noexcept {
    CPU_SET_S(static_cast<std::size_t>(processor), bytes_, set_.get());
  }

 private:
  struct Free {
    void operator()(cpu_set_t* set) const noexcept { CPU_FREE(set); }
  };
  std::size_t limit_, bytes_;
  std::unique_ptr<cpu_set_t, Free> set_;
};

}  // namespace
#endif

std::vector<int> allowed_processors(pid_t process) {
#ifdef __linux__
  for (std::size_t limit = 1024; limit <= (std::size_t{1} << 20); limit *= 4) {
    const ProcessorSet set(limit);
    if (set.get() == nullptr) break;
    if (sched_getaffinity(process, set.bytes(), set.get()) != 0) continue;
    if (auto members = set.members(); !members.empty()) return members;
  }
#else
  (void)process;
#endif
  std::vector<int> all(std::max(1U, std::thread::hardware_concurrency()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void restrict_to(pthread_attr_t& attributes, std::span<const int> processors) noexcept {
#ifdef __linux__
  const auto most = std::max_element(processors.begin(), processors.end());
  if (most == processors.end()) return;
  const ProcessorSet set(static_cast<std::size_t>(*most) + 1);
  if (set.get() == nullptr) return;
  for (const int processor : processors) set.add(processor);
  pthread_attr_setaffinity_np(&attributes, set.bytes(), set.get());
#else
  (void)attributes, (void)processors;
#endif
}

}  // namespace quern
