// SPDX-License-Identifier: MIT
// Graphs of 10,000 tasks on an out-of-order queue of the host, turn by turn with OpenMP tasks. Prints minima
// and medians: of empty tasks with two dependencies each, and of Cholesky factorisations by tiles.
//
//   bench_task_graph [ROUNDS]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "cholesky.hpp"
#include "native/openmp_tasks.hpp"

namespace {

using namespace quern;

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Contestant {
  std::string name;
  std::function<void()> prepare, work;
  std::vector<double> seconds = {};
};

void compare(const std::string& title, int rounds, std::size_t tasks, std::vector<Contestant> contestants) {
  for (int round = 0; round <= rounds; ++round) {
    for (Contestant& each : contestants) {
      each.prepare();
      const double seconds = seconds_of(each.work);
      if (round != 0) each.seconds.push_back(seconds);  // the first builds kernels and starts threads
    }
  }
  std::printf("%s\n", title.c_str());
  for (Contestant& each : contestants) std::sort(each.seconds.begin(), each.seconds.end());
  const Contestant& peer = contestants.back();
  for (const Contestant& each : contestants) {
    const double least = each.seconds.front(), median = each.seconds[each.seconds.size() / 2];
    std::printf("  %-34s %8.3f us a task, median %8.3f; OpenMP's time over this %5.2f, by medians %5.2f\n",
                each.name.c_str(), least / static_cast<double>(tasks) * 1e6,
                median / static_cast<double>(tasks) * 1e6, peer.seconds.front() / least,
                peer.seconds[peer.seconds.size() / 2] / median);
  }
}

TaskGraph graph_of(std::size_t tasks,
                   const std::function<std::pair<std::size_t, std::size_t>(std::size_t)>& f) {
  TaskGraph graph;
  for (std::size_t i = 0; i < tasks; ++i) graph.push_back(f(i));
  return graph;
}

void empty_tasks(const Device& device, int rounds) {
  constexpr std::size_t kTasks = 10000;
  const Program program(
      "kernel void empty(global const int *a, global const int *b, global int *c) {}\n"
      "kernel void nothing(global int *c) {}");
  const Kernel by_memory = program.kernel("empty"), by_list = program.kernel("nothing");
  QueueOptions options;
  options.out_of_order = true;
  const Queue queue(device, options);
  options.track_memory = false;
  const Queue untracked(device, options);
  const Range one = range(1).with_local(1);
  std::vector<Buffer> slots;
  for (std::size_t i = 0; i < kTasks + 2; ++i) slots.emplace_back(device, 4);
  std::vector<char> bytes(kTasks + 2);

  std::mt19937 random(7);
  const std::vector<std::pair<std::string, TaskGraph>> graphs = {
      {"empty tasks, each after the two before it",
       graph_of(kTasks, [](std::size_t i) { return std::pair(i, i + 1); })},
      {"empty tasks, each after two of 100 earlier",
       graph_of(kTasks, [](std::size_t i) { return std::pair(i < 99 ? 0 : i - 98, i < 100 ? 1 : i - 99); })},
      {"empty tasks, each after two random ones",
       graph_of(kTasks, [&](std::size_t i) { return std::pair(random() % (i + 2), random() % (i + 2)); })}};
  for (const auto& [title, graph] : graphs) {
    compare(title, rounds, kTasks,
            {{"Quern, by memory", [] {},
              [&] {
                for (std::size_t i = 0; i < kTasks; ++i)
                  by_memory(queue, one, slots[graph[i].first], slots[graph[i].second], slots[i + 2]);
                queue.finish();
              }},
             {"Quern, by wait lists", [] {},
              [&] {
                std::vector<Event> events(kTasks + 2);
                for (std::size_t i = 0; i < kTasks; ++i) {
                  const std::array<Event, 2> waits = {events[graph[i].first], events[graph[i].second]};
                  const KernelArgument argument = slots[i + 2];
                  events[i + 2] = by_list.launch(untracked, one, {&argument, 1}, waits);
                }
                untracked.finish();
              }},
             {"OpenMP tasks", [] {}, [&] { openmp_empty_tasks(graph, bytes.data()); }}});
  }
}

void factorisations(const Device& device, int rounds, std::size_t count, int size) {
  QueueOptions options;
  const Queue in_order(device, options);
  options.out_of_order = true;
  const Queue queue(device, options);
  const auto rows = static_cast<std::size_t>(size);
  const Cholesky cholesky(QUERN_KERNELS, rows);
  const Tiles a = random_matrix(count, rows);
  const std::size_t nbytes = rows * rows * sizeof(double);
  std::vector<Buffer> buffers;
  for (std::size_t i = 0; i < a.tiles.size(); ++i) buffers.emplace_back(device, nbytes);
  Tiles theirs = a;
  const auto prepare = [&] {
    for (std::size_t i = 0; i < a.tiles.size(); ++i) in_order.write(buffers[i], a.tiles[i].data(), nbytes);
    in_order.finish();
  };
  const auto factorise = [&](const Queue& on) {
    cholesky.enqueue(on, count, buffers);
    on.finish();
  };
  compare("Cholesky, " + std::to_string(count) + " x " + std::to_string(count) + " tiles of " +
              std::to_string(size) + ", " + std::to_string(a.steps()) + " tasks",
          rounds, a.steps(),
          {{"Quern, out of order", prepare, [&] { factorise(queue); }},
           {"Quern, in order", prepare, [&] { factorise(in_order); }},
           {"OpenMP tasks", [&] { theirs = a; },
            [&] {
              std::vector<double*> tiles;
              for (std::vector<double>& tile : theirs.tiles) tiles.push_back(tile.data());
              openmp_cholesky(count, size, tiles.data());
            }}});
  prepare();
  factorise(queue);
  Tiles ours = a;
  for (std::size_t i = 0; i < buffers.size(); ++i) queue.read(buffers[i], ours.tiles[i].data(), nbytes);
  queue.finish();
  std::printf("  residuals: %.1e, OpenMP %.1e\n", residual(a, ours), residual(a, theirs));
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 15;
  const Device host = device("host");
  empty_tasks(host, rounds);
  factorisations(host, rounds, 39, 16);
  factorisations(host, rounds, 39, 32);
  factorisations(host, std::max(rounds / 3, 1), 39, 64);
}
