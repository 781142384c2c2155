// SPDX-License-Identifier: MIT
// Maps of buffers, in place or through page-locked memory, and migrations.
#include "quern/map.hpp"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "backend/mapping.hpp"
#include "base/environment.hpp"
#include "base/process.hpp"
#include "quern/graph.hpp"
#include "quern/sharing.hpp"
#include "runtime/context_state.hpp"
#include "runtime/memory_operation.hpp"
#include "runtime/open_maps.hpp"
#include "runtime/queue_state.hpp"
#include "runtime/staging_pool.hpp"

namespace quern {
namespace detail {
namespace {

backend::TimingPtr do_nothing(backend::Queue& /*queue*/) {
  return {};
}

// QUERN_MAP_COPIES=1 maps by copies on every device, as on a GPU, so that tests run this way everywhere.
bool maps_by_copies() {
  static const bool copies = environment_integer("QUERN_MAP_COPIES", 0, 1).value_or(0) == 1;
  return copies;
}

}  // namespace

class MapState {
 public:
  MapState(const Queue& queue, const Buffer& buffer, MapAccess access, std::string origin)
      : queue_(queue), buffer_(buffer), access_(access), origin_(std::move(origin)) {}
  MapState(const MapState&) = delete;
  MapState& operator=(const MapState&) = delete;
  ~MapState() {
    if (!is_open_) return;
    if (process::must_not_touch_drivers()) {
      close();
      return;
    }
    try {
      unmap({}, true);
    } catch (...) {
      close();  // the failure belongs to the map's operation, or the device is lost
    }
  }

  void map(WaitList wait_for) {
    Allocation& allocation = own(buffer_, *queue_.state(), "the buffer to map");
    if (writes()) {
      check_writable(buffer_, "the buffer to map for writing");
      loan_ = lend(buffer_);  // lazy expressions that read the memory are enqueued now
    }
    const Use use = use_of(buffer_, usage());
    id_ = OpenMaps::instance().open(*use.record, use.range, writes(), origin_);
    is_open_ = true;
    const OpenMaps::Own own_map(id_);
    try {
      event_ = enqueue_map(allocation, use, wait_for);
    } catch (...) {
      close();
      throw;
    }
  }

  Event unmap(WaitList wait_for, bool writes_back) {
    const std::lock_guard lock(mutex_);
    if (!is_open_) throw MapError("the map that was opened at " + origin_ + " is unmapped already");
    if (event_.status() == EventStatus::failed) {
      close();
      std::rethrow_exception(event_.error());
    }
    // If the map fails later, so does this operation, which then writes nothing.
    std::vector<Event> events(wait_for.begin(), wait_for.end());
    events.push_back(event_);
    const OpenMaps::Own own_map(id_);
    Event event = enqueue_unmap(events, writes_back && writes());
    close();
    return event;
  }

  void* data() {
    if (!is_open_) throw MapError("the map that was opened at " + origin_ + " is unmapped: map it again");
    if (!is_ready_) {
      if (!event_.done())
        throw MapError("the map that was opened at " + origin_ + " is not done yet: wait for its event");
      event_.wait();  // throws its error
      is_ready_ = true;
    }
    return address();
  }

  [[nodiscard]] const Event& event() const noexcept { return event_; }
  [[nodiscard]] const Buffer& buffer() const noexcept { return buffer_; }
  [[nodiscard]] MapAccess access() const noexcept { return access_; }
  [[nodiscard]] const std::string& origin() const noexcept { return origin_; }
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }
  [[nodiscard]] bool is_in_place() const noexcept { return !staging_; }
  [[nodiscard]] std::shared_ptr<void> keep() const {
    if (staging_) return staging_;
    return buffer_.allocation();
  }

 private:
  // A range that the native queue has mapped. It refers to the memory of `owner`.
  struct InPlace {
    std::shared_ptr<Allocation> owner;
    std::unique_ptr<backend::MappedRange> range;  // null until the map is issued
  };

