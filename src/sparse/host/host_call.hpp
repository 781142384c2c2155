// SPDX-License-Identifier: MIT
// Functions that build sparse matrices in host memory, run in the order of a host's queue.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "quern/array.hpp"
#include "quern/queue.hpp"

namespace quern::sparse::host {

// Below this number of entries a second thread costs more than it saves.
inline constexpr std::int64_t kThreadEntries = 16384;

// The elements of the arrays of a call, in their order.
class Memory {
 public:
  explicit Memory(std::vector<std::byte*> addresses) : addresses_(std::move(addresses)) {}
  template <class T>
  [[nodiscard]] T* at(std::size_t number) const {
    return reinterpret_cast<T*>(addresses_[number]);
  }

 private:
  std::vector<std::byte*> addresses_;
};

// Calls the function after all operations that use the arrays, and returns when it has returned; throws what
// it throws. The arrays are contiguous and in memory: those that it reads first. `entries` says how much work
// it is.
void run(const Queue& queue, std::span<const Array> reads, std::span<const Array> writes,
         std::int64_t entries, const std::function<void(const Memory&)>& function);

// The number of parts into which work on so many entries is divided.
inline std::int64_t parts_for(std::int64_t entries, std::int64_t per_thread = 1) {
  const std::int64_t threads = std::int64_t{ThreadPool::current().threads()} * per_thread;
  return std::clamp<std::int64_t>(entries / kThreadEntries, 1, threads);
}

// Runs body(part) for each part, on all threads. Throws what a body throws.
void in_parallel(std::int64_t parts, const std::function<void(std::int64_t part)>& body);

// The first of `count` elements in part `part` of `parts`.
inline std::int64_t part_begin(std::int64_t count, std::int64_t part, std::int64_t parts) {
  return count / parts * part + std::min(count % parts, part);
}

// The rows at which parts of about equal work begin, and the number of rows. `weight(row)` is the work of all
// rows before `row`, and increases with it.
template <class Weight>
std::vector<std::int64_t> row_parts(std::int64_t rows, std::int64_t parts, const Weight& weight) {
  std::vector<std::int64_t> begins = {0};
  const std::int64_t all = weight(rows);
  for (std::int64_t part = 1; part < parts; ++part) {
    const std::int64_t wanted = part_begin(all, part, parts);
    std::int64_t first = begins.back(), last = rows;
    while (first < last) {
      const std::int64_t middle = first + (last - first) / 2;
      if (weight(middle) < wanted)
        first = middle + 1;
      else
        last = middle;
    }
    begins.push_back(first);
  }
  begins.push_back(rows);
  return begins;
}

}  // namespace quern::sparse::host
