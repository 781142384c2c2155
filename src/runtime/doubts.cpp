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

void erase_settled(DoubtList& doubts) {
  std::erase_if(doubts, [](const DoubtPtr& doubt) { return doubt->is_settled(); });
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
  DoubtList all;
  add_to(all, range);
  return all;
}

void Doubts::add_to(DoubtList& all, ByteRange range) {
  if (!any()) return;
  const std::lock_guard lock(doubt_mutex());
  drop_settled();
  for (const Part& part : parts_)
    if (range.overlaps(part.range)) merge_doubts(all, part.doubts);
}

void Doubts::add(ByteRange range, const DoubtList& doubts, const DoubtList& covered) {
  if (is_exempt()) return;
  const std::lock_guard lock(doubt_mutex());
  const auto is_same = [&](const Part& part) {
    return part.range.begin == range.begin && part.range.end == range.end;
  };
  const auto is_there = [&](const Part& part) {
    return is_same(part) &&
           std::includes(part.doubts.begin(), part.doubts.end(), doubts.begin(), doubts.end());
  };
  if (covered.empty() && std::any_of(parts_.begin(), parts_.end(), is_there)) return;
  // What hangs on many things is not told apart: all of it hangs on all of them.
  constexpr std::size_t kMost = 64;
  const bool merges = parts_.size() >= kMost;
  Part added{range, doubts};
  erase_settled(added.doubts);
  std::erase_if(parts_, [&](Part& part) {
    erase_settled(part.doubts);
    if (range.contains(part.range)) {
      std::erase_if(part.doubts, [&](const DoubtPtr& doubt) {
        return std::binary_search(covered.begin(), covered.end(), doubt);
      });
    }
    const bool is_one = merges || is_same(part);
    if (is_one) {
      added.range = {std::min(part.range.begin, added.range.begin),
                     std::max(part.range.end, added.range.end)};
      merge_doubts(added.doubts, part.doubts);
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

DoubtList doubts_of(std::span<const Use> uses) {
  DoubtList all;
  for (const Use& use : uses)
    if (use.usage != Usage::overwrites) use.record->doubts().add_to(all, use.range);
  return all;
}

void set_doubts(std::span<const Use> uses, const DoubtList& doubts, const DoubtList& covered) {
  for (const Use& use : uses) {
    if (use.usage == Usage::overwrites) use.record->doubts().overwritten(use.range);
    if (use.writes() && !doubts.empty()) use.record->doubts().add(use.range, doubts, covered);
  }
}

void merge_doubts(DoubtList& doubts, const DoubtList& others) {
  if (others.empty()) return;
  if (doubts.empty()) {
    doubts = others;
  } else if (!std::includes(doubts.begin(), doubts.end(), others.begin(), others.end())) {
    DoubtList all;
    std::set_union(doubts.begin(), doubts.end(), others.begin(), others.end(), std::back_inserter(all));
    doubts.swap(all);
  }
  erase_settled(doubts);
}

void check_doubts(const DoubtList& doubts) {
  for (const DoubtPtr& doubt : doubts) doubt->check();
}

}  // namespace quern::detail