  [[nodiscard]] bool writes() const noexcept { return access_ != MapAccess::read; }
  [[nodiscard]] bool reads() const noexcept { return access_ != MapAccess::discard; }
  [[nodiscard]] Usage usage() const noexcept {
    if (!writes()) return Usage::reads;
    return reads() ? Usage::writes : Usage::overwrites;
  }
  [[nodiscard]] void* address() const noexcept {
    if (staging_) return staging_->data();
    return in_place_ ? in_place_->range->data() : buffer_.host_pointer();
  }

  Event enqueue_map(Allocation& allocation, const Use& use, WaitList wait_for) {
    QueueState& state = *queue_.state();
    const std::size_t offset = buffer_.offset(), nbytes = buffer_.size();
    const bool copies = maps_by_copies();
    if (auto* const native = dynamic_cast<backend::MappingQueue*>(&state.native());
        nbytes != 0 && !copies && native != nullptr && native->maps_in_place(allocation.memory())) {
      in_place_ = std::make_shared<InPlace>(InPlace{buffer_.allocation(), nullptr});
      const backend::HostAccess access{reads(), writes()};
      // The host reads what it maps, as far as deferred errors are concerned.
      return submit(state, {OperationKind::map, 0},
                    [mapped = in_place_, offset, nbytes, access](backend::Queue& q) {
                      return dynamic_cast<backend::MappingQueue&>(q).map(mapped->owner->memory(), offset,
                                                                         nbytes, access, mapped->range);
                    },
                    {&use, 1}, wait_for, {}, nullptr, {in_place_.get(), reads() ? 1U : 0U, true});
    }
    if (nbytes == 0 || (!copies && buffer_.host_pointer())) {
      return submit(state, {OperationKind::map, 0}, do_nothing, {&use, 1}, wait_for, {buffer_.allocation()},
                    nullptr, {buffer_.host_pointer(), reads() ? nbytes : 0, true});
    }
    if (reads()) check_read_outside_capture(queue_, buffer_);
    staging_ = take_staging(state.context(), nbytes);
    if (!reads())
      return submit(state, {OperationKind::map, 0}, do_nothing, {&use, 1}, wait_for, {buffer_.allocation()});
    backend::Memory& memory = allocation.memory();
    return submit(state, {OperationKind::download, nbytes},
                  [&memory, offset, to = staging_->data(), nbytes](backend::Queue& q) {
                    return q.read(memory, offset, to, nbytes);
                  },
                  {&use, 1}, wait_for, {buffer_.allocation(), staging_}, staging_,
                  {staging_->data(), nbytes, true});
  }

  Event enqueue_unmap(WaitList events, bool writes_back) {
    QueueState& state = *queue_.state();
    // What the host wrote in place stays, whether it is wanted or not.
    const Use use = use_of(buffer_, writes_back || !staging_ ? usage() : Usage::reads);
    if (in_place_) {
      return submit(state, {OperationKind::unmap, 0},
                    [mapped = in_place_](backend::Queue& q) {
                      return mapped->range ? dynamic_cast<backend::MappingQueue&>(q).unmap(*mapped->range)
                                           : backend::TimingPtr();
                    },
                    {&use, 1}, events, {});
    }
    if (!staging_ || !writes_back)
      return submit(state, {OperationKind::unmap, 0}, do_nothing, {&use, 1}, events, {buffer_.allocation()});
    backend::Memory& memory = buffer_.allocation()->memory();
    return submit(state, {OperationKind::upload, buffer_.size()},
                  [&memory, offset = buffer_.offset(), from = staging_->data(), nbytes = buffer_.size()](
                      backend::Queue& q) { return q.write(memory, offset, from, nbytes); },
                  {&use, 1}, events, {buffer_.allocation(), staging_}, staging_,
                  {staging_->data(), buffer_.size(), false});
  }

  void close() noexcept {
    OpenMaps::instance().close(id_);
    is_open_ = false;
    loan_.keep.reset();
  }

  Queue queue_;
  Buffer buffer_;
  MapAccess access_;
  std::string origin_;
  Loan loan_;  // of a map that writes
  Event event_;
  std::uint64_t id_ = 0;
  std::shared_ptr<InPlace> in_place_;
  std::shared_ptr<backend::PinnedMemory> staging_;
  std::mutex mutex_;  // guards closing
  std::atomic<bool> is_open_{false}, is_ready_{false};
};

}  // namespace detail

