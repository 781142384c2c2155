// SPDX-License-Identifier: MIT
// Kernels of the library that are launched as precompiled functions, by the example of run_lengths.cl.
#include "algorithms/launch/kernel_table.hpp"

#include "quern/arithmetic.hpp"
#include "quern/compilation.hpp"
#include "quern/error.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

class PrecompiledKernels : public ::testing::Test {
 protected:
  PrecompiledKernels() { set_host_loop_use(HostLoopUse::only); }
  ~PrecompiledKernels() override { set_host_loop_use(before_); }
  void TearDown() override { EXPECT_EQ(stats().compilations, compiled_); }

  HostLoopUse before_ = host_loop_use();
  Queue queue_{device("host")};
  std::uint64_t compiled_ = stats().compilations;
  algorithms::LibraryKernel kernel_ = algorithms::kernel_of({"run_lengths"}, "run_lengths", {});
  Array starts_ = asarray(queue_, std::vector<std::int64_t>{0, 3, 4});
  Array count_ = asarray(queue_, std::vector<std::uint64_t>{3});
  Array lengths_ = asarray(queue_, std::vector<std::int64_t>{-1, -1, -1});
  std::int64_t n_ = 10;
  std::uint64_t capacity_ = 3;
};

TEST_F(PrecompiledKernels, take_arrays_whose_elements_are_pending) {
  const Array pending = starts_ + 0;
  ASSERT_FALSE(pending.in_memory());
  kernel_(queue_, 3, range(1).with_local(1), pending, count_, lengths_, n_, capacity_);
  EXPECT_EQ(lengths_.to_vector<std::int64_t>(queue_), (std::vector<std::int64_t>{3, 1, 6}));
}

TEST_F(PrecompiledKernels, do_nothing_over_an_empty_range) {
  kernel_(queue_, 0, range(0), starts_, count_, lengths_, n_, capacity_);
  EXPECT_EQ(lengths_.to_vector<std::int64_t>(queue_), (std::vector<std::int64_t>{-1, -1, -1}));
}

TEST_F(PrecompiledKernels, check_their_arguments) {
  EXPECT_THROW(kernel_(queue_, 3, range(1).with_local(1), starts_, count_, lengths_), ArgumentError);
  const Array floats = asarray(queue_, std::vector<float>{0, 3, 4});
  EXPECT_THROW(kernel_(queue_, 3, range(1).with_local(1), floats, count_, lengths_, n_, capacity_),
               ArgumentError);
}

}  // namespace
}  // namespace quern::test
