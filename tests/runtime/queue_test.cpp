// SPDX-License-Identifier: MIT
// Copies, order, waits across queues and devices, and memory that is freed and reused.
#include <array>
#include <chrono>
#include <thread>

#include "runtime/deferred_errors.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

using namespace std::chrono_literals;

class Queues : public EachDevice {
 protected:
  static std::span<const std::byte> bytes(const std::vector<int>& values) {
    return std::as_bytes(std::span(values));
  }
  std::vector<int> ints(const Buffer& buffer) {
    std::vector<int> values(buffer.size() / sizeof(int));
    queue_.read(buffer, values.data(), buffer.size()).wait();
    return values;
  }
  // Enough work for some milliseconds.
  static constexpr std::size_t kItems = 4096;
  static constexpr int kRounds = 20000;
};

TEST_P(Queues, what_is_written_is_read) {
  const auto values = iota(1000);
  const Buffer buffer(device_, 4000);
  queue_.write(buffer, values.data(), 4000);
  EXPECT_EQ(ints(buffer), values);
}

TEST_P(Queues, sub_buffers_are_parts) {
  const std::size_t alignment = std::max<std::size_t>(device_.properties().sub_buffer_alignment, 4);
  const std::size_t part = alignment / sizeof(int);
  const Buffer whole(device_, alignment * 3);
  const std::vector<int> given = iota(part * 3);  // read until the write is done
  queue_.write(whole, given.data(), whole.size());
  const Buffer middle = whole.sub_buffer(alignment, alignment);
  kernels().kernel("add_one")(queue_, range(part), middle);
  std::vector<int> expected = given;
  for (std::size_t i = part; i < 2 * part; ++i) ++expected[i];
  EXPECT_EQ(ints(whole), expected);
  EXPECT_THROW((void)whole.sub_buffer(alignment * 2, alignment * 2), ArgumentError);
}

TEST_P(Queues, fills_repeat_their_pattern) {
  for (const std::size_t length : {1U, 2U, 3U, 4U, 8U, 12U, 16U, 20U}) {
    std::vector<std::byte> pattern(length);
    for (std::size_t i = 0; i < length; ++i) pattern[i] = static_cast<std::byte>(i * 17 + 3);
    const Buffer buffer(device_, length * 1001);
    queue_.fill(buffer, pattern);
    std::vector<std::byte> values(buffer.size());
    queue_.read(buffer, values.data(), values.size()).wait();
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(values[i], pattern[i % length]) << length << " " << i;
  }
  const Buffer buffer(device_, 10);
  const std::vector<std::byte> four(4);
  EXPECT_THROW(queue_.fill(buffer, four), ArgumentError);
}

TEST_P(Queues, rectangles_land_where_they_should) {
  // A box of 5 x 4 x 3 bytes out of 16 x 8 x 4 into 12 x 9 x 5.
  std::vector<unsigned char> source(16 * 8 * 4), target(12 * 9 * 5, 255);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<unsigned char>(i % 251);
  std::vector<unsigned char> expected = target;
  for (std::size_t z = 0; z < 3; ++z) {
    for (std::size_t y = 0; y < 4; ++y) {
      for (std::size_t x = 0; x < 5; ++x) {
        expected[((z + 2) * 9 + y + 3) * 12 + x + 4] = source[((z + 1) * 8 + y + 2) * 16 + x + 7];
      }
    }
  }
  const Buffer a(device_, source.size()), b(device_, target.size());
  const std::array<std::size_t, 3> region = {5, 4, 3};
  const RectView from_host{nullptr, source.data(), {7, 2, 1}, 16, 128},
      from_device{&a, nullptr, {7, 2, 1}, 16, 128};
  const RectView to_device{&b, nullptr, {4, 3, 2}, 12, 108};
  for (const RectView& from : {from_host, from_device}) {
    queue_.write(a, source.data(), source.size());
    queue_.write(b, target.data(), target.size());
    queue_.copy_rect(from, to_device, region);
    std::vector<unsigned char> got(target.size());
    queue_.read(b, got.data(), got.size()).wait();
    EXPECT_EQ(got, expected);
  }
  std::vector<unsigned char> got = target;
  const RectView to_host{nullptr, got.data(), {4, 3, 2}, 12, 108};
  queue_.copy_rect(from_device, to_host, region).wait();
  EXPECT_EQ(got, expected);
  EXPECT_THROW(queue_.copy_rect(from_device, RectView{&b, nullptr, {0, 8, 4}, 12, 108}, region),
               ArgumentError);
  const RectView beyond{&b, nullptr, {0, 0, 0}, std::size_t{1} << 62, 0};
  EXPECT_THROW(queue_.copy_rect(from_device, beyond, {5, 5, 1}), ArgumentError);
}

