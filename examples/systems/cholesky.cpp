// SPDX-License-Identifier: MIT
// A graph of tasks: Cholesky factorisation by tiles on an out-of-order queue.
#include "cholesky.hpp"

#include <iostream>

namespace qn = quern;

int main() {
  const Tiles a = random_matrix(12, 32);
  qn::Queue queue{qn::default_device(), {.out_of_order = true}};
  const std::size_t nbytes = a.size * a.size * sizeof(double);
  std::vector<qn::Buffer> tiles;
  for (const std::vector<double>& tile : a.tiles) {
    tiles.emplace_back(queue, nbytes);
    queue.write(tiles.back(), tile.data(), nbytes);
  }
  Cholesky(QUERN_KERNELS, a.size).enqueue(queue, a.count, tiles);
  Tiles factor = a;
  for (std::size_t i = 0; i < tiles.size(); ++i) queue.read(tiles[i], factor.tiles[i].data(), nbytes);
  queue.finish();
  const double error = residual(a, factor);
  std::cout << a.steps() << " steps, residual " << error << '\n';
  return error < 1e-9 ? 0 : 1;
}
