// SPDX-License-Identifier: MIT
// Reports to a profile.
#include "runtime/submission.hpp"

#include <utility>

#include "backend/time_recording.hpp"
#include "runtime/launch.hpp"

namespace quern::detail {
namespace {

thread_local const SubmissionLabel* current_label = nullptr;

}  // namespace

void observe_submissions(SubmissionObserver* observer) noexcept {
  backend::time_recording.store(observer != nullptr, std::memory_order_relaxed);
  submission_observer.store(observer, std::memory_order_release);
}

void count_at_once() noexcept {
  count_launch();
  if (SubmissionObserver* const observer = submission_observer.load(std::memory_order_relaxed)) [[unlikely]]
    observer->computed_at_once();
}

SubmissionLabel::SubmissionLabel(std::string text) noexcept
    : text_(std::move(text)), before_(std::exchange(current_label, this)) {}

SubmissionLabel::~SubmissionLabel() {
  current_label = before_;
}

std::string_view SubmissionLabel::current() noexcept {
  return current_label != nullptr ? std::string_view(current_label->text_) : std::string_view();
}

ObservedWait::ObservedWait(QueueState& queue, std::uint64_t ticket) noexcept
    : observer_(submission_observer.load(std::memory_order_acquire)), queue_(queue), ticket_(ticket) {
  if (observer_ != nullptr) [[unlikely]]
    begin_ = std::chrono::steady_clock::now();
}

ObservedWait::~ObservedWait() {
  if (observer_ != nullptr) [[unlikely]]
    observer_->waited(queue_, ticket_, begin_, std::chrono::steady_clock::now());
}

}  // namespace quern::detail
