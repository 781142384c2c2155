// SPDX-License-Identifier: MIT
// Reads the topology of the processors from /sys, and divides them.
#include "backend/host/topology.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <tuple>

namespace quern::backend::host {
namespace {

// The first number of a list such as "0-3,8-11"; `otherwise` if the file is missing.
int first_of_list(const std::filesystem::path& file, int otherwise) {
  std::ifstream stream(file);
  int first = otherwise;
  return stream >> first ? first : otherwise;
}

Processor describe(int number) {
  const std::filesystem::path folder = "/sys/devices/system/cpu/cpu" + std::to_string(number);
  Processor result{number, 0, 0, number};
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("node") && name.size() > 4) result.node = first_of_list(entry.path() / "cpulist", 0);
  }
  // Processors without a level-3 cache share what their node shares.
  result.cache = result.node;
  for (int i = 0;; ++i) {
    const std::filesystem::path cache = folder / "cache" / ("index" + std::to_string(i));
    const int level = first_of_list(cache / "level", 0);
    if (level == 0) break;
    if (level == 3) result.cache = first_of_list(cache / "shared_cpu_list", result.cache);
  }
  result.core = first_of_list(folder / "topology" / "thread_siblings_list", number);
  return result;
}

auto place(const Processor& p) {
  return std::tuple(p.node, p.cache, p.core, p.number);
}

bool is_before(const Processor& a, const Processor& b) {
  return place(a) < place(b);
}

int domain_of(const Processor& processor, AffinityDomain domain) {
  switch (domain) {
    case AffinityDomain::numa:
      return processor.node;
    case AffinityDomain::l3:
      return processor.cache;
    case AffinityDomain::core:
      break;
  }
  return processor.core;
}

}  // namespace

std::vector<Processor> choose_processors(std::span<const int> numbers, std::size_t count) {
  std::vector<Processor> all;
  std::transform(numbers.begin(), numbers.end(), std::back_inserter(all), describe);
  std::sort(all.begin(), all.end(), is_before);
  if (count >= all.size()) return all;
  // The first processor of each core comes before the second ones.
  std::vector<Processor> chosen, others;
  for (std::size_t i = 0; i < all.size(); ++i)
    (i == 0 || all[i - 1].core != all[i].core ? chosen : others).push_back(all[i]);
  chosen.insert(chosen.end(), others.begin(), others.end());
  chosen.resize(count);
  std::sort(chosen.begin(), chosen.end(), is_before);
  return chosen;
}

std::vector<std::vector<int>> divide(std::span<const Processor> processors, const Division& division) {
  std::vector<std::vector<int>> parts;
  if (const auto* const domain = std::get_if<AffinityDomain>(&division)) {
    // Processors of one domain are neighbours.
    for (std::size_t i = 0; i < processors.size(); ++i) {
      if (i == 0 || domain_of(processors[i - 1], *domain) != domain_of(processors[i], *domain))
        parts.emplace_back();
      parts.back().push_back(processors[i].number);
    }
    return parts;
  }
  std::vector<std::size_t> counts;
  if (const auto* const equally = std::get_if<Equally>(&division))
    counts.assign(equally->parts, processors.size() / equally->parts);
  else
    counts = std::get<Counts>(division).compute_units;
  std::size_t next = 0;
  for (const std::size_t count : counts) {
    std::vector<int>& part = parts.emplace_back();
    for (std::size_t i = 0; i < count; ++i) part.push_back(processors[next++].number);
  }
  return parts;
}

}  // namespace quern::backend::host
