// SPDX-License-Identifier: MIT
// The processors that this process may use, and threads that run on some of them.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <span>
#include <vector>

namespace quern {

// The processors of the affinity mask of a process (0: the calling thread), in ascending order; never empty.
[[nodiscard]] std::vector<int> allowed_processors(pid_t process = 0);

// A thread that is created with these attributes runs on these processors only. Does nothing where the system
// cannot do it.
void restrict_to(pthread_attr_t& attributes, std::span<const int> processors) noexcept;

}  // namespace quern
