// SPDX-License-Identifier: MIT
// Launches that may find a matrix without a result: LinAlgError is a deferred error of the memory they write.
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

}  // namespace quern::linalg
