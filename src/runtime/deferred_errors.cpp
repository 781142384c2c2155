// SPDX-License-Identifier: MIT
// What the contents of memory hang on.
#include "runtime/deferred_errors.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>

#include "runtime/queue_state.hpp"

namespace quern::detail {
namespace {

// One for all: it is taken only while there are deferred_errors.
std::mutex& deferred_error_mutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

void erase_resolved(DeferredErrorList& deferred_errors) {
  std::erase_if(deferred_errors,
                [](const DeferredErrorPtr& deferred_error) { return deferred_error->is_resolved(); });
}

}  // namespace

DeferredErrors& DeferredErrors::operator=(DeferredErrors&& /*other*/) noexcept {
  overwritten(kWhole);
  is_exempt_ = false;
  return *this;
}

void DeferredErrors::drop_resolved() {
  std::erase_if(parts_, [](const Part& part) {
    return std::all_of(part.deferred_errors.begin(), part.deferred_errors.end(),
                       [](const DeferredErrorPtr& deferred_error) { return deferred_error->is_resolved(); });
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
  drop_resolved();
  for (const Part& part : parts_)
    if (range.overlaps(part.range)) merge_deferred_errors(all, part.deferred_errors);
}

void DeferredErrors::add(ByteRange range, const DeferredErrorList& deferred_errors,
                         const DeferredErrorList& covered) {
  if (is_exempt()) return;
  const std::lock_guard lock(deferred_error_mutex());
  const auto is_same = [&](const Part& part) {
    return part.range.begin == range.begin && part.range.end == range.end;
  };
  const auto is_there = [&](const Part& part) {
    return is_same(part) && std::includes(part.deferred_errors.begin(), part.deferred_errors.end(),
                                          deferred_errors.begin(), deferred_errors.end());
  };
  if (covered.empty() && std::any_of(parts_.begin(), parts_.end(), is_there)) return;
  // What hangs on many things is not told apart: all of it hangs on all of them.
  constexpr std::size_t kMost = 64;
  const bool merges = parts_.size() >= kMost;
  Part added{range, deferred_errors};
  erase_resolved(added.deferred_errors);
  std::erase_if(parts_, [&](Part& part) {
    erase_resolved(part.deferred_errors);
    if (range.contains(part.range)) {
      std::erase_if(part.deferred_errors, [&](const DeferredErrorPtr& deferred_error) {
        return std::binary_search(covered.begin(), covered.end(), deferred_error);
      });
    }
    const bool is_one = merges || is_same(part);
    if (is_one) {
      added.range = {std::min(part.range.begin, added.range.begin),
                     std::max(part.range.end, added.range.end)};
      merge_deferred_errors(added.deferred_errors, part.deferred_errors);
    }
    return is_one || part.deferred_errors.empty();
  });
  if (!added.deferred_errors.empty()) parts_.push_back(std::move(added));
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

void set_deferred_errors(std::span<const Use> uses, const DeferredErrorList& deferred_errors,
                         const DeferredErrorList& covered) {
  for (const Use& use : uses) {
    if (use.usage == Usage::overwrites) use.record->deferred_errors().overwritten(use.range);
    if (use.writes() && !deferred_errors.empty())
      use.record->deferred_errors().add(use.range, deferred_errors, covered);
  }
}

void merge_deferred_errors(DeferredErrorList& deferred_errors, const DeferredErrorList& others) {
  if (others.empty()) return;
  if (deferred_errors.empty()) {
    deferred_errors = others;
  } else if (!std::includes(deferred_errors.begin(), deferred_errors.end(), others.begin(), others.end())) {
    DeferredErrorList all;
    std::set_union(deferred_errors.begin(), deferred_errors.end(), others.begin(), others.end(),
                   std::back_inserter(all));
    deferred_errors.swap(all);
  }
  erase_resolved(deferred_errors);
}

void check_deferred_errors(const DeferredErrorList& deferred_errors) {
  for (const DeferredErrorPtr& deferred_error : deferred_errors) deferred_error->check();
}

}  // namespace quern::detail
