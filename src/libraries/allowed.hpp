// SPDX-License-Identifier: MIT
// Whether libraries of others may be used: QUERN_LIBRARIES=never turns them off, QUERN_LIBRARIES=prefer uses
// them also on devices on which Quern's own kernels are usually faster.
#pragma once

#include "base/environment.hpp"

namespace quern::libraries {

inline constexpr const char* kNotSearched = "not searched: QUERN_LIBRARIES=never";

inline bool are_allowed() {
  return environment("QUERN_LIBRARIES").value_or("") != "never";
}

inline bool are_preferred() {
  return environment("QUERN_LIBRARIES").value_or("") == "prefer";
}

}  // namespace quern::libraries
