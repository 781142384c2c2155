// SPDX-License-Identifier: MIT
// Values of parameters for tests of the search.
#pragma once

#include <initializer_list>
#include <vector>

#include "quern/tune.hpp"

namespace quern::test {

inline std::vector<TuneValue> integers(std::initializer_list<std::int64_t> values) {
  return {values.begin(), values.end()};
}

inline std::vector<TuneValue> up_to(std::int64_t count) {
  std::vector<TuneValue> values;
  for (std::int64_t value = 0; value < count; ++value) values.emplace_back(value);
  return values;
}

}  // namespace quern::test
