// SPDX-License-Identifier: MIT
// Poisson's equation on a square by sine transforms: the charges and the picture of poisson_cg.cpp.
// To build it alone: c++ -std=c++20 -O2 poisson_fft.cpp $(pkg-config --cflags --libs quern) -o poisson_fft
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <numbers>
#include <quern/quern.hpp>
#include <vector>

#include "poisson.hpp"

namespace qn = quern;

// The sines that vanish on the edge are the eigenvectors of the five-point matrix: along both axes a
// transform, a division by the eigenvalues, and the transform back.
qn::Array solve(const qn::Array& charges, const qn::Queue& queue) {
  const auto along = [](const qn::Array& x, int axis) {
    return qn::fft::dst(x, {.type = 1, .axis = axis, .norm = qn::fft::Norm::ortho});
  };
  const qn::Array k = qn::arange(queue, 1.0, 1.0, kSize, charges.dtype());  // start, step, count
  const qn::Array half = qn::sin(k * (std::numbers::pi / (2.0 * (kSize + 1))));
  const qn::Array values = 4.0 * half * half;
  const qn::Array spectrum = along(along(charges, 0), 1);
  return along(along(spectrum / (qn::reshape(values, {kSize, 1}) + values), 0), 1);
}

// The greatest difference between the charges and the five-point matrix times the potential.
double residual(const std::vector<double>& potential, const std::vector<double>& charges) {
  const auto at = [&](std::int64_t y, std::int64_t x) {
    const bool is_inside = x >= 0 && x < kSize && y >= 0 && y < kSize;
    return is_inside ? potential[static_cast<std::size_t>(y * kSize + x)] : 0.0;
  };
  double most = 0;
  for (std::int64_t y = 0; y < kSize; ++y) {
    for (std::int64_t x = 0; x < kSize; ++x) {
      const double found = 4 * at(y, x) - at(y, x - 1) - at(y, x + 1) - at(y - 1, x) - at(y + 1, x);
      most = std::max(most, std::abs(found - charges[static_cast<std::size_t>(y * kSize + x)]));
    }
  }
  return most;
}

int main(int argc, char** argv) {
  const qn::Queue queue{qn::default_device()};
  const std::vector<double> charges = two_charges();
  const qn::Array b = qn::reshape(qn::asarray(queue, charges), {kSize, kSize});

  const std::vector<double> potential = solve(b, queue).to_vector<double>(queue);
  const double rest = residual(potential, charges);
  std::cout << "fft: residual " << rest << " on " << queue.device().spec() << '\n';
  if (argc > 1) draw(argv[1], potential);
  return rest < 1e-12 ? 0 : 1;
}
