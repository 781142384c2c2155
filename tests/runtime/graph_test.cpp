// SPDX-License-Identifier: MIT
// Captured graphs: replays, updates, the queues that join, and what is refused.
#include "quern/graph.hpp"

#include <array>
#include <chrono>
#include <optional>
#include <thread>

#include "quern/graph_memory.hpp"
#include "quern/map.hpp"
#include "quern/user_event.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

class Graphs : public EachDevice {
 protected:
  static constexpr std::size_t kItems = 64;
  Graphs() {
    const std::vector<int> zeros(kItems);
    for (const Buffer& buffer : {a_, b_}) queue_.write(buffer, zeros.data(), kItems * 4).wait();
  }
  Event add_one(const Queue& queue, const Buffer& buffer, const std::vector<Event>& wait_for = {}) {
    const KernelArgument argument = buffer;
    return kernels().kernel("add_one").launch(queue, range(kItems), {&argument, 1}, wait_for);
  }
  Event slow_set(const Queue& queue, const Buffer& buffer, int value) {
    return kernels().kernel("slow_set")(queue, range(kItems), buffer, value, 2000);
  }
  int first(const Buffer& buffer) {
    int value = 0;
    queue_.read(buffer, &value, 4).wait();
    return value;
  }
  Buffer a_{device_, kItems * 4}, b_{device_, kItems * 4};
};

TEST_P(Graphs, memory_of_a_capture_is_lent_while_the_program_refers_to_it) {
  Capture capture(queue_);
  std::optional<Buffer> result(std::in_place, queue_, kItems * 4);
  const int zero = 0;
  queue_.fill(*result, {reinterpret_cast<const std::byte*>(&zero), sizeof(zero)});
  add_one(queue_, *result);
  const Buffer own = owned_memory(*result);
  const Graph graph = capture.end();
  std::optional<Buffer> part(std::in_place, result->sub_buffer(16, 4));
  EXPECT_TRUE(is_lent(graph, own));
  result.reset();
  EXPECT_TRUE(is_lent(graph, own));
  part.reset();
  EXPECT_FALSE(is_lent(graph, own));
  graph.launch(queue_).wait();
  const Buffer again = lent_memory(graph, own);
  EXPECT_TRUE(is_lent(graph, own));
  EXPECT_EQ(first(again), 1);
  EXPECT_TRUE(is_lent(graph, a_));  // not the graph's
}

TEST_P(Graphs, lent_memory_outlives_the_graph) {
  Buffer result;
  {
    Capture capture(queue_);
    result = Buffer(queue_, kItems * 4);
    const int value = 7;
    queue_.fill(result, {reinterpret_cast<const std::byte*>(&value), sizeof(value)});
    capture.end().launch(queue_);
  }
  EXPECT_EQ(first(result), 7);
}

TEST_P(Graphs, memory_keeps_its_loan_when_it_changes_places) {
  Capture capture(queue_);
  Buffer x(queue_, kItems * 4);
  const Buffer y(queue_, kItems * 4);
  const int zero = 0;
  for (const Buffer& each : {x, y})
    queue_.fill(each, {reinterpret_cast<const std::byte*>(&zero), sizeof(zero)});
  add_one(queue_, x);
  const Buffer own = owned_memory(x);
  const Graph graph = capture.end();
  const std::array<Graph::Replacement, 2> exchange = {{{x, y}, {y, x}}};
  graph.update(exchange);
  graph.launch(queue_).wait();
  EXPECT_EQ(first(y), 1);
  EXPECT_EQ(first(x), 0);
  EXPECT_TRUE(is_lent(graph, own));
  x = Buffer();
}

TEST_P(Graphs, replays_run_what_was_recorded) {
  Capture capture(queue_);
  for (int i = 0; i < 5; ++i) add_one(queue_, a_);
  queue_.copy(a_, b_);
  EXPECT_TRUE(is_capturing());
  const Graph graph = capture.end();
  EXPECT_FALSE(is_capturing());
  EXPECT_EQ(graph.size(), 6U);
  EXPECT_EQ(first(a_), 0);
  graph.launch(queue_);
  graph.launch(queue_).wait();
  EXPECT_EQ(first(a_), 10);
  EXPECT_EQ(first(b_), 10);
}

