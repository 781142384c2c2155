// SPDX-License-Identifier: MIT
// A point in a CUDA stream, represented by an event.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>

#include "backend/backend.hpp"
#include "backend/cuda/state.hpp"

namespace quern::backend::cuda {

// The known progress of a queue; shared with its markers, which update it.
struct Progress {
  std::atomic<std::uint64_t> enqueued{0};  // operations, counted after the driver has accepted them
  std::atomic<std::uint64_t> done{0};      // completed ones among those

  void reached(std::uint64_t count) noexcept {
    std::uint64_t known = done.load(std::memory_order_relaxed);
    while (known < count && !done.compare_exchange_weak(known, count, std::memory_order_release)) {
    }
  }
};

class CudaMarker final : public Marker {
 public:
  // Records the event on the stream.
  CudaMarker(StatePtr state, StreamHandle stream, std::shared_ptr<Progress> progress);
  ~CudaMarker() override { state_->recycle_event(event_, false); }
  CudaMarker(const CudaMarker&) = delete;
  CudaMarker& operator=(const CudaMarker&) = delete;

  bool done() override;
  bool wait(Deadline deadline) override;
  [[nodiscard]] std::exception_ptr error() const override;
  void notify(std::shared_ptr<Signal> signal) override;

  [[nodiscard]] EventHandle event() const noexcept { return event_; }
  [[nodiscard]] const Driver& api() const noexcept { return state_->api; }
  [[nodiscard]] bool known_done() const noexcept { return done_.load(std::memory_order_acquire); }

 private:
  bool query();  // with the context current

  StatePtr state_;
  std::shared_ptr<Progress> progress_;
  std::uint64_t count_;
  EventHandle event_;
  std::atomic<bool> done_{false};
  mutable std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace quern::backend::cuda
