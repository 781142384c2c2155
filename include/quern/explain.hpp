// SPDX-License-Identifier: MIT
// Looking into laziness: what an expression would run, where it was written, and running everything at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "quern/api.hpp"
#include "quern/array.hpp"

namespace QUERN_API quern {

// While one lives on a thread, what the thread writes is enqueued at once, each operation a kernel of its
// own.
class Eager {
 public:
  Eager() noexcept;
  Eager(const Eager&) = delete;
  Eager& operator=(const Eager&) = delete;
  ~Eager();
};

// A kernel that evaluating an expression would launch.
struct KernelPlan {
  std::vector<std::string> operations;  // "multiply(float32)", with "at file:line" where that is known
  std::size_t elements = 0;
  std::size_t arrays_read = 0;
  std::size_t bytes_read = 0, bytes_written = 0;
  std::string source;  // OpenCL C
};
// Of these arrays, those that are in memory need none. Launches nothing; the results' memory is there for a
// moment.
std::vector<KernelPlan> explain(std::span<const Array> arrays);

// Operations remember where they were written, for errors of their evaluation and for explain(): a number
// that means something to whoever calls, such as the binding of an interpreter. 0, as it is at first, for
// nothing.
using Origin = std::uint32_t;
// Of what this thread writes, until it is set again.
void set_origin(Origin origin) noexcept;
// What says a number in words, "file:line"; for all threads, from any of which it is called, when an error is
// told. Null, as it is at first, to say nothing.
using OriginText = std::string (*)(Origin);
void set_origin_text(OriginText text) noexcept;

}  // namespace quern
