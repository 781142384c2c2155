// SPDX-License-Identifier: MIT
// Takes and releases the GIL, lets signals interrupt waits, and releases Python objects without blocking.
#include "interpreter.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cmath>

#include "errors.hpp"

namespace quern::python {
namespace {

// An object that C++ keeps alive; after its release it is in the list of released objects.
struct Kept {
  PyObject* object = nullptr;
  Py_buffer view = {};
  Kept* next = nullptr;
};

std::atomic<Kept*> let_go{nullptr};
std::atomic<bool> call_pending{false};
std::atomic<bool> interpreter_gone{false};

int release_from_pending_call(void*) {
  call_pending.store(false, std::memory_order_release);
  release_kept();
  return 0;
}

void let_go_of(Kept* kept) noexcept {
  // After the interpreter has ended, the reference is leaked.
  if (interpreter_gone.load(std::memory_order_acquire)) return;
  kept->next = let_go.load(std::memory_order_relaxed);
  while (
      !let_go.compare_exchange_weak(kept->next, kept, std::memory_order_release, std::memory_order_relaxed)) {
  }
  // If the interpreter's list of pending calls is full, the next call into the module drops the reference.
  if (!call_pending.exchange(true, std::memory_order_acq_rel) &&
      Py_AddPendingCall(release_from_pending_call, nullptr) != 0)
    call_pending.store(false, std::memory_order_release);
}

// If a device is out of memory, Python's garbage may hold some of it.
void collect_garbage() {
  if (interpreter_gone.load(std::memory_order_acquire)) return;
  const AcquireGil gil;
  PyGC_Collect();
  release_kept();
}

// Called while a thread waits for a device or a compiler, with or without the GIL. Only the main thread runs
// signal handlers. A handler that raises an exception, as that of Ctrl-C does, ends the wait.
void look_for_signals() {
  if (interpreter_gone.load(std::memory_order_acquire) || syscall(SYS_gettid) != getpid()) return;
  const AcquireGil gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace

SleepIfUnwound::~SleepIfUnwound() {
  while (!returned_) pause();
}

namespace {

// A function of its own: unwinding ends the process at a destructor before it runs what is in it.
[[gnu::noinline]] void take_gil(PyThreadState* state) {
  SleepIfUnwound sleep;
  PyEval_RestoreThread(state);
  sleep.returned();
}

}  // namespace

ReleaseGil::~ReleaseGil() {
  take_gil(state_);
}

AcquireGil::AcquireGil() {
  SleepIfUnwound sleep;
  state_ = PyGILState_Ensure();
  sleep.returned();
}

bool has_interpreter() noexcept {
  return !interpreter_gone.load(std::memory_order_acquire);
}

void watch_interpreter() {
  set_memory_collector(collect_garbage);
  set_wait_hook(look_for_signals);
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    interpreter_gone.store(true, std::memory_order_release);
    const nb::gil_scoped_release released;
    finish_before_exit();
  }));
}

void wait_for_event(const Event& event) {
  if (event.status() == EventStatus::complete) {
    event.wait();  // throws the deferred error of a read
    return;
  }
  // Also for an operation that failed: its error can be queried.
  wait_interruptibly(Deadline::max(), [&](Deadline deadline) { return event.wait_until(deadline); });
}

Deadline deadline_after(nb::handle seconds) {
  if (seconds.is_none()) return Deadline::max();
  const double value = PyFloat_AsDouble(seconds.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    type_error("timeout: expected seconds, got " + class_name(seconds));
  }
  if (std::isnan(value)) throw ArgumentError(ArgumentError::Kind::value, "timeout: not a number");
  constexpr double kAlmostForEver = 1e9;
  if (value >= kAlmostForEver) return Deadline::max();
  const auto wait = std::chrono::duration<double>(std::max(value, 0.0));
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(wait);
}

bool is_result_discarded() {
  PyFrameObject* const frame = PyEval_GetFrame();
  if (frame == nullptr) return false;
  const nb::handle caller(reinterpret_cast<PyObject*>(frame));
  const auto code = nb::cast<nb::bytes>(nb::object(caller.attr("f_code").attr("co_code")));
  const auto numbers = nb::module_::import_("opcode").attr("opmap");
  const auto discards = nb::cast<int>(numbers["POP_TOP"]);
  const auto caches = nb::cast<int>(numbers.attr("get")("CACHE", -1));
  const auto* const opcodes = static_cast<const unsigned char*>(code.data());
  // Opcodes are two bytes apart, and a call is followed by cache entries that the interpreter writes to.
  auto next = nb::cast<std::size_t>(nb::object(caller.attr("f_lasti"))) + 2;
  while (next < code.size() && opcodes[next] == caches) next += 2;
  return next < code.size() && opcodes[next] == discards;
}

std::shared_ptr<void> keep_object(nb::object object) {
  auto* kept = new Kept;
  kept->object = object.release().ptr();
  return {static_cast<void*>(kept), [](void* pointer) { let_go_of(static_cast<Kept*>(pointer)); }};
}

std::shared_ptr<void> keep_view(const Py_buffer& view) {
  auto* kept = new Kept;
  kept->view = view;
  return {static_cast<void*>(kept), [](void* pointer) { let_go_of(static_cast<Kept*>(pointer)); }};
}

void release_kept() {
  if (let_go.load(std::memory_order_relaxed) == nullptr) return;
  Kept* kept = let_go.exchange(nullptr, std::memory_order_acquire);
  while (kept != nullptr) {
    Kept* next = kept->next;
    Py_XDECREF(kept->object);
    if (kept->view.obj != nullptr) PyBuffer_Release(&kept->view);
    delete kept;
    kept = next;
  }
}

}  // namespace quern::python
