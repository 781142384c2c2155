// SPDX-License-Identifier: MIT
// Graphs: what a capture recorded, and their launch as one operation.
#include "quern/graph.hpp"

#include <algorithm>
#include <utility>

#include "quern/error.hpp"
#include "quern/graph_memory.hpp"
#include "runtime/allocation.hpp"
#include "runtime/capture_state.hpp"
#include "runtime/graph_state.hpp"
#include "runtime/launch.hpp"
#include "runtime/pending_host_writes.hpp"

namespace quern {
namespace detail {
namespace {

// Every read of the memory raises the error until it is cleared.
void add_error(Allocation& memory, const std::shared_ptr<DeferredError>& error) {
  memory.uses().deferred_errors().add({0, memory.memory().size()}, {error});
}

// The times of operations that were issued one by one.
class SpanTiming final : public backend::Timing {
 public:
  SpanTiming(backend::TimingPtr first, backend::TimingPtr last)
      : first_(std::move(first)), last_(std::move(last)) {}
  Times times() override {
    Times times = first_->times();
    times.ended = last_->times().ended;
    return times;
  }

 private:
  backend::TimingPtr first_, last_;
};

class GraphLaunch final : public Operation {
 public:
  explicit GraphLaunch(const InUse<GraphState::Version>& version) : version_(version) {}

  backend::TimingPtr issue(backend::Queue& queue, backend::ObserverSource& observers) override {
    if (version_->native) return version_->native->launch(queue, observers);
    const std::lock_guard lock(version_->mutex);
    backend::TimingPtr first, last;
    for (const std::shared_ptr<GraphNode>& node : version_->nodes) {
      if (node->does_nothing()) continue;
      last = node->operation->issue(queue, observers);
      if (!first) first = last;
    }
    return first && last ? std::make_shared<SpanTiming>(std::move(first), std::move(last)) : nullptr;
  }
  [[nodiscard]] bool may_fail() const noexcept override { return version_->may_fail; }
  [[nodiscard]] std::unique_ptr<Operation> detach() const override {
    return std::make_unique<GraphLaunch>(version_);
  }
  [[nodiscard]] OperationDetails details() const noexcept override {
    return {OperationKind::graph, version_->name, 0, {}, {}};
  }

