// SPDX-License-Identifier: MIT
// Inspection of ELF files: whether this process could load one, and its build id.
#pragma once

#include <string>

namespace quern::elf {

// Whether the file has the class, byte order and machine of this process.
[[nodiscard]] bool is_native(int fd);

// The linker's build id as hex digits; empty if there is none, or if the file is not a native ELF file.
[[nodiscard]] std::string build_id(int fd);

}  // namespace quern::elf
