// SPDX-License-Identifier: MIT
// The messages printed so far, and the function that prints them.
#include "base/warning.hpp"

#include <cstdio>
#include <mutex>
#include <set>

namespace quern {

void warn_once(const std::string& message) {
  static auto* mutex = new std::mutex;
  static auto* given = new std::set<std::string>;
  {
    const std::scoped_lock lock(*mutex);
    if (!given->insert(message).second) return;
  }
  std::fputs(("quern: warning: " + message + "\n").c_str(), stderr);
}

}  // namespace quern
