// SPDX-License-Identifier: MIT
// Laplace's equation by Jacobi's method in C++ with MPI alone: laplace_mpi N MOST EVERY LIMIT FILE
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 6) MPI_Abort(MPI_COMM_WORLD, 2);
  const int n = std::atoi(argv[1]), most = std::atoi(argv[2]), every = std::atoi(argv[3]);
  const double limit = std::atof(argv[4]);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto first_row = [&](int r) { return 1 + static_cast<int>(static_cast<long>(n - 2) * r / size); };
  const int rows = first_row(rank + 1) - first_row(rank);
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  const std::size_t width = static_cast<std::size_t>(n);
  std::vector<double> u, v;
  double seconds = 0;
  int sweep = 0;
  for (int pass = 0; pass < 2; ++pass) {  // the second one is timed
    u.assign((static_cast<std::size_t>(rows) + 2) * width, 0);
    for (int i = 0; i < rows + 2; ++i) u[i * width] = 75, u[i * width + width - 1] = 50;
    if (rank == 0) std::fill_n(u.begin(), width, 100.0);
    v = u;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (sweep = 1; sweep <= most; ++sweep) {
      MPI_Sendrecv(&u[width], n, MPI_DOUBLE, up, 0, &u[(rows + 1) * width], n, MPI_DOUBLE, down, 0,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Sendrecv(&u[rows * width], n, MPI_DOUBLE, down, 1, u.data(), n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      std::copy(u.begin(), u.begin() + n, v.begin());
      std::copy(u.end() - n, u.end(), v.end() - n);
      for (int i = 1; i <= rows; ++i) {
        const double* const c = &u[i * width];
        double* const out = &v[i * width];
        for (int j = 1; j < n - 1; ++j) out[j] = 0.25 * (c[j - n] + c[j + n] + c[j - 1] + c[j + 1]);
      }
      double change = limit;
      if (sweep % every == 0) {
        double here = 0;
        for (std::size_t i = 0; i < u.size(); ++i) here = std::fmax(here, std::fabs(v[i] - u[i]));
        MPI_Allreduce(&here, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      }
      u.swap(v);
      if (change < limit) break;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    seconds = MPI_Wtime() - start;
  }
  // Rank 0 collects the rows and writes them, with the edges.
  std::vector<int> counts(size), places(size);
  for (int r = 0; r < size; ++r)
    counts[r] = (first_row(r + 1) - first_row(r)) * n, places[r] = first_row(r) * n;
  std::vector<double> whole(rank == 0 ? width * width : 0);
  if (rank == 0) {
    std::copy(u.begin(), u.begin() + n, whole.begin());
    whole[(width - 1) * width] = 75, whole.back() = 50;
  }
  MPI_Gatherv(&u[width], rows * n, MPI_DOUBLE, whole.data(), counts.data(), places.data(), MPI_DOUBLE, 0,
              MPI_COMM_WORLD);
  if (rank == 0) {
    std::FILE* const file = std::fopen(argv[5], "wb");
    if (file == nullptr || std::fwrite(whole.data(), sizeof(double), whole.size(), file) != whole.size()) {
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    std::fclose(file);
    std::printf("{\"seconds\": %.6e, \"sweeps\": %d}\n", seconds, std::min(sweep, most));
  }
  MPI_Finalize();
}
