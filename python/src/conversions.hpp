// SPDX-License-Identifier: MIT
// Single arguments of the binding as C++ values. A wrong one raises ArgumentError, which names it by its
// role.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "binding.hpp"

namespace quern::python {

std::size_t size_argument(nb::handle value, const char* role);                  // an int that is not negative
std::uintptr_t address_argument(nb::handle value, const char* role);            // of a native object
std::string text_argument(nb::handle value, const std::string& role);           // a str that UTF-8 can hold
std::string optional_text_argument(nb::handle value, const std::string& role);  // None is no text
// The path of a file, a str or a pathlib.Path, in the bytes that the system knows it by.
std::string path_argument(nb::handle value, const std::string& role);
bool flag_argument(nb::handle value, const char* role);  // True or False
const Device& device_argument(nb::handle value, const char* role);
const Context& context_argument(nb::handle value, const char* role);

}  // namespace quern::python
