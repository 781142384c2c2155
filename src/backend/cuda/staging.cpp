// SPDX-License-Identifier: MIT
// The ring of pinned chunks.
#include "backend/cuda/staging.hpp"

#include <algorithm>
#include <cstring>
#include <deque>

#include "base/long_work.hpp"
#include "base/parallel_copy.hpp"

namespace quern::backend::cuda {

class Staging::Lease {
 public:
  Lease(Staging& staging, std::size_t index) : staging_(&staging), index_(index) {}
  Lease(Lease&& other) noexcept : staging_(std::exchange(other.staging_, nullptr)), index_(other.index_) {}
  Lease& operator=(Lease&&) = delete;
  ~Lease() {
    if (staging_ != nullptr) staging_->release(index_);
  }
  Chunk& operator*() const noexcept { return staging_->chunks_[index_]; }
  Chunk* operator->() const noexcept { return &staging_->chunks_[index_]; }

 private:
  Staging* staging_;
  std::size_t index_;
};

Staging::Staging(DeviceState& state) : state_(state) {
  const Current current(state);
  void* memory = nullptr;
  state.check(state.api.cuMemHostAlloc(&memory, kChunks * kChunkBytes, kHostAllocPortable), "cuMemHostAlloc",
              kChunks * kChunkBytes);
  memory_ = static_cast<std::byte*>(memory);
  try {
    for (std::size_t i = 0; i < kChunks; ++i) {
      chunks_[i].data = memory_ + i * kChunkBytes;
      chunks_[i].event = state.acquire_event(false);
    }
  } catch (...) {
    for (const Chunk& chunk : chunks_) state.recycle_event(chunk.event, false);
    state.discard_pinned(memory_);
    throw;
  }
}

Staging::~Staging() {
  for (const Chunk& chunk : chunks_) state_.recycle_event(chunk.event, false);
  state_.discard_pinned(memory_);
}

// Prefers a chunk whose copy is done; otherwise the one released longest ago, whose copy finish() waits for.
std::optional<std::size_t> Staging::take(bool block) {
  std::unique_lock lock(mutex_);
  for (;;) {
    std::optional<std::size_t> oldest;
    for (std::size_t i = 0; i < kChunks; ++i) {
      Chunk& chunk = chunks_[i];
      if (chunk.held) continue;
      if (chunk.recorded && state_.api.cuEventQuery(chunk.event) != Result::not_ready) chunk.recorded = false;
      if (!chunk.recorded) {
        chunk.held = true;
        return i;
      }
      if (!oldest || chunk.age < chunks_[*oldest].age) oldest = i;
    }
    if (!block) return std::nullopt;
    if (oldest) {
      chunks_[*oldest].held = true;
      return oldest;
    }
    released_.wait(lock);
  }
}

// Waits for the copy that used the chunk last.
void Staging::finish(Chunk& chunk) {
  if (!chunk.recorded) return;
  state_.check(state_.api.cuEventSynchronize(chunk.event), "cuEventSynchronize");
  chunk.recorded = false;
}

void Staging::release(std::size_t index) noexcept {
  {
    const std::lock_guard lock(mutex_);
    chunks_[index].held = false;
    chunks_[index].age = ++clock_;
  }
  released_.notify_one();
}

void Staging::upload(DevicePointer to, const void* from, std::size_t nbytes, StreamHandle stream) {
  const auto* source = static_cast<const std::byte*>(from);
  const auto work = work_of_copy(" to the device", nbytes);
  for (std::size_t done = 0; done < nbytes;) {
    const std::size_t piece = std::min(nbytes - done, kChunkBytes);
    const Lease chunk(*this, *take(true));
    finish(*chunk);
    parallel_copy(chunk->data, source + done, piece);
    state_.check(state_.api.cuMemcpyHtoDAsync(to + done, chunk->data, piece, stream), "cuMemcpyHtoDAsync");
    chunk->recorded = true;
    state_.check(state_.api.cuEventRecord(chunk->event, stream), "cuEventRecord");
    done += piece;
    if (work) work->advance(piece);
  }
}

void Staging::download(void* to, DevicePointer from, std::size_t nbytes, StreamHandle stream) {
  struct InFlight {
    Lease chunk;
    std::size_t offset, size;
  };
  auto* target = static_cast<std::byte*>(to);
  std::deque<InFlight> in_flight;
  const auto work = work_of_copy(" from the device", nbytes);
  const auto land = [&] {  // copies the oldest piece from its chunk to its target
    const InFlight piece = std::move(in_flight.front());
    in_flight.pop_front();
    finish(*piece.chunk);
    parallel_copy(target + piece.offset, piece.chunk->data, piece.size);
    if (work) work->advance(piece.size);
  };
  for (std::size_t done = 0; done < nbytes;) {
    // At most half of the ring, so that two downloads can run side by side.
    const bool may_take = in_flight.size() < kChunks / 2;
    const auto index = may_take ? take(in_flight.empty()) : std::nullopt;
    if (!index) {
      land();
      continue;
    }
    const std::size_t size = std::min(nbytes - done, kChunkBytes);
    Lease chunk(*this, *index);
    finish(*chunk);
    state_.check(state_.api.cuMemcpyDtoHAsync(chunk->data, from + done, size, stream), "cuMemcpyDtoHAsync");
    chunk->recorded = true;
    state_.check(state_.api.cuEventRecord(chunk->event, stream), "cuEventRecord");
    in_flight.push_back({std::move(chunk), done, size});
    done += size;
  }
  while (!in_flight.empty()) land();
}

// A piece to copy from a chunk to its target. The stream runs land(), which must not call the driver.
struct Staging::Landing {
  std::shared_ptr<Lease> chunk;
  std::byte* to;
  std::size_t size;

  static void land(void* data) {
    const std::unique_ptr<Landing> piece(static_cast<Landing*>(data));
    parallel_copy(piece->to, (*piece->chunk)->data, piece->size);
  }
};

// One chunk serves all pieces: the stream refills it only after it has been emptied.
bool Staging::download_later(void* to, DevicePointer from, std::size_t nbytes, StreamHandle stream) {
  const auto index = take(false);
  if (!index) return false;
  const auto chunk = std::make_shared<Lease>(*this, *index);
  finish(**chunk);
  for (std::size_t done = 0; done < nbytes;) {
    const std::size_t size = std::min(nbytes - done, kChunkBytes);
    state_.check(state_.api.cuMemcpyDtoHAsync((*chunk)->data, from + done, size, stream),
                 "cuMemcpyDtoHAsync");
    auto piece = std::make_unique<Landing>(Landing{chunk, static_cast<std::byte*>(to) + done, size});
    state_.check(state_.api.cuLaunchHostFunc(stream, Landing::land, piece.get()), "cuLaunchHostFunc");
    static_cast<void>(piece.release());  // land() owns it now
    done += size;
  }
  return true;
}

void Staging::upload_repeated(DevicePointer to, std::span<const std::byte> pattern, std::size_t nbytes,
                              StreamHandle stream) {
  const Lease chunk(*this, *take(true));
  finish(*chunk);
  for (std::size_t i = 0; i < nbytes; i += pattern.size())
    std::memcpy(chunk->data + i, pattern.data(), pattern.size());
  state_.check(state_.api.cuMemcpyHtoDAsync(to, chunk->data, nbytes, stream), "cuMemcpyHtoDAsync");
  chunk->recorded = true;
  state_.check(state_.api.cuEventRecord(chunk->event, stream), "cuEventRecord");
}

}  // namespace quern::backend::cuda
