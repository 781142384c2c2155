// SPDX-License-Identifier: MIT
// Checks the bytes of a shared library before the loader reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace quern::backend::host {

struct ElfSymbol {
  std::string name;
  std::uint64_t size = 0;
  bool is_function = false;
};

struct ElfImage {
  std::vector<ElfSymbol> symbols;  // defined and exported symbols
  bool has_debug_info = false;
  bool calls_locking = false;  // functions of the C library that hold locks while they run
};

// Throws Error if the bytes are not a complete 64-bit shared library of this machine.
ElfImage read_elf_image(std::span<const std::byte> bytes);

}  // namespace quern::backend::host
