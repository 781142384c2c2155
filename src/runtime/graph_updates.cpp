// SPDX-License-Identifier: MIT
// Updates of graphs: other arguments of kernels, other memory, and the versions that later launches use.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "quern/error.hpp"
#include "quern/graph.hpp"
#include "quern/graph_memory.hpp"
#include "runtime/allocation.hpp"
#include "runtime/graph_state.hpp"
#include "runtime/launch.hpp"

namespace quern {
namespace detail {
namespace {

[[noreturn]] void refuse(const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::value, text);
}

ByteRange range_of(const Buffer& buffer) {
  return {buffer.offset(), buffer.offset() + buffer.size()};
}

}  // namespace

GraphState::Version& GraphState::changeable() {
  if (version_->is_in_use()) {
    auto copy = std::make_shared<Version>();
    copy->name = version_->name;
    copy->nodes = version_->nodes;
    copy->uses = version_->uses;
    copy->memory = version_->memory;
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
  copy->waits = node->waits;
  copy->host = node->host;
  copy->keep = node->keep;
  node = std::move(copy);
  return *node;
}

bool GraphState::change_dependencies(Version& version) {
  const auto has_lane = [](const std::shared_ptr<GraphNode>& node) { return node->lane != 0; };
  if (std::none_of(version.nodes.begin(), version.nodes.end(), has_lane)) return false;
  bool has_changed = false;
  NodeDependencies dependencies;
  for (std::size_t k = 0; k < version.nodes.size(); ++k) {
    std::vector<std::size_t> after = dependencies.of(*version.nodes[k]);
    dependencies.add(*version.nodes[k], k);
    if (after == version.nodes[k]->after) continue;
    changeable(version, k).after = std::move(after);
    has_changed = true;
  }
  return has_changed;
}

void GraphState::changed(Version& version, const std::vector<bool>& which) {
  if (change_dependencies(version)) version.is_prepared = false;
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

void GraphState::update(const Event& kernel, std::span<const ArgumentUpdate> arguments) {
  require_complete();
  for (const auto& [parameter, value] : arguments)
    if (value.kind == KernelArgument::Kind::array) value.array->evaluate();
  const std::lock_guard lock(mutex_);
  const PackedLaunch& launch = kernel_of(kernel);
  for (const auto& [parameter, value] : arguments)
    if (parameter >= launch.argument_count())
      throw ArgumentError(ArgumentError::Kind::index, "kernel '" + launch.kernel().signature.name + "' has " +
                                                          std::to_string(launch.argument_count()) +
                                                          " parameters, there is no " +
                                                          std::to_string(parameter));
  const auto number = static_cast<std::size_t>(kernel.ticket() - 1);
  Version& version = changeable();
  // Restored if the update throws.
  auto nodes = version.nodes;
  auto uses = version.uses;
  try {
    GraphNode& node = changeable(version, number);
    bool has_memory = false;
    for (const auto& [parameter, value] : arguments) {
      static_cast<PackedLaunch&>(*node.operation).replace_argument(parameter, value, *home_, node.uses);
      has_memory |= value.kind == KernelArgument::Kind::array || value.kind == KernelArgument::Kind::buffer;
    }
    if (has_memory) version.uses = uses_of(version.nodes);
    std::vector<bool> which(version.nodes.size());
    which[number] = true;
    changed(version, which);
  } catch (...) {
    version.nodes.swap(nodes);
    version.uses.swap(uses);
    version.is_prepared = false;
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
    for (MemoryRange& written : check.written) {
      if (written.record != record) continue;
      written.record = &to->uses();
      written.range.begin += static_cast<std::size_t>(shift);
      written.range.end += static_cast<std::size_t>(shift);
    }
  }
  for (Reuse& reuse : reuses_)
    if (reuse.record == record) reuse.record = &to->uses();
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

void GraphState::rebind_all(Version& version, std::span<const Graph::Replacement> replacements,
                            std::vector<bool>& which) {
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
  // Restored if the update throws.
  auto nodes = version.nodes;
  auto uses = version.uses;
  auto made = made_;
  auto memory = memory_;
  auto checks = checks_;
  auto reuses = reuses_;
  try {
    std::vector<bool> which(version.nodes.size());
    rebind_all(version, replacements, which);
    changed(version, which);
    hold_memory(version);
  } catch (...) {
    version.nodes.swap(nodes);
    version.uses.swap(uses);
    made_.swap(made);
    memory_.swap(memory);
    checks_.swap(checks);
    reuses_.swap(reuses);
    version.is_prepared = false;
    throw;
  }
}

}  // namespace detail

void Graph::update(const Event& kernel, const std::string& parameter, const KernelArgument& value) const {
  const Signature signature = state_->signature(kernel);
  std::string names;
  for (std::size_t k = 0; k < signature.parameters.size(); ++k) {
    if (signature.parameters[k].name == parameter) {
      update(kernel, k, value);
      return;
    }
    names += (k == 0 ? "" : ", ") + signature.parameters[k].name;
  }
  throw ArgumentError(ArgumentError::Kind::value, "kernel '" + signature.name + "' has no parameter '" +
                                                      parameter + "'; it has " + names);
}

void Graph::update(const Event& kernel, std::size_t parameter, const KernelArgument& value) const {
  const ArgumentUpdate single{parameter, value};
  state_->update(kernel, {&single, 1});
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

}  // namespace quern
