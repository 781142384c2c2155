// SPDX-License-Identifier: MIT
// CUDA graphs: steps in several lanes, host memory, updates of kernels.
#include "backend/graph.hpp"

#include "backend/cuda/program.hpp"
#include "backend/cuda/queue.hpp"
#include "backend/cuda/test_device.hpp"
#include "backend/cuda/test_kernels.hpp"
#include "backend/time_recording.hpp"

namespace quern::backend::cuda {
namespace {

class NoObservers final : public ObserverSource {
 public:
  std::shared_ptr<LaunchObserver> observer() override { return nullptr; }
};

class CudaGraphs : public Cuda {
 protected:
  void SetUp() override {
    Cuda::SetUp();
    if (IsSkipped()) return;
    if constexpr (kFake) {
      constexpr std::string_view ptx = ".version 8.0\n.target sm_90\n";
      module = context->load(0, std::as_bytes(std::span(ptx.data(), ptx.size())));
    } else {
      CompileRequest request;
      request.dialect = Dialect::cuda_cpp;
      request.text = "extern \"C\" __global__ void append(int* log, int value) { log[++log[0]] = value; }";
      request.name = "append.cu";
      module = context->load(0, context->compile(0, request).binary);
    }
    append = module->function("append", nullptr);
    log = context->allocate(0, 256);
    queue = context->make_queue(0, {});
    clear();
  }
  void clear() { queue->fill(*log, 0, 256, zero); }
  std::vector<int> read(const Memory& memory, std::size_t count) {
    std::vector<int> values(count);
    queue->read(memory, 0, values.data(), 4 * count);
    queue->record()->wait(Deadline::max());
    return values;
  }
  std::vector<int> logged() {
    std::vector<int> values = read(*log, 64);
    return {values.begin() + 1, values.begin() + 1 + values[0]};
  }
  GraphStep step(int number, std::size_t lane = 0, std::vector<std::size_t> after = {}) {
    return {[this, number](Queue& q) {
              const std::vector<Argument> arguments = {memory(*log), value(number)};
              q.launch(*append, shape({1}, {1}), arguments);
            },
            lane, std::move(after)};
  }
  std::unique_ptr<Graph> graph_of(const std::vector<GraphStep>& steps) {
    return dynamic_cast<GraphQueue&>(*queue).make_graph(steps);
  }
  void launch(Graph& graph) {
    NoObservers none;
    graph.launch(*queue, none);
  }

