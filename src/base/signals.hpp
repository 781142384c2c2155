// SPDX-License-Identifier: MIT
// Signals in the library's own threads, and stacks on which handlers of faults can run.
#pragma once

#include <csignal>
#include <cstddef>

namespace quern {

// The signals with which the system answers a faulty instruction of a thread: SIGSEGV, SIGBUS, SIGFPE,
// SIGILL.
inline constexpr int kFaultSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

// A thread that is started while one lives takes no signal that the program or its Python waits for. The
// signals of faults stay open: while they are blocked, a fault ends the process without a word, past every
// handler.
class ThreadSignals {
 public:
  ThreadSignals() noexcept;
  ~ThreadSignals();
  ThreadSignals(const ThreadSignals&) = delete;
  ThreadSignals& operator=(const ThreadSignals&) = delete;

 private:
  sigset_t before_;
};

// Gives this thread a stack for signal handlers unless it has one: after an overflow of its own stack none
// could run there. It goes with the thread.
void ensure_signal_stack() noexcept;

}  // namespace quern