TEST_P(Queues, overlapping_copies_are_memmove) {
  const auto values = iota(1000);
  const Buffer buffer(device_, 4000);
  const std::size_t shift = 16;
  queue_.write(buffer, values.data(), 4000);
  queue_.copy(buffer.sub_buffer(0, 4000 - shift), buffer.sub_buffer(shift, 4000 - shift));
  std::vector<int> expected = values;
  std::copy(values.begin(), values.end() - 4, expected.begin() + 4);
  EXPECT_EQ(ints(buffer), expected);
}

TEST_P(Queues, a_queue_runs_in_order) {
  const Array x = zeros(queue_, {100}, dtype_of<int>());
  for (int i = 0; i < 200; ++i) kernels().kernel("add_one")(queue_, range(100), x);
  EXPECT_EQ(x.to_vector<int>(queue_), std::vector<int>(100, 200));
}

TEST_P(Queues, another_queue_waits_for_what_it_reads) {
  const Queue second(device_);
  const Array x = zeros(queue_, {kItems}, dtype_of<int>());
  const Array y = zeros(second, {kItems}, dtype_of<int>());
  for (int round = 1; round <= 5; ++round) {
    kernels().kernel("slow_set")(queue_, range(kItems), x, round, kRounds);
    kernels().kernel("copy_ints")(second, range(kItems), x, y);  // no event, no wait: the memory knows
    EXPECT_EQ(y.to_vector<int>(second), std::vector<int>(kItems, round));
  }
}

TEST_P(Queues, an_upload_waits_for_the_read_that_fills_its_source) {
  const Queue second(device_);
  const Array x = zeros(queue_, {kItems}, dtype_of<int>()), y = zeros(queue_, {kItems}, dtype_of<int>());
  constexpr std::size_t kBytes = kItems * sizeof(int);
  for (const Queue& uploading : {queue_, second}) {
    for (int round = 1; round < 4; ++round) {
      std::vector<int> host(kItems, -1);
      kernels().kernel("slow_set")(queue_, range(kItems), x, round, kRounds);
      queue_.read(x.buffer(), host.data(), kBytes);
      uploading.write(y.buffer(), host.data(), kBytes);
      EXPECT_EQ(y.to_vector<int>(uploading), std::vector<int>(kItems, round));
    }
  }
}

TEST_P(Queues, what_only_waits_is_not_done_before_what_it_waits_for) {
  const Array x = zeros(queue_, {kItems}, dtype_of<int>());
  queue_.finish();
  const Queue second(device_);
  const Event slow = kernels().kernel("slow_set")(queue_, range(16), x, 1, 50 * kRounds);
  second.barrier({&slow, 1});
  second.finish();
  EXPECT_TRUE(slow.done());
}

TEST_P(Queues, freed_memory_is_not_overwritten_before_its_readers_are_done) {
  // Three queues: the first fills memory slowly, the second copies it, it is freed, and the third gets and
  // overwrites the same memory at once. Without the pool's record the copy would see the third's values.
  const Queue second(device_), third(device_);
  for (int round = 1; round <= 5; ++round) {
    Array out = zeros(second, {kItems}, dtype_of<int>());
    std::uintptr_t freed = 0;
    {
      const Array scratch = empty(queue_, {kItems}, dtype_of<int>());
      freed = scratch.buffer().native_handle();
      kernels().kernel("slow_set")(queue_, range(kItems), scratch, round, kRounds);
      kernels().kernel("copy_ints")(second, range(kItems), scratch, out);
    }
    const Array reused = empty(third, {kItems}, dtype_of<int>());
    EXPECT_EQ(reused.buffer().native_handle(), freed);
    kernels().kernel("slow_set")(third, range(kItems), reused, -1, 1);
    EXPECT_EQ(out.to_vector<int>(second), std::vector<int>(kItems, round));
    EXPECT_EQ(reused.to_vector<int>(third), std::vector<int>(kItems, -1));
  }
}

