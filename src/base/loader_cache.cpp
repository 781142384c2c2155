// SPDX-License-Identifier: MIT
// Reads the format of glibc's ldconfig: a header, entries of fixed size, then their strings.
#include "base/loader_cache.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace quern {
namespace {

constexpr std::string_view kLoaderMagic = "glibc-ld.so.cache1.1";
constexpr std::string_view kOldMagic = "ld.so-1.7.0";
constexpr std::size_t kOldHeaderSize = 16, kOldEntrySize = 12;

struct LoaderHeader {
  char magic[20];
  std::uint32_t entries;
  std::uint32_t text_size;
  std::uint32_t flags_and_padding;
  std::uint32_t extensions;
  std::uint32_t unused[3];
};
static_assert(sizeof(LoaderHeader) == 48);

struct Entry {
  std::uint32_t flags;
  std::uint32_t soname;  // both are offsets from the header
  std::uint32_t path;
  std::uint32_t os_version;
  std::uint64_t cpu;  // 0: any hardware capability
};
static_assert(sizeof(Entry) == 24);

constexpr std::uint32_t kKindMask = 0xff, kElfOfGlibc = 3;

// Reads a structure at this offset; nothing if the file ends before.
template <class T>
std::optional<T> read(std::string_view file, std::size_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

std::string_view text_at(std::string_view file, std::size_t offset) {
  if (offset >= file.size()) return {};
  const std::size_t end = file.find('\0', offset);
  return end == std::string_view::npos ? std::string_view{} : file.substr(offset, end - offset);
}

// Systems that still support old programs put the old format first and this one after it.
std::string_view skip_old_format(std::string_view file) {
  if (!file.starts_with(kOldMagic)) return file;
  const auto entries = read<std::uint32_t>(file, 12);
  if (!entries) return {};
  const std::size_t end = kOldHeaderSize + std::size_t{*entries} * kOldEntrySize;
  const std::size_t start = (end + 7) / 8 * 8;
  return start < file.size() ? file.substr(start) : std::string_view{};
}

}  // namespace

std::vector<std::string> loader_cache_paths(std::string_view cache, std::string_view soname) {
  std::vector<std::string> paths;
  const std::string_view file = skip_old_format(cache);
  if (!file.starts_with(kLoaderMagic)) return paths;
  const auto header = read<LoaderHeader>(file, 0);
  if (!header) return paths;
  for (std::size_t i = 0; i < header->entries; ++i) {
    const auto entry = read<Entry>(file, sizeof(LoaderHeader) + i * sizeof(Entry));
    if (!entry) break;
    if ((entry->flags & kKindMask) != kElfOfGlibc || entry->cpu != 0) continue;
    if (text_at(file, entry->soname) != soname) continue;
    if (const auto path = text_at(file, entry->path); !path.empty()) paths.emplace_back(path);
  }
  return paths;
}

}  // namespace quern
