// SPDX-License-Identifier: MIT
// Out-of-order queues: what orders their operations, and what does not.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <random>
#include <stdexcept>
#include <thread>

#include "quern/completion.hpp"
#include "quern/user_event.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kItems = 64;
constexpr std::size_t kBytes = kItems * sizeof(std::uint32_t);

const Program& dag_kernels() {
  static const auto* const program = new Program(R"(
kernel void combine(global const uint *a, global const uint *b, global uint *out, uint factor) {
  size_t i = get_global_id(0);
  out[i] = out[i] * factor + 3 * a[i] + b[i];
}
kernel void add(global uint *x, uint value) { x[get_global_id(0)] += value; }
// The flags are not arguments, so nothing that tracks memory orders the two kernels.
kernel void meet(ulong mine, ulong other, global uint *out) {
  volatile global int *set = (volatile global int *)mine;
  volatile global int *awaited = (volatile global int *)other;
  *set = 1;
  while (*awaited == 0) {}
  out[0] = 1;
}
)");
  return *program;
}

class OutOfOrder : public EachDevice {
 protected:
  static QueueOptions options() {
    QueueOptions options;
    options.out_of_order = true;
    return options;
  }
  Buffer zeros() {
    const Buffer buffer(device_, kBytes);
    const std::byte zero{0};
    queue_.fill(buffer, {&zero, 1}).wait();
    return buffer;
  }
  Event add(const Queue& queue, const Buffer& buffer, std::uint32_t value, WaitList wait_for = {}) {
    const std::array<KernelArgument, 2> arguments = {buffer, value};
    return dag_kernels().kernel("add").launch(queue, range(kItems), arguments, wait_for);
  }
  std::uint32_t first(const Buffer& buffer) {
    std::uint32_t value = 0;
    queue_.read(buffer, &value, sizeof value).wait();
    return value;
  }
  Queue ooo_{device_, options()};
};

TEST_P(OutOfOrder, properties_are_those_of_the_options) {
  EXPECT_TRUE(ooo_.out_of_order());
  EXPECT_TRUE(ooo_.track_memory());
  EXPECT_FALSE(queue_.out_of_order());
  QueueOptions untracked = options();
  untracked.track_memory = false;
  EXPECT_FALSE(Queue(device_, untracked).track_memory());
}

TEST_P(OutOfOrder, a_user_event_holds_back_only_what_waits_for_it) {
  const Buffer a = zeros(), b = zeros(), c = zeros();
  const UserEvent go(Context::of(device_), "go");
  const Event held = add(ooo_, a, 1, {{go}});
  const Event after = add(ooo_, a, 2);  // by the memory
  const Event listed = add(ooo_, b, 4, {{held}});
  add(ooo_, c, 8).wait();
  EXPECT_EQ(first(c), 8U);
  EXPECT_EQ(held.status(), EventStatus::queued);
  EXPECT_EQ(after.status(), EventStatus::queued);
  EXPECT_EQ(listed.status(), EventStatus::queued);
  EXPECT_NE(ooo_.held_back().find("3 operations are held back"), std::string::npos) << ooo_.held_back();
  EXPECT_FALSE(ooo_.finish_until(std::chrono::steady_clock::now() + 5ms));
  go.set_done();
  ooo_.finish();
  EXPECT_EQ(ooo_.held_back(), "");
  EXPECT_TRUE(held.done() && after.done() && listed.done());
  EXPECT_EQ(first(a), 3U);
  EXPECT_EQ(first(b), 4U);
}

TEST_P(OutOfOrder, many_operations_are_held_back_by_an_event_each) {
  constexpr std::size_t kCount = 300;
  const Buffer shared = zeros();
  std::vector<Buffer> buffers;
  std::vector<UserEvent> events;
  for (std::size_t i = 0; i < kCount; ++i) {
    buffers.push_back(zeros());
    events.emplace_back(Context::of(device_));
    add(ooo_, buffers.back(), 1, {{events.back()}});
  }
  add(ooo_, shared, 5).wait();
  for (std::size_t i = kCount; i-- > 0;) {  // the last first
    events[i].set_done();
    if (i % 50 == 0) {
      EXPECT_EQ(first(buffers[i]), 1U);
    }
  }
  ooo_.finish();
  for (const Buffer& buffer : buffers) EXPECT_EQ(first(buffer), 1U);
}

