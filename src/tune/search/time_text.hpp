// SPDX-License-Identifier: MIT
// A time for people.
#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace quern::tuning {

inline std::string time_text(double seconds) {
  std::array<char, 32> text;
  const char* const units[] = {"ns", "us", "ms", "s"};
  double value = seconds * 1e9;
  std::size_t unit = 0;
  while (unit < 3 && value >= 1000) value /= 1000, ++unit;
  std::snprintf(text.data(), text.size(), "%.4g %s", value, units[unit]);
  return text.data();
}

}  // namespace quern::tuning
