// SPDX-License-Identifier: MIT
// Warnings to the user on standard error, each printed once.
#pragma once

#include <string>

namespace quern {

// Prints "quern: warning: <message>", unless this process has printed that message before.
void warn_once(const std::string& message);

}  // namespace quern
