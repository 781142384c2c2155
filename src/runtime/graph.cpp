// SPDX-License-Identifier: MIT
// Graphs: their launch as one operation, updates of arguments and memory, and versions of both.
#include "quern/graph.hpp"

#include <algorithm>
#include <limits>
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

std::function<void(backend::Queue&)> step_of(const std::shared_ptr<GraphNode>& node) {
  return [node](backend::Queue& queue) {
    NoObservers none;
    if (!node->does_nothing()) (void)node->operation->issue(queue, none);
  };
}

[[noreturn]] void refuse(const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::value, text);
}

ByteRange range_of(const Buffer& buffer) {
  return {buffer.offset(), buffer.offset() + buffer.size()};
}

}  // namespace

bool GraphNode::does_nothing() const noexcept {
  const OperationKind kind = operation->details().kind;
  return kind == OperationKind::barrier || kind == OperationKind::marker || kind == OperationKind::wait;
}

GraphState::GraphState(std::shared_ptr<ContextState> context, std::size_t device)
    : context_(std::move(context)), device_(device) {}

GraphState::~GraphState() = default;

void GraphState::complete(Recorded&& recorded, const std::shared_ptr<QueueState>& queue) {
  const std::lock_guard lock(mutex_);
  memory_ = std::move(recorded.memory);
  for (const auto& [record, memory] : memory_) made_.insert(record);
  kept_ = std::move(recorded.kept);
  checks_ = std::move(recorded.checks);
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
  contents_ = std::make_shared<UnlaunchedContents>();
  for (const auto& [record, memory] : memory_)
    if (memory.is_lent()) add_error(*memory.owned(), contents_);
  try {
    prepare(*version_);
  } catch (...) {
    contents_->set(UnlaunchedContents::State::abandoned);
    throw;
  }
  is_complete_.store(true);
}