// Operations of a random graph, the same ones applied one after the other as an oracle.
class Dag {
 public:
  static constexpr std::size_t kBuffers = 7;
  explicit Dag(unsigned seed) : random_(seed) {
    for (std::uint32_t b = 0; b < kBuffers; ++b) values_[b] = b + 1;
  }
  struct Step {
    std::size_t a, b, out;
    std::uint32_t factor;
  };
  Step next() {
    Step step{random_() % kBuffers, random_() % kBuffers, random_() % kBuffers,
              static_cast<std::uint32_t>(random_() % 5)};
    while (step.a == step.out) step.a = random_() % kBuffers;
    while (step.b == step.out) step.b = random_() % kBuffers;
    std::uint32_t& out = values_[step.out];
    out = out * step.factor + 3 * values_[step.a] + values_[step.b];
    return step;
  }
  [[nodiscard]] std::uint32_t expected(std::size_t buffer) const { return values_[buffer]; }
  std::mt19937& random() { return random_; }

 private:
  std::mt19937 random_;
  std::array<std::uint32_t, kBuffers> values_{};
};

class OutOfOrderDags : public OutOfOrder {
 protected:
  std::vector<Buffer> start() {
    std::vector<Buffer> buffers;
    for (std::uint32_t b = 0; b < Dag::kBuffers; ++b) {
      buffers.push_back(zeros());
      add(queue_, buffers.back(), b + 1).wait();
    }
    return buffers;
  }
  static Event launch(const Queue& queue, const std::vector<Buffer>& buffers, const Dag::Step& step,
                      WaitList wait_for = {}) {
    const std::array<KernelArgument, 4> arguments = {buffers[step.a], buffers[step.b], buffers[step.out],
                                                     step.factor};
    return dag_kernels().kernel("combine").launch(queue, range(kItems), arguments, wait_for);
  }
};

TEST_P(OutOfOrderDags, the_memory_that_they_use_orders_operations) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    Dag dag(seed);
    const std::vector<Buffer> buffers = start();
    const UserEvent go(Context::of(device_));
    std::vector<Event> events;
    for (int i = 0; i < 150; ++i) {
      const Dag::Step step = dag.next();
      std::vector<Event> waits;
      if (i == 20 && seed % 2 == 1) waits.push_back(go);  // a part of the graph is held back for a while
      if (!events.empty() && dag.random()() % 4 == 0) waits.push_back(events[dag.random()() % events.size()]);
      // The graph may use several queues, also in-order ones.
      events.push_back(launch(dag.random()() % 5 == 0 ? queue_ : ooo_, buffers, step, waits));
      if (i == 90) go.set_done();
    }
    for (std::size_t b = 0; b < Dag::kBuffers; ++b)
      EXPECT_EQ(first(buffers[b]), dag.expected(b)) << "buffer " << b << ", seed " << seed;
    ooo_.finish();
    EXPECT_TRUE(std::all_of(events.begin(), events.end(), [](const Event& event) { return event.done(); }));
  }
}

TEST_P(OutOfOrderDags, wait_lists_order_operations_without_tracking) {
  QueueOptions untracked = options();
  untracked.track_memory = false;
  const Queue queue(device_, untracked);
  for (unsigned seed = 0; seed < 8; ++seed) {
    Dag dag(seed);
    const std::vector<Buffer> buffers = start();
    std::array<Event, Dag::kBuffers> written;
    std::array<std::vector<Event>, Dag::kBuffers> read;
    for (int i = 0; i < 150; ++i) {
      const Dag::Step step = dag.next();
      std::vector<Event> waits = read[step.out];
      for (const std::size_t b : {step.a, step.b, step.out}) waits.push_back(written[b]);
      const Event event = launch(queue, buffers, step, waits);
      read[step.a].push_back(event);
      read[step.b].push_back(event);
      read[step.out].clear();
      written[step.out] = event;
    }
    queue.finish();
    for (std::size_t b = 0; b < Dag::kBuffers; ++b)
      EXPECT_EQ(first(buffers[b]), dag.expected(b)) << "buffer " << b << ", seed " << seed;
  }
}

