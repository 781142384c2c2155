// SPDX-License-Identifier: MIT
// The search that all libraries of CUDA share: files by their sonames, and a report of what was tried.
#pragma once

#include <functional>
#include <initializer_list>
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

// Loads the first file of each of these sonames: libraries in the folders of packages need others of the same
// packages, which the loader does not find there.
void load_cuda_dependencies(std::initializer_list<std::string> sonames);
// Whether a file with the same soname in CUDA 12 and 13 is of CUDA 12, by the folder that holds it.
bool is_of_cuda_12(const std::string& file);

// The version of a library by its function for parts of versions: "12.6.3".
std::string version_by(int (*get_property)(int, int*));

}  // namespace quern::libraries
