// SPDX-License-Identifier: MIT
// The table of a profile: records grouped by name or line.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <tuple>

#include "quern/error.hpp"
#include "quern/profile.hpp"

namespace quern {
namespace {

bool is_wait(ProfileKind kind) {
  return kind == ProfileKind::queue_wait || kind == ProfileKind::host_wait;
}

// Whether the memory of the device limits the operation. Uploads and downloads have a limit of their own.
bool is_in_device_memory(ProfileKind kind) {
  return kind == ProfileKind::kernel || kind == ProfileKind::copy || kind == ProfileKind::fill ||
         kind == ProfileKind::library;
}

// 0 if it cannot be measured, such as on a device whose memory is full.
double limit_of(const std::string& spec) {
  try {
    return copy_bandwidth(device(spec));
  } catch (const Error&) {
    return 0;
  }
}

std::string number_text(double value, const char* unit) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(),
                value < 10    ? "%.2f %s"
                : value < 100 ? "%.1f %s"
                              : "%.0f %s",
                value, unit);
  return text.data();
}

// With three digits and the largest unit of which there is at least one.
std::string scaled(double value, std::array<const char*, 4> units) {
  std::size_t unit = 0;
  while (unit + 1 < units.size() && value >= 1000) value /= 1000, ++unit;
  return number_text(value, units[unit]);
}

std::string time_text(double ns) {
  return scaled(ns, {"ns", "us", "ms", "s"});
}

std::string percent(double fraction) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.1f%%", 100 * fraction);
  return text.data();
}

std::string shortened(const std::string& text, std::size_t most, bool keeps_end) {
  if (text.size() <= most) return text;
  return keeps_end ? "..." + text.substr(text.size() - most + 3) : text.substr(0, most - 3) + "...";
}

using Cells = std::vector<std::string>;

std::string aligned(const std::vector<Cells>& rows, const std::vector<bool>& to_right) {
  std::vector<std::size_t> widths(to_right.size(), 0);
  for (const Cells& row : rows)
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  std::string text;
  for (const Cells& row : rows) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::string space(widths[k] - row[k].size(), ' ');
      line += (k == 0 ? "" : "  ") + (to_right[k] ? space + row[k] : row[k] + space);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

std::vector<ProfileRow> Profile::rows(ProfileGrouping grouping) const {
  std::map<std::tuple<ProfileKind, std::string, std::string, std::string>, ProfileRow> groups;
  std::map<std::tuple<ProfileKind, std::string, std::string, std::string>, std::map<std::string, int>> lines;
  std::int64_t busy = 0;
  for (const ProfileRecord& record : records()) {
    const std::string line = grouping == ProfileGrouping::by_line ? record.line : std::string();
    const auto key = std::tuple(record.kind, record.name, record.device, line);
    ProfileRow& row = groups[key];
    row.kind = record.kind;
    row.name = record.name;
    row.device = record.device;
    ++row.count;
    ++lines[key][record.line];
    row.failed += record.failed ? 1 : 0;
    if (!record.has_times) continue;
    ++row.timed;
    row.total += record.duration();
    row.bytes += record.bytes();
    if (!is_wait(record.kind)) busy += record.duration();
  }
  std::map<std::string, double> limits;
  std::vector<ProfileRow> rows;
  for (auto& [key, row] : groups) {
    const auto& seen = lines[key];
    row.line = seen.size() == 1 ? seen.begin()->first : std::to_string(seen.size()) + " lines";
    const auto total = static_cast<double>(row.total);
    if (row.timed != 0) row.mean = total / static_cast<double>(row.timed);
    if (!is_wait(row.kind) && busy != 0) row.share = total / static_cast<double>(busy);
    if (row.total > 0) row.bytes_per_second = static_cast<double>(row.bytes) / (total * 1e-9);
    if (is_in_device_memory(row.kind) && row.bytes_per_second > 0) {
      const auto [limit, is_new] = limits.try_emplace(row.device);
      if (is_new) limit->second = limit_of(row.device);
      if (limit->second > 0) row.fraction_of_limit = row.bytes_per_second / limit->second;
    }
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ProfileRow& a, const ProfileRow& b) { return a.total > b.total; });
  return rows;
}

std::string Profile::table(ProfileGrouping grouping) const {
  const std::vector<ProfileRow> all = rows(grouping);
  std::vector<Cells> cells = {
      {"kind", "name", "device", "count", "total", "mean", "share", "bytes", "bytes/s", "of limit", "line"}};
  std::size_t untimed = 0, failed = 0;
  for (const ProfileRow& row : all) {
    const bool has_rate = row.bytes_per_second > 0;
    const bool has_times = row.timed != 0;
    cells.push_back({name_of(row.kind), shortened(row.name, 40, false), row.device, std::to_string(row.count),
                     has_times ? time_text(static_cast<double>(row.total)) : "-",
                     has_times ? time_text(row.mean) : "-",
                     has_times && !is_wait(row.kind) ? percent(row.share) : "-",
                     row.bytes != 0 ? scaled(static_cast<double>(row.bytes), {"B", "kB", "MB", "GB"}) : "-",
                     has_rate ? scaled(row.bytes_per_second / 1e3, {"kB/s", "MB/s", "GB/s", "TB/s"}) : "-",
                     row.fraction_of_limit > 0 ? percent(row.fraction_of_limit) : "-",
                     row.line.empty() ? "-" : shortened(row.line, 40, true)});
    untimed += row.count - row.timed;
    failed += row.failed;
  }
  std::string text =
      all.empty() ? "nothing was recorded\n"
                  : aligned(cells, {false, false, false, true, true, true, true, true, true, true, false});
  if (untimed != 0) text += counted(untimed, "record has", "records have") + " no times\n";
  if (failed != 0) text += counted(failed, "operation", "operations") + " failed\n";
  if (const std::uint64_t count = at_once(); count != 0)
    text +=
        counted(count, "small computation", "small computations") + " ran at once on the calling thread\n";
  if (const std::uint64_t count = dropped(); count != 0)
    text += counted(count, "operation was", "operations were") + " not recorded: the profile is full\n";
  return text;
}

}  // namespace quern
