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

void Doubts::drop_settled() {
  std::erase_if(parts_, [](const Part& part) {
    return std::all_of(part.doubts.begin(), part.doubts.end(),
                       [](const DoubtPtr& doubt) { return doubt->is_settled(); });
  });
  any_.store(!parts_.empty(), std::memory_order_relaxed);
}

DoubtList Doubts::list(ByteRange range) {
  if (!any()) return {};
  const std::lock_guard lock(doubt_mutex());
  drop_settled();
  DoubtList all;
  for (const Part& part : parts_)
    if (range.overlaps(part.range)) all = together(all, part.doubts);
  return all;
}

void Doubts::add(ByteRange range, const DoubtList& doubts, const DoubtList& covered) {
  if (is_exempt_.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(doubt_mutex());
  // What hangs on many things is not told apart: all of it hangs on all of them.
  constexpr std::size_t kMost = 64;
  Part added{range, together(doubts, {})};
  std::erase_if(parts_, [&](Part& part) {
    part.doubts = together(part.doubts, {});
    if (range.contains(part.range)) {
      std::erase_if(part.doubts, [&](const DoubtPtr& doubt) {
        return std::binary_search(covered.begin(), covered.end(), doubt);
      });
    }
    const bool is_one =
        parts_.size() >= kMost || (part.range.begin == range.begin && part.range.end == range.end);
    if (is_one) {
      added.range = {std::min(part.range.begin, added.range.begin),
                     std::max(part.range.end, added.range.end)};
      added.doubts = together(added.doubts, part.doubts);
    }
    return is_one || part.doubts.empty();
  });
  if (!added.doubts.empty()) parts_.push_back(std::move(added));
  any_.store(!parts_.empty(), std::memory_order_relaxed);
}

void Doubts::overwritten(ByteRange range) noexcept {
  if (!any()) return;
  const std::lock_guard lock(doubt_mutex());
  std::erase_if(parts_, [&](const Part& part) { return range.contains(part.range); });
  any_.store(!parts_.empty(), std::memory_order_relaxed);
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

void merge_doubts(DoubtList& doubts, const DoubtList& others) {
  if (!others.empty()) doubts = together(doubts, others);
}

void check_doubts(const DoubtList& doubts) {
  for (const DoubtPtr& doubt : doubts) doubt->check();
}

}  // namespace quern::detail
