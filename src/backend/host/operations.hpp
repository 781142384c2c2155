// SPDX-License-Identifier: MIT
// The operations of a host queue: launches, copies, fills, rectangle copies and waits, each a task of the
// thread pool.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "backend/backend.hpp"
#include "backend/host/bounds.hpp"
#include "backend/host/program.hpp"
#include "base/thread_pool.hpp"
#include "frontend/host_abi.h"

namespace quern::backend::host {

class QueueState;

[[nodiscard]] std::int64_t now_ns() noexcept;

// The times of one operation; final once it is done.
class HostTiming final : public Timing {
 public:
  explicit HostTiming(std::int64_t queued) { times_.queued = queued; }
  Times times() override;
  void submit(std::int64_t now) noexcept { times_.submitted = now; }
  void start(std::int64_t now) noexcept;  // only the first call counts
  void end(std::int64_t now) noexcept;

 private:
  Times times_;
  std::atomic<std::int64_t> started_{0};
};

class Operation : public Task {
 public:
  using Task::Task;

  // Calls perform(), and records the times and the first failure.
  void run(std::uint64_t first, std::uint64_t last) noexcept final;
  void finished() noexcept final;

  // Whether it submits tasks to the pool itself, and waits for them.
  [[nodiscard]] virtual bool submits_tasks() const noexcept { return false; }

  // After an operation is done: notifies the observer; without one, returns the failure.
  [[nodiscard]] std::exception_ptr report() noexcept;

  // Set by the queue that accepts it. The queue's state lives as long as its operations.
  std::shared_ptr<QueueState> queue;
  std::shared_ptr<HostTiming> timing;        // null without profiling
  std::shared_ptr<LaunchObserver> observer;  // may be null
  std::uint64_t ticket = 0;
  std::shared_ptr<Marker> awaited;  // an operation without items that only waits for this
  std::thread::id runner;           // the thread that waits for it and runs it then; none if workers run it

 private:
  virtual void perform(std::uint64_t first, std::uint64_t last) = 0;

  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;
};

// No work; only its marker.
class WaitOperation final : public Operation {
 public:
  explicit WaitOperation(std::shared_ptr<Marker> marker) : Operation(0, 1) { awaited = std::move(marker); }

 private:
  void perform(std::uint64_t, std::uint64_t) override {}
};

// A call of a function that does its work itself, and throws if it fails.
class CallOperation final : public Operation {
 public:
  explicit CallOperation(std::function<void(std::uintptr_t native)> function)
      : Operation(1, 1), function_(std::move(function)) {}
  [[nodiscard]] bool submits_tasks() const noexcept override { return true; }

 private:
  void perform(std::uint64_t, std::uint64_t) override { function_(0); }
  std::function<void(std::uintptr_t native)> function_;
};

// A kernel with bound arguments: the block that quern_launch points into. It is not moved.
class BoundLaunch {
 public:
  BoundLaunch(const HostFunction& function, const LaunchShape& shape, std::span<const Argument> arguments);
  BoundLaunch(const BoundLaunch&) = delete;
  BoundLaunch& operator=(const BoundLaunch&) = delete;

  [[nodiscard]] std::uint64_t groups() const noexcept { return groups_; }
  [[nodiscard]] double group_items() const noexcept { return group_items_; }
  // Runs groups on this thread, and reports their time to the estimate. Throws KernelError, with the kernel's
  // name, if one of them failed.
  void run(std::uint64_t first, std::uint64_t last, RateEstimate& rate, const std::string& name) const;

 private:
  struct Local {
    std::size_t argument, offset;  // parameter index, and offset in the thread's scratch memory
  };
  void call(std::uint64_t first, std::uint64_t last, const std::string& name) const;
  void call(const quern_launch& launch, std::uint64_t first, std::uint64_t last,
            const std::string& name) const;

  quern_kernel_function* entry_;
  const KernelCode* code_;  // owned by the function or by its owner
  quern_launch launch_;
  std::uint64_t groups_ = 1;
  double group_items_ = 1;  // work-items of a full group
  std::vector<Local> locals_;
  // Bytes of local memory: the kernel's variables, then the exchange area, then its parameters.
  std::size_t local_bytes_ = 0, exchange_ = 0;
  std::size_t argument_count_ = 0;
  std::array<std::byte, 512> inline_;
  std::unique_ptr<Bounds> bounds_;     // of a kernel that checks its accesses
  std::unique_ptr<std::byte[]> heap_;  // for more arguments than fit inline
};

class LaunchOperation final : public Operation {
 public:
  LaunchOperation(const HostFunction& function, const LaunchShape& shape, std::span<const Argument> arguments,
                  bool familiar);
  [[nodiscard]] double expected_item_ns() const noexcept override;

 private:
  void perform(std::uint64_t first, std::uint64_t last) override;

  BoundLaunch bound_;
  bool familiar_;  // arguments of this size have been measured
  std::shared_ptr<const std::string> name_;
  std::shared_ptr<const KernelCode> code_;
  std::shared_ptr<RateEstimate> rate_;
  std::atomic<std::int64_t> first_start_{0};  // start of the first piece, and its number of groups
  std::atomic<std::uint64_t> first_groups_{1};
  std::atomic<bool> measured_{false};  // a piece has been done
};

// Copies like memmove. Items are blocks; overlapping ranges are one item.
class CopyOperation final : public Operation {
 public:
  CopyOperation(void* to, const void* from, std::size_t nbytes);
  [[nodiscard]] double expected_item_ns() const noexcept override;

 private:
  void perform(std::uint64_t first, std::uint64_t last) override;
  std::byte* to_;
  const std::byte* from_;
  std::size_t nbytes_;
};

class FillOperation final : public Operation {
 public:
  FillOperation(void* to, std::size_t nbytes, std::span<const std::byte> pattern);
  [[nodiscard]] double expected_item_ns() const noexcept override;

 private:
  void perform(std::uint64_t first, std::uint64_t last) override;
  std::byte* to_;
  std::size_t nbytes_;
  std::vector<std::byte> pattern_;  // repeated for an efficient memcpy; one byte if all are equal
  std::size_t block_;               // bytes of an item, a multiple of the pattern's
};

// Fills like FillOperation, on this thread.
void fill_now(void* to, std::size_t nbytes, std::span<const std::byte> pattern);

struct Rect {
  std::byte* to;
  const std::byte* from;
  std::size_t width, rows, slices;  // width in bytes
  std::size_t to_row, to_slice, from_row, from_slice;

  // Contiguous rows become one, so that the copy moves as much at a time as possible.
  void merge() noexcept;
  [[nodiscard]] bool overlaps() const noexcept;
  void copy_rows(std::size_t first, std::size_t last) const noexcept;  // counted through all slices
  void copy_overlapping() const;
};

// The bytes of a rectangle copy. Contiguous rows are merged, unless it is empty.
Rect rectangle(const RectSide& from, const RectSide& to, std::array<std::size_t, 3> region);

// Items are rows; rectangles that may overlap are one item.
class RectOperation final : public Operation {
 public:
  explicit RectOperation(const Rect& rect);
  [[nodiscard]] double expected_item_ns() const noexcept override;

 private:
  void perform(std::uint64_t first, std::uint64_t last) override;
  Rect rect_;
  bool overlaps_;
};

}  // namespace quern::backend::host
