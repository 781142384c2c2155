// SPDX-License-Identifier: MIT
// A built program as bytes: what the cache stores and Program::binary() returns.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "quern/signature.hpp"

namespace quern::detail {

struct ProgramEntry {
  std::string backend;   // whose binary it is
  bool lowered = false;  // by the front end: symbols carry its prefix
  std::vector<Signature> signatures;
  std::vector<std::pair<std::string, std::string>>
      lowered_names;  // name, symbol: CUDA C's name expressions, renamed kernels
  std::string log;    // warnings
  std::vector<std::byte> binary;
};

std::vector<std::byte> serialize(const ProgramEntry& entry);
// Nothing if the bytes are not an entry of this version of the library.
std::optional<ProgramEntry> deserialize(std::span<const std::byte> bytes);

}  // namespace quern::detail
