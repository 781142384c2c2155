// SPDX-License-Identifier: MIT
// The state behind a Capture: takes the operations of one thread before they are enqueued.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/graph_state.hpp"
#include "runtime/restrictions.hpp"

namespace quern::detail {

class CaptureState {
 public:
  explicit CaptureState(const std::shared_ptr<QueueState>& queue);
  CaptureState(const CaptureState&) = delete;
  CaptureState& operator=(const CaptureState&) = delete;
  ~CaptureState();

  // The capture of the calling thread, null if there is none. Callers test has_restrictions() first.
  static CaptureState* of_thread() noexcept;
  // The same, null while it is paused.
  static CaptureState* current() noexcept;

  // Records an operation instead of enqueuing it. Returns nothing if it is independent of the capture: it is
  // enqueued as usual.
  std::optional<Event> take(QueueState& queue, Operation& operation, std::span<const Use> uses,
                            WaitList wait_for, std::shared_ptr<void> keep, HostUse host);
  // Memory for operations of the capture. It may be memory of the same size that earlier operations used and
  // that the program has dropped. Of another size it could not be replaced for all of them.
  std::shared_ptr<Allocation> allocate(const std::shared_ptr<ContextState>& context, std::size_t device,
                                       std::size_t nbytes, const QueueState* queue);
  [[nodiscard]] bool has_memory(const UseRecord& record) const { return recorded_.memory.contains(&record); }
  // Records the later operations of the queue, too. Throws if it is one of another device.
  void join(QueueState& queue, const Operation& operation);
  // The number of operations so far.
  [[nodiscard]] std::size_t size() const noexcept { return recorded_.nodes.size(); }
  // For a graph whose operations became part of this capture: keeps its memory, and takes over what is known
  // of it.
  void keep(const std::shared_ptr<Allocation>& memory) { recorded_.kept.push_back(memory); }
  void add_contents(const std::shared_ptr<UnlaunchedContents>& contents) {
    recorded_.contents.push_back(contents);
  }
  void add_reuse(Reuse reuse) { recorded_.reuses.push_back(reuse); }
  // Throws if the host would read memory of the captured device.
  void check_host_access(const Allocation& memory) const;
  [[nodiscard]] bool captures(const QueueState& queue) const noexcept;
  // Throws if a read of this memory, whose caller waits for the values, would be recorded.
  void check_read(const QueueState& queue, std::span<const Use> uses) const;
  // Whether an operation would be recorded.
  [[nodiscard]] bool concerns(const QueueState& queue, std::span<const Use> uses, WaitList wait_for) const;
  // Throws if an operation outside of the capture uses memory that was allocated in it.
  void check_independent(std::span<const Use> uses) const;

  // Pending expressions that were made in the capture, and those only, are recorded when they are evaluated.
  void note_expression(const std::shared_ptr<void>& node);
  [[nodiscard]] bool has_expression(const void* node) const { return known_.contains(node); }
  // Whether the expression was made in an open capture of another thread.
  [[nodiscard]] static bool is_of_another_thread(const void* node);

  void add_check(GraphCheck check) { recorded_.checks.push_back(std::move(check)); }
  void pause() noexcept { ++pauses_; }
  void resume() noexcept { --pauses_; }

  [[nodiscard]] const std::shared_ptr<GraphState>& graph() const noexcept { return graph_; }
  void end();

 private:
  // Throws for host memory of a copy that the graph cannot use.
  void check_host_memory(const HostUse& host, bool is_owned) const;
  void leave() noexcept;  // the thread's operations run again

  std::shared_ptr<GraphState> graph_;
  std::thread::id thread_ = std::this_thread::get_id();
  std::size_t device_;
  std::vector<std::shared_ptr<QueueState>> lanes_;
  GraphState::Recorded recorded_;
  NodeDependencies dependencies_;
  // Written with the lock of the list of captures held, because other threads look for their expressions.
  std::vector<std::weak_ptr<void>> expressions_;
  std::unordered_set<const void*> known_;  // their addresses, which the weak references keep taken
  int pauses_ = 0;
  bool is_open_ = false;
  std::unordered_map<const Allocation*, std::size_t> sizes_;  // of memory of the capture, as it was asked for
};

}  // namespace quern::detail
