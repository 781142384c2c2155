// SPDX-License-Identifier: MIT
// Poisson's equation on a square by conjugate gradients: two charges, the potential drawn as a picture.
#include <cstdint>
#include <iostream>
#include <quern/quern.hpp>
#include <vector>

#include "poisson.hpp"

namespace qn = quern;
namespace sparse = quern::sparse;

// The five-point matrix: -u(x-1,y) - u(x+1,y) - u(x,y-1) - u(x,y+1) + 4 u(x,y), with zeros around the square.
sparse::Csr five_point_matrix(const qn::Queue& queue) {
  std::vector<double> data;
  std::vector<std::int32_t> columns, starts = {0};
  for (std::int32_t y = 0; y < kSize; ++y) {
    for (std::int32_t x = 0; x < kSize; ++x) {
      const auto add = [&](std::int32_t other_x, std::int32_t other_y, double value) {
        if (other_x < 0 || other_x >= kSize || other_y < 0 || other_y >= kSize) return;
        columns.push_back(other_y * kSize + other_x);
        data.push_back(value);
      };
      add(x, y - 1, -1);
      add(x - 1, y, -1);
      add(x, y, 4);
      add(x + 1, y, -1);
      add(x, y + 1, -1);
      starts.push_back(static_cast<std::int32_t>(columns.size()));
    }
  }
  return sparse::Csr({kSize * kSize, kSize * kSize}, qn::asarray(queue, data), qn::asarray(queue, columns),
                     qn::asarray(queue, starts));
}

int main(int argc, char** argv) {
  const qn::Queue queue{qn::default_device()};
  const sparse::Csr matrix = five_point_matrix(queue);
  const std::vector<double> charges = two_charges();
  const qn::Array b = qn::asarray(queue, charges);

  sparse::SolveOptions options;
  options.rtol = 1e-8;
  options.preconditioner = sparse::chebyshev(matrix);
  const sparse::Solution solution = sparse::cg(matrix, b, options);
  std::cout << "cg: info " << solution.info << ", residual " << solution.residual << " after "
            << solution.iterations << " iterations on " << queue.device().spec() << '\n';

  const std::vector<double> potential = solution.x.to_vector<double>(queue);
  if (argc > 1) draw(argv[1], potential);
  const bool is_right = solution.info == 0 && potential[kPositive] > 0 && potential[kNegative] < 0;
  return is_right ? 0 : 1;
}