TEST_P(Graphs, a_read_with_an_owner_of_its_memory_is_repeated) {
  auto values = std::make_shared<std::vector<int>>(kItems, -1);
  const std::weak_ptr<std::vector<int>> owner = values;
  std::optional<Graph> graph;
  {
    Capture capture(queue_);
    add_one(queue_, a_);
    queue_.read(a_, values->data(), kItems * 4, {}, values);
    int other = 0;
    EXPECT_THROW(queue_.read(a_, &other, 4), CaptureError);
    EXPECT_THROW(check_read_outside_capture(queue_, a_), CaptureError);
    graph = capture.end();
  }
  EXPECT_NO_THROW(check_read_outside_capture(queue_, a_));
  EXPECT_EQ(graph->size(), 2U);
  values.reset();
  for (int i = 1; i <= 3; ++i) {
    graph->launch(queue_).wait();
    EXPECT_EQ(*owner.lock(), std::vector<int>(kItems, i));
  }
  queue_.finish();
  graph.reset();
  EXPECT_TRUE(owner.expired());
}

TEST_P(Graphs, a_capture_that_does_not_end_records_nothing) {
  std::optional<Graph> graph;
  {
    Capture capture(queue_);
    add_one(queue_, a_);
    graph = capture.graph();
  }
  EXPECT_FALSE(graph->complete());
  EXPECT_THROW(graph->launch(queue_), CaptureError);
  add_one(queue_, a_).wait();
  EXPECT_EQ(first(a_), 1);
}

TEST_P(Graphs, buffers_and_queues_may_go_before_the_graph) {
  std::optional<Graph> graph;
  {
    const Queue own(device_);
    Buffer temporary(own, kItems * 4);
    Capture capture(own);
    slow_set(own, temporary, 7);
    own.copy(temporary, a_);
    temporary.release();
    graph = capture.end();
  }
  const Buffer other(device_, kItems * 4);
  slow_set(queue_, other, 1);
  graph->launch(queue_);
  graph.reset();  // while it runs
  EXPECT_EQ(first(a_), 7);
  EXPECT_EQ(first(other), 1);
}

TEST_P(Graphs, memory_that_was_dropped_in_the_capture_is_used_again) {
  Capture capture(queue_);
  std::vector<std::uintptr_t> places;
  for (int i = 0; i < 10; ++i) {
    const Buffer temporary(queue_, kItems * 4);
    places.push_back(reinterpret_cast<std::uintptr_t>(temporary.allocation().get()));
    slow_set(queue_, temporary, i);
    queue_.copy(temporary, a_);
  }
  const Buffer held(queue_, kItems * 4);
  slow_set(queue_, held, 50);
  slow_set(queue_, Buffer(queue_, kItems * 4), 60);
  const Graph graph = capture.end();
  for (const std::uintptr_t place : places) EXPECT_EQ(place, places[0]);
  graph.launch(queue_);
  EXPECT_EQ(first(a_), 9);
  EXPECT_EQ(first(held), 50);
}

TEST_P(Graphs, other_queues_join_by_events_and_by_memory) {
  const Queue second(device_), third(device_);
  Capture capture(queue_);
  const Event begin = slow_set(queue_, a_, 5);
  second.copy(a_, b_);  // by memory
  const Buffer c(device_, kItems * 4);
  third.barrier({&begin, 1});  // by an event
  slow_set(third, c, 3);
  slow_set(queue_, a_, 6);  // after the copy of the second queue
  const Graph graph = capture.end();
  for (int i = 0; i < 3; ++i) {
    graph.launch(second);
    EXPECT_EQ(first(a_), 6);
    EXPECT_EQ(first(b_), 5);
    EXPECT_EQ(first(c), 3);
  }
}

TEST_P(Graphs, updates_change_numbers_and_memory) {
  Capture capture(queue_);
  const Event node = slow_set(queue_, a_, 1);
  queue_.copy(a_, b_);
  const Graph graph = capture.end();
  graph.update(node, "value", 2);
  graph.launch(queue_);
  EXPECT_EQ(first(b_), 2);
  graph.update(node, 1, 3);
  const Buffer c(device_, kItems * 4), d(device_, kItems * 4);
  graph.update(a_, c);
  graph.launch(queue_);
  EXPECT_EQ(first(a_), 2);
  EXPECT_EQ(first(c), 3);
  EXPECT_EQ(first(b_), 3);
  // An exchange: the kernel writes b_, and the copy goes to c.
  const std::vector<Graph::Replacement> exchange = {{c, b_}, {b_, c}};
  graph.update(exchange);
  graph.update(node, "value", 4);
  slow_set(queue_, c, 0);
  graph.launch(queue_);
  EXPECT_EQ(first(b_), 4);
  EXPECT_EQ(first(c), 4);
  EXPECT_THROW(graph.update(node, "none", 1), ArgumentError);
  EXPECT_THROW(graph.update(node, 9, 1), ArgumentError);
  EXPECT_THROW(graph.update(c, Buffer(device_, 8)), ArgumentError);
}

