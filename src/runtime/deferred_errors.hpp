// SPDX-License-Identifier: MIT
// Deferred errors: an enqueued operation may turn out to have failed while it ran. Each allocation records
// the operations that its contents depend on, so that exactly the reads of affected memory throw.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/byte_range.hpp"

namespace quern::detail {

struct Use;

// May be destroyed under any lock, so its destructor must not destroy a queue or a context.
class DeferredError {
 public:
  DeferredError() noexcept { live.fetch_add(1, std::memory_order_relaxed); }
  DeferredError(const DeferredError&) = delete;
  DeferredError& operator=(const DeferredError&) = delete;
  virtual ~DeferredError() { uncount(); }
  // Returns whether check() is known not to throw. Does not wait.
  [[nodiscard]] virtual bool is_cleared() const noexcept = 0;
  // Waits until the operation is done, and throws its error if it failed.
  virtual void check() = 0;
  // Whether it is a LaunchError, which also makes operations fail that use the memory.
  [[nodiscard]] virtual bool is_of_launch() const noexcept { return false; }
  // Whether results that depend on it are computed by another kernel than those that do not.
  [[nodiscard]] virtual bool may_divide_results() const noexcept { return true; }

  // The number of deferred errors that are not cleared. While it is 0, operations skip all checks.
  inline static std::atomic<std::size_t> live{0};

 protected:
  // Called when it is cleared, although memory may keep it for a while.
  void uncount() noexcept {
    if (is_live_.exchange(false)) live.fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  std::atomic<bool> is_live_{true};
};

using DeferredErrorPtr = std::shared_ptr<DeferredError>;
using DeferredErrorList = std::vector<DeferredErrorPtr>;

// The deferred errors of one allocation, by byte range. Thread-safe.
class DeferredErrors {
 public:
  DeferredErrors() = default;
  // Moves no errors: memory gets a new owner only when its contents are not needed.
  DeferredErrors(DeferredErrors&& /*other*/) noexcept {}
  DeferredErrors& operator=(DeferredErrors&& other) noexcept;

  [[nodiscard]] bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
  // Returns the errors of this range that are not cleared.
  [[nodiscard]] DeferredErrorList list(ByteRange range);
  void add_to(DeferredErrorList& all, ByteRange range);  // the same, added to a list
  // In parts within the range, the added errors replace those that are `covered`.
  void add(ByteRange range, const DeferredErrorList& errors, const DeferredErrorList& covered = {});
  // Removes the errors of a range whose contents were overwritten.
  void overwritten(ByteRange range) noexcept;
  // Turns tracking off for this memory.
  void exempt() noexcept { is_exempt_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_exempt() const noexcept { return is_exempt_.load(std::memory_order_relaxed); }

 private:
  struct Part {
    ByteRange range;
    DeferredErrorList errors;  // sorted by address
  };
  void drop_cleared();  // the caller holds the lock

  std::atomic<bool> any_{false}, is_exempt_{false};
  std::vector<Part> parts_;
};

// Returns the deferred errors of all memory that an operation uses, except memory that it overwrites.
DeferredErrorList deferred_errors_of(std::span<const Use> uses);
// Attaches the errors to all memory that the operation writes; see DeferredErrors::add().
void set_deferred_errors(std::span<const Use> uses, const DeferredErrorList& errors,
                         const DeferredErrorList& covered = {});
// Merges two lists that are sorted by address.
void merge_deferred_errors(DeferredErrorList& errors, const DeferredErrorList& others);
// Throws the first error of an operation that failed.
void check_deferred_errors(const DeferredErrorList& errors);

}  // namespace quern::detail
