// SPDX-License-Identifier: MIT
// Where the libraries of CUDA are: the loader's folders, the toolkit's, those of Python packages.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace quern {

// Folders in which Python packages are installed, such as site-packages. NVIDIA's packages keep libraries
// below them, in nvidia/*/lib.
void set_package_roots(std::vector<std::string> folders);
std::vector<std::string> package_roots();

// Returns the existing files with these sonames, in the order of the sonames. For each, the folders are the
// loader's, those of CUDA_HOME and CUDA_PATH, /usr/local/cuda, those given in `listed` (separated by colons),
// and those of Python packages. Loads nothing.
std::vector<std::string> find_cuda_libraries(std::span<const std::string> sonames, const std::string& listed);

}  // namespace quern
