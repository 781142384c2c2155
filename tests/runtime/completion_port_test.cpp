// SPDX-License-Identifier: MIT
// Functions of completed events on the thread of an event loop.
#include "quern/completion_port.hpp"

#include <poll.h>

#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

using namespace std::chrono_literals;

class CompletionPorts : public EachDevice {
 protected:
  Event work(const Queue& queue, int rounds, int value = 1) {
    return kernels().kernel("slow_set")(queue, range(buffer_.size() / 4), buffer_, value, rounds);
  }
  // What an event loop does until `count` functions were called, or for a time that only a hang takes.
  template <class Done>
  void run(CompletionPort& port, bool again, Done done) {
    const auto limit = std::chrono::steady_clock::now() + 60s;
    while (!done() && std::chrono::steady_clock::now() < limit) {
      if (!again) {
        pollfd watched{port.descriptor(), POLLIN, 0};
        poll(&watched, 1, 1000);
      }
      again = port.serve();
    }
  }
  Buffer buffer_{device_, 4096 * 4};
};

TEST_P(CompletionPorts, the_thread_that_serves_calls_the_functions_in_order) {
  CompletionPort port;
  std::vector<int> called;
  const auto thread = std::this_thread::get_id();
  bool again = false;
  for (int i = 0; i < 100; ++i) {
    const Event event = work(queue_, i % 10 == 0 ? 20000 : 10, i);
    again = port.on_done(event, [&, i](const Event& done) {
      EXPECT_TRUE(done.done());
      EXPECT_EQ(std::this_thread::get_id(), thread);
      called.push_back(i);
    });
  }
  EXPECT_EQ(port.pending(), 100U);
  run(port, again, [&] { return called.size() == 100; });
  EXPECT_EQ(called, iota(100));
  EXPECT_EQ(port.pending(), 0U);
}

TEST_P(CompletionPorts, the_descriptor_wakes_a_thread_that_waits) {
  CompletionPort port;
  const UserEvent go(Context::of(device_));
  const Event held = queue_.barrier(std::vector<Event>{go});
  bool is_called = false;
  bool again = port.on_done(held, [&](const Event&) { is_called = true; });
  while (again) again = port.serve();  // polls for a limited time
  pollfd watched{port.descriptor(), POLLIN, 0};
  EXPECT_EQ(poll(&watched, 1, 0), 0);
  std::thread setter([&] {
    std::this_thread::sleep_for(5ms);
    go.set_done();
  });
  run(port, false, [&] { return is_called; });
  setter.join();
  EXPECT_TRUE(is_called);
}

TEST_P(CompletionPorts, a_function_may_enqueue_and_add_functions) {
  CompletionPort port;
  int left = 50;
  bool again = false;
  std::function<void(const Event&)> next = [&](const Event&) {
    if (--left > 0) again = port.on_done(work(queue_, 10), next);
  };
  again = port.on_done(work(queue_, 10), next);
  run(port, again, [&] { return left == 0; });
  EXPECT_EQ(left, 0);
}

TEST_P(CompletionPorts, events_that_are_done_or_of_no_operation_are_served) {
  CompletionPort port;
  const Event done = work(queue_, 10);
  done.wait();
  int calls = 0;
  bool again = port.on_done(done, [&](const Event&) { ++calls; });
  again = port.on_done(Event(), [&](const Event&) { ++calls; }) || again;
  run(port, again, [&] { return calls == 2; });
  EXPECT_EQ(calls, 2);
}

TEST_P(CompletionPorts, a_port_may_be_destroyed_before_its_events_end) {
  auto kept = std::make_shared<int>(1);
  const UserEvent go(Context::of(device_));
  {
    CompletionPort port;
    Queue other(device_);
    for (int i = 0; i < 10; ++i) {
      port.on_done(work(other, 20000), [kept](const Event&) { FAIL(); });
      port.on_done(queue_.barrier(std::vector<Event>{go}), [kept](const Event&) { FAIL(); });
    }
  }
  go.set_done();
  queue_.finish();
  EXPECT_EQ(kept.use_count(), 1);
}

TEST_P(CompletionPorts, a_function_that_throws_stops_nothing) {
  CompletionPort port;
  int calls = 0;
  const Event event = work(queue_, 10);
  port.on_done(event, [&](const Event&) {
    ++calls;
    throw std::domain_error("no");
  });
  const bool again = port.on_done(event, [&](const Event&) { ++calls; });
  run(port, again, [&] { return calls == 2; });
  EXPECT_EQ(calls, 2);
}

QUERN_EACH_DEVICE(CompletionPorts);

}  // namespace
}  // namespace quern::test
