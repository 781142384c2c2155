// SPDX-License-Identifier: MIT
// The search that all libraries of CUDA share: one major version of CUDA for a process, files by their
// sonames, and a report of what was tried.
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

// The major version of CUDA that all libraries of this process have; 0 if none is found. The first call
// chooses it.
int cuda_major();

// Loads the files of a library such as "cublas" of cuda_major() one after the other until `take` returns
// true, which then has all functions that it needs. `prepare` is called with each file before it is loaded.
// Records each attempt, files of other major versions, and the path of the file that was taken. Returns
// whether one was taken.
bool load_cuda_library(LibraryReport& report, const char* library,
                       const std::function<bool(const SharedLibrary&)>& take,
                       const std::function<void(const std::string& file)>& prepare = {});
// The same for a library with the same sonames in all versions of CUDA.
bool load_cuda_library(LibraryReport& report, std::span<const std::string> sonames,
                       const std::function<bool(const SharedLibrary&)>& take,
                       const std::function<void(const std::string& file)>& prepare = {});

// Loads the first file of each of these libraries, such as "cublasLt", of cuda_major(): libraries in the
// folders of packages need others of the same packages, which the loader does not find there.
void load_cuda_dependencies(std::initializer_list<const char*> libraries);

// The version of a library by its function for parts of versions: "12.6.3".
std::string version_by(int (*get_property)(int, int*));

}  // namespace quern::libraries
