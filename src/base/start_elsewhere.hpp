// SPDX-License-Identifier: MIT
// Starting sleeping threads on other processors than the one that wakes them.
#pragma once

#ifdef __linux__
#include <sched.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>
#endif

namespace quern {

// Keeps a sleeping thread off a processor for its next start. Systems like to start a thread on the processor
// of the thread that wakes it, even if that one goes on working and others are idle; both then share it for
// milliseconds, until the system balances the load. Does nothing where the system does not offer it. The
// caller prevents concurrent calls.
class StartElsewhere {
 public:
  // Called by the thread itself, before all others.
  void begin() noexcept {
#ifdef __linux__
    thread_ = static_cast<pid_t>(syscall(SYS_gettid));
#endif
  }

  // Called while the thread sleeps or is about to: it will not start on the processor of the caller.
  void avoid_this_processor() noexcept {
#ifdef __linux__
    const int here = sched_getcpu();
    if (here < 0 || here >= CPU_SETSIZE) return;
    if (!is_limited_ && sched_getaffinity(thread_, sizeof usual_, &usual_) != 0) return;
    cpu_set_t others = usual_;
    CPU_CLR(static_cast<unsigned>(here), &others);
    if (CPU_COUNT(&others) == 0) return;
    is_limited_ = sched_setaffinity(thread_, sizeof others, &others) == 0 || is_limited_;
#endif
  }

  // It may use all processors that it could use before. Called by the thread when it runs again.
  void allow_all() noexcept {
#ifdef __linux__
    if (is_limited_) sched_setaffinity(thread_, sizeof usual_, &usual_);
    is_limited_ = false;
#endif
  }

 private:
#ifdef __linux__
  pid_t thread_ = 0;
  cpu_set_t usual_{};
  bool is_limited_ = false;
#endif
};

}  // namespace quern
