// SPDX-License-Identifier: MIT
// Include files that every program has without a file: #include <quern/random.cl>.
#pragma once

#include <string>
#include <string_view>

namespace quern::frontend {

// The text that <name> stands for; empty where there is none of that name.
std::string_view embedded_include(std::string_view name);

// For compilers that preprocess by themselves: the texts that a source includes, each once, and the source
// with these lines left empty. Files that the source includes are not looked into.
std::string embedded_texts(std::string_view source);
std::string without_embedded_includes(std::string_view source);

}  // namespace quern::frontend
