// SPDX-License-Identifier: MIT
// The search that all libraries of CUDA share: files by their sonames, and a report of what was tried.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/shared_library.hpp"
#include "quern/libraries.hpp"

namespace quern::libraries {

// Looks up a function; false if the library lacks it.
template <class Pointer>
bool find_function(const SharedLibrary& library, const char* name, Pointer& pointer) {
  pointer = reinterpret_cast<Pointer>(library.symbol(name));
  return pointer != nullptr;
}

// Loads the files with these sonames one after the other until `take` returns true, which then has all
// functions that it needs. `prepare` is called with each file before it is loaded. Records each attempt, and
// the path of the file that was taken. Returns whether one was taken.
bool load_cuda_library(LibraryReport& report, std::span<const std::string> sonames,
                       const std::function<bool(const SharedLibrary&)>& take,
                       const std::function<void(const std::string& file)>& prepare = {});

}  // namespace quern::libraries
