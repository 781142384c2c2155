// SPDX-License-Identifier: MIT
// Maps: a range of a buffer that the host reads and writes through a pointer, and migrations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/buffer.hpp"
#include "quern/error.hpp"
#include "quern/event.hpp"
#include "quern/queue.hpp"

namespace QUERN_API quern {

namespace detail {
class MapState;
}

// What the host does with mapped memory.
enum class MapAccess : std::uint8_t {
  read,        // nothing is written back
  read_write,  // also for a host that writes a part: the rest keeps its contents
  discard,     // the host writes all of it: the contents are undefined until then, and are not read first
};

// Memory is used while it is mapped, or a map is used after unmap().
class MapError : public Error {
 public:
  using Error::Error;
};

// A map is an operation of its queue, and unmap() another one. Between the two, operations that write the
// memory throw MapError, and so do operations that read memory mapped for writing.
//
// Copies refer to the same map. When the last one is destroyed, an open map is unmapped, and what the host
// wrote is written back; the destructor does not wait.
class MemoryMap {
 public:
  MemoryMap() = default;  // of no memory

  // Complete when the host may access the memory.
  [[nodiscard]] const Event& event() const;
  void wait() const { event().wait(); }

  // Address of the first byte. Throws MapError until the event is done, and after unmap().
  [[nodiscard]] void* data() const;
  template <class T>
  [[nodiscard]] std::span<T> as() const {
    return {static_cast<T*>(data()), size() / sizeof(T)};
  }
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] MapAccess access() const noexcept;
  [[nodiscard]] bool is_open() const noexcept;
  // Whether data() is the memory of the device itself. Otherwise it is a copy in page-locked memory, which
  // unmap() copies back unless the access is read.
  [[nodiscard]] bool is_in_place() const noexcept;
  // Where the map was opened: "file:line".
  [[nodiscard]] const std::string& origin() const noexcept;

  // Enqueues the end of the map; the host must not access the memory any more. Work enqueued later sees what
  // the host wrote. Throws MapError if the map is closed already. If the map itself failed, throws its error
  // and writes nothing back.
  Event unmap(WaitList wait_for = {}) const;
  // Closes the map without writing back. What was written in place stays.
  void abandon() const noexcept;

  // Keeps the memory at data() allocated, also after unmap().
  [[nodiscard]] std::shared_ptr<void> keep() const;

  // Internal.
  explicit MemoryMap(std::shared_ptr<detail::MapState> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<detail::MapState> state_;
};

// The line of a call, as a default argument. clang before 16 has no std::source_location with libstdc++.
struct SourceLine {
  const char* file;
  unsigned line;
  static constexpr SourceLine current(const char* file = __builtin_FILE(),
                                      unsigned line = __builtin_LINE()) noexcept {
    return {file, line};
  }
};

// Enqueues a map of the buffer: in place on the host and on OpenCL CPUs, otherwise as a copy in page-locked
// memory. Throws MapError if a part of it is mapped already and one of the two maps writes.
[[nodiscard]] MemoryMap map_buffer(const Queue& queue, const Buffer& buffer,
                                   MapAccess access = MapAccess::read_write, WaitList wait_for = {},
                                   SourceLine at = SourceLine::current());
// The same with a description of the calling line, for bindings of other languages.
[[nodiscard]] MemoryMap map_buffer(const Queue& queue, const Buffer& buffer, MapAccess access,
                                   WaitList wait_for, std::string origin);

// The map of an array's elements, which are evaluated first. A strided array is mapped from its first byte to
// its last one.
struct ArrayMap {
  MemoryMap map;
  std::size_t offset = 0;  // bytes from data() to the first element
};
[[nodiscard]] ArrayMap map_array(const Queue& queue, const Array& array,
                                 MapAccess access = MapAccess::read_write, WaitList wait_for = {},
                                 SourceLine at = SourceLine::current());
[[nodiscard]] ArrayMap map_array(const Queue& queue, const Array& array, MapAccess access, WaitList wait_for,
                                 std::string origin);

// Moves buffers to the queue's device, or to the host, before they are used there. It changes no contents and
// does nothing where memory has one place.
enum class MigrateTo : std::uint8_t { device, host };
Event migrate(const Queue& queue, std::span<const Buffer> buffers, MigrateTo to = MigrateTo::device,
              WaitList wait_for = {});

}  // namespace quern
