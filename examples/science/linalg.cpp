// SPDX-License-Identifier: MIT
// Solves a system of equations, and reads the error of a singular one.
#include <cmath>
#include <cstdio>
#include <vector>

#include <quern/quern.hpp>

namespace qn = quern;

int main() {
  const qn::Queue queue{qn::default_device()};
  const auto a = qn::reshape(qn::asarray(queue, std::vector<double>{3, 1, 1, 2}), {2, 2});
  const auto b = qn::asarray(queue, std::vector<double>{9, 8});
  const std::vector<double> x = qn::linalg::solve(a, b).to_vector<double>(queue);
  std::printf("x = %g, %g\n", x[0], x[1]);
  if (std::abs(x[0] - 2) > 1e-12 || std::abs(x[1] - 3) > 1e-12) return 1;
  try {
    static_cast<void>(qn::linalg::inv(qn::zeros(queue, {2, 2}, a.dtype())).to_vector<double>(queue));
  } catch (const qn::LinAlgError& error) {
    std::printf("%s\n", error.what());
    return 0;
  }
  return 1;
}
