// SPDX-License-Identifier: MIT
// Interaction with the interpreter: the GIL, signals during waits, and Python objects that C++ keeps alive.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>

#include "binding.hpp"
#include "origins.hpp"

namespace quern::python {

// Called once, when the module is imported.
void watch_interpreter();
// Whether the interpreter is still running.
[[nodiscard]] bool has_interpreter() noexcept;

// Python before 3.14 ends the threads that take the GIL of a finished interpreter by unwinding them. Our
// destructors must not run then, so such a thread sleeps forever. A handler would not do: C++ ends the
// process if one catches the unwinding while it handles another exception.
class SleepIfUnwound {
 public:
  SleepIfUnwound() = default;
  SleepIfUnwound(const SleepIfUnwound&) = delete;
  SleepIfUnwound& operator=(const SleepIfUnwound&) = delete;
  ~SleepIfUnwound();
  // To be called when the call into Python has returned.
  void returned() noexcept { returned_ = true; }

 private:
  bool returned_ = false;
};

// Releases the GIL while it lives. A thread that would take the GIL of a finished interpreter sleeps forever
// instead, because it must not unwind through C++.
class ReleaseGil {
 public:
  ReleaseGil() noexcept {
    note_origin();  // origin of operations recorded without the GIL
    state_ = PyEval_SaveThread();
  }
  // For a scope that records no operations.
  struct WithoutOrigin {};
  explicit ReleaseGil(WithoutOrigin) noexcept : state_(PyEval_SaveThread()) {}
  ReleaseGil(const ReleaseGil&) = delete;
  ReleaseGil& operator=(const ReleaseGil&) = delete;
  ~ReleaseGil();

 private:
  PyThreadState* state_;
};

// Holds the GIL while it lives, in any thread, with the same rule.
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

// Waits without the GIL, in slices, so that Ctrl-C is handled; false if the limit passed first. `wait_until`
// takes a deadline and returns whether the wait is over.
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

// Waits for the event; throws its error.
void wait_for_event(const Event& event);
Deadline deadline_after(nb::handle seconds);  // None: no limit

// Whether the caller discards the result of this call, because the call is a statement of its own.
bool is_result_discarded();

// Keeps an object, or the memory of a buffer view, until C++ releases it, which may be on any thread and
// under any lock: the reference is dropped later, by release_kept() or by the interpreter's pending calls.
std::shared_ptr<void> keep_object(nb::object object);
std::shared_ptr<void> keep_view(const Py_buffer& view);
// Drops the references that C++ has released. Needs the GIL; cheap if there are none.
void release_kept();

}  // namespace quern::python
