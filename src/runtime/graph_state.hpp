// SPDX-License-Identifier: MIT
// The state behind a Graph: captured operations with their uses of memory, and their launch as one operation.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "backend/graph.hpp"
#include "base/in_use.hpp"
#include "quern/graph.hpp"
#include "quern/graph_memory.hpp"
#include "runtime/captured_memory.hpp"
#include "runtime/graph_dependencies.hpp"
#include "runtime/queue_state.hpp"

namespace quern::detail {

class PackedLaunch;

// One captured operation.
struct GraphNode {
  std::unique_ptr<Operation> operation;
  std::vector<Use> uses;
  std::size_t lane = 0;            // the number of its queue, in the order in which queues joined the capture
  std::vector<std::size_t> after;  // earlier nodes of other lanes that it depends on
  std::vector<std::size_t> waits;  // those of them whose events are in its wait list
  HostUse host;                    // that it writes, or the bytes of its own that it reads
  std::shared_ptr<void> keep;      // owner of the host memory that it writes
  [[nodiscard]] bool does_nothing() const noexcept;  // a barrier, a marker or a wait
};

// Issues the operation.
std::function<void(backend::Queue&)> step_of(const std::shared_ptr<GraphNode>& node);

// The deferred error of memory that was allocated in a capture, until the graph is launched.
class UnlaunchedContents final : public DeferredError {
 public:
  enum class State : std::uint8_t { recorded, launched, abandoned };
  [[nodiscard]] bool is_cleared() const noexcept override { return state_.load() == State::launched; }
  void check() override;
  [[nodiscard]] bool may_divide_results() const noexcept override { return false; }
  void set(State state) noexcept;

 private:
  std::atomic<State> state_{State::recorded};
};

// Called after each launch: reads what a kernel of the graph recorded about bad indices. `affected` is all
// memory whose contents depend on them.
struct GraphCheck {
  std::function<void(const Queue& queue, std::span<const MemoryRange> affected)> function;
  std::vector<MemoryRange> written;  // by the kernel
  std::size_t end = 0;               // the number of nodes up to the kernel
};

class GraphState : public std::enable_shared_from_this<GraphState> {
 public:
  GraphState(std::shared_ptr<ContextState> context, std::size_t device);
  GraphState(const GraphState&) = delete;
  GraphState& operator=(const GraphState&) = delete;
  ~GraphState();

  // What a capture recorded.
  struct Recorded {
    std::vector<std::shared_ptr<GraphNode>> nodes;
    // Memory that was allocated in the capture, by its record.
    std::unordered_map<const UseRecord*, CapturedMemory> memory;
    std::vector<std::shared_ptr<Allocation>> kept;              // of other graphs
    std::vector<std::shared_ptr<UnlaunchedContents>> contents;  // of other graphs
    std::vector<GraphCheck> checks;
    std::vector<Reuse> reuses;
    std::shared_ptr<QueueState> events;  // the queue of the captured events
  };
  // `queue` is the captured queue, which the graph keeps alive.
  void complete(Recorded&& recorded, const std::shared_ptr<QueueState>& queue);
  void abandon(Recorded&& recorded) noexcept;
  [[nodiscard]] bool is_complete() const noexcept { return is_complete_.load(); }

  Event launch(const Queue& queue, WaitList wait_for);
  [[nodiscard]] Signature signature(const Event& kernel);
  // Updates change all or, if they throw, nothing.
  void update(const Event& kernel, std::span<const ArgumentUpdate> arguments);
  // Throws ArgumentError if the graph does not use the old memory, unless that is allowed.
  enum class Unused : std::uint8_t { refused, allowed };
  void update(std::span<const Graph::Replacement> replacements, Unused unused);

  // The same bytes by the graph's own reference, by one that is lent to the program, and whether one is lent.
  // Memory that the graph does not own is returned as it is.
  [[nodiscard]] static Buffer owned(const Buffer& memory);
  [[nodiscard]] Buffer lent(const Buffer& memory);
  [[nodiscard]] bool is_lent(const Buffer& memory);
  // Whether operations use memory of the same allocation, and it was not allocated in the capture.
  [[nodiscard]] bool uses(const Buffer& memory);

  [[nodiscard]] std::size_t size();
  [[nodiscard]] const std::shared_ptr<ContextState>& context() const noexcept { return context_; }
  [[nodiscard]] std::size_t device() const noexcept { return device_; }

  // The nodes and uses that a launch enqueues. A launch that is held back uses its version, and so does
  // memory that a launch keeps; an update then makes another version.
  struct Version : Usable {
    std::string name;  // for profiles
    std::vector<std::shared_ptr<GraphNode>> nodes;
    std::vector<Use> uses;                            // of all nodes together
    std::vector<std::shared_ptr<Allocation>> memory;  // of the graph, also if that is gone
    bool may_fail = false;
    bool keeps_host_memory = false;  // a node reads host memory that it owns
    // Owners of the host memory that nodes write; null if there is none.
    std::shared_ptr<std::vector<std::shared_ptr<void>>> host_targets;
    bool is_prepared = false;                // for the backend
    std::unique_ptr<backend::Graph> native;  // null: the operations are issued one by one
    std::mutex mutex;                        // of issuing them, for which they store addresses
  };

 private:
  void require_complete() const;
  // The caller holds mutex_.
  [[nodiscard]] const PackedLaunch& kernel_of(const Event& event) const;
  // The memory that the operations use, as text.
  [[nodiscard]] std::string used_memory() const;
  Version& changeable();
  // A node that no other version has.
  static GraphNode& changeable(Version& version, std::size_t number);
  void prepare(Version& version);
  // Returns whether the uses of the version are known without looking at all nodes.
  bool rebind(Version& version, const Graph::Replacement& replacement, std::vector<bool>& changed);
  // Prepares these nodes anew, and all of them if other nodes depend on each other than before.
  static void changed(Version& version, const std::vector<bool>& which);
  static bool change_dependencies(Version& version);
  void rebind_all(Version& version, std::span<const Graph::Replacement> replacements,
                  std::vector<bool>& which);
  void hold_memory(Version& version) const;
  static std::unordered_set<const UseRecord*> written_memory(
      std::span<const std::shared_ptr<GraphNode>> nodes,
      const std::unordered_map<const UseRecord*, CapturedMemory>& memory);
  [[nodiscard]] std::vector<Use> uses_of(std::span<const std::shared_ptr<GraphNode>> nodes) const;
  void run_checks(const Queue& queue, const Version& version);
  // A later upload from host memory that the launch writes waits for the launch.
  static void note_host_writes(const Version& version, const Event& launch);

  std::shared_ptr<ContextState> context_;
  std::size_t device_;
  std::atomic<bool> is_complete_{false};
  std::mutex mutex_;
  std::shared_ptr<Version> version_;
  std::unordered_map<const UseRecord*, CapturedMemory> memory_;
  std::vector<std::shared_ptr<Allocation>> kept_;
  std::vector<GraphCheck> checks_;
  std::vector<Reuse> reuses_;
  std::shared_ptr<QueueState> events_, home_;
  std::vector<std::shared_ptr<UnlaunchedContents>> contents_;  // its own first, then those of its parts
  // Memory whose contents do not outlast a replay: allocated in the capture, or in place of such memory.
  std::unordered_set<const UseRecord*> made_;
};

}  // namespace quern::detail