TEST_P(OutOfOrder, without_tracking_memory_orders_nothing) {
  for (const bool in_order : {false, true}) {
    QueueOptions untracked;
    untracked.out_of_order = !in_order;
    untracked.track_memory = false;
    const Queue queue(device_, untracked), held_queue(device_);
    const Buffer buffer = zeros();
    const UserEvent go(Context::of(device_));
    const Event held = add(held_queue, buffer, 1, {{go}});
    add(queue, buffer, 2).wait();
    EXPECT_FALSE(held.done());
    // Other queues wait for the work of this one as ever.
    go.set_done();
    EXPECT_EQ(first(buffer), 3U);
  }
}

TEST_P(OutOfOrder, freed_memory_waits_for_its_former_users_without_tracking) {
  QueueOptions untracked = options();
  untracked.track_memory = false;
  const Queue queue(device_, untracked);
  const UserEvent go(Context::of(device_));
  std::vector<Event> held;
  for (int i = 0; i < 20; ++i) {
    const Buffer gone(device_, kBytes);
    held.push_back(add(queue, gone, 1, {{go}}));
  }
  std::vector<Buffer> buffers;
  std::vector<Event> events;
  const std::vector<std::uint32_t> sevens(kItems, 7);
  for (int i = 0; i < 20; ++i) {
    buffers.emplace_back(device_, kBytes);
    events.push_back(queue.write(buffers.back(), sevens.data(), kBytes));
  }
  go.set_done();
  wait_all(held);
  wait_all(events);
  for (const Buffer& buffer : buffers) EXPECT_EQ(first(buffer), 7U);
}

TEST_P(OutOfOrder, work_after_a_barrier_waits_for_all_work_before_it) {
  const Buffer a = zeros(), b = zeros();
  const UserEvent go(Context::of(device_));
  const Event before = add(ooo_, a, 1, {{go}});
  const Event barrier = ooo_.barrier();
  const Event after = add(ooo_, b, 1);
  EXPECT_FALSE(after.wait_until(std::chrono::steady_clock::now() + 5ms));
  EXPECT_FALSE(barrier.done());
  go.set_done();
  after.wait();
  EXPECT_TRUE(before.done() && barrier.done());
}

TEST_P(OutOfOrder, a_barrier_with_events_waits_for_these_only) {
  const Buffer a = zeros(), b = zeros(), c = zeros();
  const UserEvent never_listed(Context::of(device_)), listed(Context::of(device_));
  const Event before = add(ooo_, a, 1, {{never_listed}});
  const Event barrier = ooo_.barrier({{listed}});
  const Event after = add(ooo_, b, 1);
  EXPECT_FALSE(after.wait_until(std::chrono::steady_clock::now() + 5ms));
  listed.set_done();
  after.wait();
  barrier.wait();
  EXPECT_FALSE(before.done());
  add(ooo_, c, 1).wait();
  never_listed.set_done();
  before.wait();
}

TEST_P(OutOfOrder, a_marker_is_done_after_earlier_work_and_delays_nothing) {
  const Buffer a = zeros(), b = zeros();
  const UserEvent go(Context::of(device_));
  const Event before = add(ooo_, a, 1, {{go}});
  const Event marker = ooo_.marker();
  const Event none = ooo_.marker({{Event()}});
  const Event finished = ooo_.finished();
  add(ooo_, b, 1).wait();
  none.wait();
  EXPECT_FALSE(marker.done() || finished.done());
  go.set_done();
  marker.wait();
  EXPECT_TRUE(before.done());
  EXPECT_TRUE(ooo_.finish_up_to(finished));
}