TEST_P(Queues, wait_lists_take_events_of_every_device) {
  for (const Device& other : tested_devices()) {
    const Queue far(other);
    const Array there = zeros(far, {kItems}, dtype_of<int>());
    const Array here = zeros(queue_, {kItems}, dtype_of<int>());
    const Event slow = kernels().kernel("slow_set")(far, range(kItems), there, 7, kRounds);
    const std::array<KernelArgument, 1> arguments = {here};
    const Event after = kernels().kernel("add_one").launch(queue_, range(kItems), arguments, {&slow, 1});
    const Event last = kernels().kernel("add_one")(queue_, range(kItems), here);
    last.wait();
    EXPECT_TRUE(slow.done());
    EXPECT_TRUE(after.done());
    EXPECT_EQ(here.to_vector<int>(queue_), std::vector<int>(kItems, 2));
  }
}

TEST_P(Queues, launches_that_succeeded_leave_no_deferred_errors) {
  const Array slow = zeros(queue_, {kItems}, dtype_of<int>());
  const std::size_t before = detail::DeferredError::live.load();
  for (int round = 0; round < 10; ++round)
    kernels().kernel("slow_set")(queue_, range(kItems), slow, round, kRounds);
  queue_.finish();
  EXPECT_EQ(detail::DeferredError::live.load(), before);
  EXPECT_EQ(slow.to_vector<int>(queue_), std::vector<int>(kItems, 9));
}

TEST_P(Queues, borrowed_memory_that_is_read_only_is_not_written) {
  if (!device_.properties().shares_host_memory) GTEST_SKIP() << "needs memory of the host";
  alignas(128) std::array<int, 32> values{};
  const std::byte one{1};
  const Buffer buffer = Buffer::wrap(Context::of(device_), device_, reinterpret_cast<std::uintptr_t>(&values),
                                     sizeof values, nullptr, Access::read_only);
  const Buffer other(device_, sizeof values);
  EXPECT_THROW(queue_.fill(buffer, {&one, 1}), ArgumentError);
  EXPECT_THROW(queue_.fill(buffer.sub_buffer(64, 64), {&one, 1}), ArgumentError);
  EXPECT_THROW(queue_.write(buffer, values.data(), 16), ArgumentError);
  EXPECT_THROW(queue_.copy(other, buffer), ArgumentError);
  RectView from, to;
  from.buffer = &other;
  to.buffer = &buffer;
  EXPECT_THROW(queue_.copy_rect(from, to, {16, 2, 1}), ArgumentError);
  queue_.finish();
  EXPECT_EQ(values, (std::array<int, 32>{}));
  EXPECT_THROW((void)Buffer::wrap(Context::of(device_), device_, 0, 64), ArgumentError);
}

TEST_P(Queues, what_an_operation_keeps_may_be_memory) {
  // A record of many uses asks its queues under the lock of all records; what they let go of then must not
  // need that lock. The read is done and its marker asked for, while a later kernel still runs.
  constexpr std::size_t kPart = 65536;
  const Buffer target(device_, 64 * kPart);
  const Array slow = zeros(queue_, {kItems}, dtype_of<int>());
  const std::byte zero{0};
  queue_.fill(target, {&zero, 1});
  std::vector<char> values(64 * kPart);
  const auto slow_set = kernels().kernel("slow_set");
  slow_set(queue_, range(kItems), slow, 1, kRounds);
  const Event first = queue_.read(target.sub_buffer(0, kPart), values.data(), kPart, {},
                                  std::make_shared<Buffer>(device_, 4096));
  static_cast<void>(first.done());
  const Event last = slow_set(queue_, range(kItems), slow, 2, 200 * kRounds);
  std::this_thread::sleep_for(300ms);  // waiting for the read would let go of what it keeps
  for (std::size_t part = 1; part < 64; ++part)
    queue_.read(target.sub_buffer(part * kPart, kPart), values.data() + part * kPart, kPart);
  last.wait();
  queue_.finish();
}

TEST_P(Queues, host_memory_is_kept_although_its_queue_is_gone) {
  // A write of another queue covers the copy's use of the buffer, and so holds no reference to the first
  // queue any more.
  const Array slow = zeros(queue_, {kItems}, dtype_of<int>());
  const Buffer target(device_, kItems * sizeof(int));
  const std::byte seven{7};
  std::weak_ptr<std::vector<int>> watch;
  const Queue second(device_);
  {
    const Queue first(device_);
    const Event before = kernels().kernel("slow_set")(queue_, range(kItems), slow, 1, 10 * kRounds);
    auto values = std::make_shared<std::vector<int>>(iota(kItems));
    watch = values;
    void* const data = values->data();
    first.write(target, data, target.size(), {&before, 1}, std::move(values));
    second.fill(target, {&seven, 1});
    if (!before.done()) {
      EXPECT_FALSE(watch.expired());
    }
  }
  if (!queue_.finish_until(std::chrono::steady_clock::now())) {
    EXPECT_FALSE(watch.expired());
  }
  EXPECT_EQ(ints(target), std::vector<int>(kItems, 0x07070707));
}

