// SPDX-License-Identifier: MIT
// Reads /proc and /sys.
#include "backend/host/cpu.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "base/digest.hpp"
#include "base/text.hpp"

namespace quern::backend::host {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return std::string(trimmed(line));
}

std::size_t parse_size(const std::string& text) {  // "32K", "1024K", "32M"
  char* unit = nullptr;
  const std::size_t value = std::strtoull(text.c_str(), &unit, 10);
  return *unit == 'K' ? value << 10 : *unit == 'M' ? value << 20 : value;
}

void read_cpuinfo(Cpu& cpu) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !line.empty();) {  // the first processor's lines
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string_view key = trimmed(std::string_view(line).substr(0, colon));
    const std::string value(trimmed(std::string_view(line).substr(colon + 1)));
    if (key == "model name") cpu.name = value;
    if (key == "vendor_id" || key == "CPU implementer") cpu.vendor = value;
    if (key == "cpu family" || key == "CPU architecture") cpu.family = value;
    if (key == "model" || key == "CPU part") cpu.model = value;
    if (key == "stepping" || key == "CPU revision") cpu.stepping = value;
    if (key == "flags" || key == "Features") {
      std::istringstream words(value);
      for (std::string flag; words >> flag;) cpu.flags.push_back(flag);
    }
  }
  std::sort(cpu.flags.begin(), cpu.flags.end());
  if (cpu.vendor == "AuthenticAMD") cpu.vendor = "AMD";
  if (cpu.vendor == "GenuineIntel") cpu.vendor = "Intel";
  if (cpu.name.empty()) cpu.name = "CPU";
}

void read_caches(Cpu& cpu) {
  for (int i = 0;; ++i) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    Cache cache;
    cache.size = parse_size(first_line(folder + "size"));
    if (cache.size == 0) break;
    cache.level = static_cast<int>(parse_size(first_line(folder + "level")));
    cache.type = first_line(folder + "type");
    cache.line = parse_size(first_line(folder + "coherency_line_size"));
    cpu.caches.push_back(std::move(cache));
  }
}

unsigned count_numa_nodes() {
  unsigned count = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/devices/system/node", error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("node") && name.size() > 4 && name[4] >= '0' && name[4] <= '9') ++count;
  }
  return std::max(1U, count);
}

}  // namespace

bool Cpu::has(const std::string& flag) const {
  return std::binary_search(flags.begin(), flags.end(), flag);
}

unsigned Cpu::float_lanes() const {
#if defined(__x86_64__)
  if (has("avx512f")) return 16;
  if (has("avx")) return 8;
#endif
  return 4;
}

std::size_t Cpu::l2_size() const {
  for (const Cache& cache : caches) {
    if (cache.level == 2) return cache.size;
  }
  return 0;
}

std::string Cpu::architecture() const {
#if defined(__x86_64__)
  std::string text = "x86-64";
  for (const char* level : {"avx512f", "avx2", "avx", "sse4_2"}) {
    if (has(level)) {
      text += std::string(" ") + level;
      break;
    }
  }
#elif defined(__aarch64__)
  std::string text = has("sve") ? "aarch64 sve" : "aarch64";
#else
  std::string text = "unknown";
#endif
  // The compiler's "native" depends on the model and on every flag, so all of them are part of the digest.
  Digest digest;
  digest.add_field(vendor).add_field(family).add_field(model).add_field(stepping);
  for (const std::string& flag : flags) digest.add_field(flag);
  for (const Cache& cache : caches) digest.add_field(std::to_string(cache.size));
  return text + " " + digest.hex().substr(0, 12);
}

const Cpu& cpu() {
  static const auto* const read = [] {
    auto* result = new Cpu;
    read_cpuinfo(*result);
    read_caches(*result);
    result->numa_nodes = count_numa_nodes();
    return result;
  }();
  return *read;
}

}  // namespace quern::backend::host
