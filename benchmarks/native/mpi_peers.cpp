// SPDX-License-Identifier: MIT
// What benchmarks/ranks.py compares with: the same work in C++ with MPI alone. Compiled by mpicxx, loaded by
// ctypes. Every function is called by all ranks; `times` repetitions are between two barriers of the caller.
#define OMPI_SKIP_MPICXX 1  // no C++ bindings of MPI
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace {

int rank_of() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int size_of() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

// Sends the first and the last layer of a block to the neighbours, and receives theirs into the ghost layers.
class Exchange {
 public:
  Exchange(double* block, std::ptrdiff_t layers, std::ptrdiff_t layer) {
    const int rank = rank_of(), size = size_of(), count = static_cast<int>(layer);
    const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    MPI_Irecv(block, count, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests_[0]);
    MPI_Irecv(block + (layers + 1) * layer, count, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests_[1]);
    MPI_Isend(block + layer, count, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests_[2]);
    MPI_Isend(block + layers * layer, count, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests_[3]);
  }
  void finish() { MPI_Waitall(4, requests_, MPI_STATUSES_IGNORE); }

 private:
  MPI_Request requests_[4];
};

void five_points(const double* u, double* v, std::ptrdiff_t first, std::ptrdiff_t last, std::ptrdiff_t n) {
  for (std::ptrdiff_t i = first; i < last; ++i) {
    const double* const c = u + i * n;
    double* const out = v + i * n;
#pragma GCC ivdep
    for (std::ptrdiff_t j = 1; j < n - 1; ++j) out[j] = 0.25 * (c[j - n] + c[j + n] + c[j - 1] + c[j + 1]);
  }
}

void seven_points(const double* u, double* v, std::ptrdiff_t first, std::ptrdiff_t last, std::ptrdiff_t n) {
  for (std::ptrdiff_t i = first; i < last; ++i) {
    for (std::ptrdiff_t j = 1; j < n - 1; ++j) {
      const double* const c = u + (i * n + j) * n;
      double* const out = v + (i * n + j) * n;
#pragma GCC ivdep
      for (std::ptrdiff_t k = 1; k < n - 1; ++k) {
        out[k] = (c[k - n * n] + c[k + n * n] + c[k - n] + c[k + n] + c[k - 1] + c[k + 1]) * (1.0 / 6.0);
      }
    }
  }
}

// Sweeps over a block of `layers` layers between two ghost layers; the interior is computed while messages
// are under way.
template <class Stencil>
void sweeps(double* u, double* v, std::ptrdiff_t layers, std::ptrdiff_t layer, std::ptrdiff_t n, int times,
            const Stencil& stencil) {
  const bool is_first = rank_of() == 0, is_last = rank_of() == size_of() - 1;
  for (int sweep = 0; sweep < times; ++sweep) {
    Exchange exchange(u, layers, layer);
    stencil(u, v, 2, layers, n);
    exchange.finish();
    if (!is_first) stencil(u, v, 1, 2, n);
    if (!is_last) stencil(u, v, layers, layers + 1, n);
    std::swap(u, v);
  }
}

MPI_Win window = MPI_WIN_NULL;

}  // namespace

extern "C" {

void peer_allreduce(int times) {
  double value = 1, sum = 0;
  for (int i = 0; i < times; ++i) MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

void peer_jacobi(double* u, double* v, std::ptrdiff_t rows, std::ptrdiff_t n, int times) {
  sweeps(u, v, rows, n, n, times, five_points);
}

void peer_seven_points(double* u, double* v, std::ptrdiff_t planes, std::ptrdiff_t n, int times) {
  sweeps(u, v, planes, n * n, n, times, seven_points);
}

// As many bytes from each rank to each other as a change from rows to columns moves; nothing is packed.
void peer_alltoallv(double* from, double* to, int elements, int times) {
  const int size = size_of();
  std::vector<int> counts(size, elements), places(size);
  for (int r = 0; r < size; ++r) places[r] = r * elements;
  for (int i = 0; i < times; ++i) {
    MPI_Alltoallv(from, counts.data(), places.data(), MPI_DOUBLE, to, counts.data(), places.data(),
                  MPI_DOUBLE, MPI_COMM_WORLD);
  }
}

void* peer_window(std::ptrdiff_t bytes) {
  void* memory = nullptr;
  MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_lock_all(0, window);
  return memory;
}

void peer_window_free() {
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

void peer_get(double* to, int count, int target, int times) {
  for (int i = 0; i < times; ++i) {
    MPI_Get(to, count, MPI_DOUBLE, target, 0, count, MPI_DOUBLE, window);
    MPI_Win_flush(target, window);
  }
}

long peer_fetch_and_add(int target, int times) {
  long one = 1, before = 0;
  for (int i = 0; i < times; ++i) {
    MPI_Fetch_and_op(&one, &before, MPI_LONG, target, 0, MPI_SUM, window);
    MPI_Win_flush(target, window);
  }
  return before;
}

void peer_accumulate(const double* from, int count, int target, int times) {
  for (int i = 0; i < times; ++i) {
    MPI_Accumulate(from, count, MPI_DOUBLE, target, 0, count, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_flush(target, window);
  }
}

}  // extern "C"
