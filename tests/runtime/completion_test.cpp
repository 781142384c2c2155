// SPDX-License-Identifier: MIT
// Functions that are called when events are complete, futures, coroutines, and waits for several events.
#include "quern/completion.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

using namespace std::chrono_literals;

// Waits in the test's thread for what the callback thread does.
template <class T>
class Mailbox {
 public:
  void put(T value) {
    const std::lock_guard lock(mutex_);
    values_.push_back(std::move(value));
    changed_.notify_all();  // under the lock: the test may destroy this object as soon as it has the value
  }
  // The first `count` values; fewer after a time that only a hang takes.
  std::vector<T> get(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, 60s, [&] { return values_.size() >= count; });
    return values_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<T> values_;
};

class Completion : public EachDevice {
 protected:
  static constexpr std::size_t kItems = 4096;
  static constexpr int kRounds = 20000;
  Event work(const Queue& queue, const Buffer& buffer, int rounds = kRounds, int value = 1) {
    return kernels().kernel("slow_set")(queue, range(buffer.size() / 4), buffer, value, rounds);
  }
  Buffer buffer_{device_, kItems * 4};
};

TEST_P(Completion, a_function_is_called_once_with_its_event_after_the_work) {
  Mailbox<std::pair<std::uint64_t, bool>> calls;
  const Event event = work(queue_, buffer_);
  for (int i = 0; i < 3; ++i)
    event.on_done([&](const Event& done) { calls.put({done.ticket(), done.done()}); });
  const auto called = calls.get(3);
  ASSERT_EQ(called.size(), 3U);
  for (const auto& [ticket, done] : called) {
    EXPECT_EQ(ticket, event.ticket());
    EXPECT_TRUE(done);
  }
  // For an event that is done already, too, and on another thread.
  Mailbox<std::thread::id> threads;
  event.on_done([&](const Event&) { threads.put(std::this_thread::get_id()); });
  EXPECT_NE(threads.get(1).at(0), std::this_thread::get_id());
  queue_.finish();
  std::this_thread::sleep_for(10ms);
  EXPECT_EQ(calls.get(3).size(), 3U);
}

TEST_P(Completion, each_function_of_many_is_called) {
  constexpr int kCount = 1000;
  Mailbox<int> calls;
  std::vector<Event> events;
  for (int i = 0; i < kCount; ++i) events.push_back(work(queue_, buffer_, 10, i));
  for (int i = kCount - 1; i >= 0; --i)
    events[static_cast<std::size_t>(i)].on_done([&calls, i](const Event&) { calls.put(i); });
  std::vector<int> called = calls.get(kCount);
  ASSERT_EQ(called.size(), kCount);
  // Functions that were given after their events were done may come in any order.
  std::sort(called.begin(), called.end());
  EXPECT_EQ(called, iota(kCount));
}

TEST_P(Completion, a_function_may_enqueue_wait_and_add_functions) {
  Mailbox<std::vector<int>> results;
  work(queue_, buffer_, 100, 41).on_done([&](const Event&) {
    const Event added = kernels().kernel("add_one")(queue_, range(kItems), buffer_);
    added.wait();
    added.on_done([&](const Event&) {
      std::vector<int> values(kItems);
      queue_.read(buffer_, values.data(), kItems * 4).wait();
      results.put(values);
    });
  });
  EXPECT_EQ(results.get(1).at(0), std::vector<int>(kItems, 42));
}

TEST_P(Completion, a_function_that_throws_stops_nothing) {
  static std::atomic<int> caught;
  caught = 0;
  set_callback_error_handler([](std::exception_ptr error) {
    try {
      std::rethrow_exception(error);
    } catch (const std::domain_error&) {
      ++caught;
    }
  });
  Mailbox<int> calls;
  const Event event = work(queue_, buffer_, 10);
  event.on_done([](const Event&) { throw std::domain_error("no"); });
  event.on_done([&](const Event&) { calls.put(1); });
  EXPECT_EQ(calls.get(1).size(), 1U);
  set_callback_error_handler(nullptr);
  EXPECT_EQ(caught.load(), 1);
}

TEST_P(Completion, a_function_may_drop_the_last_reference_to_its_queue) {
  Mailbox<int> calls;
  auto queue = std::make_unique<Queue>(device_);
  {
    const Event event = work(*queue, buffer_);
    event.on_done([&, last = std::shared_ptr<Queue>(std::move(queue))](const Event&) mutable {
      last.reset();
      calls.put(1);
    });
  }
  EXPECT_EQ(calls.get(1).size(), 1U);
}

TEST_P(Completion, functions_are_called_although_the_program_holds_neither_event_nor_queue) {
  Mailbox<bool> calls;
  for (int i = 0; i < 20; ++i) {
    work(Queue(device_), buffer_, 1000).on_done([&](const Event& event) { calls.put(event.done()); });
  }
  EXPECT_EQ(calls.get(20), std::vector<bool>(20, true));
}

TEST_P(Completion, an_event_of_no_operation_is_complete) {
  Mailbox<bool> calls;
  const Event none;
  none.on_done([&](const Event& event) { calls.put(event.done()); });
  EXPECT_EQ(calls.get(1), std::vector<bool>{true});
  wait_all({&none, 1});
  EXPECT_EQ(wait_any({&none, 1}), 0U);
}

