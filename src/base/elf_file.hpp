// SPDX-License-Identifier: MIT
// What Quern reads of an ELF file: whether this process could load it, and its build id.
#pragma once

#include <string>

namespace quern::elf {

// Of the class, byte order and machine of this process.
[[nodiscard]] bool is_native(int fd);

// The linker's build id as hex digits; empty when there is none, or the file is not a native ELF file.
[[nodiscard]] std::string build_id(int fd);

}  // namespace quern::elf
