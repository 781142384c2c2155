// SPDX-License-Identifier: MIT
// Recording, polling and waiting for events.
#include "backend/cuda/marker.hpp"

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

namespace quern::backend::cuda {

using namespace std::chrono_literals;

CudaMarker::CudaMarker(StatePtr state, StreamHandle stream, std::shared_ptr<Progress> progress)
    : state_(std::move(state)),
      progress_(std::move(progress)),
      // Read before the event is recorded, so that the event covers all counted operations.
      count_(progress_->enqueued.load(std::memory_order_acquire)),
      event_(state_->acquire_event(false)) {
  const Result result = state_->api.cuEventRecord(event_, stream);
  if (result != Result::success) {
    state_->recycle_event(event_, false);
    state_->fail(result, "cuEventRecord");
  }
}

bool CudaMarker::query() {
  const Result result = state_->api.cuEventQuery(event_);
  if (result == Result::not_ready) return false;
  if (result != Result::success) {
    try {
      state_->fail(result, "cuEventQuery");
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }
  if (result == Result::success && state_->prints.load(std::memory_order_relaxed))
    state_->api.cuEventSynchronize(event_);
  progress_->reached(count_);
  done_.store(true, std::memory_order_release);
  return true;
}

bool CudaMarker::done() {
  if (known_done()) return true;
  const Current current(*state_);
  return query();
}

bool CudaMarker::wait(Deadline deadline) {
  if (known_done()) return true;
  const Current current(*state_);
  const auto start = Clock::now();
  for (;;) {
    if (query()) return true;
    const auto now = Clock::now();
    if (now >= deadline) return false;
    const auto elapsed = now - start;
    if (elapsed < 100us) continue;  // most waits end here, and sleeping would double them
    // Sleeps for a twentieth of the elapsed time: the wait ends at most 5 percent late, and a long one costs
    // no processor time.
    const auto slice = std::clamp<Clock::duration>(elapsed / 20, 5us, 1ms);
    std::this_thread::sleep_for(std::min<Clock::duration>(slice, deadline - now));
  }
}

namespace {

// The data of a host function, which the driver calls once. It must not call the driver, not even by
// destroying the last reference to the device's state.
struct Notice {
  std::shared_ptr<Signal> signal;
  std::shared_ptr<IdleStreams> streams;
  StreamHandle stream;

  static void deliver(void* data) {
    const std::unique_ptr<Notice> notice(static_cast<Notice*>(data));
    notice->streams->add(notice->stream);
    notice->signal->raise();
  }
};

}  // namespace

// A host function in the queue's own stream would delay the work behind it, so it runs in another stream that
// waits for the event.
void CudaMarker::notify(std::shared_ptr<Signal> signal) {
  if (done()) {
    signal->raise();
    return;
  }
  const Current current(*state_);
  const std::shared_ptr<IdleStreams>& streams = state_->notice_streams();
  StreamHandle stream = streams->take();
  if (stream == nullptr)
    state_->check(state_->api.cuStreamCreate(&stream, kStreamNonBlocking), "cuStreamCreate");
  auto notice = std::make_unique<Notice>(Notice{std::move(signal), streams, stream});
  Result result = state_->api.cuStreamWaitEvent(stream, event_, 0);
  const char* call = "cuStreamWaitEvent";
  if (result == Result::success) {
    result = state_->api.cuLaunchHostFunc(stream, Notice::deliver, notice.get());
    call = "cuLaunchHostFunc";
  }
  if (result != Result::success) {
    streams->add(stream);
    state_->fail(result, call);
  }
  static_cast<void>(notice.release());  // deliver() owns it now
}

std::exception_ptr CudaMarker::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

}  // namespace quern::backend::cuda
