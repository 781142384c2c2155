// SPDX-License-Identifier: MIT
// What the contents of memory hang on.
#include "runtime/doubts.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>

#include "runtime/queue_state.hpp"

namespace quern::detail {
namespace {

// One for all: it is taken only while there are doubts.
std::mutex& doubt_mutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

DoubtList together(const DoubtList& a, const DoubtList& b) {
  DoubtList all;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  std::erase_if(all, [](const DoubtPtr& doubt) { return doubt->is_settled(); });
  return all;
}

}  // namespace

Doubts& Doubts::operator=(Doubts&& /*other*/) noexcept {
  overwritten(kWhole);
  is_exempt_ = false;
  return *this;
}

DoubtList Doubts::list(ByteRange range) const {
  if (!any()) return {};
  const std::lock_guard lock(doubt_mutex());
  return range.overlaps(range_) ? together(list_, {}) : DoubtList();
}

void Doubts::add(ByteRange range, const DoubtList& doubts) {
  if (is_exempt_.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(doubt_mutex());
  list_ = together(list_, doubts);
  range_ = any() ? ByteRange{std::min(range_.begin, range.begin), std::max(range_.end, range.end)} : range;
  any_.store(!list_.empty(), std::memory_order_relaxed);
}

void Doubts::overwritten(ByteRange range) noexcept {
  if (!any()) return;
  DoubtList gone;
  const std::lock_guard lock(doubt_mutex());
  if (!range.contains(range_)) return;
  gone.swap(list_);
  any_.store(false, std::memory_order_relaxed);
}

DoubtList pass_on_doubts(std::span<const Use> uses) {
  DoubtList all;
  for (const Use& use : uses)
    if (use.record->doubts().any()) all = together(all, use.record->doubts().list(use.range));
  if (all.empty()) return all;
  for (const Use& use : uses)
    if (use.writes) use.record->doubts().add(use.range, all);
  return all;
}

void check_doubts(const DoubtList& doubts) {
  for (const DoubtPtr& doubt : doubts) doubt->check();
}

}  // namespace quern::detail
