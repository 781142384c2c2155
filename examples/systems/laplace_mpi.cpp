// SPDX-License-Identifier: MIT
// Laplace's equation on a square by Jacobi's method, distributed over ranks:
//   mpiexec -n 4 example_laplace_mpi        (or without mpiexec, on one rank)
// The edges are held at 100 (top), 75 (left), 50 (right) and 0. The result is compared with a plain loop.
#include <quern/distributed.hpp>
#include <quern/quern.hpp>

#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

namespace qn = quern;
namespace dist = quern::distributed;

constexpr std::int64_t kRows = 60, kColumns = 90;
constexpr int kSweeps = 200;
constexpr double kTop = 100, kLeft = 75, kRight = 50;

// The same sweeps in one array with its edges.
std::vector<double> plain_loop() {
  const std::int64_t width = kColumns + 2;
  std::vector<double> now((kRows + 2) * width), next;
  for (std::int64_t i = 0; i < kRows + 2; ++i) now[i * width] = kLeft, now[i * width + width - 1] = kRight;
  for (std::int64_t j = 0; j < width; ++j) now[j] = kTop;
  next = now;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::int64_t i = 1; i <= kRows; ++i) {
      for (std::int64_t j = 1; j <= kColumns; ++j) {
        const std::int64_t at = i * width + j;
        next[at] = 0.25 * (now[at - width] + now[at + width] + now[at - 1] + now[at + 1]);
      }
    }
    std::swap(now, next);
  }
  return now;
}

double solve(const dist::Communicator& communicator) {
  const qn::Queue queue = qn::Queue::of(qn::default_device());
  const qn::Shape shape = {kRows, kColumns};
  const dist::Layout layout = dist::Layout::for_shape(communicator.size(), shape);
  const dist::HaloOptions options = {.widths = {{1, 1}, {1, 1}}, .corners = false};
  const dist::HaloArray halo(communicator, layout, options, qn::dtype_of<double>(), queue);

  // Ghost cells outside the array hold the edges.
  const auto all = qn::Index::slice();
  const auto intervals = layout.intervals(communicator.rank());
  const bool has_elements = halo.interior().size() != 0;
  if (has_elements && intervals[1][0].start == 0) qn::assign(qn::view(halo.local(), {all, 0}), kLeft);
  if (has_elements && intervals[1][0].stop == kColumns) qn::assign(qn::view(halo.local(), {all, -1}), kRight);
  if (has_elements && intervals[0][0].start == 0) qn::assign(qn::view(halo.local(), {0, all}), kTop);

  const auto inner = qn::Index::slice(1, -1), before = qn::Index::slice(0, -2), after = qn::Index::slice(2);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    halo.exchange();
    const qn::Array& cells = halo.local();
    qn::assign(halo.interior(), 0.25 * (qn::view(cells, {before, inner}) + qn::view(cells, {after, inner}) +
                                        qn::view(cells, {inner, before}) + qn::view(cells, {inner, after})));
  }

  const dist::DistributedArray result(communicator, layout, qn::copy(halo.interior()));
  const auto cells = dist::gather(result).to_vector<double>(queue);
  const auto expected = plain_loop();
  double difference = 0;
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t j = 0; j < kColumns; ++j) {
      difference = std::fmax(difference,
                             std::fabs(cells[i * kColumns + j] - expected[(i + 1) * (kColumns + 2) + j + 1]));
    }
  }
  return difference;
}

int main() {
  const dist::Communicator communicator = dist::world();
  try {
    const double difference = solve(communicator);
    if (communicator.rank() == 0) {
      std::printf("%d ranks (%s), %d sweeps: largest difference from a plain loop %g\n", communicator.size(),
                  communicator.description().c_str(), kSweeps, difference);
    }
    return difference < 1e-12 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", communicator.rank(), error.what());
    communicator.announce_failure(error.what());
    communicator.abort(1);
  }
}
