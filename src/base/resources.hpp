// SPDX-License-Identifier: MIT
// Failures because of a resource that other work may release: descriptors, memory, processes.
#pragma once

#include <string>
#include <string_view>

#include "quern/error.hpp"

namespace quern {

// The same call may succeed later, so a caller must not conclude that the thing it tried is broken.
class OutOfResources : public Error {
 public:
  using Error::Error;
};

[[nodiscard]] bool is_lack_of_resources(int error) noexcept;  // an errno
// The same for the message of another program, or of the loader.
[[nodiscard]] bool is_lack_of_resources(std::string_view message);

// Throws `what` with the system's message for the error: OutOfResources with advice if a resource ran out,
// otherwise Error.
[[noreturn]] void throw_system_error(const std::string& what, int error);

}  // namespace quern
