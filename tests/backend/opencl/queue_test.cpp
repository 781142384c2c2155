// SPDX-License-Identifier: MIT
// Launches, order, waits and times on an OpenCL queue.
#include <algorithm>
#include <atomic>
#include <thread>

#include "backend/opencl/support.hpp"
#include "backend/time_recording.hpp"

namespace quern::backend::opencl_test {
namespace {

// Runs long enough that a wait for it has to wait.
constexpr int kLong = 1'000'000;

TEST_F(OpenCL, a_kernel_gets_its_buffers_and_scalars) {
  auto a = upload(counting(256)), b = upload(std::vector<int>(256, -1));
  auto add = function("add");
  const int c = 7;
  const Argument arguments[] = {memory(*a), memory(*b), value(c)};
  EXPECT_EQ(queue->launch(*add, range(256, 64), arguments), nullptr) << "times are for profiling queues";
  EXPECT_EQ(download<int>(*b), counting(256, 7));
}

TEST_F(OpenCL, arguments_that_change_between_launches_are_all_seen) {
  auto a = upload(counting(64)), other = upload(counting(64, 1000)), b = upload(counting(64));
  auto add = function("add");
  for (int c = 0; c < 6; ++c) {
    Memory& source = c % 2 == 0 ? *a : *other;
    const Argument arguments[] = {memory(source), memory(*b), value(c)};
    queue->launch(*add, range(64, 64), arguments);
    EXPECT_EQ(download<int>(*b), counting(64, c + (c % 2 == 0 ? 0 : 1000)));
  }
}

TEST_F(OpenCL, a_new_buffer_in_the_place_of_a_freed_one_is_not_mistaken_for_it) {
  auto add = function("add");
  const int c = 1;
  for (int round = 0; round < 20; ++round) {
    auto a = upload(counting(64, round)), b = upload(counting(64));
    const Argument arguments[] = {memory(*a), memory(*b), value(c)};
    queue->launch(*add, range(64, 64), arguments);
    EXPECT_EQ(download<int>(*b), counting(64, round + 1));
  }
}

TEST_F(OpenCL, memory_and_functions_may_go_while_their_launch_is_in_flight) {
  auto kept = upload(counting(64));
  {
    auto held_up = upload(std::vector<float>(64)), a = upload(counting(64, 5));
    auto spin = function("spin");
    auto add = function("add");
    const int rounds = kLong, c = 2;
    const Argument slow[] = {memory(*held_up), value(rounds)},
                   quick[] = {memory(*a), memory(*kept), value(c)};
    queue->launch(*spin, range(64, 64), slow);
    queue->launch(*add, range(64, 64), quick);
  }
  EXPECT_EQ(download<int>(*kept), counting(64, 7));
}

TEST_F(OpenCL, local_arguments_reserve_local_memory) {
  auto a = upload(counting(128));
  auto reverse = function("reverse");
  const Argument arguments[] = {memory(*a), local(64 * sizeof(int))};
  queue->launch(*reverse, range(128, 64), arguments);
  std::vector<int> expected = counting(128);
  std::reverse(expected.begin(), expected.begin() + 64);
  std::reverse(expected.begin() + 64, expected.end());
  EXPECT_EQ(download<int>(*a), expected);
}

TEST_F(OpenCL, a_null_pointer_is_null_in_the_kernel_and_only_while_it_is_given) {
  auto out = upload(std::vector<int>(64));
  auto tell = function("tell");
  const Argument without[] = {null_pointer(), memory(*out)}, with[] = {memory(*out), memory(*out)};
  queue->launch(*tell, range(64, 64), without);
  EXPECT_EQ(download<int>(*out), std::vector<int>(64, -1));
  queue->launch(*tell, range(64, 64), with);
  EXPECT_EQ(download<int>(*out), std::vector<int>(64, 1));
  queue->launch(*tell, range(64, 64), without);
  EXPECT_EQ(download<int>(*out), std::vector<int>(64, -1));
}

TEST_F(OpenCL, structures_vectors_constant_memory_and_offsets_reach_the_kernel) {
  struct Wide {
    int i;
    float f[7];
  } wide = {1, {0, 0, 0, 0, 0, 0, 2}};
  struct alignas(32) Lanes {
    double x, y, z, w;
  } lanes = {0, 0, 0, 4};
  auto table = upload(std::vector<float>{8});
  auto out = upload(std::vector<unsigned char>(64 * 4));
  auto shapes = function("shapes");
  const Argument arguments[] = {value(wide), value(lanes), memory(*table), memory(*out)};
  LaunchShape shape;
  shape.dims = 2;
  shape.global = {64, 2, 1};
  shape.local = {64, 1, 1};
  shape.offset = {0, 2, 0};
  queue->launch(*shapes, shape, arguments);
  std::vector<unsigned char> expected(64 * 4, 0);
  std::fill(expected.begin() + 128, expected.end(), 1 + 2 + 4 + 8 + 2);
  EXPECT_EQ(download<unsigned char>(*out), expected);
}

TEST_F(OpenCL, a_view_is_a_kernel_argument_where_the_device_can_start_one) {
  const std::size_t alignment = setup()->device->properties().sub_buffer_alignment;
  const std::size_t skip = alignment / sizeof(int);
  auto a = upload(counting(64 + 300 * skip)), b = upload(std::vector<int>(64));
  auto add = function("add");
  const int c = 0;
  // More views than are kept, overlapping, and each of them twice; the whole in between.
  for (std::size_t view = 0; view < 600; ++view) {
    const std::size_t start = view % 300;
    const Argument arguments[] = {memory(*a, start * alignment), memory(*b), value(c)};
    queue->launch(*add, range(64, 64), arguments);
    EXPECT_EQ(download<int>(*b), counting(64, static_cast<int>(start * skip)));
  }
}

TEST_F(OpenCL, threads_may_use_views_of_one_memory_at_once) {
  const std::size_t alignment = setup()->device->properties().sub_buffer_alignment;
  const std::size_t skip = alignment / sizeof(int);
  auto a = upload(counting(64 + 60 * skip));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      auto own = context->make_queue(0, {});
      auto add = function("add");
      auto b = context->allocate(0, 64 * sizeof(int));
      for (std::size_t i = 0; i < 60; ++i) {
        const std::size_t start = (i * (t + 1)) % 60;
        const int c = static_cast<int>(t);
        const Argument arguments[] = {memory(*a, start * alignment), memory(*b), value(c)};
        own->launch(*add, range(64, 64), arguments);
        std::vector<int> got(64);
        own->read(*b, 0, got.data(), 64 * sizeof(int));
        own->record()->wait(Deadline::max());
        if (got != counting(64, static_cast<int>(start * skip + t))) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(OpenCL, a_view_that_starts_elsewhere_is_an_argument_error_that_names_the_alignment) {
  const std::size_t alignment = setup()->device->properties().sub_buffer_alignment;
  if (alignment <= sizeof(int)) GTEST_SKIP() << "views may start anywhere on this device";
  auto a = upload(counting(512));
  auto times = function("times");
  const int factor = 2;
  const Argument arguments[] = {memory(*a, sizeof(int)), value(factor)};
  try {
    queue->launch(*times, range(64, 64), arguments);
    FAIL() << "it was launched";
  } catch (const ArgumentError& error) {
    EXPECT_NE(std::string(error.what()).find(std::to_string(alignment)), std::string::npos) << error.what();
  }
  EXPECT_EQ(download<int>(*a), counting(512));
}

TEST_F(OpenCL, a_wrong_number_of_arguments_is_an_argument_error) {
  auto a = upload(counting(64));
  const Argument arguments[] = {memory(*a)};
  EXPECT_THROW(queue->launch(*function("add"), range(64, 64), arguments), ArgumentError);
}

TEST_F(OpenCL, a_failed_launch_names_the_call_the_error_and_the_device) {
  auto a = upload(counting(64));
  auto times = function("times");
  const int factor = 2;
  const Argument arguments[] = {memory(*a), value(factor)};
  try {
    queue->launch(*times, range(64, 1 << 30), arguments);
    FAIL() << "it was launched";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("clEnqueueNDRangeKernel(times"), std::string::npos) << text;
    EXPECT_NE(text.find("CL_INVALID_WORK"), std::string::npos) << text;
    EXPECT_NE(text.find(setup()->device->properties().name), std::string::npos) << text;
  }
  queue->launch(*times, range(64, 64), arguments);
  EXPECT_EQ(download<int>(*a)[3], 6) << "and the queue works on";
}

TEST_F(OpenCL, one_function_can_be_launched_by_many_threads) {
  auto add = function("add");
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      auto own = context->make_queue(0, {});
      auto a = context->allocate(0, 64 * sizeof(int)), b = context->allocate(0, 64 * sizeof(int));
      const std::vector<int> start = counting(64, 100 * t);
      own->write(*a, 0, start.data(), 64 * sizeof(int));
      for (int c = 0; c < 50; ++c) {
        const Argument arguments[] = {memory(*a), memory(*b), value(c)};
        own->launch(*add, range(64, 64), arguments);
        std::vector<int> got(64);
        own->read(*b, 0, got.data(), 64 * sizeof(int));
        own->record()->wait(Deadline::max());
        if (got != counting(64, 100 * t + c)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(OpenCL, a_queue_runs_its_work_in_order) {
  auto a = upload(std::vector<int>(64, 1)), b = upload(std::vector<int>(64));
  auto times = function("times");
  auto add = function("add");
  const int three = 3, c = 1;
  const Argument first[] = {memory(*a), value(three)}, second[] = {memory(*a), memory(*b), value(c)};
  for (int i = 0; i < 8; ++i) queue->launch(*times, range(64, 64), first);
  queue->launch(*add, range(64, 64), second);
  EXPECT_EQ(download<int>(*b), std::vector<int>(64, 6562));
}

TEST_F(OpenCL, another_queue_runs_after_the_marker_it_waits_for) {
  auto a = upload(std::vector<float>(64)), seen = upload(std::vector<float>(64));
  auto spin = function("spin");
  auto other = context->make_queue(0, {});
  const int rounds = kLong;
  const Argument arguments[] = {memory(*a), value(rounds)};
  queue->launch(*spin, range(64, 64), arguments);
  EXPECT_TRUE(other->wait(queue->record()));
  other->copy(*a, 0, *seen, 0, seen->size());
  finish(*other);
  EXPECT_NEAR(download<float>(*seen)[63], 500, 1);
}

class ForeignMarker final : public Marker {
 public:
  bool done() override { return true; }
  bool wait(Deadline) override { return true; }
  void notify(std::shared_ptr<Signal> signal) override { signal->raise(); }
};

TEST_F(OpenCL, a_queue_does_not_wait_for_markers_of_other_contexts_or_backends) {
  EXPECT_FALSE(queue->wait(std::make_shared<ForeignMarker>()));
  auto device = setup()->device;
  auto elsewhere = device->make_context({&device, 1});
  EXPECT_FALSE(queue->wait(elsewhere->make_queue(0, {})->record()));
  EXPECT_TRUE(queue->wait(queue->record()));
}

TEST_F(OpenCL, waiting_ends_at_the_deadline_and_can_go_on) {
  auto a = upload(std::vector<float>(64));
  auto spin = function("spin");
  const int quick = 1, rounds = kLong * 8;
  const Argument warm[] = {memory(*a), value(quick)}, arguments[] = {memory(*a), value(rounds)};
  queue->launch(*spin, range(64, 64), warm);
  finish();
  EXPECT_TRUE(queue->idle());
  queue->launch(*spin, range(64, 64), arguments);
  EXPECT_FALSE(queue->idle());
  auto marker = queue->record();
  EXPECT_FALSE(marker->wait(Clock::now()));
  EXPECT_FALSE(marker->wait(Clock::now() + std::chrono::milliseconds(2)));
  EXPECT_FALSE(marker->done());
  EXPECT_FALSE(queue->idle());
  EXPECT_TRUE(marker->wait(Clock::now() + std::chrono::hours(1)));
  EXPECT_TRUE(marker->done());
  EXPECT_EQ(marker->error(), nullptr);
  EXPECT_TRUE(queue->idle());
}

TEST_F(OpenCL, a_marker_outlives_its_queue) {
  auto a = upload(std::vector<float>(64));
  auto spin = function("spin");
  const int rounds = kLong;
  const Argument arguments[] = {memory(*a), value(rounds)};
  queue->launch(*spin, range(64, 64), arguments);
  auto marker = queue->record();
  queue.reset();
  EXPECT_TRUE(marker->wait(Deadline::max()));
  queue = context->make_queue(0, {});
  EXPECT_NEAR(download<float>(*a)[0], 500, 1);
}

TEST_F(OpenCL, many_threads_can_wait_for_one_marker) {
  auto a = upload(std::vector<float>(64));
  auto spin = function("spin");
  const int rounds = kLong;
  const Argument arguments[] = {memory(*a), value(rounds)};
  queue->launch(*spin, range(64, 64), arguments);
  auto marker = queue->record();
  std::atomic<int> woken{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const Deadline deadline = t % 2 == 0 ? Deadline::max() : Clock::now() + std::chrono::hours(1);
      if (marker->wait(deadline)) ++woken;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(woken, 4);
}

TEST_F(OpenCL, a_queue_has_times_while_times_are_recorded) {
  auto plain = context->make_queue(0, {});
  auto a = context->allocate(0, 64 * sizeof(float));
  auto spin = function("spin");
  const int rounds = kLong;
  const Argument arguments[] = {memory(*a), value(rounds)};
  const auto launch = [&] { return plain->launch(*spin, range(64, 64), arguments); };
  EXPECT_EQ(launch(), nullptr);
  time_recording = true;
  const TimingPtr first = launch();
  EXPECT_FALSE(plain->idle()) << "it waits for the launch before";
  const TimingPtr second = launch();
  const auto marker = plain->record();
  time_recording = false;
  EXPECT_EQ(launch(), nullptr);
  EXPECT_FALSE(plain->idle());
  ASSERT_TRUE(marker->wait(Deadline::max()));
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_LE(first->times().started, first->times().ended);
  EXPECT_LE(first->times().ended, second->times().started);
  finish(*plain);
  EXPECT_TRUE(plain->idle());
}

TEST_F(OpenCL, a_queue_whose_handle_is_known_stays_on_it) {
  auto plain = context->make_queue(0, {});
  auto a = context->allocate(0, 64);
  const std::byte pattern{1};
  time_recording = true;
  EXPECT_NE(plain->fill(*a, 0, 64, {&pattern, 1}), nullptr);
  const std::uintptr_t handle = plain->native_handle();
  EXPECT_EQ(plain->fill(*a, 0, 64, {&pattern, 1}), nullptr);
  time_recording = false;
  EXPECT_EQ(plain->fill(*a, 0, 64, {&pattern, 1}), nullptr);
  EXPECT_EQ(plain->native_handle(), handle);
  finish(*plain);
}

TEST_F(OpenCL, profile_times_are_ordered_and_on_the_hosts_clock) {
  const auto now = [] { return Clock::now().time_since_epoch() / std::chrono::nanoseconds(1); };
  auto profiled = context->make_queue(0, {.profiling = true});
  auto a = context->allocate(0, 64 * sizeof(float));
  auto spin = function("spin");
  const int rounds = kLong;
  const Argument arguments[] = {memory(*a), value(rounds)};
  const std::vector<std::byte> odd(12, std::byte{1});
  const std::byte pattern[] = {std::byte{1}, std::byte{2}, std::byte{3}};
  const std::int64_t before = now();
  std::vector<TimingPtr> timings;
  timings.push_back(profiled->fill(*a, 0, a->size(), pattern));  // takes several commands
  timings.push_back(profiled->launch(*spin, range(64, 64), arguments));
  timings.push_back(profiled->write(*a, 0, odd.data(), odd.size()));
  timings.push_back(profiled->copy(*a, 0, *a, 4, 32));
  timings.push_back(profiled->read(*a, 0, nullptr, 0));  // nothing, but it has times
  finish(*profiled);
  const std::int64_t after = now();
  // The times of another clock would be off by far more than this.
  constexpr std::int64_t kSlack = 1'000'000'000;
  std::int64_t last_end = 0;
  for (const TimingPtr& timing : timings) {
    ASSERT_NE(timing, nullptr);
    const Times t = timing->times();
    EXPECT_GE(t.queued, before - kSlack);
    EXPECT_LE(t.queued, t.submitted);
    EXPECT_LE(t.submitted, t.started);
    EXPECT_LE(t.started, t.ended);
    EXPECT_LE(t.ended, after + kSlack);
    EXPECT_GE(t.started, last_end) << "in order";
    last_end = t.ended;
  }
  const Times spun = timings[1]->times();
  EXPECT_GT(spun.ended, spun.started);
}

TEST_F(OpenCL, a_wrapped_queue_is_the_same_queue) {
  auto wrapped = context->wrap_queue(0, queue->native_handle());
  EXPECT_EQ(wrapped->native_handle(), queue->native_handle());
  auto a = upload(std::vector<float>(64));
  auto spin = function("spin");
  const int rounds = kLong;
  const Argument arguments[] = {memory(*a), value(rounds)};
  queue->launch(*spin, range(64, 64), arguments);
  std::vector<float> got(64);
  wrapped->read(*a, 0, got.data(), a->size());  // in order with the other's work
  finish(*wrapped);
  EXPECT_NEAR(got[0], 500, 1);
  wrapped.reset();
  finish();
}

}  // namespace
}  // namespace quern::backend::opencl_test
