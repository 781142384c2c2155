// SPDX-License-Identifier: MIT
// The dynamic loader's index of libraries, /etc/ld.so.cache.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quern {

// The paths that a cache file lists for a soname, in the loader's order. A malformed file lists nothing.
// Variants for certain CPUs (glibc-hwcaps) are omitted.
std::vector<std::string> loader_cache_paths(std::string_view cache, std::string_view soname);

}  // namespace quern
