// SPDX-License-Identifier: MIT
// Settings from environment variables.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace quern {

// Nothing if the variable is not set; an empty text if it is set to nothing.
std::optional<std::string> environment(const char* name);

// Restores a variable whose text a library cuts in place. Khronos's OpenCL loader cuts its lists of drivers,
// and child processes would inherit the first entry only.
class KeptVariable {
 public:
  explicit KeptVariable(const char* name);
  ~KeptVariable();
  KeptVariable(const KeptVariable&) = delete;
  KeptVariable& operator=(const KeptVariable&) = delete;

 private:
  const char* name_;
  char* place_;
  std::string text_;
};

// An invalid setting must not break a program that would run without it: these functions warn once, say what
// was expected, and return as if the variable were not set. An empty variable counts as not set.
std::optional<long> environment_integer(const char* name, long lowest = std::numeric_limits<long>::min(),
                                        long highest = std::numeric_limits<long>::max());
std::optional<std::uint64_t> environment_bytes(const char* name);

// Parses "1048576", "512K", "256M" or "1G" (powers of 1024; also "1GiB" and "1GB", in either case); nothing
// for other texts and on overflow.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace quern
