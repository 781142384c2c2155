// SPDX-License-Identifier: MIT
// The programs of src/kernels that are lowered for the host and compiled into the library when it is built:
// which there are. kernel_of() of the algorithms finds them by their keys.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/sort_form.hpp"

namespace quern::codegen {

struct LibraryProgram {
  std::vector<std::string> files;  // of src/kernels; none of a generated program
  Defines defines;
  bool is_lone = true;    // its kernels are launched in work-groups of one work-item
  std::string text = {};  // in front of the files, or the whole text of a generated program
};

// In the order of the compiled table.
std::vector<LibraryProgram> library_programs();

// A program's key. `definitions` precede the files.
std::string program_key(std::span<const std::string_view> files, const Defines& defines,
                        std::string_view definitions);
std::string program_key(const LibraryProgram& program);
// The key of a generated program.
std::string program_key(const std::string& text);

}  // namespace quern::codegen
