// SPDX-License-Identifier: MIT
// Captures: which operations of a thread are recorded, what they depend on, and what is refused.
#include <algorithm>
#include <mutex>
#include <utility>

#include "base/process.hpp"
#include "quern/error.hpp"
#include "quern/graph.hpp"
#include "runtime/allocation.hpp"
#include "runtime/capture_state.hpp"
#include "runtime/context_state.hpp"
#include "runtime/pending.hpp"
#include "runtime/pending_host_writes.hpp"
#include "runtime/user_event_queue.hpp"

namespace quern {
namespace detail {
namespace {

// The open captures of the process. There are few.
struct Captures {
  std::mutex mutex;
  std::vector<std::pair<std::thread::id, CaptureState*>> list;
};

Captures& open_captures() {
  static auto* const all = new Captures;  // never destroyed: threads may outlive static objects
  return *all;
}

std::string text_of_kind(OperationKind kind) {
  switch (kind) {
    case OperationKind::download:
      return "a read of device memory by the host (get(), float(), printing, comparing with a number in "
             "`if`)";
    case OperationKind::map:
    case OperationKind::unmap:
      return "a map";
    case OperationKind::migrate:
      return "a migration";
    default:
      return "a copy between devices";
  }
}

[[noreturn]] void refuse(OperationKind kind) {
  const bool is_read = kind == OperationKind::download;
  throw CaptureError(text_of_kind(kind) +
                     " cannot be captured: a replay would not repeat it. Do it before the capture, or after "
                     "a launch of the graph" +
                     (is_read
                          ? ". For a copy to host memory in each launch use queue.copy(out, x) or "
                            "x.get_async(out), with a contiguous `out`; in C++ read() with an owner of the "
                            "memory"
                          : ""));
}

// Host memory that the graph copies may be the target of a read that has not ended.
void wait_for_reads(const HostUse& host) {
  const auto address = reinterpret_cast<std::uintptr_t>(host.at);
  Dependencies reads;
  PendingHostWrites::instance().collect({address, address + host.nbytes}, true, reads);
  for (const Dependency& read : reads.list()) {
    if (!read.queue->issued(read.ticket))
      throw CaptureError(
          "the host memory of an upload is written by a read that is held back: wait for the read before the "
          "capture");
    read.queue->wait_until(read.ticket, Deadline::max());
  }
}

}  // namespace

void UnlaunchedContents::check() {
  switch (state_.load()) {
    case State::recorded:
      throw CaptureError(
          "the array is computed by a graph that was not launched yet: call launch() of the graph first");
    case State::abandoned:
      throw CaptureError("the array was to be computed by a graph, but its capture failed: it has no value");
    case State::launched:
      break;
  }
}

void UnlaunchedContents::set(State state) noexcept {
  state_.store(state);
  if (state == State::launched) uncount();
}

CaptureState::CaptureState(const std::shared_ptr<QueueState>& queue)
    : graph_(std::make_shared<GraphState>(queue->context(), queue->device())),
      device_(queue->device()),
      lanes_{queue} {
  process::check_not_forked();
  if (of_thread() != nullptr)
    throw CaptureError(
        "this thread captures already: captures cannot be nested; launch a complete graph instead");
  if (const std::string held = queue->held_back(); !held.empty())
    throw CaptureError("the queue cannot be captured while work on it is held back: " + held);
  // Expressions that were recorded before the capture do not belong to it.
  if (PendingWork* const work = pending_work.load()) work->before_capture(*queue->context(), device_);
  recorded_.events = std::make_shared<QueueState>(
      queue->context(), device_, std::make_unique<UserEventQueue>("a captured operation", true),
      QueueOptions{}, nullptr);
  const std::lock_guard lock(open_captures().mutex);
  open_captures().list.emplace_back(thread_, this);
  restrictions.fetch_add(1);
  is_open_ = true;
}

CaptureState::~CaptureState() {
  if (!is_open_) return;
  leave();
  graph_->abandon(std::move(recorded_));
}

void CaptureState::leave() noexcept {
  is_open_ = false;
  const std::lock_guard lock(open_captures().mutex);
  std::erase_if(open_captures().list, [&](const auto& entry) { return entry.second == this; });
  restrictions.fetch_sub(1);
}

CaptureState* CaptureState::of_thread() noexcept {
  if (!has_restrictions()) return nullptr;
  const std::thread::id self = std::this_thread::get_id();
  const std::lock_guard lock(open_captures().mutex);
  for (const auto& [thread, capture] : open_captures().list)
    if (thread == self) return capture;
  return nullptr;
}

CaptureState* CaptureState::current() noexcept {
  CaptureState* const capture = of_thread();
  return capture != nullptr && capture->pauses_ == 0 ? capture : nullptr;
}

bool CaptureState::captures(const QueueState& queue) const noexcept {
  return std::any_of(lanes_.begin(), lanes_.end(), [&](const auto& lane) { return lane.get() == &queue; });
}

void CaptureState::check_independent(std::span<const Use> uses) const {
  for (const Use& use : uses)
    if (recorded_.memory.contains(use.record))
      throw CaptureError(
          "an operation that runs during the capture, such as a random draw, uses an array that the graph "
          "computes; pass arrays from outside of the capture");
}

bool CaptureState::concerns(const QueueState& queue, std::span<const Use> uses, WaitList wait_for) const {
  const auto is_captured = [&](const Event& event) { return event.queue_state() == recorded_.events; };
  return captures(queue) || std::any_of(wait_for.begin(), wait_for.end(), is_captured) ||
         dependencies_.conflicts(uses);
}

void CaptureState::check_read(const QueueState& queue, std::span<const Use> uses) const {
  if (concerns(queue, uses, {})) refuse(OperationKind::download);
}

void CaptureState::check_host_memory(const HostUse& host, bool is_owned) const {
  if (host.writes) {
    // Without an owner the memory may be gone when the graph is launched.
    if (!is_owned) refuse(OperationKind::download);
    return;
  }
  const auto range_of = [](const HostUse& use) {
    const auto address = reinterpret_cast<std::uintptr_t>(use.at);
    return ByteRange{address, address + use.nbytes};
  };
  for (const std::shared_ptr<GraphNode>& node : recorded_.nodes)
    if (node->host.writes && range_of(node->host).overlaps(range_of(host)))
      throw CaptureError(
          "a copy from host memory that an earlier copy of the capture writes cannot be captured: a graph "
          "copies the bytes that the memory has in the capture. Copy from the array on the device instead");
  wait_for_reads(host);
}

void CaptureState::join(QueueState& queue, const Operation& operation) {
  if (captures(queue)) return;
  if (queue.context() != graph_->context() || queue.device() != device_)
    throw CaptureError(description_of(operation) + " on '" + queue.device_handle().spec() +
                       "' depends on captured work on '" + lanes_.front()->device_handle().spec() +
                       "': a graph has operations of one device only");
  lanes_.push_back(queue.shared_from_this());
}

std::optional<Event> CaptureState::take(QueueState& queue, Operation& operation, std::span<const Use> uses,
                                        WaitList wait_for, std::shared_ptr<void> keep, HostUse host) {
  if (!concerns(queue, uses, wait_for)) return std::nullopt;
  join(queue, operation);
  const auto lane = static_cast<std::size_t>(
      std::find_if(lanes_.begin(), lanes_.end(), [&](const auto& each) { return each.get() == &queue; }) -
      lanes_.begin());
  const OperationDetails details = operation.details();
  const bool is_between_devices =
      (details.kind == OperationKind::upload || details.kind == OperationKind::download) && host.nbytes == 0;
  if (details.kind == OperationKind::map || details.kind == OperationKind::unmap ||
      details.kind == OperationKind::migrate || is_between_devices)
    refuse(is_between_devices ? OperationKind::copy : details.kind);
  if (host.nbytes != 0) check_host_memory(host, keep != nullptr);
  // Outside of the capture, since it may enqueue expressions that other threads made.
  for (const Use& use : uses)
    if (use.writes() && use.record->laziness().is_read.load(std::memory_order_relaxed))
      pending_work.load()->before_write(*use.record);

  auto node = std::make_shared<GraphNode>();
  node->lane = lane;
  for (const Event& event : wait_for) {
    const auto& other = event.queue_state();
    if (!other) continue;
    if (other != recorded_.events) {
      const auto* const user = dynamic_cast<const UserEventQueue*>(&other->native());
      throw CaptureError(description_of(operation) + " waits for " +
                         (user != nullptr ? user->name() : "an event from outside of the capture") +
                         ": a replay would not wait for it again. Pass it to the launch of the graph");
    }
    const auto number = static_cast<std::size_t>(event.ticket() - 1);
    if (recorded_.nodes[number]->lane != lane) node->waits.push_back(number);
  }
  node->uses.assign(uses.begin(), uses.end());
  node->after = dependencies_.of(*node);
  node->operation = operation.detach();
  if (host.writes) {
    node->keep = std::move(keep);
    node->host = host;
  } else if (host.nbytes != 0) {
    node->operation->keep_host_memory();
    node->host.nbytes = host.nbytes;
  }
  for (const Use& use : uses)
    if (const auto made = recorded_.memory.find(use.record); made != recorded_.memory.end())
      node->operation->disown(*made->second.owned());
  dependencies_.add(*node, recorded_.nodes.size());
  recorded_.nodes.push_back(std::move(node));
  return Event(recorded_.events, recorded_.nodes.size());
}

std::shared_ptr<Allocation> CaptureState::allocate(const std::shared_ptr<ContextState>& context,
                                                   std::size_t device, std::size_t nbytes,
                                                   const QueueState* queue) {
  const bool is_ours = context == graph_->context() && device == device_;
  // Independent work on another queue would depend on the operations that used the memory.
  if (is_ours && (queue == nullptr || captures(*queue))) {
    for (auto& [record, known] : recorded_.memory) {
      Allocation& memory = *known.owned();
      if (known.is_lent() || sizes_[&memory] != nbytes) continue;
      memory.uses().forget_contents();
      add_reuse({record, size()});
      return known.lend();
    }
  }
  auto made = std::make_shared<Allocation>(context, device, nbytes, queue);
  if (!is_ours) return made;
  sizes_[made.get()] = nbytes;
  return recorded_.memory.try_emplace(&made->uses(), made).first->second.lend();
}

void CaptureState::check_host_access(const Allocation& memory) const {
  if (memory.context() != graph_->context() || memory.device() != device_) return;
  throw CaptureError(
      "the host cannot access memory of the device while a capture records: the value would not be read "
      "again "
      "in a replay. Read it before the capture, or after a launch of the graph");
}

bool CaptureState::is_of_another_thread(const void* node) {
  const std::lock_guard lock(open_captures().mutex);
  return std::any_of(open_captures().list.begin(), open_captures().list.end(), [&](const auto& open) {
    return open.first != std::this_thread::get_id() && open.second->known_.contains(node);
  });
}

void CaptureState::note_expression(const std::shared_ptr<void>& node) {
  const std::lock_guard lock(open_captures().mutex);
  known_.insert(node.get());
  expressions_.push_back(node);
}

void CaptureState::end() {
  if (!is_open_) throw CaptureError("the capture has ended already");
  if (thread_ != std::this_thread::get_id()) throw CaptureError("a capture ends on the thread that began it");
  // The newest first: once it is in memory, the expressions that only it used are gone.
  for (std::size_t i = expressions_.size(); i-- > 0;)
    if (const std::shared_ptr<void> node = expressions_[i].lock()) pending_work.load()->evaluate_noted(node);
  leave();
  graph_->complete(std::move(recorded_), lanes_.front());
}

}  // namespace detail

Capture::Capture(const Queue& queue)
    : queue_(queue),
      graph_(nullptr),
      state_(std::make_unique<detail::CaptureState>(queue.state())),
      scope_(queue_) {
  graph_ = Graph(state_->graph());
}

Capture::~Capture() = default;

const Graph& Capture::end() {
  state_->end();
  return graph_;
}

CapturePause::CapturePause() : capture_(detail::CaptureState::of_thread()) {
  if (capture_ != nullptr) capture_->pause();
}

CapturePause::~CapturePause() {
  if (capture_ != nullptr) capture_->resume();
}

bool is_captured_memory(const Buffer& buffer) noexcept {
  const detail::CaptureState* const capture = detail::CaptureState::current();
  return capture != nullptr && !buffer.released() && capture->has_memory(buffer.allocation()->uses());
}

void check_read_outside_capture(const Queue& queue, const Buffer& memory) {
  const detail::CaptureState* const capture = detail::CaptureState::current();
  if (capture == nullptr || memory.released()) return;
  const detail::Use use{
      &memory.allocation()->uses(), {memory.offset(), memory.offset() + memory.size()}, detail::Usage::reads};
  capture->check_read(*queue.state(), {&use, 1});
}

bool is_capturing() noexcept {
  return detail::CaptureState::current() != nullptr;
}

bool is_captured(const Event& event) noexcept {
  return event.queue_state() != nullptr && event.queue_state()->is_of_capture();
}

}  // namespace quern