 private:
  InUse<GraphState::Version> version_;
};

class NoObservers final : public backend::ObserverSource {
 public:
  std::shared_ptr<backend::LaunchObserver> observer() override { return nullptr; }
};

[[noreturn]] void refuse(const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::value, text);
}

}  // namespace

std::function<void(backend::Queue&)> step_of(const std::shared_ptr<GraphNode>& node) {
  return [node](backend::Queue& queue) {
    NoObservers none;
    if (!node->does_nothing()) (void)node->operation->issue(queue, none);
  };
}

bool GraphNode::does_nothing() const noexcept {
  const OperationKind kind = operation->details().kind;
  return kind == OperationKind::barrier || kind == OperationKind::marker || kind == OperationKind::wait;
}

// Memory of a capture that its operations write. Independent work has written the rest, and ran at once.
std::unordered_set<const UseRecord*> GraphState::written_memory(
    std::span<const std::shared_ptr<GraphNode>> nodes,
    const std::unordered_map<const UseRecord*, CapturedMemory>& memory) {
  std::unordered_set<const UseRecord*> written;
  for (const std::shared_ptr<GraphNode>& node : nodes)
    for (const Use& use : node->uses)
      if (use.writes() && memory.contains(use.record)) written.insert(use.record);
  return written;
}

void GraphState::hold_memory(Version& version) const {
  std::vector<std::shared_ptr<Allocation>> held = kept_;
  for (const auto& [record, memory] : memory_) held.push_back(memory.owned());
  version.memory.swap(held);
}

GraphState::GraphState(std::shared_ptr<ContextState> context, std::size_t device)
    : context_(std::move(context)), device_(device) {}

GraphState::~GraphState() = default;

void GraphState::complete(Recorded&& recorded, const std::shared_ptr<QueueState>& queue) {
  const std::lock_guard lock(mutex_);
  memory_ = std::move(recorded.memory);
  made_ = written_memory(recorded.nodes, memory_);
  kept_ = std::move(recorded.kept);
  checks_ = std::move(recorded.checks);
  reuses_ = std::move(recorded.reuses);
  events_ = std::move(recorded.events);
  home_ = queue;
  version_ = std::make_shared<Version>();
  version_->nodes = std::move(recorded.nodes);
  version_->uses = uses_of(version_->nodes);
  std::size_t operations = 0;
  for (const auto& node : version_->nodes) {
    version_->may_fail |= node->operation->may_fail();
    version_->keeps_host_memory |= node->operation->details().kind == OperationKind::upload;
    if (node->host.writes) {
      if (!version_->host_targets)
        version_->host_targets = std::make_shared<std::vector<std::shared_ptr<void>>>();
      version_->host_targets->push_back(node->keep);
    }
    operations += node->does_nothing() ? 0 : 1;
  }
  version_->name =
      "graph of " + std::to_string(operations) + (operations == 1 ? " operation" : " operations");
  hold_memory(*version_);
  const auto contents = std::make_shared<UnlaunchedContents>();
  for (const auto& [record, memory] : memory_)
    if (made_.contains(record) && memory.is_lent()) add_error(*memory.owned(), contents);
  try {
    prepare(*version_);
    contents_.push_back(contents);
    contents_.insert(contents_.end(), recorded.contents.begin(), recorded.contents.end());
  } catch (...) {
    contents->set(UnlaunchedContents::State::abandoned);
    throw;
  }
  is_complete_.store(true);
}

void GraphState::abandon(Recorded&& recorded) noexcept {
  try {
    const auto contents = std::make_shared<UnlaunchedContents>();
    contents->set(UnlaunchedContents::State::abandoned);
    const auto written = written_memory(recorded.nodes, recorded.memory);
    for (const auto& [record, memory] : recorded.memory)
      if (written.contains(record) && memory.is_lent()) add_error(*memory.owned(), contents);
  } catch (const std::bad_alloc&) {
    // The arrays then have undefined contents.
  }
  recorded.nodes.clear();
  recorded.memory.clear();
}

void GraphState::require_complete() const {
  if (!is_complete_.load())
    throw CaptureError("the graph is not complete: its capture has not ended, or it failed");
}

std::vector<Use> GraphState::uses_of(std::span<const std::shared_ptr<GraphNode>> nodes) const {
  std::vector<Use> all;
  std::unordered_map<const UseRecord*, std::vector<std::size_t>> known;  // positions in `all`
  for (const std::shared_ptr<GraphNode>& node : nodes) {
    for (const Use& use : node->uses) {
      std::vector<std::size_t>& places = known[use.record];
      const bool is_own = made_.contains(use.record);
      const auto same = std::find_if(places.begin(), places.end(), [&](std::size_t place) {
        return is_own || all[place].range.contains(use.range);
      });
      if (same == places.end()) {
        const bool is_first = std::none_of(places.begin(), places.end(), [&](std::size_t place) {
          return all[place].range.overlaps(use.range);
        });
        places.push_back(all.size());
        all.push_back(use);
        if (is_own) all.back().usage = Usage::overwrites;
        if (!is_own && !is_first && use.usage == Usage::overwrites) all.back().usage = Usage::writes;
        continue;
      }
      Use& merged = all[*same];
      if (is_own)
        merged.range = {std::min(merged.range.begin, use.range.begin),
                        std::max(merged.range.end, use.range.end)};
      else if (use.writes() && !merged.writes())
        merged.usage = Usage::writes;
    }
  }
  return all;
}

void GraphState::prepare(Version& version) {
  if (version.is_prepared) return;
  auto* const graphs = dynamic_cast<backend::GraphQueue*>(&home_->native());
  if (graphs != nullptr) {
    std::vector<backend::GraphStep> steps;
    steps.reserve(version.nodes.size());
    for (const std::shared_ptr<GraphNode>& node : version.nodes)
      steps.push_back({step_of(node), node->lane, node->after});
    version.native = graphs->make_graph(steps);
  }
  version.is_prepared = true;
}

Event GraphState::launch(const Queue& queue, WaitList wait_for) {
  require_complete();
  QueueState& state = *queue.state();
  if (state.context() != context_ || state.device() != device_)
    refuse("the graph was captured on a queue of '" + context_->devices()[device_].spec() +
           "' and cannot be launched on one of '" + state.device_handle().spec() +
           (state.device_handle() == context_->devices()[device_] ? "' in another context" : "'"));
  const InUse<Version> version = [&] {
    const std::lock_guard lock(mutex_);
    prepare(*version_);
    return InUse(version_);
  }();
  CaptureState* const capture = CaptureState::current();
  if (capture != nullptr && capture->concerns(state, version->uses, wait_for)) {
    // The operations become part of the other graph, also those that alone would not concern it.
    const std::lock_guard lock(mutex_);
    capture->join(state, GraphLaunch(version));
    const std::size_t first = capture->size();
    Event last;
    for (const std::shared_ptr<GraphNode>& node : version->nodes)
      last = state.submit(*node->operation, node->uses, last.queue_state() ? WaitList() : wait_for,
                          node->keep, node->host);
    for (GraphCheck check : checks_) {
      check.end += first;
      capture->add_check(std::move(check));
    }
    for (const Reuse& reuse : reuses_) capture->add_reuse({reuse.record, reuse.before + first});
    for (auto& [record, memory] : memory_) capture->keep(memory.lend());
    for (const auto& contents : contents_) capture->add_contents(contents);
    return last;
  }
  GraphLaunch operation(version);
  count_launch();
  std::shared_ptr<void> keep = version->native ? version->native->memory() : nullptr;
  if (!keep && version->keeps_host_memory) keep = std::make_shared<InUse<Version>>(version);
  const bool writes_host = version->host_targets != nullptr;
  if (writes_host) {
    using Both = std::pair<std::shared_ptr<void>, std::shared_ptr<void>>;
    keep = std::make_shared<Both>(std::move(keep), version->host_targets);
  }
  // As for a read, the event has the errors of what is read.
  const Event event =
      state.submit(operation, version->uses, wait_for, std::move(keep), {nullptr, 0, writes_host});
  if (writes_host) note_host_writes(*version, event);
  for (const auto& contents : contents_) contents->set(UnlaunchedContents::State::launched);
  if (!checks_.empty()) run_checks(queue, *version);
  return event;
}

void GraphState::note_host_writes(const Version& version, const Event& launch) {
  if (launch.queue_state()->known_done(launch.ticket())) return;
  for (const std::shared_ptr<GraphNode>& node : version.nodes) {
    if (!node->host.writes) continue;
    const auto address = reinterpret_cast<std::uintptr_t>(node->host.at);
    PendingHostWrites::instance().add(launch.queue_state(), launch.ticket(),
                                      {address, address + node->host.nbytes});
  }
}

void GraphState::run_checks(const Queue& queue, const Version& version) {
  std::vector<GraphCheck> checks;
  std::vector<std::vector<MemoryRange>> affected;
  {
    const std::lock_guard lock(mutex_);
    checks = checks_;
    for (const GraphCheck& check : checks)
      affected.push_back(computed_from(check.written, check.end, version.nodes, reuses_));
  }
  for (std::size_t k = 0; k < checks.size(); ++k) checks[k].function(queue, affected[k]);
}

Buffer GraphState::owned(const Buffer& memory) {
  const Buffer whole(CapturedMemory::owner_of(memory.allocation()), memory.offset() + memory.size());
  return whole.sub_buffer(memory.offset(), memory.size());
}

Buffer GraphState::lent(const Buffer& memory) {
  const std::lock_guard lock(mutex_);
  const auto found = memory_.find(&memory.allocation()->uses());
  if (found == memory_.end()) return memory;
  const Buffer whole(found->second.lend(), memory.offset() + memory.size());
  return whole.sub_buffer(memory.offset(), memory.size());
}

bool GraphState::is_lent(const Buffer& memory) {
  const std::lock_guard lock(mutex_);
  const auto found = memory_.find(&memory.allocation()->uses());
  return found == memory_.end() || found->second.is_lent();
}

bool GraphState::uses(const Buffer& memory) {
  const std::lock_guard lock(mutex_);
  const UseRecord* const record = &memory.allocation()->uses();
  return !memory_.contains(record) && std::any_of(version_->uses.begin(), version_->uses.end(),
                                                  [&](const Use& use) { return use.record == record; });
}

std::size_t GraphState::size() {
  require_complete();
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::count_if(version_->nodes.begin(), version_->nodes.end(),
                                                [](const auto& node) { return !node->does_nothing(); }));
}

}  // namespace detail

Event Graph::launch(const Queue& queue, WaitList wait_for) const {
  return state_->launch(queue, wait_for);
}

Signature Graph::signature(const Event& kernel) const {
  return state_->signature(kernel);
}

std::size_t Graph::size() const {
  return state_->size();
}

Device Graph::device() const {
  return state_->context()->devices()[state_->device()];
}

Context Graph::context() const {
  return Context(state_->context());
}

bool Graph::complete() const noexcept {
  return state_->is_complete();
}

}  // namespace quern
