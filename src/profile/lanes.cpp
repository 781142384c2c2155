// SPDX-License-Identifier: MIT
// Division of records into lanes.
#include "profile/lanes.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

namespace quern {
namespace profile {

std::vector<ProfileLane> lanes_of(std::span<const ProfileRecord> records) {
  constexpr std::int64_t kInexact = 1000;  // nanoseconds by which times of one queue may overlap
  std::map<std::pair<bool, std::size_t>, std::vector<std::size_t>> owners;  // queues first, then threads
  for (std::size_t k = 0; k < records.size(); ++k) {
    if (!records[k].has_times) continue;
    const bool is_thread = records[k].kind == ProfileKind::host_wait;
    owners[{is_thread, is_thread ? records[k].thread : records[k].queue}].push_back(k);
  }
  std::vector<ProfileLane> lanes;
  for (auto& [owner, indices] : owners) {
    std::stable_sort(indices.begin(), indices.end(), [&](std::size_t a, std::size_t b) {
      return records[a].times.started < records[b].times.started;
    });
    const std::size_t first = lanes.size();
    const auto is_free = [&](const ProfileLane& lane, std::int64_t start) {
      return records[lane.records.back()].times.ended <= start + kInexact;
    };
    for (const std::size_t index : indices) {
      const ProfileRecord& record = records[index];
      const auto lane =
          std::find_if(lanes.begin() + static_cast<std::ptrdiff_t>(first), lanes.end(),
                       [&](const ProfileLane& one) { return is_free(one, record.times.started); });
      if (lane != lanes.end()) {
        lane->records.push_back(index);
        continue;
      }
      std::string label = (owner.first ? "thread " : "queue ") + std::to_string(owner.second);
      if (!owner.first && !record.queue_name.empty()) label += ": " + record.queue_name;
      if (lanes.size() > first) label += " (" + std::to_string(lanes.size() - first + 1) + ")";
      lanes.push_back({owner.first ? std::string("program") : record.device, std::move(label), {index}});
    }
  }
  return lanes;
}

Span span_of(std::span<const ProfileRecord> records) {
  Span span;
  for (const ProfileRecord& record : records) {
    if (!record.has_times) continue;
    span.begin = span.begin == 0 ? record.times.started : std::min(span.begin, record.times.started);
    span.end = std::max(span.end, record.times.ended);
  }
  return span;
}

}  // namespace profile

std::vector<ProfileLane> Profile::lanes() const {
  const std::vector<ProfileRecord> all = records();
  return profile::lanes_of(all);
}

std::string profile_colour(const ProfileRecord& record) {
  switch (record.kind) {
    case ProfileKind::upload:
      return "#2a9d5c";
    case ProfileKind::download:
      return "#8ab17d";
    case ProfileKind::copy:
      return "#c9a227";
    case ProfileKind::fill:
      return "#9c89b8";
    case ProfileKind::queue_wait:
    case ProfileKind::host_wait:
      return "#c8c8c8";
    case ProfileKind::kernel:
    case ProfileKind::library:
    case ProfileKind::graph:
      break;
  }
  static constexpr std::array kColours = {"#2f6db3", "#d1603d", "#6a4c93", "#1982a0",
                                          "#b5446e", "#4f772d", "#e09f3e", "#5a6acf"};
  return kColours[std::hash<std::string>()(record.name) % kColours.size()];
}

}  // namespace quern
