// SPDX-License-Identifier: MIT
// Signals in the library's own threads, and alternate stacks for handlers of faults.
#pragma once

#include <csignal>
#include <cstddef>

namespace quern {

// The signals of faulty instructions: SIGSEGV, SIGBUS, SIGFPE, SIGILL.
inline constexpr int kFaultSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

// While an object of this class lives, threads that are started block the signals that the program or its
// Python handles. The signals of faults stay unblocked: a fault while they are blocked would end the process
// without calling any handler.
class ThreadSignals {
 public:
  ThreadSignals() noexcept;
  ~ThreadSignals();
  ThreadSignals(const ThreadSignals&) = delete;
  ThreadSignals& operator=(const ThreadSignals&) = delete;

 private:
  sigset_t before_;
};

// Gives this thread an alternate signal stack unless it has one: after an overflow of its own stack no
// handler could run there. It is freed with the thread.
void ensure_signal_stack() noexcept;

}  // namespace quern