void GraphState::abandon(Recorded&& recorded) noexcept {
  try {
    const auto contents = std::make_shared<UnlaunchedContents>();
    contents->set(UnlaunchedContents::State::abandoned);
    for (const auto& [record, memory] : recorded.memory)
      if (memory.is_lent()) add_error(*memory.owned(), contents);
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
    // The operations become part of the other graph.
    const std::lock_guard lock(mutex_);
    Event last;
    for (const std::shared_ptr<GraphNode>& node : version->nodes)
      last = state.submit(*node->operation, node->uses, last.queue_state() ? WaitList() : wait_for,
                          node->keep, node->host);
    for (const GraphCheck& check : checks_) capture->add_check(check);
    for (auto& [record, memory] : memory_) capture->keep(memory.lend());
    contents_->set(UnlaunchedContents::State::launched);
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
  contents_->set(UnlaunchedContents::State::launched);
  if (!checks_.empty()) run_checks(queue);
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

void GraphState::run_checks(const Queue& queue) {
  std::vector<GraphCheck> checks;
  {
    const std::lock_guard lock(mutex_);
    checks = checks_;
  }
  for (const GraphCheck& check : checks) {
    std::vector<Buffer> written;
    for (const GraphCheck::Written& each : check.written) {
      if (auto memory = each.memory.lock()) {
        const Buffer whole(memory, memory->memory().size());
        written.push_back(whole.sub_buffer(each.range.begin, each.range.end - each.range.begin));
      }
    }
    check.function(queue, written);
  }
}

GraphState::Version& GraphState::changeable() {
  if (version_->is_in_use()) {
    auto copy = std::make_shared<Version>();
    copy->name = version_->name;
    copy->nodes = version_->nodes;
    copy->uses = version_->uses;
    copy->may_fail = version_->may_fail;
    copy->keeps_host_memory = version_->keeps_host_memory;
    copy->host_targets = version_->host_targets;
    version_ = std::move(copy);
  }
  return *version_;
}

GraphNode& GraphState::changeable(Version& version, std::size_t number) {
  std::shared_ptr<GraphNode>& node = version.nodes[number];
  auto copy = std::make_shared<GraphNode>();
  copy->operation = node->operation->detach();
  copy->uses = node->uses;
  copy->lane = node->lane;
  copy->after = node->after;
  copy->host = node->host;
  copy->keep = node->keep;
  node = std::move(copy);
  return *node;
}

void GraphState::changed(Version& version, const std::vector<bool>& which) {
  if (!version.is_prepared || !version.native) return;
  // If the backend refuses an update or throws, the next launch prepares all steps again.
  version.is_prepared = false;
  for (std::size_t k = 0; k < which.size(); ++k)
    if (which[k] && !version.native->update(k, step_of(version.nodes[k]))) return;
  version.is_prepared = true;
}

const PackedLaunch& GraphState::kernel_of(const Event& event) const {
  if (event.queue_state() != events_)
    refuse("expected the event of a kernel that was launched in the capture of this graph");
  const Operation& operation = *version_->nodes[static_cast<std::size_t>(event.ticket() - 1)]->operation;
  const auto* const launch = dynamic_cast<const PackedLaunch*>(&operation);
  if (launch == nullptr) refuse("expected the event of a kernel, got that of " + description_of(operation));
  return *launch;
}

Signature GraphState::signature(const Event& kernel) {
  require_complete();
  const std::lock_guard lock(mutex_);
  return kernel_of(kernel).kernel().signature;
}

void GraphState::update(const Event& kernel, const std::function<std::size_t(const PackedLaunch&)>& parameter,
                        const KernelArgument& value) {
  require_complete();
  if (value.kind == KernelArgument::Kind::array) value.array->evaluate();
  const std::lock_guard lock(mutex_);
  const std::size_t index = parameter(kernel_of(kernel));
  const auto number = static_cast<std::size_t>(kernel.ticket() - 1);
  Version& version = changeable();
  const std::shared_ptr<GraphNode> former = version.nodes[number];
  GraphNode& node = changeable(version, number);
  std::vector<bool> which(version.nodes.size());
  which[number] = true;
  try {
    static_cast<PackedLaunch&>(*node.operation).replace_argument(index, value, *home_, node.uses);
    if (value.kind == KernelArgument::Kind::array || value.kind == KernelArgument::Kind::buffer)
      version.uses = uses_of(version.nodes);
    changed(version, which);
  } catch (...) {
    version.nodes[number] = former;
    version.uses = uses_of(version.nodes);
    throw;
  }
}

bool GraphState::rebind(Version& version, const Graph::Replacement& replacement, std::vector<bool>& which) {
  const std::shared_ptr<Allocation>& from = replacement.old.allocation();
  const std::shared_ptr<Allocation>& to = replacement.now.allocation();
  const auto shift = static_cast<std::ptrdiff_t>(replacement.now.offset()) -
                     static_cast<std::ptrdiff_t>(replacement.old.offset());
  const UseRecord* const record = &from->uses();
  const auto uses_it = [&](const Use& use) { return use.record == record; };
  const auto change = [&](Use& use) {
    if (!uses_it(use)) return;
    use.record = &to->uses();
    use.range.begin += static_cast<std::size_t>(shift);
    use.range.end += static_cast<std::size_t>(shift);
  };
  for (std::size_t k = 0; k < version.nodes.size(); ++k) {
    const std::vector<Use>& uses = version.nodes[k]->uses;
    if (std::none_of(uses.begin(), uses.end(), uses_it)) continue;
    GraphNode& node = changeable(version, k);
    if (!node.does_nothing()) node.operation->rebind({from, to, shift});
    std::for_each(node.uses.begin(), node.uses.end(), change);
    which[k] = true;
  }
  for (GraphCheck& check : checks_) {
    for (GraphCheck::Written& written : check.written) {
      if (written.memory.lock() != from) continue;
      written.memory = CapturedMemory::owner_of(to);
      written.range.begin += static_cast<std::size_t>(shift);
      written.range.end += static_cast<std::size_t>(shift);
    }
  }
  const bool is_new_record = std::none_of(version.uses.begin(), version.uses.end(),
                                          [&](const Use& use) { return use.record == &to->uses(); });
  if (is_new_record) std::for_each(version.uses.begin(), version.uses.end(), change);
  if (made_.erase(record) != 0) made_.insert(&to->uses());
  // The graph itself owns memory that takes the place of memory of the capture, so that it can tell whether
  // the program still refers to it. The operations own memory that takes the place of the program's.
  if (memory_.erase(record) != 0) memory_.try_emplace(&to->uses(), to);
  if (const auto own = memory_.find(&to->uses()); own != memory_.end() && own->second.owned() == to) {
    for (std::size_t k = 0; k < which.size(); ++k)
      if (which[k]) version.nodes[k]->operation->disown(*to);
  }
  return is_new_record;
}

std::string GraphState::used_memory() const {
  constexpr std::size_t kShown = 8;
  struct Used {
    ByteRange range;
    std::string by;
  };
  std::vector<Used> all;
  std::unordered_map<const UseRecord*, std::size_t> known;  // positions in `all`
  for (const std::shared_ptr<GraphNode>& node : version_->nodes) {
    for (const Use& use : node->uses) {
      const auto [entry, is_new] = known.try_emplace(use.record, all.size());
      if (is_new) all.push_back({use.range, description_of(*node->operation)});
      ByteRange& range = all[entry->second].range;
      range = {std::min(range.begin, use.range.begin), std::max(range.end, use.range.end)};
    }
  }
  std::string text;
  for (std::size_t k = 0; k < std::min(all.size(), kShown); ++k) {
    const auto& [range, by] = all[k];
    const bool is_whole = range.end == std::numeric_limits<std::size_t>::max();
    text += (k == 0 ? "" : ", ") +
            (is_whole ? "a whole array" : std::to_string(range.end - range.begin) + " bytes") +
            " (first in " + by + ")";
  }
  if (all.size() > kShown) text += ", and " + std::to_string(all.size() - kShown) + " more";
  return text.empty() ? "no memory" : text;
}

void GraphState::update(std::span<const Graph::Replacement> replacements, Unused unused) {
  require_complete();
  for (const auto& [old, now] : replacements) {
    if (old.released() || now.released()) refuse("a buffer was released");
    if (now.allocation()->context() != context_)
      refuse("the new memory is on '" + now.device().spec() + "', the graph on '" +
             context_->devices()[device_].spec() + "'");
    if (old.size() != now.size())
      refuse("the new memory has " + std::to_string(now.size()) + " bytes, the old one " +
             std::to_string(old.size()));
    if (old.allocation() != now.allocation() && misalignment_of(old) != misalignment_of(now))
      refuse("the new memory is aligned in another way than the old one; copy it first");
    if (now.access() == Access::read_only && old.access() != Access::read_only)
      refuse("the new memory is read-only");
  }
  const std::lock_guard lock(mutex_);
  for (const auto& [old, now] : replacements) {
    const ByteRange range = range_of(old);
    bool is_used = unused == Unused::allowed || old.size() == 0;
    for (const std::shared_ptr<GraphNode>& node : version_->nodes) {
      for (const Use& use : node->uses) {
        if (use.record != &old.allocation()->uses()) continue;
        is_used = true;
        if (!range.contains(use.range))
          refuse(description_of(*node->operation) +
                 " of the graph uses more of the memory than the array or buffer that is replaced");
      }
    }
    if (!is_used)
      refuse("update: the graph does not use the old memory, which is the first argument (" +
             std::to_string(old.size()) +
             " bytes): it was not captured, or an earlier update replaced it. The graph uses " +
             used_memory());
  }
  Version& version = changeable();
  std::vector<bool> which(version.nodes.size());
  std::vector<Graph::Replacement> rest;
  for (const Graph::Replacement& each : replacements)
    if (each.old.allocation() != each.now.allocation() || each.old.offset() != each.now.offset())
      rest.push_back(each);
  // New memory may itself be replaced elsewhere: that replacement comes first. In an exchange, other memory
  // takes the place of one for a while.
  const auto is_free = [&](const Graph::Replacement& one) {
    return std::none_of(rest.begin(), rest.end(), [&](const Graph::Replacement& other) {
      return &one != &other && &one.now.allocation()->uses() == &other.old.allocation()->uses();
    });
  };
  bool knows_uses = true;
  while (!rest.empty()) {
    const auto next = std::find_if(rest.begin(), rest.end(), is_free);
    if (next != rest.end()) {
      knows_uses &= rebind(version, *next, which);
      rest.erase(next);
      continue;
    }
    // No operation accesses it, so one byte of memory is enough.
    const Buffer old = rest.front().old;
    const Buffer whole(std::make_shared<Allocation>(context_, device_, 1, nullptr),
                       old.offset() + old.size());
    rest.front().old = whole.sub_buffer(old.offset(), old.size());
    knows_uses &= rebind(version, {old, rest.front().old}, which);
  }
  if (!knows_uses) version.uses = uses_of(version.nodes);
  changed(version, which);
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

void Graph::update(const Event& kernel, const std::string& parameter, const KernelArgument& value) const {
  state_->update(
      kernel,
      [&](const detail::PackedLaunch& launch) {
        const Signature& signature = launch.kernel().signature;
        std::string names;
        for (std::size_t k = 0; k < signature.parameters.size(); ++k) {
          if (signature.parameters[k].name == parameter) return k;
          names += (k == 0 ? "" : ", ") + signature.parameters[k].name;
        }
        throw ArgumentError(ArgumentError::Kind::value, "kernel '" + signature.name + "' has no parameter '" +
                                                            parameter + "'; it has " + names);
      },
      value);
}

void Graph::update(const Event& kernel, std::size_t parameter, const KernelArgument& value) const {
  state_->update(
      kernel,
      [&](const detail::PackedLaunch& launch) {
        if (parameter < launch.argument_count()) return parameter;
        throw ArgumentError(ArgumentError::Kind::index,
                            "kernel '" + launch.kernel().signature.name + "' has " +
                                std::to_string(launch.argument_count()) + " parameters, there is no " +
                                std::to_string(parameter));
      },
      value);
}

void Graph::update(const Array& old, const Array& now) const {
  old.evaluate();
  now.evaluate();
  if (old.dtype() != now.dtype() || old.shape() != now.shape() || old.strides() != now.strides() ||
      old.offset() != now.offset() || old.buffer().size() != now.buffer().size())
    throw ArgumentError(ArgumentError::Kind::value,
                        "the new array must have the dtype, shape and layout of the old one; copy it first");
  update(old.buffer(), now.buffer());
}

void Graph::update(const Buffer& old, const Buffer& now) const {
  const Replacement single{old, now};
  update({&single, 1});
}

void Graph::update(std::span<const Replacement> replacements) const {
  state_->update(replacements, detail::GraphState::Unused::refused);
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
