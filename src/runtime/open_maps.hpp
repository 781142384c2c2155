// SPDX-License-Identifier: MIT
// The maps that are open in this process: operations that conflict with one of them are errors.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/byte_range.hpp"

namespace quern::detail {

class UseRecord;
struct Use;

class OpenMaps {
 public:
  static OpenMaps& instance();
  // While it returns false, operations skip all checks.
  static bool any() noexcept { return count.load(std::memory_order_relaxed) != 0; }

  // Throws MapError if the range conflicts with an open map. Returns a number for close().
  std::uint64_t open(const UseRecord& memory, ByteRange range, bool writes, const std::string& origin);
  void close(std::uint64_t id) noexcept;

  // Throws MapError if one of these uses conflicts with an open map.
  void check(std::span<const Use> uses);
  // Returns whether a use of the memory would conflict.
  [[nodiscard]] bool conflicts(const UseRecord& memory, ByteRange range, bool writes);

  // While it lives, the operations of this thread do not conflict with that map: they are its own.
  class Own {
   public:
    explicit Own(std::uint64_t id) noexcept;
    Own(const Own&) = delete;
    Own& operator=(const Own&) = delete;
    ~Own();

   private:
    std::uint64_t before_;
  };

 private:
  struct Entry {
    std::uint64_t id;
    const UseRecord* memory;
    ByteRange range;
    bool writes;
    std::string origin;
  };
  // The caller holds mutex_. Null if nothing conflicts.
  [[nodiscard]] const Entry* find(const UseRecord& memory, ByteRange range, bool writes) const;
  [[noreturn]] static void refuse(const Entry& map);

  inline static std::atomic<std::size_t> count{0};
  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::uint64_t last_id_ = 0;
};

}  // namespace quern::detail
