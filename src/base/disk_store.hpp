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

// Entries are named by a digest (hex digits). Each is written to a temporary file and renamed, and
// carries a checksum over its payload and its name, so that a truncated, damaged or swapped entry is a miss
// (and removed). Reading and writing take no locks: any number of threads and processes may use one folder.
// Nothing here throws for a bad disk: a store that cannot be used warns once on standard error and holds
// nothing; one that cannot be written still answers. Files in the folder that are not ours are never touched.
class DiskStore {
 public:
  // The folder is made with mode 0700; it is refused when it is a symlink, not ours, or writable by others.
  // An empty path makes a store that is turned off.
  DiskStore(const std::string& folder, std::uint64_t limit_bytes);

  // QUERN_CACHE_DIR, or quern/ below XDG_CACHE_HOME or ~/.cache; QUERN_CACHE_DIR="" turns it off.
  // QUERN_CACHE_SIZE is the limit in bytes, K, M or G (default 1G).
  static DiskStore& standard();

  [[nodiscard]] bool usable() const noexcept { return problem_.empty(); }
  [[nodiscard]] const std::string& folder() const noexcept { return folder_; }
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }  // why it is not usable

  std::optional<std::vector<std::byte>> get(const std::string& name);  // marks it as just used
  // False when it was not stored: a bad name, a full or read-only disk, more than fits the limit.
  bool put(const std::string& name, std::span<const std::byte> payload);
  // For processes that would make the same entry: one has the lock and puts it, the others wait, and find it
  // when they have the lock. A holder that is killed lets go of it. Waits as FileLock does; the caller goes
  // on without the lock where it is busy for too long or there is none: the store cannot be written, or its
  // disk has no locks.
  [[nodiscard]] FileLock lock(const std::string& name, std::chrono::milliseconds limit);

  struct Usage {
    std::size_t entries = 0;
    std::uint64_t bytes = 0;
    std::uint64_t limit = 0;
  };
  [[nodiscard]] Usage usage() const;
  std::size_t clear();                        // how many entries went
  std::size_t prune(std::uint64_t to_bytes);  // least recently used first; stale temporary files go too

 private:
  [[nodiscard]] FileDescriptor open() const;  // the folder, checked; not valid when it cannot be used now
  void warn(const std::string& what) const;
  void keep_within_limit(std::uint64_t written);

  std::string folder_;
  std::string problem_;
  std::uint64_t limit_ = 0;
  std::atomic<std::uint64_t> written_since_prune_{0};
  std::atomic<bool> stores_{true};  // whether the last put() did
};

}  // namespace quern
