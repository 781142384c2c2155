// SPDX-License-Identifier: MIT
// The rows of the table of distributions, and draws of those without kernels of their own.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "quern/random.hpp"
#include "random/launch.hpp"

namespace quern::random {

struct FamilyRow {
  // The kind of function in the kernels' source: real numbers; real numbers that need counts, and so fp64;
  // bounded integers; counts.
  enum class Texts : std::uint8_t { reals, counting_reals, integers, counts };
  const char* name;
  Texts texts;
  std::span<const Parameter> parameters;
};
const FamilyRow& row_of(Family family);
inline bool is_real(const FamilyRow& row) {
  return row.texts == FamilyRow::Texts::reals || row.texts == FamilyRow::Texts::counting_reals;
}

std::string number_text(double value);
void check_count(Family family, std::size_t count);  // number of parameters
// Whether the device can draw numbers of this type.
void check_types(Family family, const Queue& queue, const DType& dtype);

// Families from beta on. Checks the parameters.
Event draw_family(Generator& generator, const Queue& queue, const Array& out, Family family,
                  std::span<const double> parameters, WaitList wait_for);

}  // namespace quern::random
