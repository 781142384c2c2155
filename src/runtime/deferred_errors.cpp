// SPDX-License-Identifier: MIT
// Deferred errors of memory.
#include "runtime/deferred_errors.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>

#include "runtime/queue_state.hpp"

namespace quern::detail {
namespace {

// One mutex for all memory. It is locked only while there are deferred errors.
std::mutex& deferred_error_mutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

void erase_cleared(DeferredErrorList& errors) {
  std::erase_if(errors, [](const DeferredErrorPtr& error) { return error->is_cleared(); });
}

}  // namespace

DeferredErrors& DeferredErrors::operator=(DeferredErrors&& /*other*/) noexcept {
  overwritten(kWhole);
  is_exempt_ = false;
  return *this;
}

void DeferredErrors::drop_cleared() {
  std::erase_if(parts_, [](const Part& part) {
    return std::all_of(part.errors.begin(), part.errors.end(),
                       [](const DeferredErrorPtr& error) { return error->is_cleared(); });
  });
  any_.store(!parts_.empty(), std::memory_order_relaxed);
}

DeferredErrorList DeferredErrors::list(ByteRange range) {
  DeferredErrorList all;
  add_to(all, range);
  return all;
}

void DeferredErrors::add_to(DeferredErrorList& all, ByteRange range) {
  if (!any()) return;
  const std::lock_guard lock(deferred_error_mutex());
  drop_cleared();
  for (const Part& part : parts_)
    if (range.overlaps(part.range)) merge_deferred_errors(all, part.errors);
}

void DeferredErrors::add(ByteRange range, const DeferredErrorList& errors, const DeferredErrorList& covered) {
  if (is_exempt()) return;
  const std::lock_guard lock(deferred_error_mutex());
  const auto is_same = [&](const Part& part) {
    return part.range.begin == range.begin && part.range.end == range.end;
  };
  const auto is_there = [&](const Part& part) {
    return is_same(part) &&
           std::includes(part.errors.begin(), part.errors.end(), errors.begin(), errors.end());
  };
  if (covered.empty() && std::any_of(parts_.begin(), parts_.end(), is_there)) return;
  // Memory with many parts is not tracked by part any more: all of it gets all deferred errors.
  constexpr std::size_t kMost = 64;
  const bool merges = parts_.size() >= kMost;
  Part added{range, errors};
  erase_cleared(added.errors);
  std::erase_if(parts_, [&](Part& part) {
    erase_cleared(part.errors);
    if (range.contains(part.range)) {
      std::erase_if(part.errors, [&](const DeferredErrorPtr& error) {
        return std::binary_search(covered.begin(), covered.end(), error);
      });
    }
    const bool is_one = merges || is_same(part);
    if (is_one) {
      added.range = {std::min(part.range.begin, added.range.begin),
                     std::max(part.range.end, added.range.end)};
      merge_deferred_errors(added.errors, part.errors);
    }
    return is_one || part.errors.empty();
  });
  if (!added.errors.empty()) parts_.push_back(std::move(added));
  any_.store(!parts_.empty(), std::memory_order_relaxed);
}

void DeferredErrors::overwritten(ByteRange range) noexcept {
  if (!any()) return;
  const std::lock_guard lock(deferred_error_mutex());
  std::erase_if(parts_, [&](const Part& part) { return range.contains(part.range); });
  any_.store(!parts_.empty(), std::memory_order_relaxed);
}

DeferredErrorList deferred_errors_of(std::span<const Use> uses) {
  DeferredErrorList all;
  for (const Use& use : uses)
    if (use.usage != Usage::overwrites) use.record->deferred_errors().add_to(all, use.range);
  return all;
}

void set_deferred_errors(std::span<const Use> uses, const DeferredErrorList& errors,
                         const DeferredErrorList& covered) {
  for (const Use& use : uses) {
    if (use.usage == Usage::overwrites) use.record->deferred_errors().overwritten(use.range);
    if (use.writes() && !errors.empty()) use.record->deferred_errors().add(use.range, errors, covered);
  }
}

void merge_deferred_errors(DeferredErrorList& errors, const DeferredErrorList& others) {
  if (others.empty()) return;
  if (errors.empty()) {
    errors = others;
  } else if (!std::includes(errors.begin(), errors.end(), others.begin(), others.end())) {
    DeferredErrorList all;
    std::set_union(errors.begin(), errors.end(), others.begin(), others.end(), std::back_inserter(all));
    errors.swap(all);
  }
  erase_cleared(errors);
}

void check_deferred_errors(const DeferredErrorList& errors) {
  for (const DeferredErrorPtr& error : errors) error->check();
}

}  // namespace quern::detail
