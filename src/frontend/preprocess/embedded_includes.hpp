// SPDX-License-Identifier: MIT
// Include files that are part of the library, such as #include <quern/random.cl>.
#pragma once

#include <string>
#include <string_view>

namespace quern::frontend {

// Returns the text of <name>; empty if the library has no such file.
std::string_view embedded_include(std::string_view name);

// For compilers that preprocess the source themselves: the embedded files that a source includes, each once;
// and the source with these #include lines left empty. Other files that the source includes are not searched.
std::string embedded_texts(std::string_view source);
std::string without_embedded_includes(std::string_view source);

}  // namespace quern::frontend
