// SPDX-License-Identifier: MIT
// Errors that depend on elements: LinAlgError of launches, deferred to reads of the memory they write, and
// SciPy's check_finite.
#pragma once

#include <functional>
#include <initializer_list>

#include "quern/array.hpp"

namespace quern::linalg {

struct Problem {
  const char *text, *function;  // "Singular matrix", "solve"; of static lifetime
  std::int64_t matrices;
};

// `launch` gets a slot for one int64, in which the kernel stores the number of a failed matrix, from
// 1. Every read of a result then raises the error.
void run_checked(const Queue& queue, const Problem& problem, std::initializer_list<Array> results,
                 const std::function<Event(const Buffer& slot)>& launch);

// Throws ArgumentError if an operand has an infinity or NaN. On the host this waits for the operands. On
// other devices, where that would stop the queue at each call, only an eager block checks.
void check_finite(const char* name, std::initializer_list<Array> operands);

}  // namespace quern::linalg