TEST_P(Queues, copies_go_between_all_devices) {
  const auto values = iota(100'000);
  for (const Device& other : tested_devices()) {
    const Queue far(other);
    const Array source = asarray(far, values);
    const Array here = empty(queue_, {100'000}, dtype_of<int>());
    queue_.copy(source.buffer(), here.buffer());
    kernels().kernel("add_one")(queue_, range(100'000), here);
    const Array back = empty(far, {100'000}, dtype_of<int>());
    queue_.copy(here.buffer(), back.buffer());
    EXPECT_EQ(back.to_vector<int>(far), iota(100'000, 1)) << other.spec();
  }
}

TEST_P(Queues, waiting_with_a_deadline_returns) {
  const Array x = zeros(queue_, {kItems}, dtype_of<int>());
  const Event event = kernels().kernel("slow_set")(queue_, range(kItems), x, 1, kRounds);
  (void)event.wait_until(std::chrono::steady_clock::now() + 1us);
  event.wait();
  EXPECT_TRUE(event.done());
  EXPECT_EQ(event.status(), EventStatus::complete);
  EXPECT_EQ(event.error(), nullptr);
  EXPECT_TRUE(event.wait_until(std::chrono::steady_clock::now()));
}

TEST_P(Queues, profile_times_are_in_order) {
  const Queue profiling(device_, {.profiling = true});
  const Array x = zeros(profiling, {kItems}, dtype_of<int>());
  const Event event = kernels().kernel("slow_set")(profiling, range(kItems), x, 1, kRounds);
  const Times times = event.times();
  EXPECT_LE(times.queued, times.submitted);
  EXPECT_LE(times.submitted, times.started);
  EXPECT_LT(times.started, times.ended);
  const Event plain = kernels().kernel("add_one")(queue_, range(kItems), x);
  EXPECT_THROW((void)plain.times(), ArgumentError);
}

TEST_P(Queues, a_full_pool_says_so_and_loses_nothing) {
  const Array kept = asarray(queue_, iota(1000));
  trim_pool(device_);
  const std::size_t in_use = pool_stats(device_).in_use;
  set_pool_limit(device_, in_use + (8 << 20));
  try {
    const Buffer large(device_, 64 << 20);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const OutOfDeviceMemory& error) {
    EXPECT_EQ(error.figures().requested, std::size_t{64} << 20);
    EXPECT_EQ(error.figures().in_use, in_use);
    EXPECT_EQ(error.figures().limit, in_use + (8 << 20));
  }
  { const Buffer fits(device_, 7 << 20); }
  { const Buffer trimmed(device_, 5 << 20); }  // only when the pool gives the 7 MiB back
  set_pool_limit(device_, 0);
  EXPECT_EQ(kept.to_vector<int>(queue_), iota(1000));
}

TEST_P(Queues, memory_of_others_is_used_in_place) {
  if (!device_.properties().shares_host_memory) GTEST_SKIP() << "the device does not work on host pointers";
  std::vector<int> mine = iota(64);
  auto owner = std::make_shared<int>(0);
  const std::weak_ptr<int> watch = owner;
  {
    const Buffer wrapped = Buffer::wrap(Context::of(device_), device_,
                                        reinterpret_cast<std::uintptr_t>(mine.data()), 256, std::move(owner));
    kernels().kernel("add_one")(queue_, range(64), wrapped).wait();
  }
  queue_.finish();
  EXPECT_EQ(mine, iota(64, 1));
  EXPECT_TRUE(watch.expired());
}

TEST_P(Queues, the_default_device_can_be_named) {
  const Device before = default_device();
  set_default_device(device_);
  EXPECT_EQ(default_device(), device_);
  set_default_device({});
  EXPECT_EQ(default_device(), before);
}

TEST_P(Queues, waiting_for_a_device_lets_contexts_go_that_only_their_free_memory_holds) {
  std::weak_ptr<detail::ContextState> watch;
  {
    const Context context(std::span(&device_, 1));
    watch = context.state();
    const Buffer buffer(context, device_, 1 << 16);
    const std::array<std::byte, 1> one{std::byte{1}};
    Queue(context, device_).fill(buffer, one);
  }
  synchronize(device_);
  EXPECT_TRUE(watch.expired());
}

QUERN_EACH_DEVICE(Queues);

}  // namespace
}  // namespace quern::test
