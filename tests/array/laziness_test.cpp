// SPDX-License-Identifier: MIT
// When expressions are evaluated: before what they read is written, when somebody looks, and by one thread.
#include <atomic>
#include <thread>

#include "quern/quern.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

class Laziness : public EachDevice {
 protected:
  Array ones(std::int64_t count = 8) {
    return asarray(queue_, std::vector<float>(static_cast<std::size_t>(count), 1.f));
  }
  std::vector<float> values(const Array& array) { return array.to_vector<float>(queue_); }
  static std::vector<float> all(float value, std::size_t count = 8) {
    return std::vector<float>(count, value);
  }
};

TEST_P(Laziness, a_copy_is_the_same_array) {
  Array z = ones() + 1;
  const Array same = z;
  z += 1;
  EXPECT_EQ(values(same), all(3));
}

TEST_P(Laziness, what_reads_memory_is_evaluated_before_it_is_filled) {
  const Array x = ones();
  const Array z = x + 1;
  const std::byte zero{0};
  queue_.fill(x.buffer(), {&zero, 1});
  EXPECT_TRUE(z.in_memory());
  EXPECT_EQ(values(z), all(2));
  EXPECT_EQ(values(x), all(0));
}

TEST_P(Laziness, what_reads_an_evaluated_part_is_evaluated_before_that_is_written) {
  Array part = ones() * 3;
  const Array z = part + 1;
  static_cast<void>(part.buffer());
  part += 100;
  EXPECT_EQ(values(z), all(4));
  EXPECT_EQ(values(part), all(103));
}

TEST_P(Laziness, what_nobody_has_any_more_is_never_computed) {
  const Array x = ones();
  const auto before = stats().launches;
  { const Array z = x + 1; }
  assign(x, 0);
  EXPECT_EQ(stats().launches, before + 1);
}

TEST_P(Laziness, finishing_a_queue_evaluates_expressions_recorded_on_it) {
  const Array z = apply("add", {ones(), 1}, &queue_);
  EXPECT_FALSE(z.in_memory());
  queue_.finish();
  EXPECT_TRUE(z.in_memory());
}

TEST_P(Laziness, shared_memory_is_read_at_once) {
  const Array x = ones();
  const Array before = x + 1;
  x.buffer().share();
  EXPECT_TRUE(before.in_memory());
  EXPECT_TRUE((x + 1).in_memory());
}

TEST_P(Laziness, an_evaluation_that_fails_can_be_tried_again) {
  Array x = ones();
  const Array z = x + 1;
  set_pool_limit(queue_.device(), 1);
  bool has_failed = false;
  try {
    static_cast<void>(z.buffer());
  } catch (const OutOfDeviceMemory&) {
    has_failed = true;
  }
  set_pool_limit(queue_.device(), 0);
  // Pools may still have had a block of this size.
  EXPECT_TRUE(!has_failed || !z.in_memory());
  EXPECT_EQ(values(z), all(2));
}

TEST_P(Laziness, threads_that_want_one_value_compute_it_once) {
  const Array x = ones(1000);
  static_cast<void>((x + 1).buffer());  // the kernel is there
  const auto before = stats().launches;
  const Array z = x + 1;
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] { right += z.to_vector<float>(Queue(queue_.device())) == all(2, 1000); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 8);
  EXPECT_EQ(stats().launches, before + 1);
}

QUERN_EACH_DEVICE(Laziness);

}  // namespace
}  // namespace quern::test
