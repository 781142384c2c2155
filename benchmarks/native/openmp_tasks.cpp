// SPDX-License-Identifier: MIT
// Graphs of tasks as an engineer would write them with OpenMP: the peers of task_graph.cpp.
#include "openmp_tasks.hpp"

#include <cmath>
#include <cstring>

void openmp_empty_tasks(const TaskGraph& graph, char* slots) {
#pragma omp parallel
#pragma omp single
  for (std::size_t i = 0; i < graph.size(); ++i) {
    char *const first = slots + graph[i].first, *const second = slots + graph[i].second;
    char* const own = slots + i + 2;
#pragma omp task depend(in : *first) depend(in : *second) depend(out : *own)
    { __asm__ volatile("" : : "r"(own) : "memory"); }
  }
}

namespace {

// The steps of examples/kernels/cholesky.cl, where they are explained, in GCC's vectors.
using Double8 = double __attribute__((vector_size(64), aligned(8)));

Double8 load(const double* from) {
  Double8 value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

void store(const Double8& value, double* to) {
  std::memcpy(to, &value, sizeof value);
}

template <int N>
void factor(double* __restrict a) {
  for (int j = 0; j < N; ++j) {
    for (int i = j / 8 * 8; i < N; i += 8) {
      Double8 sum = load(a + j * N + i);
      for (int k = 0; k < j; ++k) sum -= a[k * N + j] * load(a + k * N + i);
      store(sum, a + j * N + i);
    }
    const double d = std::sqrt(a[j * N + j]);
    for (int i = j; i < N; ++i) a[j * N + i] /= d;
    for (int i = 0; i < j; ++i) a[j * N + i] = 0;
  }
}

template <int N>
void solve(const double* __restrict l, double* __restrict a) {
  for (int i = 0; i < N; i += 8) {
    for (int j = 0; j < N; ++j) {
      Double8 sum = load(a + j * N + i);
      for (int k = 0; k < j; ++k) sum -= l[k * N + j] * load(a + k * N + i);
      store(sum / l[j * N + j], a + j * N + i);
    }
  }
}

template <int N>
void update(const double* __restrict a, const double* __restrict b, double* __restrict c) {
  for (int i = 0; i < N; i += 8) {
    for (int j = 0; j < N; j += 4) {
      Double8 c0 = load(c + j * N + i), c1 = load(c + (j + 1) * N + i);
      Double8 c2 = load(c + (j + 2) * N + i), c3 = load(c + (j + 3) * N + i);
      for (int k = 0; k < N; ++k) {
        const Double8 x = load(a + k * N + i);
        const double* const y = b + k * N + j;
        c0 -= y[0] * x;
        c1 -= y[1] * x;
        c2 -= y[2] * x;
        c3 -= y[3] * x;
      }
      store(c0, c + j * N + i);
      store(c1, c + (j + 1) * N + i);
      store(c2, c + (j + 2) * N + i);
      store(c3, c + (j + 3) * N + i);
    }
  }
}

template <int N>
void cholesky(std::size_t count, double* const* tiles) {
  const auto at = [&](std::size_t i, std::size_t j) { return tiles[i * (i + 1) / 2 + j]; };
#pragma omp parallel
#pragma omp single
  for (std::size_t k = 0; k < count; ++k) {
    double* const diagonal = at(k, k);
#pragma omp task depend(inout : *diagonal)
    factor<N>(diagonal);
    for (std::size_t i = k + 1; i < count; ++i) {
      double* const below = at(i, k);
#pragma omp task depend(in : *diagonal) depend(inout : *below)
      solve<N>(diagonal, below);
    }
    for (std::size_t i = k + 1; i < count; ++i) {
      for (std::size_t j = k + 1; j <= i; ++j) {
        double *const a = at(i, k), *const b = at(j, k), *const c = at(i, j);
#pragma omp task depend(in : *a) depend(in : *b) depend(inout : *c)
        update<N>(a, b, c);
      }
    }
  }
}

}  // namespace

void openmp_cholesky(std::size_t count, int size, double* const* tiles) {
  if (size == 16) cholesky<16>(count, tiles);
  if (size == 32) cholesky<32>(count, tiles);
  if (size == 64) cholesky<64>(count, tiles);
}
