// SPDX-License-Identifier: MIT
// The source line of the operation that a thread records or submits, for errors and profiles.
#pragma once

#include <atomic>
#include <string>

#include "quern/explain.hpp"

namespace quern::detail {

inline constinit thread_local Origin current_origin = 0;
inline std::atomic<OriginText> origin_text{nullptr};

// "file:line", or empty. The caller holds no lock: an interpreter has one of its own.
inline std::string line_of(Origin origin) {
  const OriginText text = origin != 0 ? origin_text.load() : nullptr;
  return text != nullptr ? text(origin) : std::string();
}

}  // namespace quern::detail
