// SPDX-License-Identifier: MIT
// Runs functions of the host in the order of a queue.
#include "sparse/host/host_call.hpp"

#include <exception>
#include <mutex>

#include "array/at_once.hpp"
#include "quern/buffer.hpp"
#include "runtime/library_call.hpp"

namespace quern::sparse::host {

void run(const Queue& queue, std::span<const Array> reads, std::span<const Array> writes,
         std::int64_t entries, const std::function<void(const Memory&)>& function) {
  std::vector<const Array*> read, written;
  std::vector<bool> is_present;
  const auto add = [&](std::span<const Array> arrays, std::vector<const Array*>& present) {
    for (const Array& array : arrays) {
      is_present.push_back(array.size() != 0);
      if (array.size() != 0) present.push_back(&array);
    }
  };
  add(reads, read);
  add(writes, written);

  if (entries < kThreadEntries) {
    const auto compute = [&] {
      std::vector<std::byte*> addresses;
      const auto locate = [&](const Array& array) {
        addresses.push_back(array.size() == 0
                                ? nullptr
                                : static_cast<std::byte*>(array.buffer().host_pointer()) + array.offset());
      };
      std::for_each(reads.begin(), reads.end(), locate);
      std::for_each(writes.begin(), writes.end(), locate);
      function(Memory(std::move(addresses)));
    };
    if (array::call_at_once(queue, read, written, compute)) return;
  }

  std::vector<Buffer> buffers;
  for (const Array* const array : read) buffers.push_back(array->elements());
  for (const Array* const array : written) buffers.push_back(array->elements());
  std::vector<detail::LibraryUse> uses;
  for (std::size_t k = 0; k < buffers.size(); ++k) uses.push_back({&buffers[k], k >= read.size()});
  std::exception_ptr error;
  detail::compute_here(queue, "sparse matrix", uses, [&](const detail::LibraryArguments& arguments) {
    try {
      std::vector<std::byte*> addresses;
      std::size_t next = 0;
      for (const bool is_there : is_present)
        addresses.push_back(is_there ? reinterpret_cast<std::byte*>(arguments.addresses[next++]) : nullptr);
      function(Memory(std::move(addresses)));
    } catch (...) {
      error = std::current_exception();
    }
  });
  if (error) std::rethrow_exception(error);
}

void in_parallel(std::int64_t parts, const std::function<void(std::int64_t part)>& body) {
  std::mutex mutex;
  std::exception_ptr error;
  parallel_for(static_cast<std::uint64_t>(parts), 1, [&](std::uint64_t first, std::uint64_t last) {
    try {
      for (std::uint64_t part = first; part < last; ++part) body(static_cast<std::int64_t>(part));
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
    }
  });
  if (error) std::rethrow_exception(error);
}

}  // namespace quern::sparse::host
