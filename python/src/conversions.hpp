// SPDX-License-Identifier: MIT
// Conversion of single arguments to C++ values. An invalid one raises an ArgumentError that names it by its
// role.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "binding.hpp"

namespace quern::python {

std::size_t size_argument(nb::handle value, const char* role);                  // an int >= 0
std::uintptr_t address_argument(nb::handle value, const char* role);            // native handle
std::string text_argument(nb::handle value, const std::string& role);           // a str that UTF-8 can encode
std::string optional_text_argument(nb::handle value, const std::string& role);  // None: no text
// The path of a file, a str or a pathlib.Path, in the file system's encoding.
std::string path_argument(nb::handle value, const std::string& role);
bool flag_argument(nb::handle value, const char* role);  // True or False
const Device& device_argument(nb::handle value, const char* role);
const Context& context_argument(nb::handle value, const char* role);

}  // namespace quern::python
