// SPDX-License-Identifier: MIT
// A crash-safe store of small files, one per entry: compiled programs and tuning results.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"
#include "base/file_lock.hpp"

namespace quern {

// Entries are named by a digest (hex digits). Each is written to a temporary file and renamed, and carries a
// checksum over its payload and its name, so a truncated, damaged or swapped entry is a miss and is removed.
// Reading and writing take no locks: any number of threads and processes may use one folder. No function
// throws for a bad disk: a store that cannot be used warns once on standard error and holds nothing; one that
// cannot be written can still be read. The store never touches files in the folder that are not its own.
class DiskStore {
 public:
  // The folder is created with mode 0700. It is refused if it is a symlink, belongs to another user, or is
  // writable by others. An empty path makes a store that is turned off.
  DiskStore(const std::string& folder, std::uint64_t limit_bytes);

  // QUERN_CACHE_DIR, or quern/ below XDG_CACHE_HOME or ~/.cache; QUERN_CACHE_DIR="" turns it off.
  // QUERN_CACHE_SIZE is the limit in bytes, K, M or G (default 1G).
  static DiskStore& standard();

  [[nodiscard]] bool usable() const noexcept { return problem_.empty(); }
  [[nodiscard]] const std::string& folder() const noexcept { return folder_; }
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }  // why it is not usable

  std::optional<std::vector<std::byte>> get(const std::string& name);  // marks the entry as just used
  // False if the entry was not stored: an invalid name, a full or read-only disk, or a payload above the
  // limit. A synced entry survives a power cut; another one is then a miss.
  enum class Durability : std::uint8_t { unsynced, synced };
  bool put(const std::string& name, std::span<const std::byte> payload,
           Durability durability = Durability::unsynced);
  [[nodiscard]] std::vector<std::string> names() const;  // of all entries, sorted
  bool remove(const std::string& name);                  // false if there is no such entry
  // For processes that would make the same entry: one holds the lock and stores it; the others wait and find
  // it when they get the lock. The lock of a killed holder is released. Waits as FileLock does. The caller
  // continues without the lock if it is busy for too long, or if there is none because the store cannot be
  // written or its disk has no locks.
  [[nodiscard]] FileLock lock(const std::string& name, std::chrono::milliseconds limit);

  struct Usage {
    std::size_t entries = 0;
    std::uint64_t bytes = 0;
    std::uint64_t limit = 0;
  };
  [[nodiscard]] Usage usage() const;
  std::size_t clear();                        // number of removed entries
  std::size_t prune(std::uint64_t to_bytes);  // the least recently used first, and stale temporary files

 private:
  [[nodiscard]] FileDescriptor open() const;  // the checked folder; invalid if it cannot be used now
  void warn(const std::string& what) const;
  void keep_within_limit(std::uint64_t written);

  std::string folder_;
  std::string problem_;
  std::uint64_t limit_ = 0;
  std::atomic<std::uint64_t> written_since_prune_{0};
  std::atomic<bool> stores_{true};  // whether the last put() succeeded
};

}  // namespace quern
