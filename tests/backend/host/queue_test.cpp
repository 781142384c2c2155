// SPDX-License-Identifier: MIT
// Host queues: order, waits between queues, copies, fills, rectangles, markers, profiling.
#include <atomic>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>

#include "backend/host/support.hpp"
#include "backend/time_recording.hpp"
#include "quern/error.hpp"

namespace quern::backend {
namespace {

using std::chrono::milliseconds;

Program& program() {
  static auto* const built = new Program(
      kernel_text("step",
                  parameter("long *", "x", 0) + parameter("long", "factor", 1) + parameter("long", "term", 2),
                  "x[id[0]] = x[id[0]] * factor + term;") +
      kernel_text(
          "coordinates", parameter("long *", "x", 0),
          "unsigned long long *n = (unsigned long long *)launch->global_size;"
          "const unsigned long long *o = launch->global_offset;"
          "long at = (long)(((id[2] - o[2]) * n[1] + id[1] - o[1]) * n[0] + id[0] - o[0]);"
          "x[at] += (long)(id[0] + 1000 * id[1] + 1000000 * id[2]) + launch->work_dim * 1000000000l;") +
      kernel_text("nothing", "", "") +
      // Busy for as many milliseconds as its argument says, without a libc call of its own.
      "long clock_ms(void) { struct { long s, ns; } t; int clock_gettime(int, void *); clock_gettime(1, &t);"
      "  return t.s * 1000 + t.ns / 1000000; }\n" +
      kernel_text("busy", parameter("long", "ms", 0),
                  "long end = clock_ms() + ms; while (clock_ms() < end) {}") +
      kernel_text(
          "widths", parameter("long *", "out", 0) + parameter("double", "d", 1) + parameter("char", "c", 2),
          "struct v { _Alignas(128) double a[16]; };\n"
          "const struct v *v = (const struct v *)launch->arguments[3];\n"
          "out[0] = (long)d; out[1] = c; out[2] = ((unsigned long long)v) % 128; out[3] = (long)v->a[15];\n"
          "out[4] = *(void **)launch->arguments[4] == 0;") +
      // Each group writes its number all over its local memory and adds it up again.
      kernel_text(
          "local",
          parameter("long *", "out", 0) + parameter("long *", "scratch", 1) + parameter("long *", "more", 2),
          "long sum = 0; for (int i = 0; i < 100; ++i) { scratch[i] = (long)id[0]; more[i] = 1; }"
          "for (int i = 0; i < 100; ++i) sum += scratch[i] * more[i]; out[id[0]] = sum;"));
  return *built;
}

std::unique_ptr<Memory> longs(std::size_t count, long fill = 0) {
  auto m = host_context().allocate(0, count * sizeof(long));
  std::fill_n(data<long>(*m), count, fill);
  return m;
}

void launch_step(Queue& queue, Function& step, Memory& x, std::size_t n, long factor, long term) {
  const std::vector<Argument> arguments = {memory(x), value(factor), value(term)};
  queue.launch(step, range(n, 64), arguments);
}

TEST(HostQueue, operations_run_in_order) {
  const std::size_t n = 10'000;
  auto step = program().function("step");
  auto queue = host_queue();
  auto x = longs(n), y = longs(n, -1);
  std::mt19937 random(1);
  std::vector<long> expected(n, 0), copy(n);
  for (int i = 0; i < 300; ++i) {
    const long factor = static_cast<long>(random() % 3), term = static_cast<long>(random() % 100);
    launch_step(*queue, *step, *x, n, factor, term);
    for (long& e : expected) e = e * factor + term;
    if (i % 50 == 10) {
      const long pattern = i;
      queue->fill(*x, 0, n / 2 * sizeof(long), std::as_bytes(std::span(&pattern, 1)));
      std::fill_n(expected.begin(), n / 2, pattern);
    }
    if (i == 200) {
      queue->copy(*x, 0, *y, 0, n * sizeof(long));
      copy = expected;
    }
  }
  finish(*queue);
  EXPECT_TRUE(queue->idle());
  EXPECT_EQ(expected, std::vector<long>(data<long>(*x), data<long>(*x) + n));
  EXPECT_EQ(copy, std::vector<long>(data<long>(*y), data<long>(*y) + n));
}

TEST(HostQueue, two_queues_wait_for_each_other_in_turn) {
  const std::size_t n = 3000;
  auto step = program().function("step");
  auto a = host_queue(), b = host_queue();
  auto x = longs(n);
  long expected = 0;
  for (int i = 0; i < 200; ++i) {
    Queue& queue = i % 2 == 0 ? *a : *b;
    Queue& other = i % 2 == 0 ? *b : *a;
    ASSERT_TRUE(queue.wait(other.record()));
    const long factor = i % 3, term = i;
    launch_step(queue, *step, *x, n, factor, term);
    expected = expected * factor + term;
  }
  finish(*b);
  EXPECT_TRUE(a->idle());
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(expected, data<long>(*x)[i]);
}

TEST(HostQueue, a_wait_holds_back_what_comes_after_it_but_no_thread) {
  auto busy = program().function("busy");
  auto step = program().function("step");
  auto first = host_queue();
  const long ms = 100;
  first->launch(*busy, range(1, 1), std::vector{value(ms)});
  const auto gate = first->record();
  auto x = longs(64);
  std::vector<std::unique_ptr<Queue>> behind;  // far more than there are workers
  for (int i = 0; i < 50; ++i) {
    behind.push_back(host_queue());
    ASSERT_TRUE(behind.back()->wait(gate));
    EXPECT_FALSE(behind.back()->idle());
  }
  auto free = host_queue();
  launch_step(*free, *step, *x, 64, 0, 7);
  finish(*free);  // would hang if the waits held the workers
  EXPECT_EQ(7, data<long>(*x)[63]);
  for (auto& queue : behind) finish(*queue);
  EXPECT_TRUE(gate->done());
}

TEST(HostQueue, a_marker_of_another_backend_is_left_to_the_caller) {
  struct Foreign : Marker {
    bool done() override { return false; }
    bool wait(Deadline) override { return false; }
    void notify(std::shared_ptr<Signal>) override {}
  };
  auto queue = host_queue();
  EXPECT_FALSE(queue->wait(std::make_shared<Foreign>()));
  EXPECT_TRUE(queue->idle());
}

TEST(HostQueue, the_last_group_may_be_smaller_and_offsets_are_passed_on) {
  auto coordinates = program().function("coordinates");
  auto queue = host_queue();
  LaunchShape shape;
  shape.dims = 3;
  shape.global = {37, 11, 5};
  shape.local = {8, 4, 2};
  shape.offset = {100, 20, 3};
  auto x = longs(37 * 11 * 5);
  for (int i = 0; i < 3; ++i) queue->launch(*coordinates, shape, std::vector{memory(*x)});
  finish(*queue);
  long at = 0;
  for (long z = 3; z < 8; ++z) {
    for (long y = 20; y < 31; ++y) {
      for (long c = 100; c < 137; ++c) {
        ASSERT_EQ(3 * (c + 1000 * y + 1000000 * z + 3000000000L), data<long>(*x)[at++]);
      }
    }
  }
}

TEST(HostQueue, arguments_keep_their_bytes_and_alignment) {
  auto widths = program().function("widths");
  auto queue = host_queue();
  auto out = longs(5);
  struct Wide {
    double a[16];
  } wide = {};
  wide.a[15] = 15;
  std::vector<Argument> arguments(5);
  {
    double d = 2.5e9;
    char c = 'c';
    arguments[0] = memory(*out);
    arguments[1] = value(d);
    arguments[2] = value(c);
    arguments[3] = value(wide);
    arguments[4].kind = Argument::Kind::null_pointer;
    queue->launch(*widths, range(1, 1), arguments);
    d = 0, c = 0, wide.a[15] = 0;  // values are copied by launch()
  }
  finish(*queue);
  const std::vector<long> expected = {2500000000, 'c', 0, 15, 1};
  EXPECT_EQ(expected, std::vector<long>(data<long>(*out), data<long>(*out) + 5));
}

TEST(HostQueue, each_group_has_local_memory_of_its_own) {
  auto local = program().function("local");
  auto queue = host_queue();
  const std::size_t n = 5000;
  auto out = longs(n);
  Argument scratch;
  scratch.kind = Argument::Kind::local;
  scratch.size = 100 * sizeof(long);
  for (int i = 0; i < 4; ++i) {
    queue->launch(*local, range(n, 1), std::vector{memory(*out), scratch, scratch});
    finish(*queue);
    for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(100 * static_cast<long>(k), data<long>(*out)[k]);
  }
}

TEST(HostQueue, eight_threads_share_one_kernel) {
  auto step = program().function("step");
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      auto queue = host_queue();
      const std::size_t n = 100 + static_cast<std::size_t>(t) * 1000;
      auto x = longs(n);
      long expected = 0;
      for (int i = 0; i < 100; ++i) {
        launch_step(*queue, *step, *x, n, i % 2, t + i);
        expected = expected * (i % 2) + t + i;
        if (i % 10 == 0) queue->record()->wait(Deadline::max());
      }
      queue->record()->wait(Deadline::max());
      for (std::size_t i = 0; i < n; ++i) wrong += data<long>(*x)[i] != expected;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(0, wrong.load());
}

TEST(HostQueue, many_threads_wait_for_one_marker) {
  auto busy = program().function("busy");
  auto queue = host_queue();
  const long ms = 30;
  queue->launch(*busy, range(4, 1), std::vector{value(ms)});
  const auto marker = queue->record();
  std::vector<std::thread> threads;
  std::atomic<int> returned{0};
  for (int t = 0; t < 8; ++t) threads.emplace_back([&] { returned += marker->wait(Deadline::max()); });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(8, returned.load());
}

TEST(HostQueue, copies_of_overlapping_ranges_act_like_memmove) {
  const std::size_t n = std::size_t{5} << 20;
  auto queue = host_queue();
  auto m = host_context().allocate(0, n);
  std::mt19937 random(2);
  std::vector<unsigned char> expected(n);
  for (auto& e : expected) e = static_cast<unsigned char>(random());
  std::memcpy(data<char>(*m), expected.data(), n);
  for (const auto& [from, to, size] : {std::array<std::size_t, 3>{0, 100, n - 100},
                                       {4096, 0, n - 4096},
                                       {0, n / 2, n / 2},
                                       {10, 20, 1000},
                                       {7, 7, 5000}}) {
    queue->copy(*m, from, *m, to, size);
    std::memmove(expected.data() + to, expected.data() + from, size);
  }
  finish(*queue);
  EXPECT_EQ(0, std::memcmp(expected.data(), data<char>(*m), n));
}

TEST(HostQueue, reads_and_writes_of_every_size_arrive) {
  auto queue = host_queue();
  for (const std::size_t n : {0UL, 1UL, 16384UL, 16385UL, 65536UL * 9 + 3, std::size_t{20} << 20}) {
    auto m = host_context().allocate(0, n + 8);
    std::vector<unsigned char> in(n), out(n, 1);
    for (std::size_t i = 0; i < n; ++i) in[i] = static_cast<unsigned char>(i * 7 + i / 256);
    queue->write(*m, 5, in.data(), n);
    queue->read(*m, 5, out.data(), n);
    finish(*queue);
    EXPECT_EQ(in, out);
  }
}

TEST(HostQueue, fills_repeat_any_pattern) {
  auto queue = host_queue();
  for (const std::size_t size : {1UL, 2UL, 3UL, 4UL, 12UL, 16UL, 128UL, 1500UL}) {
    for (const std::size_t times : {1UL, 7UL, 1000UL, 300000UL}) {
      std::vector<std::byte> pattern(size);
      for (std::size_t i = 0; i < size; ++i) pattern[i] = static_cast<std::byte>(i * 3 + 1);
      const std::size_t n = size * std::min<std::size_t>(times, 3000000 / size);
      auto m = host_context().allocate(0, n + 2);
      data<unsigned char>(*m)[0] = data<unsigned char>(*m)[n + 1] = 99;
      queue->fill(*m, 1, n, pattern);
      finish(*queue);
      const auto* bytes = data<std::byte>(*m);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(pattern[i % size], bytes[i + 1]);
      EXPECT_EQ(99, data<unsigned char>(*m)[0]);
      EXPECT_EQ(99, data<unsigned char>(*m)[n + 1]);
    }
  }
}

// The plain loop, through a copy of the source, so that overlap does not matter.
void rect_by_loop(std::vector<unsigned char>& to, const std::vector<unsigned char>& from, const RectSide& t,
                  const RectSide& f, std::array<std::size_t, 3> region) {
  const std::vector<unsigned char> source = from;
  for (std::size_t z = 0; z < region[2]; ++z) {
    for (std::size_t y = 0; y < region[1]; ++y) {
      for (std::size_t x = 0; x < region[0]; ++x) {
        to[t.offset + z * t.slice_pitch + y * t.row_pitch + x] =
            source[f.offset + z * f.slice_pitch + y * f.row_pitch + x];
      }
    }
  }
}

TEST(HostQueue, rectangles_are_copied_as_by_a_loop) {
  auto queue = host_queue();
  std::mt19937 random(3);
  const auto up_to = [&](std::size_t n) { return random() % (n + 1); };
  for (int round = 0; round < 400; ++round) {
    const bool large = round % 40 == 0;
    const std::array<std::size_t, 3> region = {1 + up_to(large ? 3000 : 60), 1 + up_to(large ? 300 : 9),
                                               1 + up_to(4)};
    const auto side = [&] {
      RectSide s;
      s.offset = up_to(50);
      s.row_pitch = region[0] + (up_to(1) != 0 ? 0 : up_to(40));
      s.slice_pitch = s.row_pitch * region[1] + (up_to(1) != 0 ? 0 : up_to(100));
      return s;
    };
    RectSide from = side(), to = side();
    const auto size = [&](const RectSide& s) { return s.offset + s.slice_pitch * region[2] + 100; };
    const bool same = round % 3 == 0;
    const std::size_t n = std::max(size(from), size(to));
    auto a = host_context().allocate(0, n), b = host_context().allocate(0, n);
    std::vector<unsigned char> expected_a(n), expected_b(n);
    for (std::size_t i = 0; i < n; ++i) {
      data<unsigned char>(*a)[i] = expected_a[i] = static_cast<unsigned char>(random());
      data<unsigned char>(*b)[i] = expected_b[i] = static_cast<unsigned char>(random());
    }
    from.memory = a.get();
    to.memory = same ? a.get() : b.get();
    queue->copy_rect(from, to, region);
    rect_by_loop(same ? expected_a : expected_b, expected_a, to, from, region);

    // And back to the host.
    std::vector<unsigned char> host(n, 1), expected_host(n, 1);
    RectSide out = to;
    out.memory = nullptr;
    out.host = host.data();
    queue->copy_rect(to, out, region);
    finish(*queue);
    rect_by_loop(expected_host, same ? expected_a : expected_b, out, to, region);
    ASSERT_EQ(0, std::memcmp(expected_a.data(), data<char>(*a), n)) << round;
    ASSERT_EQ(0, std::memcmp(expected_b.data(), data<char>(*b), n)) << round;
    ASSERT_EQ(expected_host, host) << round;
  }
}

TEST(HostQueue, side_by_side_rectangles_of_one_memory_are_copied) {
  auto queue = host_queue();
  const std::size_t width = 2000, rows = 2000;
  auto m = host_context().allocate(0, 2 * width * rows);
  std::vector<unsigned char> expected(m->size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    expected[i] = data<unsigned char>(*m)[i] = static_cast<unsigned char>(i % 251);
  RectSide from, to;
  from.memory = to.memory = m.get();
  from.row_pitch = to.row_pitch = 2 * width;
  from.slice_pitch = to.slice_pitch = 2 * width * rows;
  to.offset = width;
  queue->copy_rect(from, to, {width, rows, 1});
  finish(*queue);
  rect_by_loop(expected, expected, to, from, {width, rows, 1});
  EXPECT_EQ(0, std::memcmp(expected.data(), data<char>(*m), m->size()));
}

TEST(HostMarker, a_deadline_is_kept_during_a_long_kernel) {
  auto busy = program().function("busy");
  auto queue = host_queue();
  const long short_ms = 1, long_ms = 1500;
  queue->launch(*busy, range(1, 1), std::vector{value(short_ms)});  // the estimate must not be what saves us
  finish(*queue);
  queue->launch(*busy, range(2, 1), std::vector{value(long_ms)});
  const auto marker = queue->record();
  std::this_thread::sleep_for(
      milliseconds(100));  // both groups are with the workers, or are known to be long
  EXPECT_FALSE(marker->wait(Clock::now() + milliseconds(50)));
  EXPECT_FALSE(marker->done());
  EXPECT_FALSE(marker->wait(Clock::now() - milliseconds(1)));
  EXPECT_TRUE(marker->wait(Deadline::max()));
  EXPECT_TRUE(marker->done());
  EXPECT_EQ(nullptr, marker->error());
}

TEST(HostMarker, the_first_launch_of_a_kernel_does_not_hold_up_a_deadline) {
  auto busy = program().function("busy");  // a function of its own, which nothing is known of
  auto queue = host_queue();
  const long ms = 1000;
  queue->launch(*busy, range(1, 1), std::vector{value(ms)});
  const auto marker = queue->record();
  EXPECT_FALSE(marker->wait(Clock::now() + milliseconds(50)));
  EXPECT_FALSE(marker->done());
  EXPECT_FALSE(queue->idle());
  finish(*queue);
}

TEST(HostMarker, a_marker_of_an_empty_queue_is_done) {
  auto queue = host_queue();
  EXPECT_TRUE(queue->idle());
  EXPECT_TRUE(queue->record()->done());
  EXPECT_TRUE(queue->record()->wait(Clock::now()));
}

TEST(HostMarker, outlives_its_queue) {
  auto busy = program().function("busy");
  std::shared_ptr<Marker> marker;
  {
    auto queue = host_queue();
    const long ms = 300;
    for (int i = 0; i < 3; ++i) queue->launch(*busy, range(1, 1), std::vector{value(ms)});
    marker = queue->record();
  }
  EXPECT_FALSE(marker->done());  // the destructor does not wait
  EXPECT_TRUE(marker->wait(Deadline::max()));
}

TEST(HostMarker, a_queue_destroyed_with_work_in_flight_completes_it) {
  auto step = program().function("step");
  const std::size_t n = 100'000;
  for (int round = 0; round < 50; ++round) {
    auto x = longs(n);
    std::shared_ptr<Marker> marker;
    {
      auto a = host_queue(), b = host_queue();
      launch_step(*a, *step, *x, n, 1, 3);
      b->wait(a->record());
      launch_step(*b, *step, *x, n, 2, 1);
      marker = b->record();
    }
    EXPECT_TRUE(marker->wait(Deadline::max()));
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(7, data<long>(*x)[i]);
  }
}

TEST(HostMarker, a_failed_operation_is_reported_and_the_queue_goes_on) {
  auto local = program().function("local");
  auto queue = host_queue();
  auto out = longs(1);
  Argument small, huge;
  small.kind = huge.kind = Argument::Kind::local;
  small.size = 800;
  huge.size = std::size_t{1} << 60;
  queue->launch(*local, range(1, 1), std::vector{memory(*out), small, huge});
  const auto failed = queue->record();
  ASSERT_TRUE(failed->wait(Deadline::max()));
  ASSERT_NE(nullptr, failed->error());
  EXPECT_THROW(std::rethrow_exception(failed->error()), OutOfDeviceMemory);
  queue->launch(*local, range(1, 1), std::vector{memory(*out), small, small});
  const auto fine = queue->record();
  ASSERT_TRUE(fine->wait(Deadline::max()));
  EXPECT_EQ(nullptr, fine->error());
}

TEST(HostQueue, has_times_while_times_are_recorded) {
  auto queue = host_queue(false);
  auto m = host_context().allocate(0, 1 << 20);
  const std::byte pattern{1};
  for (const std::size_t size : {std::size_t{64}, std::size_t{1} << 20}) {  // on this thread, and on workers
    const auto fill = [&] { return queue->fill(*m, 0, size, std::span(&pattern, 1)); };
    EXPECT_EQ(nullptr, fill());
    time_recording = true;
    const TimingPtr timing = fill();
    time_recording = false;
    EXPECT_EQ(nullptr, fill());
    finish(*queue);
    ASSERT_NE(nullptr, timing);
    EXPECT_LE(timing->times().started, timing->times().ended);
  }
}

TEST(HostQueue, profiling_times_are_in_order) {
  auto busy = program().function("busy");
  auto nothing = program().function("nothing");
  auto queue = host_queue(true);
  auto m = host_context().allocate(0, 1 << 20);
  const std::byte pattern{1};
  std::vector<TimingPtr> timings;
  const long ms = 20;
  timings.push_back(queue->launch(*busy, range(1, 1), std::vector{value(ms)}));
  timings.push_back(queue->fill(*m, 0, 1 << 20, std::span(&pattern, 1)));
  timings.push_back(queue->copy(*m, 0, *m, 1 << 19, 1 << 19));
  timings.push_back(queue->copy(*m, 0, *m, 100, 0));
  timings.push_back(queue->launch(*nothing, range(1, 1), {}));
  finish(*queue);
  for (int i = 0; i < 3; ++i) timings.push_back(queue->launch(*nothing, range(1, 1), {}));  // on this thread
  finish(*queue);
  std::int64_t before = 0;
  for (const auto& timing : timings) {
    ASSERT_NE(nullptr, timing);
    const Times t = timing->times();
    EXPECT_LE(t.queued, t.submitted);
    EXPECT_LE(t.submitted, t.started);
    EXPECT_LE(t.started, t.ended);
    EXPECT_LE(before, t.started);
    before = t.ended;
  }
  const Times first = timings[0]->times();
  EXPECT_GE(first.ended - first.started, 18'000'000);
  EXPECT_EQ(nullptr, host_queue()->launch(*nothing, range(1, 1), {}));
}

TEST(HostQueue, work_of_two_queues_overlaps) {
  auto busy = program().function("busy");
  auto a = host_queue(true), b = host_queue(true);
  // On a busy machine this thread may sleep between the launches until short work is over.
  bool overlaps = false;
  for (const long ms : {5L, 50L, 250L}) {
    const auto first = a->launch(*busy, range(40, 1), std::vector{value(ms)});
    const auto second = b->launch(*busy, range(40, 1), std::vector{value(ms)});
    finish(*a);
    finish(*b);
    overlaps =
        second->times().started < first->times().ended && first->times().started < second->times().ended;
    if (overlaps) break;
  }
  EXPECT_TRUE(overlaps);
}

TEST(HostQueue, random_operations_on_four_queues_keep_their_order) {
  // Every operation writes one shared array; a chain of waits makes the result that of the program order.
  const std::size_t n = 20'000;
  auto step = program().function("step");
  std::vector<std::unique_ptr<Queue>> queues;
  for (int i = 0; i < 4; ++i) queues.push_back(host_queue());
  auto x = longs(n);
  std::mt19937 random(4);
  long expected = 0;
  std::shared_ptr<Marker> last;
  for (int i = 0; i < 1000; ++i) {
    Queue& queue = *queues[random() % 4];
    if (last) queue.wait(last);
    const long factor = static_cast<long>(random() % 2), term = static_cast<long>(random() % 10);
    launch_step(queue, *step, *x, random() % 5 == 0 ? n : n, factor, term);
    expected = expected * factor + term;
    last = queue.record();
    if (random() % 50 == 0) last->wait(Deadline::max());
  }
  ASSERT_TRUE(last->wait(Deadline::max()));
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(expected, data<long>(*x)[i]);
}

}  // namespace
}  // namespace quern::backend
