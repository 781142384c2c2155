// SPDX-License-Identifier: MIT
// Preparing and running the operations of a graph.
#include "backend/host/graph.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <utility>

#include "backend/host/operations.hpp"
#include "backend/host/queue.hpp"
#include "base/parallel_copy.hpp"
#include "base/thread_pool.hpp"

namespace quern::backend::host {
namespace {

// Operations that are known to be shorter run on one thread: waking another one takes about as long.
constexpr double kSerialNs = 50e3;
constexpr double kMoveNsPerByte = 0.1;

class PreparedLaunch final : public Prepared {
 public:
  PreparedLaunch(const HostFunction& function, const LaunchShape& shape, std::span<const Argument> arguments)
      : bound_(function, shape, arguments),
        name_(function.name()),
        code_(function.code()),
        rate_(function.rate()) {
    const std::uint64_t largest = function.largest_integer(arguments);
    is_familiar_ = rate_->knows(largest);
    rate_->note(largest);
  }

  [[nodiscard]] double expected_ns() const noexcept override {
    const double rate = rate_->ns();
    if (rate < 0 || !(is_familiar_ || has_run_.load(std::memory_order_relaxed))) return -1;
    return rate * bound_.group_items() * static_cast<double>(bound_.groups());
  }

  void run() const override {
    const std::uint64_t groups = bound_.groups();
    const double expected = expected_ns();
    if (groups == 1 || (expected >= 0 && expected < kSerialNs)) {
      bound_.run(0, groups, *rate_, *name_);
    } else {
      run_in_parallel(groups, expected);
    }
    has_run_.store(true, std::memory_order_relaxed);
  }

 private:
  void run_in_parallel(std::uint64_t groups, double expected) const {
    // At least 10 us of work in a piece.
    const double pieces = expected < 0 ? 16.0 * ThreadPool::current().threads() : expected / 10e3;
    const auto grain =
        static_cast<std::uint64_t>(std::max(1.0, static_cast<double>(groups) / std::max(pieces, 1.0)));
    std::atomic<bool> has_failed{false};
    std::exception_ptr failure;
    parallel_for(groups, grain, [&](std::uint64_t first, std::uint64_t last) {
      if (has_failed.load(std::memory_order_relaxed)) return;
      try {
        bound_.run(first, last, *rate_, *name_);
      } catch (...) {
        if (!has_failed.exchange(true)) failure = std::current_exception();
      }
    });
    if (failure) std::rethrow_exception(failure);
  }

  BoundLaunch bound_;
  std::shared_ptr<const std::string> name_;
  std::shared_ptr<const KernelCode> code_;
  std::shared_ptr<RateEstimate> rate_;
  bool is_familiar_ = false;
  mutable std::atomic<bool> has_run_{false};
};

class PreparedMove final : public Prepared {
 public:
  PreparedMove(void* to, const void* from, std::size_t nbytes) : to_(to), from_(from), nbytes_(nbytes) {}
  [[nodiscard]] double expected_ns() const noexcept override {
    return kMoveNsPerByte * static_cast<double>(nbytes_);
  }
  void run() const override {
    const auto* const from = static_cast<const std::byte*>(from_);
    auto* const to = static_cast<std::byte*>(to_);
    const bool overlaps = from < to + nbytes_ && to < from + nbytes_;
    if (nbytes_ == 0) return;
    if (overlaps || expected_ns() < kSerialNs) {
      std::memmove(to, from, nbytes_);
    } else {
      parallel_copy(to, from, nbytes_);
    }
  }

 private:
  void* to_;
  const void* from_;
  std::size_t nbytes_;
};

class PreparedFill final : public Prepared {
 public:
  PreparedFill(std::byte* to, std::size_t nbytes, std::span<const std::byte> pattern)
      : to_(to), nbytes_(nbytes), pattern_(pattern.begin(), pattern.end()) {}
  [[nodiscard]] double expected_ns() const noexcept override {
    return kMoveNsPerByte * static_cast<double>(nbytes_);
  }
  void run() const override {
    if (expected_ns() < kSerialNs) return fill_now(to_, nbytes_, pattern_);
    constexpr std::size_t kBlock = std::size_t{256} << 10;
    const std::size_t block = (kBlock + pattern_.size() - 1) / pattern_.size() * pattern_.size();
    parallel_for((nbytes_ + block - 1) / block, 1, [&](std::uint64_t first, std::uint64_t last) {
      const std::size_t begin = first * block, end = std::min<std::size_t>(last * block, nbytes_);
      fill_now(to_ + begin, end - begin, pattern_);
    });
  }

