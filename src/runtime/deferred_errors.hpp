// SPDX-License-Identifier: MIT
// Work that was enqueued and may turn out not to have done what it was told. Memory remembers what its
// contents hang on, so that whoever reads it is told, and nobody else.
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

// Dropped under any lock: to be destroyed must not end anything larger.
class DeferredError {
 public:
  DeferredError() noexcept { live.fetch_add(1, std::memory_order_relaxed); }
  DeferredError(const DeferredError&) = delete;
  DeferredError& operator=(const DeferredError&) = delete;
  virtual ~DeferredError() { uncount(); }
  // Whether check() is known to throw nothing. Does not wait.
  [[nodiscard]] virtual bool is_resolved() const noexcept = 0;
  // Waits until it is known what came of the work, and throws what went wrong.
  virtual void check() = 0;
  // Whether it is a LaunchError, which also fails operations that use the memory.
  [[nodiscard]] virtual bool is_of_launch() const noexcept { return false; }
  // Whether results that depend on it are computed apart from those that do not.
  [[nodiscard]] virtual bool may_divide_results() const noexcept { return true; }

  // Those that are not known to be settled. While there are none, nobody looks any further.
  inline static std::atomic<std::size_t> live{0};

 protected:
  // It is settled, although memory may keep it for a while.
  void uncount() noexcept {
    if (is_live_.exchange(false)) live.fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  std::atomic<bool> is_live_{true};
};

using DeferredErrorPtr = std::shared_ptr<DeferredError>;
using DeferredErrorList = std::vector<DeferredErrorPtr>;

// What the contents of one allocation hang on. Thread-safe.
class DeferredErrors {
 public:
  DeferredErrors() = default;
  DeferredErrors(DeferredErrors&& /*other*/) noexcept {
  }  // memory changes hands when nobody wants its contents
  DeferredErrors& operator=(DeferredErrors&& other) noexcept;

  [[nodiscard]] bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
  // Those that are not settled, of this part.
  [[nodiscard]] DeferredErrorList list(ByteRange range);
  void add_to(DeferredErrorList& all, ByteRange range);  // likewise
  // In parts that lie within the range, the added ones take the place of those that are `covered`.
  void add(ByteRange range, const DeferredErrorList& deferred_errors, const DeferredErrorList& covered = {});
  // Something else is in this part from now on.
  void overwritten(ByteRange range) noexcept;
  // Nobody asks what this memory hangs on.
  void exempt() noexcept { is_exempt_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_exempt() const noexcept { return is_exempt_.load(std::memory_order_relaxed); }

 private:
  struct Part {
    ByteRange range;
    DeferredErrorList deferred_errors;  // by address
  };
  void drop_resolved();  // with the lock held

  std::atomic<bool> any_{false}, is_exempt_{false};
  std::vector<Part> parts_;
};

// What the memory that an operation uses hangs on, but for what it overwrites.
DeferredErrorList deferred_errors_of(std::span<const Use> uses);
// What the operation writes hangs on these from now on; see DeferredErrors::add().
void set_deferred_errors(std::span<const Use> uses, const DeferredErrorList& deferred_errors,
                         const DeferredErrorList& covered = {});
// Adds to a list that is sorted by address.
void merge_deferred_errors(DeferredErrorList& deferred_errors, const DeferredErrorList& others);
// Throws for the first that something went wrong with.
void check_deferred_errors(const DeferredErrorList& deferred_errors);

}  // namespace quern::detail