TEST_P(Graphs, memory_that_the_graph_does_not_use_cannot_be_replaced) {
  Capture capture(queue_);
  slow_set(queue_, a_, 1);
  const Graph graph = capture.end();
  const Buffer other(device_, kItems * 4);
  try {
    graph.update(b_, other);
    FAIL() << "no error";
  } catch (const ArgumentError& error) {
    EXPECT_NE(std::string(error.what()).find("The graph uses " + std::to_string(kItems * 4) + " bytes"),
              std::string::npos)
        << error.what();
  }
  const std::vector<Graph::Replacement> both = {{a_, other}, {b_, a_}};
  EXPECT_THROW(graph.update(both), ArgumentError);
  graph.launch(queue_);
  EXPECT_EQ(first(a_), 1) << "a refused update changes nothing";
}

TEST_P(Graphs, a_launch_that_is_held_back_keeps_its_version) {
  Capture capture(queue_);
  const Event node = slow_set(queue_, a_, 1);
  const Graph graph = capture.end();
  const UserEvent go(Context::of(device_));
  const std::vector<Event> wait_for = {go};
  const Event held = graph.launch(queue_, wait_for);
  graph.update(node, "value", 2);
  EXPECT_FALSE(held.done());
  go.set_done();
  held.wait();
  EXPECT_EQ(first(a_), 1);
  graph.launch(queue_).wait();
  EXPECT_EQ(first(a_), 2);
}

TEST_P(Graphs, two_queues_replay_in_turn) {
  Capture capture(queue_);
  for (int i = 0; i < 10; ++i) add_one(queue_, a_);
  const Graph graph = capture.end();
  const Queue second(device_);
  for (int i = 0; i < 10; ++i) {
    graph.launch(queue_);
    graph.launch(second);
  }
  EXPECT_EQ(first(a_), 200);
}

TEST_P(Graphs, threads_replay_and_update) {
  Capture capture(queue_);
  const Event node = kernels().kernel("copy_ints")(queue_, range(kItems), a_, b_);
  add_one(queue_, a_);
  const Graph graph = capture.end();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const Queue own(device_);
      for (int i = 0; i < 25; ++i) {
        graph.launch(own);
        if (i % 5 == 0) graph.update(node, "to", b_);
      }
      own.finish();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(first(a_), 100);
}

// Threads replay a graph while others replace its memory and drop what was there before, and the graph itself
// goes while its last launches run.
TEST_P(Graphs, threads_replay_while_others_replace_and_drop_memory) {
  constexpr int kReplays = 40;
  std::optional<Graph> graph;
  std::optional<Event> node;
  {
    const Buffer first_target(device_, kItems * 4);
    Capture capture(queue_);
    node = kernels().kernel("copy_ints")(queue_, range(kItems), a_, first_target);
    add_one(queue_, b_);
    graph = capture.end();
  }
  in_threads(4, [&](int t) {
    const Queue own(device_);
    const Graph mine = *graph;
    for (int i = 0; i < kReplays; ++i) {
      if (t % 2 == 0) {
        mine.launch(own);
      } else {
        // The buffer that it replaces has no other owner.
        mine.update(*node, "to", Buffer(device_, kItems * 4));
      }
    }
    own.finish();
  });
  graph->launch(queue_);
  graph.reset();
  node.reset();
  EXPECT_EQ(first(b_), 2 * kReplays + 1);
}

TEST_P(Graphs, another_thread_uses_the_queue_while_it_is_captured) {
  Capture capture(queue_);
  add_one(queue_, a_);
  std::thread other([&] {
    EXPECT_FALSE(is_capturing());
    for (int i = 0; i < 10; ++i) add_one(queue_, b_);
    queue_.finish();
  });
  other.join();
  add_one(queue_, a_);
  const Graph graph = capture.end();
  EXPECT_EQ(graph.size(), 2U);
  EXPECT_EQ(first(b_), 10);
  EXPECT_EQ(first(a_), 0);
}

