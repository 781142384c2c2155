// SPDX-License-Identifier: MIT
// Compiled units, which clLinkProgram makes programs of. They are checked text, not code: the engine compiles
// a program as a whole.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quern/program.hpp"

namespace quern::platform {

struct Unit {
  std::string text;
  ProgramOptions options;
};

// One program of all units.
[[nodiscard]] Program link(std::span<const Unit> units);

struct UnitFile {
  bool is_library = false;
  std::vector<Unit> units;
};
[[nodiscard]] std::vector<std::byte> to_binary(const UnitFile& file);
[[nodiscard]] std::optional<UnitFile> from_binary(std::span<const std::byte> binary);

}  // namespace quern::platform
