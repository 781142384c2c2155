// SPDX-License-Identifier: MIT
// Placement of events on the host's clock.
#include "backend/cuda/timing.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace quern::backend::cuda {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr seconds kBaseLife{4};  // 4,096 ms as a float are exact to a quarter of a microsecond
constexpr seconds kPause{8};     // after this the host's clock is the better reference

}  // namespace

DeviceClock::DeviceClock(DeviceState& state) : state_(state) {
  const Current current(state);
  state.check(state.api.cuStreamCreate(&stream_, kStreamNonBlocking), "cuStreamCreate");
  try {
    // The event ran between the two readings of the clock; the tightest of several attempts is kept.
    auto best = steady_clock::duration::max();
    for (int attempt = 0; attempt < 8; ++attempt) {
      auto base = std::make_shared<Base>(state, state.acquire_event(true));
      const auto before = steady_clock::now();
      state.check(state.api.cuEventRecord(base->event, stream_), "cuEventRecord");
      state.check(state.api.cuEventSynchronize(base->event), "cuEventSynchronize");
      const auto after = steady_clock::now();
      if (after - before >= best) continue;
      best = after - before;
      base->host_time = nanoseconds(before + (after - before) / 2);
      base->placed = true;
      current_ = std::move(base);
      made_ = after;
    }
  } catch (...) {
    state.api.cuStreamDestroy(stream_);
    throw;
  }
}

DeviceClock::~DeviceClock() {
  const CurrentNoThrow current(state_);
  if (current) state_.api.cuStreamDestroy(stream_);
}

std::shared_ptr<DeviceClock::Base> DeviceClock::record_base() {
  auto base = std::make_shared<Base>(state_, state_.acquire_event(true));
  const Current current(state_);
  state_.check(state_.api.cuEventRecord(base->event, stream_), "cuEventRecord");
  return base;
}

std::shared_ptr<DeviceClock::Base> DeviceClock::base() {
  const std::lock_guard lock(mutex_);
  const auto now = steady_clock::now();
  const auto age = now - made_;
  if (age < kBaseLife) return current_;
  // Placing the last base now keeps the chain of unplaced ones short.
  if (const std::unique_lock placing(place_mutex_, std::try_to_lock); placing && !current_->placed) {
    const Current context(state_);
    if (state_.api.cuEventQuery(current_->event) == Result::success) place(current_);
  }
  auto next = record_base();
  if (age > kPause) {
    next->host_time = nanoseconds(steady_clock::now());
    next->placed = true;
  } else {
    next->previous = current_;
  }
  current_ = std::move(next);
  made_ = now;
  return current_;
}

// Under place_mutex_.
void DeviceClock::place(const std::shared_ptr<Base>& base) {
  std::vector<std::shared_ptr<Base>> chain;
  for (auto link = base; !link->placed; link = link->previous) chain.push_back(link);
  for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
    Base& next = **link;
    float milliseconds = 0;
    state_.check(state_.api.cuEventSynchronize(next.event), "cuEventSynchronize");
    state_.check(state_.api.cuEventElapsedTime(&milliseconds, next.previous->event, next.event),
                 "cuEventElapsedTime");
    next.host_time = next.previous->host_time + std::llround(static_cast<double>(milliseconds) * 1e6);
    next.placed = true;
    next.previous.reset();
  }
}

std::int64_t DeviceClock::host_time(const std::shared_ptr<Base>& base, EventHandle event) {
  const std::lock_guard lock(place_mutex_);
  place(base);
  float milliseconds = 0;
  state_.check(state_.api.cuEventSynchronize(base->event), "cuEventSynchronize");
  state_.check(state_.api.cuEventElapsedTime(&milliseconds, base->event, event), "cuEventElapsedTime");
  return base->host_time + std::llround(static_cast<double>(milliseconds) * 1e6);
}

TimedEvent::TimedEvent(StatePtr state, StreamHandle stream)
    : state_(std::move(state)), base_(state_->clock().base()), event_(state_->acquire_event(true)) {
  const Result result = state_->api.cuEventRecord(event_, stream);
  if (result != Result::success) {
    state_->recycle_event(event_, true);
    state_->fail(result, "cuEventRecord");
  }
}

TimedEvent::~TimedEvent() {
  state_->recycle_event(event_, true);
  base_.reset();  // before the state it refers to
}

bool TimedEvent::is_ahead() const noexcept {
  return state_->api.cuEventQuery(event_) == Result::not_ready;
}

std::int64_t TimedEvent::host_time() const {
  return state_->clock().host_time(base_, event_);
}

Times CudaTiming::times() {
  const Current current(*state_);
  Times times;
  if (!end_) return times;  // the operation was not enqueued
  times.started = start_->host_time();
  times.ended = end_->host_time();
  // The two clocks agree only to microseconds; the device's own times are not adjusted.
  times.queued = times.submitted = std::min(queued_, times.started);
  return times;
}

}  // namespace quern::backend::cuda
