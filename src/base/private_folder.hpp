// SPDX-License-Identifier: MIT
// A folder that only its owner can change, created if it is missing.
#pragma once

#include <string>

#include "base/file_descriptor.hpp"

namespace quern {

struct PrivateFolder {
  FileDescriptor fd;    // invalid if the folder is refused
  std::string problem;  // reason of the refusal
};

// Opens a folder, creating it and its parents with mode 0700 if needed. Refuses a folder that is a symlink,
// belongs to another user or is writable by others, because code loaded from it is run.
PrivateFolder open_private_folder(const std::string& path);

}  // namespace quern
