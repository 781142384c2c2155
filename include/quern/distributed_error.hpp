// SPDX-License-Identifier: MIT
// The exception for ranks that disagree, fail, die or do not answer.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "quern/api.hpp"
#include "quern/error.hpp"

namespace QUERN_API quern {

// Ranks do not do the same, or one of them cannot go on. ranks() names those at fault, as far as known.
class DistributedError : public Error {
 public:
  DistributedError(const std::string& what, std::vector<int> ranks) : Error(what), ranks_(std::move(ranks)) {}
  [[nodiscard]] const std::vector<int>& ranks() const noexcept { return ranks_; }

 private:
  std::vector<int> ranks_;
};

}  // namespace quern