 private:
  std::byte* to_;
  std::size_t nbytes_;
  std::vector<std::byte> pattern_;
};

class PreparedRect final : public Prepared {
 public:
  explicit PreparedRect(const Rect& rect) : rect_(rect), overlaps_(rect.overlaps()) {}
  [[nodiscard]] double expected_ns() const noexcept override {
    return static_cast<double>(rect_.rows * rect_.slices) *
           (5 + kMoveNsPerByte * static_cast<double>(rect_.width));
  }
  void run() const override {
    if (overlaps_) return rect_.copy_overlapping();
    const std::size_t rows = rect_.rows * rect_.slices;
    const auto grain = static_cast<std::uint64_t>(
        std::max(1.0, kSerialNs / (5 + kMoveNsPerByte * static_cast<double>(rect_.width))));
    parallel_for(rows, grain, [&](std::uint64_t first, std::uint64_t last) { rect_.copy_rows(first, last); });
  }

 private:
  Rect rect_;
  bool overlaps_;
};

class PreparedCall final : public Prepared {
 public:
  explicit PreparedCall(std::function<void(std::uintptr_t native)> function)
      : function_(std::move(function)) {}
  [[nodiscard]] double expected_ns() const noexcept override { return -1; }
  void run() const override { function_(0); }

 private:
  std::function<void(std::uintptr_t native)> function_;
};

// Prepares the operation that a step enqueues.
class Preparing final : public Queue {
 public:
  static std::shared_ptr<const Prepared> step(const std::function<void(Queue&)>& issue) {
    Preparing queue;
    issue(queue);
    return std::move(queue.prepared_);
  }

  TimingPtr launch(Function& function, const LaunchShape& shape,
                   std::span<const Argument> arguments) override {
    prepared_ =
        std::make_shared<PreparedLaunch>(static_cast<const HostFunction&>(function), shape, arguments);
    return nullptr;
  }
  TimingPtr fill(Memory& memory, std::size_t offset, std::size_t nbytes,
                 std::span<const std::byte> pattern) override {
    prepared_ = std::make_shared<PreparedFill>(address(memory, offset), nbytes, pattern);
    return nullptr;
  }
  TimingPtr copy(Memory& from, std::size_t from_offset, Memory& to, std::size_t to_offset,
                 std::size_t nbytes) override {
    prepared_ = std::make_shared<PreparedMove>(address(to, to_offset), address(from, from_offset), nbytes);
    return nullptr;
  }
  TimingPtr write(Memory& to, std::size_t offset, const void* from, std::size_t nbytes) override {
    prepared_ = std::make_shared<PreparedMove>(address(to, offset), from, nbytes);
    return nullptr;
  }
  TimingPtr read(const Memory& from, std::size_t offset, void* to, std::size_t nbytes) override {
    prepared_ = std::make_shared<PreparedMove>(to, address(from, offset), nbytes);
    return nullptr;
  }
  TimingPtr copy_rect(const RectSide& from, const RectSide& to, std::array<std::size_t, 3> region) override {
    const Rect rect = rectangle(from, to, region);
    if (rect.width * rect.rows * rect.slices != 0) prepared_ = std::make_shared<PreparedRect>(rect);
    return nullptr;
  }
  TimingPtr call_observed(std::function<void(std::uintptr_t native)> function, ObserverSource&) override {
    prepared_ = std::make_shared<PreparedCall>(std::move(function));
    return nullptr;
  }
  std::shared_ptr<Marker> record() override { throw Error("a graph has no markers"); }
  bool wait(const std::shared_ptr<Marker>&) override { return false; }
  void flush() override {}
  [[nodiscard]] std::uintptr_t native_handle() const noexcept override { return 0; }

 private:
  static std::byte* address(const Memory& memory, std::size_t offset) {
    return static_cast<std::byte*>(memory.host_pointer()) + offset;
  }
  std::shared_ptr<const Prepared> prepared_;
};

}  // namespace

HostGraph::HostGraph(std::span<const GraphStep> steps) : program_(std::make_shared<Program>()) {
  program_->steps.reserve(steps.size());
  for (const GraphStep& step : steps) program_->steps.push_back(Preparing::step(step.issue));
}

TimingPtr HostGraph::launch(Queue& queue, ObserverSource& observers) {
  double expected = 0;
  for (const auto& prepared : program_->steps) {
    if (!prepared) continue;
    const double each = prepared->expected_ns();
    expected = each < 0 || expected < 0 ? -1 : expected + each;
  }
  const auto run = [program = InUse<Program>(program_)] {
    for (const auto& prepared : program->steps)
      if (prepared) prepared->run();
  };
  return static_cast<HostQueue&>(queue).run(run, expected, observers);
}

bool HostGraph::update(std::size_t step, const std::function<void(Queue& queue)>& issue) {
  if (program_->is_in_use()) program_ = std::make_shared<Program>(*program_);
  program_->steps[step] = Preparing::step(issue);
  return true;
}

std::unique_ptr<Graph> HostQueue::make_graph(std::span<const GraphStep> steps) {
  return std::make_unique<HostGraph>(steps);
}

}  // namespace quern::backend::host
