// SPDX-License-Identifier: MIT
// Reports of accesses beyond the memory of an argument.
#include "backend/host/bounds.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "backend/host/fault.hpp"
#include "backend/host/fiber.hpp"

namespace quern::backend::host {
namespace {

thread_local quern_here this_thread{};

// What faulty accesses read and write instead. Larger ones end the kernel by an illegal instruction.
constexpr std::size_t kMostBytes = 4096;
alignas(128) thread_local std::array<std::byte, kMostBytes> other_memory;

quern_here* here() {
  return &this_thread;
}

void barrier(const quern_launch* launch, const char* where) {
  const quern_here mine = this_thread;
  kRuntime.barrier(launch, where);  // other work-items run
  this_thread = mine;
}

std::uint64_t distance(const quern_range& range, std::uint64_t at) {
  return at < range.begin ? range.begin - at : at - range.end;
}

std::string report(std::uint64_t at, std::uint64_t size, std::uint64_t unit, int argument,
                   const char* where) {
  const auto& bounds = *reinterpret_cast<const quern_bounds*>(this_thread.launch->runtime);
  const bool is_known = argument >= 0;
  if (!is_known) {  // the nearest one was likely meant
    for (std::size_t i = 0; i < bounds.count; ++i) {
      const quern_range& range = bounds.ranges[i];
      if (range.begin == range.end) continue;
      if (argument < 0 || distance(range, at) < distance(bounds.ranges[argument], at))
        argument = static_cast<int>(i);
    }
  }
  const auto& item = this_thread.item;
  const std::string place = ", at " + std::string(where) + " in work-item (" + std::to_string(item[0]) + "," +
                            std::to_string(item[1]) + "," + std::to_string(item[2]) + ")";
  if (argument < 0) return "access to memory, but no argument has any" + place;
  const char* const given = this_thread.names[argument];
  const std::string name =
      given[0] != 0 ? "'" + std::string(given) + "'" : std::to_string(argument) + " (without a name)";
  const quern_range& range = bounds.ranges[argument];
  if (range.begin == range.end) return "access through argument " + name + ", which has no memory" + place;
  const auto offset = static_cast<std::int64_t>(at - range.begin);
  const auto width = static_cast<std::int64_t>(unit);
  const std::int64_t index = (offset - (offset < 0 ? width - 1 : 0)) / width;
  const std::string elements = size == unit
                                   ? "element " + std::to_string(index)
                                   : "elements " + std::to_string(index) + " to " +
                                         std::to_string(index + static_cast<std::int64_t>(size) / width - 1);
  return "access to " + elements + " of argument " + name + ", which has " +
         std::to_string((range.end - range.begin) / unit) + " elements of " + std::to_string(unit) +
         (unit == 1 ? " byte" : " bytes") + place +
         (is_known ? "" : "; the pointer may also belong to another argument");
}

void* fail(const void* at, unsigned long long size, unsigned long long unit, int argument,
           const char* where) {
  const LibraryCall in_library;
  if (!has_failed()) note_failure(report(reinterpret_cast<std::uintptr_t>(at), size, unit, argument, where));
  if (size > kMostBytes) __builtin_trap();
  other_memory.fill({});
  return other_memory.data();
}

}  // namespace

Bounds::Bounds(std::span<const Argument> arguments)
    : bounds_{kRuntime, nullptr, arguments.size(), here, fail} {
  bounds_.runtime.barrier = barrier;
  for (const Argument& argument : arguments) {
    quern_range range{0, 0};
    if (argument.kind == Argument::Kind::memory) {
      range.begin = reinterpret_cast<std::uintptr_t>(argument.memory->host_pointer()) + argument.offset;
      range.end = range.begin + argument.size;
    }
    ranges_.push_back(range);
  }
  bounds_.ranges = ranges_.data();
}

}  // namespace quern::backend::host
