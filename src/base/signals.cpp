// SPDX-License-Identifier: MIT
// The signal mask of our threads, and signal stacks.
#include "base/signals.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "base/arithmetic.hpp"

namespace quern {
namespace {

// Handlers of other libraries, such as Python's faulthandler, run on it too.
constexpr std::size_t kLeastStack = std::size_t{64} << 10;

class SignalStack {
 public:
  SignalStack() noexcept {
    stack_t present = {};
    if (sigaltstack(nullptr, &present) != 0 || (present.ss_flags & SS_DISABLE) == 0) return;
    std::size_t size = kLeastStack;
#ifdef _SC_SIGSTKSZ
    // A signal frame holds all vector registers, whose size depends on the processor.
    if (const long wanted = sysconf(_SC_SIGSTKSZ); wanted > 0)
      size = std::max(size, 2 * static_cast<std::size_t>(wanted));
#endif
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    size_ = rounded_up(size, page) + page;
    void* const memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    mprotect(memory, page, PROT_NONE);
    stack_t mine = {};
    mine.ss_sp = static_cast<std::byte*>(memory) + page;
    mine.ss_size = size_ - page;
    if (sigaltstack(&mine, nullptr) != 0) {
      munmap(memory, size_);
      return;
    }
    memory_ = memory;
    begin_ = mine.ss_sp;
  }

  ~SignalStack() {
    if (memory_ == nullptr) return;
    stack_t present = {};
    // Another library may have installed its own stack, and kept ours to restore it.
    if (sigaltstack(nullptr, &present) != 0 || present.ss_sp != begin_) return;
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    if (sigaltstack(&none, nullptr) == 0) munmap(memory_, size_);
  }

  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  void* memory_ = nullptr;
  void* begin_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace

ThreadSignals::ThreadSignals() noexcept {
  sigset_t blocked;
  sigfillset(&blocked);
  for (const int signal : kFaultSignals) sigdelset(&blocked, signal);
  pthread_sigmask(SIG_SETMASK, &blocked, &before_);
}

ThreadSignals::~ThreadSignals() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void ensure_signal_stack() noexcept {
  thread_local const SignalStack stack;
  static_cast<void>(stack);
}

}  // namespace quern