TEST_P(OutOfOrder, operations_without_work_wait_for_their_lists_only) {
  const Buffer a = zeros();
  const UserEvent go(Context::of(device_));
  const Event held = add(ooo_, a, 1, {{go}});
  ooo_.write(a.sub_buffer(0, 0), nullptr, 0).wait();
  dag_kernels().kernel("add")(ooo_, range(0), a, 1U).wait();
  const Event listed = ooo_.write(a.sub_buffer(0, 0), nullptr, 0, {{held}});
  EXPECT_FALSE(listed.done());
  go.set_done();
  listed.wait();
  EXPECT_TRUE(held.done());
}

TEST_P(OutOfOrder, a_failure_reaches_what_depends_on_it_and_nothing_else) {
  const Buffer a = zeros(), b = zeros(), c = zeros();
  const UserEvent go(Context::of(device_), "go");
  const Event failed = add(ooo_, a, 1, {{go}});
  const std::array<KernelArgument, 4> arguments = {a, c, b, 1U};
  const Event reader = dag_kernels().kernel("combine").launch(ooo_, range(kItems), arguments);
  const Event listed = add(ooo_, zeros(), 1, {{failed}});
  const Event independent = add(ooo_, c, 1);
  go.set_error(std::make_exception_ptr(std::runtime_error("no input")));
  independent.wait();
  EXPECT_THROW(failed.wait(), DependencyError);
  EXPECT_THROW(reader.wait(), DependencyError);
  EXPECT_THROW(listed.wait(), DependencyError);
  EXPECT_EQ(first(c), 1U);
  EXPECT_NO_THROW(ooo_.finish());  // all were reported
  // The queue still works.
  const Buffer d = zeros();
  add(ooo_, d, 9).wait();
  EXPECT_EQ(first(d), 9U);
}

TEST_P(OutOfOrder, finish_throws_a_failure_once) {
  const Buffer a = zeros();
  const UserEvent go(Context::of(device_));
  add(ooo_, a, 1, {{go}});
  go.set_error(std::make_exception_ptr(std::runtime_error("no input")));
  EXPECT_THROW(ooo_.finish(), DependencyError);
  EXPECT_NO_THROW(ooo_.finish());
}

TEST_P(OutOfOrder, wait_lists_reach_across_queues) {
  const Device host = device("host");
  const Queue there(host, options());
  const Buffer a = zeros(), b(host, kBytes);
  std::uint32_t value = 0;
  const std::vector<std::uint32_t> fives(kItems, 5);
  const Event uploaded = there.write(b, fives.data(), kBytes);
  const Event added = add(ooo_, a, 3, {{uploaded}});
  const Event back = there.copy(a, b, {{added}});
  there.read(b, &value, sizeof value, {{back}}).wait();
  EXPECT_EQ(value, 3U);
}

TEST_P(OutOfOrder, events_have_times_and_callbacks) {
  QueueOptions profiled = options();
  profiled.profiling = true;
  const Queue queue(device_, profiled);
  std::vector<Buffer> buffers;
  std::vector<std::future<std::uint32_t>> futures;
  for (std::uint32_t i = 0; i < 20; ++i) {
    buffers.push_back(zeros());
    const Event event = add(queue, buffers.back(), i);
    futures.push_back(event.then([i](const Event&) { return i; }));
    const Times times = event.times();
    EXPECT_GT(times.started, 0);
    EXPECT_LE(times.queued, times.started);
    EXPECT_LE(times.started, times.ended);
  }
  for (std::uint32_t i = 0; i < 20; ++i) EXPECT_EQ(futures[i].get(), i);
}

TEST_P(OutOfOrder, recording_returns_the_events_in_order_of_submission) {
  const Buffer a = zeros(), b = zeros();
  const UserEvent go(Context::of(device_));
  ooo_.start_recording();
  const Event held = add(ooo_, a, 1, {{go}}), other = add(ooo_, b, 1);
  const std::vector<Event> events = ooo_.stop_recording();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].ticket(), held.ticket());
  EXPECT_EQ(events[1].ticket(), other.ticket());
  EXPECT_TRUE(ooo_.stop_recording().empty());
  go.set_done();
  wait_all(events);
}

