// SPDX-License-Identifier: MIT
// What the examples of Poisson's equation share: two charges on a square, and a picture of the potential.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

constexpr std::int64_t kSize = 200;                                                 // points of a line
constexpr std::int64_t kPositive = 70 * kSize + 60, kNegative = 120 * kSize + 140;  // where the charges are

inline std::vector<double> two_charges() {
  std::vector<double> charges(kSize * kSize, 0.0);
  charges[kPositive] = 1;
  charges[kNegative] = -1;
  return charges;
}

// Writes a picture in the format PPM: negative values blue, positive ones red.
inline void draw(const std::string& path, const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  std::ofstream file(path, std::ios::binary);
  file << "P6\n" << kSize << ' ' << kSize << "\n255\n";
  for (const double value : values) {
    const auto shade = static_cast<char>(255 - static_cast<int>(255 * std::sqrt(std::abs(value) / most)));
    const char full = static_cast<char>(255);
    file << (value < 0 ? shade : full) << shade << (value < 0 ? full : shade);
  }
}
