// SPDX-License-Identifier: MIT
// Looking into laziness: what an expression would run, where it was written, and running everything at once.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "quern/array.hpp"

namespace quern {

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

// Operations remember where they were written, for errors of their evaluation and for explain(). The function
// says where the calling thread is, or nothing; null, as it is at first, to remember nothing.
using Origin = std::string (*)();
void set_origin(Origin origin) noexcept;

}  // namespace quern
