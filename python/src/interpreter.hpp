// SPDX-License-Identifier: MIT
// Living with the interpreter: the GIL, signals during waits, and Python objects that C++ keeps alive.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>

#include "binding.hpp"
#include "origins.hpp"

namespace quern::python {

// To be called once, when the module is imported.
void watch_interpreter();
// Whether it has not ended.
[[nodiscard]] bool has_interpreter() noexcept;

// Runs without the GIL while it lives. A thread that would take the GIL of a finished interpreter sleeps for
// ever instead, since it must not unwind through C++.
class ReleaseGil {
 public:
  ReleaseGil() noexcept {
    note_origin();  // of what is written without it
    state_ = PyEval_SaveThread();
  }
  ReleaseGil(const ReleaseGil&) = delete;
  ReleaseGil& operator=(const ReleaseGil&) = delete;
  ~ReleaseGil();

 private:
  PyThreadState* state_;
};

// Has the GIL while it lives, in any thread, with the same rule.
class AcquireGil {
 public:
  AcquireGil();
  AcquireGil(const AcquireGil&) = delete;
  AcquireGil& operator=(const AcquireGil&) = delete;
  ~AcquireGil() { PyGILState_Release(state_); }

 private:
  PyGILState_STATE state_;
};

// Runs f() without the GIL.
template <class F>
decltype(auto) without_gil(F&& f) {
  const ReleaseGil released;
  return f();
}

// Waits without the GIL, in slices, so that Ctrl-C is seen; false when the limit passed first. `wait_until`
// takes a deadline and says whether the wait is over.
template <class WaitUntil>
bool wait_interruptibly(Deadline limit, WaitUntil&& wait_until) {
  constexpr auto kSlice = std::chrono::milliseconds(50);
  for (;;) {
    const Deadline now = std::chrono::steady_clock::now();
    const bool last = limit != Deadline::max() && limit - now <= kSlice;
    const Deadline slice = last ? limit : now + kSlice;
    if (without_gil([&] { return wait_until(slice); })) return true;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (last) return false;
  }
}

// Waits for the event, throwing what made it fail.
void wait_for_event(const Event& event);
Deadline deadline_after(nb::handle seconds);  // None: never

// Whether the caller's next step is to throw the result of this call away: it stands on a line of its own.
bool is_result_discarded();

// Keeps an object, or the memory a buffer view shows, until C++ lets go of it, which may be on any thread and
// under any lock: the reference is dropped later, by release_kept() or by the interpreter's own pending
// calls.
std::shared_ptr<void> keep_object(nb::object object);
std::shared_ptr<void> keep_view(const Py_buffer& view);
// Drops what C++ has let go of. Needs the GIL; cheap when there is nothing.
void release_kept();

}  // namespace quern::python
