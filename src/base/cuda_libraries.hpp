// SPDX-License-Identifier: MIT
// Where the libraries of CUDA are: the process, the folders of the loader, of the toolkit, of conda and of
// Python packages; and which major version of CUDA a file belongs to.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quern {

// Folders in which Python packages are installed, such as site-packages. NVIDIA's packages keep libraries
// below them, in nvidia/*/lib.
void set_package_roots(std::vector<std::string> folders);
std::vector<std::string> package_roots();

// Returns the existing files with these sonames, in the order of the sonames. For each, a file that the
// process has loaded is first. The folders are the loader's, those of CUDA_HOME and CUDA_PATH,
// /usr/local/cuda, those of CONDA_PREFIX, those given in `listed` (separated by colons), and those of Python
// packages. Loads nothing.
std::vector<std::string> find_cuda_libraries(std::span<const std::string> sonames, const std::string& listed);

// The major versions of CUDA whose libraries Quern calls, the newest first.
inline constexpr std::array<int, 2> kCudaMajors = {13, 12};

// The soname of a library such as "cublas" in a major version of CUDA: "libcublas.so.13".
std::string cuda_soname(std::string_view library, int major);

// The major version of CUDA that a file belongs to, by its name, by its folder and by the libraries beside
// it. 0 if they do not say.
int cuda_major_of(const std::string& file);

// Chooses the major version that all libraries of CUDA in a process have: that of a library which the process
// has loaded, for example by another Python package; otherwise the one of which most libraries are found,
// and of two with equally many the newer one. It is not newer than `driver_major`, unless that is 0. Returns
// 0 if no library is found.
int choose_cuda_major(int driver_major, const std::string& listed);
// The same for these loaded files, where `is_found` says whether a soname is found.
int choose_cuda_major(int driver_major, std::span<const std::string> loaded,
                      const std::function<bool(const std::string& soname)>& is_found);

}  // namespace quern