TEST_P(OutOfOrder, work_of_a_destroyed_queue_ends) {
  const Buffer a = zeros(), b = zeros();
  const UserEvent go(Context::of(device_));
  Event held, issued;
  {
    const Queue gone(device_, options());
    held = add(gone, a, 1, {{go}});
    issued = add(gone, b, 2);
  }
  issued.wait();
  go.set_done();
  held.wait();
  EXPECT_EQ(first(a), 1U);
  {
    const Queue gone(device_, options());
    for (int i = 0; i < 10; ++i) add(gone, i % 2 == 0 ? a : b, 1);
  }
  synchronize(device_);
  EXPECT_EQ(first(a), 6U);
}

TEST_P(OutOfOrder, many_threads_share_a_queue) {
  constexpr std::size_t kThreads = 200;
  constexpr std::uint32_t kRounds = 5;
  const Buffer shared = zeros();
  std::vector<Buffer> own;
  for (std::size_t t = 0; t < kThreads; ++t) own.push_back(zeros());
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      try {
        for (std::uint32_t round = 0; round < kRounds; ++round) {
          const Event event = add(ooo_, own[t], 1);
          if (round == 2) event.wait();
          if (round == 3) add(ooo_, shared, 1, {{event}});
          if (round == 4 && t % 50 == 0) ooo_.finish();
        }
      } catch (const std::exception&) {
        failures.fetch_add(1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ooo_.finish();
  EXPECT_EQ(failures.load(), 0);
  for (const Buffer& buffer : own) EXPECT_EQ(first(buffer), kRounds);
  EXPECT_EQ(first(shared), kThreads);
}

TEST_P(OutOfOrder, priorities_are_accepted) {
  for (const int priority : {-1, 0, 1, 1000, -1000}) {
    for (const bool out_of_order : {false, true}) {
      QueueOptions some;
      some.priority = priority;
      some.out_of_order = out_of_order;
      const Queue queue(device_, some);
      EXPECT_LE(priority < 0 ? queue.priority() : -queue.priority(), 0);
      const Buffer a = zeros();
      add(queue, a, 1).wait();
      EXPECT_EQ(first(a), 1U);
    }
  }
}

TEST_P(OutOfOrder, array_operations_run_in_any_order_that_gives_the_right_values) {
  const QueueScope scope(ooo_);
  const Array x = arange_between(ooo_, 0, 1000, 1, DType::of(Scalar::int32));
  Array sum = x + x;
  for (int i = 0; i < 10; ++i) sum = sum + x * 2;
  std::vector<std::int32_t> values(1000);
  sum.evaluate();
  ooo_.read(sum.elements(), values.data(), values.size() * 4).wait();
  for (std::int32_t i = 0; i < 1000; ++i) ASSERT_EQ(values[static_cast<std::size_t>(i)], 22 * i);
  QueueOptions untracked = options();
  untracked.track_memory = false;
  EXPECT_THROW((void)quern::zeros(Queue(device_, untracked), {10}, DType::of(Scalar::int32)), ArgumentError);
}

TEST(OutOfOrderOnTheHost, independent_kernels_run_at_the_same_time) {
  const Device host = device("host");
  QueueOptions options;
  options.out_of_order = true;
  const Queue queue(host, options);
  const Buffer flags(host, 2 * 128), a(host, 4), b(host, 4);
  const std::byte zero{0};
  queue.fill(flags, {&zero, 1}).wait();
  const auto address = reinterpret_cast<std::uint64_t>(flags.host_pointer());
  const Kernel meet = dag_kernels().kernel("meet");
  // Each ends only if the other has begun.
  const Event first = meet(queue, range(1), address, address + 128, a);
  const Event second = meet(queue, range(1), address + 128, address, b);
  first.wait();
  second.wait();
}

INSTANTIATE_TEST_SUITE_P(Devices, OutOfOrder, ::testing::ValuesIn(device_specs()), test_name);
INSTANTIATE_TEST_SUITE_P(Devices, OutOfOrderDags, ::testing::ValuesIn(device_specs()), test_name);

}  // namespace
}  // namespace quern::test
