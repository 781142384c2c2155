// SPDX-License-Identifier: MIT
// Copies of large pageable host memory through a ring of pinned chunks, so that host copy and DMA overlap.
#pragma once

#include <array>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>

#include "backend/cuda/state.hpp"

namespace quern::backend::cuda {

// One ring per device, shared by all its queues and threads. A thread never waits for a chunk while it holds
// one, so threads cannot deadlock.
class Staging {
 public:
  static constexpr std::size_t kChunks = 8;
  static constexpr std::size_t kChunkBytes = std::size_t{4} << 20;
  // Below this size the driver's own staging is as fast.
  static constexpr std::size_t kThreshold = std::size_t{64} << 10;

  explicit Staging(DeviceState& state);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // Returns when the last piece has been handed to the stream; the source may then be changed.
  void upload(DevicePointer to, const void* from, std::size_t nbytes, StreamHandle stream);
  // Returns when the bytes have arrived, in the order of the stream.
  void download(void* to, DevicePointer from, std::size_t nbytes, StreamHandle stream);
  // Returns at once; the bytes arrive in the order of the stream. Returns false and does nothing if no chunk
  // is free.
  bool download_later(void* to, DevicePointer from, std::size_t nbytes, StreamHandle stream);
  // Writes at most one chunk of bytes, without waiting for the device if a chunk is free.
  void upload_repeated(DevicePointer to, std::span<const std::byte> pattern, std::size_t nbytes,
                       StreamHandle stream);

 private:
  struct Chunk {
    std::byte* data = nullptr;
    EventHandle event = nullptr;
    bool held = false;      // held by a thread
    bool recorded = false;  // event marks a copy that may still run
    std::uint64_t age = 0;  // counts releases; the lowest was released longest ago
  };
  // Returns the chunk at the end of the scope, also after an exception.
  class Lease;
  struct Landing;

  std::optional<std::size_t> take(bool block);
  void finish(Chunk& chunk);
  void release(std::size_t index) noexcept;

  DeviceState& state_;
  std::byte* memory_ = nullptr;
  std::array<Chunk, kChunks> chunks_{};
  std::mutex mutex_;
  std::condition_variable released_;
  std::uint64_t clock_ = 0;
};

}  // namespace quern::backend::cuda
