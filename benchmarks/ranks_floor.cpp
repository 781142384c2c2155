// SPDX-License-Identifier: MIT
// What distributed operations cost from C++, beside MPI in the same run: a sum over ranks less the sum of the
// block, and one-sided reads and additions.
//   cmake --build build/release --target bench_ranks && mpiexec -n 2 build/release/benchmarks/bench_ranks
#define OMPI_SKIP_MPICXX 1  // no C++ bindings of MPI
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <quern/distributed.hpp>
#include <quern/quern.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <span>
#include <vector>

namespace qn = quern;
namespace dist = quern::distributed;

namespace {

constexpr std::int64_t kBlock = 131'072;  // elements of a rank: 1 MiB
constexpr int kRounds = 15;

// The least time of a call in microseconds; all ranks call it together.
template <class Call>
double least_time(int batch, const Call& call) {
  double least = 1e30;
  for (int round = 0; round < kRounds; ++round) {
    call();
    MPI_Barrier(MPI_COMM_WORLD);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < batch; ++i) call();
    MPI_Barrier(MPI_COMM_WORLD);
    const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
    least = std::min(least, taken.count() / batch);
  }
  return least;
}

void print_row(const dist::Communicator& ranks, const char* what, double ours, double theirs) {
  if (ranks.rank() != 0) return;
  std::printf("%-28s %10.3f us   MPI %10.3f us   ratio %.2f\n", what, ours, theirs, ours / theirs);
}

void measure_sum(const dist::Communicator& ranks) {
  const qn::Queue queue = qn::Queue::of(qn::default_device());
  const dist::Layout layout = dist::Layout::for_shape(ranks.size(), {kBlock * ranks.size()});
  const std::vector<double> ones(kBlock, 1.0);
  const dist::DistributedArray x(ranks, layout, qn::asarray(queue, ones));
  double value = 0;
  const auto read = [&](const qn::Array& sum) { value = sum.to_vector<double>(queue)[0]; };
  const double all = least_time(300, [&] { read(dist::reduce("sum", x).local()); });
  const double block = least_time(300, [&] { read(qn::sum(x.local())); });
  const double raw = least_time(300, [&] {
    double sum = 0;
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  });
  if (ranks.rank() == 0) std::printf("sum of all %.2f us, of the block %.2f us\n", all, block);
  print_row(ranks, "sum less sum of the block", all - block, raw);
}

void measure_one_sided(const dist::Communicator& ranks) {
  const dist::Layout layout = dist::Layout::for_shape(ranks.size(), {kBlock * ranks.size()});
  const dist::GlobalArray a(ranks, layout, qn::dtype_of<double>());
  const dist::GlobalArray tickets(ranks, dist::Layout::for_shape(ranks.size(), {ranks.size()}),
                                  qn::dtype_of<std::int64_t>());
  void* memory = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_allocate(8 * kBlock, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_lock_all(0, window);
  std::vector<double> values(kBlock);
  const std::span<double> all = values;
  const int other = (ranks.rank() + 1) % ranks.size(), count = static_cast<int>(kBlock);

  const auto get = [&](int elements) {
    const dist::Patch patch = {{other * kBlock, other * kBlock + elements}};
    const int batch = elements == 1 ? 1000 : 20;
    const double ours = least_time(
        batch, [&] { a.get(patch, std::as_writable_bytes(all.first(static_cast<std::size_t>(elements)))); });
    const double theirs = least_time(batch, [&] {
      MPI_Get(values.data(), elements, MPI_DOUBLE, other, 0, elements, MPI_DOUBLE, window);
      MPI_Win_flush(other, window);
    });
    print_row(ranks, elements == 1 ? "get of 8 bytes" : "get of 1 MiB", ours, theirs);
  };
  get(1);
  get(count);

  const std::int64_t first[] = {0};
  const double read_inc = least_time(1000, [&] { tickets.read_inc(first); });
  const double fetch = least_time(1000, [&] {
    const std::int64_t one = 1;
    std::int64_t before = 0;
    MPI_Fetch_and_op(&one, &before, MPI_INT64_T, 0, 0, MPI_SUM, window);
    MPI_Win_flush(0, window);
  });
  print_row(ranks, "read_inc, one element", read_inc, fetch);

  const dist::Patch block = {{0, kBlock}};
  const double accumulate = least_time(20, [&] { a.accumulate(block, std::as_bytes(all)); });
  const double add = least_time(20, [&] {
    MPI_Accumulate(values.data(), count, MPI_DOUBLE, 0, 0, count, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_flush(0, window);
  });
  print_row(ranks, "accumulate of 1 MiB, one block", accumulate, add);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

}  // namespace

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  {
    const dist::Communicator ranks = dist::world();
    if (ranks.rank() == 0) std::printf("%d ranks, %s\n", ranks.size(), ranks.description().c_str());
    measure_sum(ranks);
    measure_one_sided(ranks);
  }
  dist::announce_exit();
  MPI_Finalize();
}
