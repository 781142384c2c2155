// SPDX-License-Identifier: MIT
// Text that Python gives: checked, and as the bytes that C++ and compilers read.
#pragma once

#include <string>
#include <vector>

#include "binding.hpp"

namespace quern::python {

// A str in UTF-8. An ArgumentError that names the argument where it is something else, or holds half of a
// surrogate pair, which UTF-8 cannot write.
std::string text_argument(nb::handle text, const std::string& argument);
std::string optional_text_argument(nb::handle text, const std::string& argument);  // None is no text

// The path of a file, a str or a pathlib.Path, in the bytes that the system knows it by.
std::string path_argument(nb::handle path, const std::string& argument);

}  // namespace quern::python
