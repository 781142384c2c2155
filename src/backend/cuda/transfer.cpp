// SPDX-License-Identifier: MIT
// The queue's memory operations: fills, copies and rectangle copies.
#include <algorithm>
#include <cstring>

#include "backend/cuda/queue.hpp"
#include "backend/cuda/staging.hpp"
#include "base/pattern.hpp"
#include "quern/error.hpp"

namespace quern::backend::cuda {
namespace {

const CudaMemory& cuda(const Memory& memory) {
  return static_cast<const CudaMemory&>(memory);
}

void check_range(const char* operation, const CudaMemory& memory, std::size_t offset, std::size_t nbytes) {
  if (offset <= memory.size() && nbytes <= memory.size() - offset) [[likely]]
    return;
  throw ArgumentError(ArgumentError::Kind::value,
                      std::string(operation) + ": bytes " + std::to_string(offset) + " to " +
                          std::to_string(offset) + "+" + std::to_string(nbytes) +
                          " are outside of a buffer of " + std::to_string(memory.size()) + " bytes");
}

template <class T>
T value_of(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace

Temporary::Temporary(const StatePtr& state, StreamHandle stream, std::size_t nbytes, GraphMemory* kept)
    : state_(*state), stream_(stream), event_(kept == nullptr ? state->acquire_event(false) : nullptr) {
  state_.drain();
  const Result result = state_.api.cuMemAlloc(&pointer_, nbytes);
  if (result != Result::success) {
    state_.recycle_event(event_, false);
    state_.fail(result, "cuMemAlloc for an overlapping copy", nbytes);
  }
  if (kept != nullptr) kept->device.push_back(std::make_unique<CudaMemory>(state, pointer_, nbytes, true));
}

Temporary::~Temporary() {
  if (event_ == nullptr) return;
  state_.api.cuEventRecord(event_, stream_);
  state_.discard_memory(pointer_, event_);
}

TimingPtr CudaQueue::fill(Memory& memory, std::size_t offset, std::size_t nbytes,
                          std::span<const std::byte> pattern) {
  const CudaMemory& target = cuda(memory);
  check_range("fill", target, offset, nbytes);
  if (pattern.empty() || nbytes % pattern.size() != 0) {
    throw ArgumentError(ArgumentError::Kind::value, "fill: " + std::to_string(nbytes) +
                                                        " bytes are not a multiple of a pattern of " +
                                                        std::to_string(pattern.size()) + " bytes");
  }
  return enqueue([&] {
    if (nbytes != 0) fill_bytes(target.pointer() + offset, nbytes, shortest_period(pattern));
  });
}

void CudaQueue::fill_bytes(DevicePointer to, std::size_t nbytes, std::span<const std::byte> pattern) {
  const Driver& api = state_->api;
  const std::size_t period = pattern.size();
  if (period == 1) {
    state_->check(api.cuMemsetD8Async(to, value_of<unsigned char>(pattern), nbytes, stream_),
                  "cuMemsetD8Async");
  } else if (period == 2 && to % 2 == 0) {
    state_->check(api.cuMemsetD16Async(to, value_of<unsigned short>(pattern), nbytes / 2, stream_),
                  "cuMemsetD16Async");
  } else if (period == 4 && to % 4 == 0) {
    state_->check(api.cuMemsetD32Async(to, value_of<unsigned>(pattern), nbytes / 4, stream_),
                  "cuMemsetD32Async");
  } else {
    // Writes a first block from the host, then copies it with doubling length.
    std::size_t done = 0;
    if (period > Staging::kChunkBytes) {
      state_->staging().upload(to, pattern.data(), period, stream_);
      done = period;
    } else {
      done = std::min(nbytes, std::max(period, (std::size_t{64} << 10) / period * period));
      state_->staging().upload_repeated(to, pattern, done, stream_);
    }
    while (done < nbytes) {
      const std::size_t piece = std::min(done, nbytes - done);
      state_->check(api.cuMemcpyDtoDAsync(to + done, to, piece, stream_), "cuMemcpyDtoDAsync");
      done += piece;
    }
  }
}

TimingPtr CudaQueue::copy(Memory& from, std::size_t from_offset, Memory& to, std::size_t to_offset,
                          std::size_t nbytes) {
  const CudaMemory& source = cuda(from);
  const CudaMemory& target = cuda(to);
  check_range("copy", source, from_offset, nbytes);
  check_range("copy", target, to_offset, nbytes);
  return enqueue([&] { move_bytes(source, from_offset, target, to_offset, nbytes); });
}

// The driver copies between all devices and contexts of this process.
bool CudaQueue::can_copy(const Memory& memory) const noexcept {
  const auto* const other = dynamic_cast<const CudaMemory*>(&memory);
  return other != nullptr && &other->state().api == &state_->api;
}

void CudaQueue::move_bytes(const CudaMemory& from, std::size_t from_offset, const CudaMemory& to,
                           std::size_t to_offset, std::size_t nbytes) {
  const Driver& api = state_->api;
  const DevicePointer source = from.pointer() + from_offset;
  const DevicePointer target = to.pointer() + to_offset;
  if (nbytes == 0 || source == target) return;
  if (from.state().context !=
      to.state().context) {  // directly if the devices are peers, else through the host
    state_->check(
        api.cuMemcpyPeerAsync(target, to.state().context, source, from.state().context, nbytes, stream_),
        "cuMemcpyPeerAsync");
    return;
  }
  const std::size_t distance = static_cast<std::size_t>(source < target ? target - source : source - target);
  if (distance >= nbytes) {
    state_->check(api.cuMemcpyDtoDAsync(target, source, nbytes, stream_), "cuMemcpyDtoDAsync");
    return;
  }
  // The ranges overlap: the result of the driver's copy would be undefined.
  const Temporary temporary(state_, stream_, nbytes, kept_);
  state_->check(api.cuMemcpyDtoDAsync(temporary.pointer(), source, nbytes, stream_), "cuMemcpyDtoDAsync");
  state_->check(api.cuMemcpyDtoDAsync(target, temporary.pointer(), nbytes, stream_), "cuMemcpyDtoDAsync");
}

TimingPtr CudaQueue::write(Memory& to, std::size_t offset, const void* from, std::size_t nbytes) {
  const CudaMemory& target = cuda(to);
  check_range("write", target, offset, nbytes);
  return enqueue([&] {
    if (nbytes == 0) return;
    if (nbytes <= Staging::kThreshold || is_pinned(*state_, from, nbytes)) {
      state_->check(state_->api.cuMemcpyHtoDAsync(target.pointer() + offset, from, nbytes, stream_),
                    "cuMemcpyHtoDAsync");
    } else {
      state_->staging().upload(target.pointer() + offset, from, nbytes, stream_);
    }
  });
}

TimingPtr CudaQueue::read(const Memory& from, std::size_t offset, void* to, std::size_t nbytes) {
  const CudaMemory& source = cuda(from);
  check_range("read", source, offset, nbytes);
  bool done = false;
  const TimingPtr timing = enqueue([&] {
    if (nbytes == 0) return;
    const DevicePointer at = source.pointer() + offset;
    const bool pinned = is_pinned(*state_, to, nbytes);
    // The driver would make the caller wait for all work of the stream.
    if (!pinned && !idle() && state_->staging().download_later(to, at, nbytes, stream_)) return;
    done = !pinned;  // a copy to pageable memory has arrived when the call returns
    if (pinned || nbytes <= Staging::kThreshold) {
      state_->check(state_->api.cuMemcpyDtoHAsync(to, at, nbytes, stream_), "cuMemcpyDtoHAsync");
    } else {
      state_->staging().download(to, at, nbytes, stream_);
    }
  });
  if (done && !timing) progress_->reached(progress_->enqueued.load(std::memory_order_relaxed));
  return timing;
}

}  // namespace quern::backend::cuda