  static constexpr std::array<std::byte, 1> zero{};
  std::unique_ptr<Module> module;
  std::unique_ptr<Function> append;
  std::unique_ptr<Memory> log;
  std::unique_ptr<Queue> queue;
};

TEST_F(CudaGraphs, steps_run_in_order_in_each_replay) {
  const auto graph = graph_of({step(1), step(2), step(3)});
  ASSERT_NE(graph, nullptr);
  launch(*graph);
  launch(*graph);
  EXPECT_EQ(logged(), (std::vector<int>{1, 2, 3, 1, 2, 3}));
}

TEST_F(CudaGraphs, lanes_wait_for_the_steps_that_they_depend_on) {
  const auto graph = graph_of({step(1), step(2, 1, {0}), step(3, 2, {1}), step(4, 0, {2}), step(5, 1, {3})});
  ASSERT_NE(graph, nullptr);
  for (int i = 0; i < 3; ++i) {
    clear();
    launch(*graph);
    EXPECT_EQ(logged(), (std::vector<int>{1, 2, 3, 4, 5}));
  }
}

TEST_F(CudaGraphs, updates_change_later_launches_only) {
  const auto graph = graph_of({step(1), step(2)});
  ASSERT_NE(graph, nullptr);
  launch(*graph);
  EXPECT_TRUE(graph->update(1, step(7).issue));
  launch(*graph);
  EXPECT_EQ(logged(), (std::vector<int>{1, 2, 1, 7}));
}

TEST_F(CudaGraphs, host_memory_and_patterns_are_kept) {
  const auto target = context->allocate(0, 4096);
  auto bytes = std::make_unique<std::vector<int>>(64, 9);
  const double pattern = 2.5;
  const auto as_bytes = std::as_bytes(std::span(&pattern, 1));
  std::vector<std::byte> copy(as_bytes.begin(), as_bytes.end());
  const auto graph = graph_of({
      {[&](Queue& q) { q.write(*target, 0, bytes->data(), 256); }, 0, {}},
      {[&](Queue& q) { q.fill(*target, 256, 3840, copy); }, 0, {}},
      {[&](Queue& q) { q.copy(*target, 0, *target, 64, 128); }, 0, {}},  // they overlap
      {[&](Queue& q) {
         const RectSide from{nullptr, bytes->data(), 0, 32, 0}, to{target.get(), nullptr, 512, 64, 0};
         q.copy_rect(from, to, {16, 4, 1});
       },
       0,
       {}},
  });
  ASSERT_NE(graph, nullptr);
  EXPECT_NE(graph->memory(), nullptr);
  EXPECT_FALSE(graph->update(0, [&](Queue& q) { q.write(*target, 0, bytes->data(), 4); }));
  bytes.reset();
  copy.clear();
  for (int i = 0; i < 2; ++i) {
    queue->fill(*target, 0, 4096, zero);
    launch(*graph);
    std::vector<double> values(512);
    queue->read(*target, 0, values.data(), 4096);
    queue->record()->wait(Deadline::max());
    EXPECT_EQ(reinterpret_cast<const int*>(values.data())[40], 9);
    EXPECT_EQ(values[32], 2.5);
    EXPECT_EQ(values[511], 2.5);
    EXPECT_EQ(reinterpret_cast<const int*>(values.data())[128], 9);
    EXPECT_EQ(values[66], 2.5);
    EXPECT_EQ(reinterpret_cast<const int*>(values.data())[144], 9);
  }
}

TEST_F(CudaGraphs, each_replay_copies_to_host_memory) {
  constexpr std::size_t kInts = 5 << 20;  // more than the graph's pinned memory
  const auto source = context->allocate(0, kInts * 4);
  const auto pinned = context->allocate_pinned(256);
  std::vector<int> pageable(kInts + 1, -1), rows(64, -1);
  const auto graph = graph_of({
      step(5),
      {[&](Queue& q) { q.read(*source, 0, pageable.data(), kInts * 4); }, 0, {}},
      {[&](Queue& q) { q.read(*log, 0, pinned->data(), 16); }, 0, {}},
      {[&](Queue& q) {
         const RectSide from{source.get(), nullptr, 16, 64, 128}, to{nullptr, rows.data(), 8, 24, 48};
         q.copy_rect(from, to, {16, 2, 2});
       },
       1,
       {0}},
      step(6, 0, {3}),
  });
  ASSERT_NE(graph, nullptr);
  EXPECT_NE(graph->memory(), nullptr);
  std::vector<int> numbers(kInts);
  for (int k = 1; k <= 3; ++k) {
    clear();
    for (std::size_t i = 0; i < kInts; ++i) numbers[i] = static_cast<int>(i) * k;
    queue->write(*source, 0, numbers.data(), kInts * 4);
    launch(*graph);
    queue->record()->wait(Deadline::max());
    EXPECT_TRUE(std::equal(numbers.begin(), numbers.end(), pageable.begin()));
    EXPECT_EQ(pageable.back(), -1);
    const auto* const logged_then = static_cast<const int*>(pinned->data());
    EXPECT_EQ(logged_then[0], 1);
    EXPECT_EQ(logged_then[1], 5);
    std::vector<int> expected(64, -1);
    for (int z = 0; z < 2; ++z)
      for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 4; ++x) expected[2 + z * 12 + y * 6 + x] = numbers[4 + z * 32 + y * 16 + x];
    EXPECT_EQ(rows, expected);
    EXPECT_EQ(logged(), (std::vector<int>{5, 6}));
  }
}

TEST_F(CudaGraphs, a_launch_has_the_priority_of_its_queue) {
  if constexpr (!kFake) GTEST_SKIP() << "a kernel cannot tell its priority";
  const auto append_priority = module->function("append_priority", nullptr);
  const GraphStep tell{[&](Queue& q) {
                         const std::vector<Argument> arguments = {memory(*log)};
                         q.launch(*append_priority, shape({1}, {1}), arguments);
                       },
                       0,
                       {}};
  QueueOptions options;
  options.priority = 3;
  const auto high = context->make_queue(0, options);
  const auto run = [&](Graph& graph, Queue& on) {
    clear();
    queue->record()->wait(Deadline::max());
    NoObservers none;
    graph.launch(on, none);
    on.record()->wait(Deadline::max());
    return logged();
  };
  const auto of_normal = graph_of({tell, tell});
  const auto of_high = dynamic_cast<GraphQueue&>(*high).make_graph(std::vector{tell, tell});
  for (Graph* const graph : {of_normal.get(), of_high.get()}) {
    ASSERT_NE(graph, nullptr);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(run(*graph, *queue), (std::vector<int>{0, 0}));
      EXPECT_EQ(run(*graph, *high), (std::vector<int>{-3, -3}));
      EXPECT_TRUE(graph->update(1, tell.issue));
    }
  }
}

TEST_F(CudaGraphs, a_graph_that_is_made_in_a_profile_has_no_events_of_it) {
  time_recording.store(true);
  const auto graph = graph_of({step(1), step(2)});
  NoObservers none;
  const TimingPtr timing = graph->launch(*queue, none);
  time_recording.store(false);
  EXPECT_EQ(logged(), (std::vector<int>{1, 2}));
  ASSERT_NE(timing, nullptr);
  EXPECT_GE(timing->times().ended, timing->times().started);
}

TEST_F(CudaGraphs, a_step_that_cannot_be_captured_leaves_no_graph) {
  testing::internal::CaptureStderr();
  const auto graph = graph_of({step(1), {[](Queue&) { throw Error("it waits"); }, 0, {}}});
  const std::string warning = testing::internal::GetCapturedStderr();
  EXPECT_EQ(graph, nullptr);
  EXPECT_NE(warning.find("it waits"), std::string::npos) << warning;
  const auto next = graph_of({step(3)});
  launch(*next);
  EXPECT_EQ(logged(), std::vector<int>{3});
}

TEST_F(CudaGraphs, a_graph_may_go_while_it_runs) {
  for (int i = 0; i < 10; ++i) {
    const auto graph = graph_of({step(i)});
    launch(*graph);
  }
  EXPECT_EQ(logged().size(), 10U);
}

}  // namespace
}  // namespace quern::backend::cuda
