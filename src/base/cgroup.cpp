// SPDX-License-Identifier: MIT
// Reads the limits of the control group and each of its ancestors from the mounted hierarchies.
#include "base/cgroup.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

namespace quern::cgroup {
namespace {

std::optional<std::string> read_text(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::optional<std::int64_t> read_number(const std::string& path) {
  const auto text = read_text(path);
  if (!text) return std::nullopt;
  std::int64_t value = 0;
  const auto result = std::from_chars(text->data(), text->data() + text->size(), value);
  if (result.ec != std::errc()) return std::nullopt;  // "max", or beyond 63 bits: no limit
  return value;
}

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    if (list.substr(0, comma) == word) return true;
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  return false;
}

struct Hierarchy {
  bool unified = false;
  std::vector<std::string> folders;  // the group itself, then its ancestors
};

// The mount point of the controller's hierarchy, and this process's group in it.
std::vector<Hierarchy> hierarchies(std::string_view controller) {
  std::vector<Hierarchy> result;
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    // 36 35 98:0 ROOT MOUNTPOINT options [tags] - TYPE source SUPER
    std::istringstream words(line);
    std::string skip, root, mount_point, type, super;
    words >> skip >> skip >> skip >> root >> mount_point;
    while (words >> skip && skip != "-") {
    }
    words >> type >> skip >> super;
    const bool unified = type == "cgroup2";
    if (!unified && (type != "cgroup" || !has_word(super, controller))) continue;

    std::string group = "/";
    std::ifstream groups("/proc/self/cgroup");
    for (std::string entry; std::getline(groups, entry);) {  // ID:CONTROLLERS:PATH
      const auto first = entry.find(':'), second = entry.find(':', first + 1);
      if (first == std::string::npos || second == std::string::npos) continue;
      const auto controllers = std::string_view(entry).substr(first + 1, second - first - 1);
      if (unified ? controllers.empty() : has_word(controllers, controller)) group = entry.substr(second + 1);
    }
    // Inside a container the mount shows a subtree, and the path may or may not be relative to its root.
    if (root != "/" && group.starts_with(root)) group.erase(0, root.size());

    Hierarchy hierarchy;
    hierarchy.unified = unified;
    while (group.size() > 1) {
      hierarchy.folders.push_back(mount_point + (group.starts_with('/') ? "" : "/") + group);
      group.erase(std::min(group.rfind('/'), group.size() - 1));
    }
    hierarchy.folders.push_back(mount_point);
    result.push_back(std::move(hierarchy));
  }
  return result;
}

// The number in a line "KEY VALUE".
std::size_t stat_value(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string word, value; file >> word >> value;) {
    if (word == key) return std::strtoull(value.c_str(), nullptr, 10);
  }
  return 0;
}

}  // namespace

std::optional<double> parse_cpu_max(const std::string& text) {
  char* end = nullptr;
  const double quota = std::strtod(text.c_str(), &end);  // 0 for "max"
  const double period = std::strtod(end, nullptr);
  if (!(quota > 0) || !(period > 0)) return std::nullopt;
  return quota / period;
}

std::optional<double> cpu_limit() {
  std::optional<double> limit;
  const auto tighten = [&](double value) { limit = limit ? std::min(*limit, value) : value; };
  for (const Hierarchy& hierarchy : hierarchies("cpu")) {
    for (const std::string& folder : hierarchy.folders) {
      if (hierarchy.unified) {
        if (const auto text = read_text(folder + "/cpu.max")) {
          if (const auto value = parse_cpu_max(*text)) tighten(*value);
        }
      } else {
        const auto quota = read_number(folder + "/cpu.cfs_quota_us");
        const auto period = read_number(folder + "/cpu.cfs_period_us");
        if (quota && period && *quota > 0 && *period > 0) {
          tighten(static_cast<double>(*quota) / static_cast<double>(*period));
        }
      }
    }
  }
  return limit;
}

std::optional<MemoryLimit> memory_limit() {
  constexpr std::int64_t kUnlimited = std::int64_t{1} << 60;  // version 1 says "no limit" with a huge number
  std::optional<MemoryLimit> tightest;
  for (const Hierarchy& hierarchy : hierarchies("memory")) {
    for (const std::string& folder : hierarchy.folders) {
      const bool v2 = hierarchy.unified;
      const auto limit = read_number(folder + (v2 ? "/memory.max" : "/memory.limit_in_bytes"));
      const auto usage = read_number(folder + (v2 ? "/memory.current" : "/memory.usage_in_bytes"));
      if (!limit || !usage || *limit <= 0 || *limit >= kUnlimited) continue;
      const std::size_t dropped =
          stat_value(folder + "/memory.stat", v2 ? "inactive_file" : "total_inactive_file");
      MemoryLimit here;
      here.limit = static_cast<std::size_t>(*limit);
      const std::size_t used = static_cast<std::size_t>(std::max<std::int64_t>(*usage, 0));
      const std::size_t held = used - std::min(used, dropped);
      here.free = here.limit - std::min(here.limit, held);
      if (!tightest) {
        tightest = here;
      } else {
        tightest->limit = std::min(tightest->limit, here.limit);
        tightest->free = std::min(tightest->free, here.free);
      }
    }
  }
  return tightest;
}

}  // namespace quern::cgroup
