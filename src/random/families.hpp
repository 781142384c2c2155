// SPDX-License-Identifier: MIT
// The rows of the table of distributions, and draws of those that are not made by kernels of their own.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "quern/random.hpp"
#include "random/launch.hpp"

namespace quern::random {

struct FamilyRow {
  // What computes it in the kernels' texts: real numbers; real numbers that count on the way, which takes
  // fp64; integers in bounds; counts.
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
void check_count(Family family, std::size_t count);  // of parameters
// Whether numbers of this type can be drawn there.
void check_types(Family family, const Queue& queue, const DType& dtype);

// Families from beta on. Checks the parameters.
Event draw_family(Generator& generator, const Queue& queue, const Array& out, Family family,
                  std::span<const double> parameters, WaitList wait_for);

}  // namespace quern::random
