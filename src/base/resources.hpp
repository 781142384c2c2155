// SPDX-License-Identifier: MIT
// Failures for lack of what other work may give back: descriptors, memory, processes.
#pragma once

#include <string>
#include <string_view>

#include "quern/error.hpp"

namespace quern {

// The same call may work later, so no caller may conclude that what it tried is broken.
class OutOfResources : public Error {
 public:
  using Error::Error;
};

[[nodiscard]] bool is_lack_of_resources(int error) noexcept;  // an errno
// The same by the message of another program, or of the loader.
[[nodiscard]] bool is_lack_of_resources(std::string_view message);

// Throws `what` with the system's words for the error: OutOfResources, which also says how to get more, where
// something ran out, and otherwise Error.
[[noreturn]] void throw_system_error(const std::string& what, int error);

}  // namespace quern
