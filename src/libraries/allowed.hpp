// SPDX-License-Identifier: MIT
// Whether libraries of others may be used: QUERN_LIBRARIES=never turns them off.
#pragma once

#include "base/environment.hpp"

namespace quern::libraries {

inline constexpr const char* kNotSearched = "not searched: QUERN_LIBRARIES=never";

inline bool are_allowed() {
  return environment("QUERN_LIBRARIES").value_or("") != "never";
}

}  // namespace quern::libraries
