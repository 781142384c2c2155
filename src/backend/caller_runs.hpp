// SPDX-License-Identifier: MIT
// Calls that the issuing thread runs itself, because it waits for them at once.
#pragma once

namespace quern::backend {

inline thread_local bool caller_runs_calls = false;

// While an object of this class lives, queues whose calls compute on threads of the host leave those that
// this thread issues to it. It must wait for each of them, without a time limit, before it does anything
// else: the wait runs the function when its turn has come.
class CallerRuns {
 public:
  CallerRuns() { caller_runs_calls = true; }
  ~CallerRuns() { caller_runs_calls = false; }
  CallerRuns(const CallerRuns&) = delete;
  CallerRuns& operator=(const CallerRuns&) = delete;
};

}  // namespace quern::backend