TEST_P(Completion, then_returns_the_future_of_a_result) {
  std::future<int> sum = work(queue_, buffer_, 100, 7).then([&](const Event&) {
    std::vector<int> values(kItems);
    queue_.read(buffer_, values.data(), kItems * 4).wait();
    return std::accumulate(values.begin(), values.end(), 0);
  });
  EXPECT_EQ(sum.get(), 7 * static_cast<int>(kItems));
  std::future<void> failing =
      work(queue_, buffer_, 10).then([](const Event&) { throw std::domain_error("no"); });
  EXPECT_THROW(failing.get(), std::domain_error);
  future_of(work(queue_, buffer_, 10)).get();
}

// A coroutine that starts at once and whose end is a future.
struct Task {
  struct promise_type {
    std::promise<int> result;
    Task get_return_object() { return {result.get_future()}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_value(int value) { result.set_value(value); }
    void unhandled_exception() { result.set_exception(std::current_exception()); }
  };
  std::future<int> result;
};

Task add_three(Queue queue, Buffer buffer) {
  const Kernel add = kernels().kernel("add_one");
  std::vector<int> value(1);
  for (int i = 0; i < 3; ++i) co_await add(queue, range(1), buffer);
  co_await queue.read(buffer, value.data(), 4);
  co_return value[0];
}

TEST_P(Completion, coroutines_await_events) {
  const Buffer buffer(device_, 4);
  const int start = 39;
  queue_.write(buffer, &start, 4).wait();
  EXPECT_EQ(add_three(queue_, buffer).result.get(), 42);
}

TEST_P(Completion, wait_any_returns_an_event_that_is_done) {
  std::vector<Queue> queues(3, Queue(device_));
  for (Queue& queue : queues) queue = Queue(device_);
  std::vector<Buffer> buffers;
  std::vector<Event> events;
  for (int i = 0; i < 3; ++i) {
    buffers.emplace_back(device_, kItems * 4);
    events.push_back(work(queues[static_cast<std::size_t>(i)], buffers.back(), i == 1 ? 1 : kRounds));
  }
  EXPECT_TRUE(events[wait_any(events)].done());
  wait_all(events);
  for (const Event& event : events) EXPECT_TRUE(event.done());
  EXPECT_THROW(wait_any({}), ArgumentError);
  wait_all({});
}

TEST_P(Completion, as_completed_gives_every_event_once) {
  std::vector<Queue> queues;
  std::vector<Buffer> buffers;
  std::vector<Event> events;
  for (int i = 0; i < 4; ++i) {
    queues.emplace_back(device_);
    buffers.emplace_back(device_, kItems * 4);
  }
  for (std::size_t i = 0; i < 200; ++i) events.push_back(work(queues[i % 4], buffers[i % 4], 100));
  events.emplace_back();
  AsCompleted completed(events);
  std::set<std::size_t> seen;
  std::vector<std::size_t> last(4);
  while (completed.left() != 0) {
    const auto index = completed.next();
    ASSERT_TRUE(index);
    EXPECT_TRUE(events[*index].done());
    EXPECT_TRUE(seen.insert(*index).second);
    if (*index == 200) continue;
    EXPECT_GE(*index, last[*index % 4]) << "events of one queue come in its order";
    last[*index % 4] = *index;
  }
  EXPECT_EQ(seen.size(), events.size());
  EXPECT_FALSE(completed.next());
}

TEST_P(Completion, waits_for_several_events_end_at_their_deadline) {
  std::vector<Event> events;
  const Queue other(device_);
  const Buffer more(device_, kItems * 4);
  events.push_back(work(queue_, buffer_, 2 * kRounds));
  events.push_back(work(other, more, 2 * kRounds));
  const auto now = std::chrono::steady_clock::now();
  const bool too_early = !wait_any_until(events, now).has_value();
  EXPECT_TRUE(too_early || events[0].done() || events[1].done());
  EXPECT_TRUE(!wait_all_until(events, now) || (events[0].done() && events[1].done()));
  wait_all(events);
}

TEST_P(Completion, waits_for_several_events_may_come_from_a_function) {
  Mailbox<bool> calls;
  const Queue other(device_);
  const Buffer more(device_, kItems * 4);
  work(queue_, buffer_, 10).on_done([&](const Event&) {
    const std::vector<Event> events = {work(queue_, buffer_, 1000), work(other, more, 1000)};
    const std::size_t first = wait_any(events);
    wait_all(events);
    calls.put(events[first].done());
  });
  EXPECT_EQ(calls.get(1), std::vector<bool>{true});
}

TEST_P(Completion, many_threads_share_a_queue_and_its_functions) {
  constexpr int kThreads = 200, kEach = 5;
  std::atomic<int> called{0};
  Mailbox<int> last;
  in_threads(kThreads, [&](int) {
    for (int i = 0; i < kEach; ++i) {
      const Event event = kernels().kernel("add_one")(queue_, range(1), buffer_);
      event.on_done([&](const Event&) {
        if (++called == kThreads * kEach) last.put(1);
      });
      if (i == 2) event.wait();
    }
  });
  EXPECT_EQ(last.get(1).size(), 1U);
  EXPECT_EQ(called.load(), kThreads * kEach);
}

QUERN_EACH_DEVICE(Completion);

}  // namespace
}  // namespace quern::test