namespace {

detail::MapState& of(const std::shared_ptr<detail::MapState>& state) {
  if (!state) throw MapError("this map has no memory");
  return *state;
}

std::string text_of(const SourceLine& at) {
  return std::string(at.file) + ":" + std::to_string(at.line);
}

}  // namespace

const Event& MemoryMap::event() const {
  return of(state_).event();
}
void* MemoryMap::data() const {
  return of(state_).data();
}
std::size_t MemoryMap::size() const noexcept {
  return state_ ? state_->buffer().size() : 0;
}
MapAccess MemoryMap::access() const noexcept {
  return state_ ? state_->access() : MapAccess::read;
}
bool MemoryMap::is_open() const noexcept {
  return state_ && state_->is_open();
}
bool MemoryMap::is_in_place() const noexcept {
  return state_ && state_->is_in_place();
}
const std::string& MemoryMap::origin() const noexcept {
  static const std::string none;
  return state_ ? state_->origin() : none;
}
Event MemoryMap::unmap(WaitList wait_for) const {
  return of(state_).unmap(wait_for, true);
}
void MemoryMap::abandon() const noexcept {
  if (!is_open()) return;
  try {
    state_->unmap({}, false);
  } catch (...) {  // it failed or is closed, which is what the caller wants
  }
}
std::shared_ptr<void> MemoryMap::keep() const {
  return of(state_).keep();
}

MemoryMap map_buffer(const Queue& queue, const Buffer& buffer, MapAccess access, WaitList wait_for,
                     std::string origin) {
  auto state = std::make_shared<detail::MapState>(queue, buffer, access, std::move(origin));
  state->map(wait_for);
  return MemoryMap(std::move(state));
}

MemoryMap map_buffer(const Queue& queue, const Buffer& buffer, MapAccess access, WaitList wait_for,
                     SourceLine at) {
  return map_buffer(queue, buffer, access, wait_for, text_of(at));
}

ArrayMap map_array(const Queue& queue, const Array& array, MapAccess access, WaitList wait_for,
                   SourceLine at) {
  return map_array(queue, array, access, wait_for, text_of(at));
}

ArrayMap map_array(const Queue& queue, const Array& array, MapAccess access, WaitList wait_for,
                   std::string origin) {
  const ArrayMemory& memory = array.evaluate();
  std::size_t before = 0, after = 0;  // bytes in front of the first element, and from it to the end
  if (array.size() != 0) after = array.dtype().itemsize;
  for (std::size_t d = 0; array.size() != 0 && d < array.shape().size(); ++d) {
    const std::int64_t reach = memory.strides[d] * (array.shape()[d] - 1);
    (reach < 0 ? before : after) += static_cast<std::size_t>(reach < 0 ? -reach : reach);
  }
  // The bytes between the elements of a strided array keep their contents.
  if (!memory.contiguous && access == MapAccess::discard) access = MapAccess::read_write;
  const Buffer range = memory.buffer.sub_buffer(memory.offset - before, before + after);
  return {map_buffer(queue, range, access, wait_for, std::move(origin)), before};
}

Event migrate(const Queue& queue, std::span<const Buffer> buffers, MigrateTo to, WaitList wait_for) {
  detail::QueueState& state = *queue.state();
  std::vector<detail::Use> uses;
  std::vector<std::shared_ptr<void>> owners;
  std::vector<backend::Memory*> memory;
  for (const Buffer& buffer : buffers) {
    memory.push_back(&detail::own(buffer, state, "a buffer to migrate").memory());
    uses.push_back(detail::use_of(buffer, detail::Usage::reads));
    owners.push_back(buffer.allocation());
  }
  const bool to_host = to == MigrateTo::host;
  return detail::submit(
      state, {detail::OperationKind::migrate},
      [memory, to_host](backend::Queue& q) {
        auto* const native = dynamic_cast<backend::MappingQueue*>(&q);
        return native != nullptr && !memory.empty() ? native->migrate(memory, to_host) : backend::TimingPtr();
      },
      uses, wait_for, std::move(owners));
}

}  // namespace quern