TEST_P(Graphs, what_cannot_be_repeated_is_refused) {
  const UserEvent go(Context::of(device_), "go");
  const Event outside = add_one(queue_, b_);
  Capture capture(queue_);
  const Event node = add_one(queue_, a_);
  int value = 0;
  EXPECT_THROW(queue_.read(a_, &value, 4), CaptureError);
  EXPECT_THROW(queue_.finish(), CaptureError);
  EXPECT_THROW(node.wait(), CaptureError);
  EXPECT_THROW(add_one(queue_, a_, {go}), CaptureError);
  EXPECT_THROW(add_one(queue_, a_, {outside}), CaptureError);
  EXPECT_THROW(Capture nested(queue_), CaptureError);
  EXPECT_THROW(capture.graph().launch(queue_), CaptureError);
  EXPECT_FALSE(node.done());
  const Graph graph = capture.end();
  EXPECT_EQ(graph.size(), 1U);
  EXPECT_THROW(add_one(queue_, a_, {node}), CaptureError);
  graph.launch(queue_);
  EXPECT_EQ(first(a_), 1);
}

TEST_P(Graphs, held_back_work_is_not_captured) {
  const UserEvent go(Context::of(device_));
  add_one(queue_, a_, {go});
  EXPECT_THROW(Capture capture(queue_), CaptureError);
  go.set_done();
  queue_.finish();
  EXPECT_EQ(first(a_), 1);
}

TEST_P(Graphs, another_context_is_refused) {
  Capture capture(queue_);
  add_one(queue_, a_);
  const Graph graph = capture.end();
  const std::vector<Device> devices = {device_};
  EXPECT_THROW(graph.launch(Queue(Context(devices), device_)), ArgumentError);
  EXPECT_EQ(first(a_), 0);
}

TEST_P(Graphs, a_pause_runs_work_at_once) {
  Capture capture(queue_);
  add_one(queue_, a_);
  {
    const CapturePause pause;
    EXPECT_FALSE(is_capturing());
    add_one(queue_, b_).wait();
  }
  add_one(queue_, a_);
  const Graph graph = capture.end();
  EXPECT_EQ(graph.size(), 2U);
  EXPECT_EQ(first(b_), 1);
}

TEST_P(Graphs, a_graph_becomes_part_of_another) {
  Capture inner_capture(queue_);
  add_one(queue_, a_);
  const Graph inner = inner_capture.end();
  Capture capture(queue_);
  inner.launch(queue_);
  queue_.copy(a_, b_);
  inner.launch(queue_);
  const Graph outer = capture.end();
  EXPECT_EQ(outer.size(), 3U);
  outer.launch(queue_);
  EXPECT_EQ(first(a_), 2);
  EXPECT_EQ(first(b_), 1);
}

TEST_P(Graphs, a_launch_that_fails_in_a_capture_leaves_its_memory_without_values) {
  Capture inner_capture(queue_);
  const Buffer made(queue_, kItems * 4);
  queue_.copy(a_, made);
  add_one(queue_, made);
  const Graph inner = inner_capture.end();
  {
    const MemoryMap map = map_buffer(queue_, a_);
    const Capture capture(queue_);
    EXPECT_THROW(inner.launch(queue_), MapError);
  }
  int value = 0;
  EXPECT_THROW(queue_.read(made, &value, 4).wait(), CaptureError);
  Capture capture(queue_);
  inner.launch(queue_);
  capture.end().launch(queue_);
  EXPECT_EQ(first(made), 1);
}

TEST_P(Graphs, expressions_of_arrays_are_recorded) {
  const Array x = asarray(queue_, std::vector<float>(100, 2));
  Capture capture(queue_);
  const Array y = x * 3.f + 1.f;
  const Graph graph = capture.end();
  EXPECT_EQ(graph.size(), 1U);
  graph.launch(queue_);
  EXPECT_EQ(y.to_vector<float>(queue_), std::vector<float>(100, 7));
}

QUERN_EACH_DEVICE(Graphs);

}  // namespace
}  // namespace quern::test
