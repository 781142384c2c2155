// SPDX-License-Identifier: MIT
// Eight threads, each with products, transforms, factorisations and sparse matrices of its own and of all.
#include <cmath>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "quern/fft.hpp"
#include "quern/linalg.hpp"
#include "quern/matmul.hpp"
#include "quern/reduce.hpp"
#include "quern/sparse/construct.hpp"
#include "quern/sparse/linalg.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

class ThreadsWithLibraries : public EachDevice {};

// x[k] = k % 5 - 2, and the product of the matrix of such rows with its transpose, by loops.
std::vector<float> numbers(std::size_t rows, std::size_t columns) {
  std::vector<float> result;
  for (std::size_t k = 0; k < rows * columns; ++k) result.push_back(static_cast<float>(k * 7 % 5) - 2);
  return result;
}

TEST_P(ThreadsWithLibraries, get_the_results_of_one_thread) {
  constexpr std::int64_t kRows = 70, kColumns = 90;
  const std::vector<float> values = numbers(kRows, kColumns);
  std::vector<float> expected(kRows * kRows);
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kRows; ++j)
      for (std::size_t k = 0; k < kColumns; ++k)
        expected[i * kRows + j] += values[i * kColumns + k] * values[j * kColumns + k];
  const Array shared = reshape(asarray(queue_, values), {kRows, kColumns});
  const std::vector<Array> diagonals = {asarray(queue_, std::vector<float>{4}),
                                        asarray(queue_, std::vector<float>{-1}),
                                        asarray(queue_, std::vector<float>{-1})};
  const std::vector<std::int64_t> offsets = {0, -1, 1};
  const sparse::Csr matrix = csr_of(sparse::diags(diagonals, offsets, sparse::Size{kRows, kRows}));
  shared.evaluate();
  queue_.finish();
  std::mutex mutex;
  std::vector<std::exception_ptr> errors;
  const auto work = [&] {
    try {
      const Queue own(queue_.device());
      const QueueScope scope(own);
      const Array mine = reshape(asarray(own, values), {kRows, kColumns});
      const Array ones = full(own, {kRows}, 1, dtype_of<float>());
      for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(matmul(shared, transpose(mine)).to_vector<float>(own), expected);
        const Array there = fft::rfft(mine), back = fft::irfft(there, {.n = kColumns});
        EXPECT_LT(max(apply("absolute", {back - mine})).to_vector<float>(own)[0], 1e-4F);
        const Array system = astype(dense_of(matrix), dtype_of<float>());
        const Array x = linalg::solve(system, ones);
        EXPECT_LT(max(apply("absolute", {sparse::multiply(matrix, x) - ones})).to_vector<float>(own)[0],
                  1e-4F);
        const sparse::Solution found = sparse::cg(matrix, ones);
        EXPECT_EQ(found.info, 0);
        EXPECT_LT(max(apply("absolute", {found.x - x})).to_vector<float>(own)[0], 1e-3F);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      errors.push_back(std::current_exception());
    }
  };
  std::vector<std::thread> threads;
  for (int k = 0; k < 8; ++k) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  if (!errors.empty()) std::rethrow_exception(errors.front());
}

QUERN_EACH_DEVICE(ThreadsWithLibraries);

}  // namespace
}  // namespace quern::test
