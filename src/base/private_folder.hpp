// SPDX-License-Identifier: MIT
// A folder that only its owner can change, made where it is missing.
#pragma once

#include <string>

#include "base/file_descriptor.hpp"

namespace quern {

struct PrivateFolder {
  FileDescriptor fd;    // not valid when the folder is refused
  std::string problem;  // why
};

// Opens a folder, making it and its parents with mode 0700 if need be. Refuses one that is a symlink, belongs
// to another user or can be written by others, since what is loaded from it is run.
PrivateFolder open_private_folder(const std::string& path);

}  // namespace quern
