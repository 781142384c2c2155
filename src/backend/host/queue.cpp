// SPDX-License-Identifier: MIT
// Enqueueing: which operations run on the calling thread, and which go to the workers.
#include "backend/host/queue.hpp"

#include <cstring>
#include <functional>
#include <thread>
#include <utility>

#include "backend/caller_runs.hpp"
#include "backend/time_recording.hpp"
#include "base/process.hpp"
#include "quern/error.hpp"

namespace quern::backend::host {
namespace {

// Below these limits, running an operation here takes less time than handing it to a worker.
constexpr double kInlineNs = 10e3;
constexpr std::size_t kInlineBytes = std::size_t{16} << 10;

std::byte* address(const Memory& memory, std::size_t offset) {
  return static_cast<std::byte*>(memory.host_pointer()) + offset;
}

}  // namespace

TimingPtr HostQueue::enqueue(std::shared_ptr<Operation> operation) {
  process::check_not_forked();
  std::shared_ptr<HostTiming> timing;
  if (options_.profiling || records_times()) {
    timing = std::make_shared<HostTiming>(now_ns());
    operation->timing = timing;
  }
  operation->set_priority(options_.priority);
  state_->enqueue(std::move(operation));
  return timing;
}

template <class Work>
TimingPtr HostQueue::run_inline(Work&& work) {
  process::check_not_forked();
  if (!options_.profiling && !records_times()) {
    state_->run_inline(work);
    return nullptr;
  }
  const std::int64_t now = now_ns();
  auto timing = std::make_shared<HostTiming>(now);
  timing->submit(now);
  timing->start(now);
  state_->run_inline([&] {
    work();
    timing->end(now_ns());
  });
  return timing;
}

TimingPtr HostQueue::launch(Function& function, const LaunchShape& shape,
                            std::span<const Argument> arguments) {
  return launch(function, shape, arguments, nullptr);
}

TimingPtr HostQueue::launch_observed(Function& function, const LaunchShape& shape,
                                     std::span<const Argument> arguments, ObserverSource& observers) {
  return launch(function, shape, arguments, &observers);
}

TimingPtr HostQueue::launch(Function& function, const LaunchShape& shape, std::span<const Argument> arguments,
                            ObserverSource* observers) {
  const auto& kernel = static_cast<const HostFunction&>(function);
  const double rate = kernel.rate()->ns();
  const std::uint64_t largest = kernel.largest_integer(arguments);
  const bool familiar = kernel.rate()->knows(largest);
  if (familiar && rate >= 0 && state_->idle() && state_->pool().may_work_here()) {
    const double items = static_cast<double>(shape.global[0]) * static_cast<double>(shape.global[1]) *
                         static_cast<double>(shape.global[2]);
    if (rate * items < kInlineNs) {
      const BoundLaunch bound(kernel, shape, arguments);
      return run_inline([&] {
        try {
          bound.run(0, bound.groups(), *kernel.rate(), *kernel.name());
        } catch (...) {
          if (observers == nullptr) throw;
          observers->observer()->ended(std::current_exception());
        }
      });
    }
  }
  if (!familiar) kernel.rate()->note(largest);
  auto operation = std::make_shared<LaunchOperation>(kernel, shape, arguments, familiar);
  if (observers != nullptr) operation->observer = observers->observer();
  return enqueue(std::move(operation));
}

TimingPtr HostQueue::move(void* to, const void* from, std::size_t nbytes) {
  if (nbytes <= kInlineBytes && state_->idle()) {
    return run_inline([&] {
      if (nbytes != 0) std::memmove(to, from, nbytes);
    });
  }
  return enqueue(std::make_shared<CopyOperation>(to, from, nbytes));
}

TimingPtr HostQueue::fill(Memory& memory, std::size_t offset, std::size_t nbytes,
                          std::span<const std::byte> pattern) {
  if (pattern.empty())
    throw ArgumentError(ArgumentError::Kind::value, "a fill needs a pattern of at least one byte");
  std::byte* const to = address(memory, offset);
  if (nbytes <= kInlineBytes && state_->idle()) {
    return run_inline([&] { fill_now(to, nbytes, pattern); });
  }
  return enqueue(std::make_shared<FillOperation>(to, nbytes, pattern));
}

TimingPtr HostQueue::copy(Memory& from, std::size_t from_offset, Memory& to, std::size_t to_offset,
                          std::size_t nbytes) {
  return move(address(to, to_offset), address(from, from_offset), nbytes);
}

TimingPtr HostQueue::write(Memory& to, std::size_t offset, const void* from, std::size_t nbytes) {
  return move(address(to, offset), from, nbytes);
}

TimingPtr HostQueue::read(const Memory& from, std::size_t offset, void* to, std::size_t nbytes) {
  return move(to, address(from, offset), nbytes);
}

TimingPtr HostQueue::copy_rect(const RectSide& from, const RectSide& to, std::array<std::size_t, 3> region) {
  const std::size_t width = region[0], rows = region[1], slices = region[2];
  const Rect rect = rectangle(from, to, region);
  if (width == 0 || rows == 0 || slices == 0) return move(rect.to, rect.from, 0);
  if (rect.rows * rect.slices == 1) return move(rect.to, rect.from, rect.width);
  if (width * rows * slices <= kInlineBytes && rows * slices <= 256 && state_->idle()) {
    return run_inline([&] {
      if (rect.overlaps()) {
        rect.copy_overlapping();
      } else {
        rect.copy_rows(0, rect.rows * rect.slices);
      }
    });
  }
  return enqueue(std::make_shared<RectOperation>(rect));
}

TimingPtr HostQueue::call_observed(std::function<void(std::uintptr_t native)> function,
                                   ObserverSource& observers) {
  auto operation = std::make_shared<CallOperation>(std::move(function));
  operation->observer = observers.observer();
  if (caller_runs_calls) operation->runner = std::this_thread::get_id();
  return enqueue(std::move(operation));
}

TimingPtr HostQueue::run(std::function<void()> work, double expected_ns, ObserverSource& observers) {
  // A list of operations may take longer than a single one: a worker would begin later by the time that it
  // takes to wake.
  constexpr double kInlineListNs = 4 * kInlineNs;
  if (expected_ns >= 0 && expected_ns < kInlineListNs && state_->idle() && state_->pool().may_work_here()) {
    return run_inline([&] {
      try {
        work();
      } catch (...) {
        observers.observer()->ended(std::current_exception());
      }
    });
  }
  return call_observed([work = std::move(work)](std::uintptr_t) { work(); }, observers);
}

std::shared_ptr<Marker> HostQueue::record() {
  const auto [since, ticket] = state_->mark();
  return std::make_shared<HostMarker>(state_, since, ticket);
}

bool HostQueue::wait(const std::shared_ptr<Marker>& marker) {
  const auto* mine = dynamic_cast<const HostMarker*>(marker.get());
  if (mine == nullptr) return false;
  if (mine->queue() == state_ || marker->done()) return true;
  enqueue(std::make_shared<WaitOperation>(marker));
  return true;
}

}  // namespace quern::backend::host
