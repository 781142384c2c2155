// SPDX-License-Identifier: MIT
// The list of open maps, and the errors of operations that conflict with one.
#include "runtime/open_maps.hpp"

#include <algorithm>

#include "quern/map.hpp"
#include "runtime/hazards.hpp"
#include "runtime/queue_state.hpp"
#include "runtime/restrictions.hpp"

namespace quern::detail {
namespace {

thread_local std::uint64_t own_map = 0;

}  // namespace

OpenMaps& OpenMaps::instance() {
  static auto* const maps = new OpenMaps;  // never destroyed: maps may be closed at exit
  return *maps;
}

OpenMaps::Own::Own(std::uint64_t id) noexcept : before_(own_map) {
  own_map = id;
}

OpenMaps::Own::~Own() {
  own_map = before_;
}

std::uint64_t OpenMaps::open(const UseRecord& memory, ByteRange range, bool writes,
                             const std::string& origin) {
  const std::lock_guard lock(mutex_);
  if (const Entry* const other = find(memory, range, writes)) refuse(*other);
  entries_.push_back({++last_id_, &memory, range, writes, origin});
  restrictions.fetch_add(1);
  count.store(entries_.size());
  return last_id_;
}

void OpenMaps::close(std::uint64_t id) noexcept {
  const std::lock_guard lock(mutex_);
  const std::size_t closed = std::erase_if(entries_, [&](const Entry& entry) { return entry.id == id; });
  restrictions.fetch_sub(closed);
  count.store(entries_.size());
}

void OpenMaps::check(std::span<const Use> uses) {
  const std::lock_guard lock(mutex_);
  for (const Use& use : uses)
    if (const Entry* const map = find(*use.record, use.range, use.writes())) refuse(*map);
}

bool OpenMaps::conflicts(const UseRecord& memory, ByteRange range, bool writes) {
  const std::lock_guard lock(mutex_);
  return find(memory, range, writes) != nullptr;
}

const OpenMaps::Entry* OpenMaps::find(const UseRecord& memory, ByteRange range, bool writes) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.memory == &memory && entry.id != own_map && (writes || entry.writes) &&
           range.overlaps(entry.range);
  });
  return found != entries_.end() ? &*found : nullptr;
}

void OpenMaps::refuse(const Entry& map) {
  throw MapError("bytes " + std::to_string(map.range.begin) + " to " + std::to_string(map.range.end) +
                 " of the memory are mapped for " + (map.writes ? "writing" : "reading") +
                 " by the map that was opened at " + map.origin +
                 "; unmap it before other work uses the memory, by unmap() or the end of its with block");
}

}  // namespace quern::detail
