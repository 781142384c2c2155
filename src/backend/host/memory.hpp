// SPDX-License-Identifier: MIT
// Host memory as device memory: aligned, on huge pages if large, and never more than the machine has.
#pragma once

#include <cstddef>

#include "backend/backend.hpp"

namespace quern::backend::host {

// An owned block. A request is refused with OutOfDeviceMemory, rather than granted now and answered by the
// kernel's out-of-memory killer later, when it is larger than
//  - the memory available at this moment (/proc/meminfo's MemAvailable, or what the control group leaves), or
//  - the machine's memory less all blocks that live already, whether they have been touched or not.
// Only requests of 16 MiB and more are looked at, so that small ones cost nothing.
class Block {
 public:
  static constexpr std::size_t kAlignment = 128;
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;  // and what "large" means

  explicit Block(std::size_t nbytes);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t mapped_ = 0;  // bytes; 0 if it is on the heap
};

class OwnedMemory final : public Memory {
 public:
  explicit OwnedMemory(std::size_t nbytes) : block_(nbytes) {}
  [[nodiscard]] std::size_t size() const noexcept override { return block_.size(); }
  [[nodiscard]] std::uintptr_t native_handle() const noexcept override {
    return reinterpret_cast<std::uintptr_t>(block_.data());
  }
  [[nodiscard]] void* host_pointer() const noexcept override { return block_.data(); }

 private:
  Block block_;
};

class BorrowedMemory final : public Memory {
 public:
  BorrowedMemory(void* data, std::size_t nbytes) : data_(data), size_(nbytes) {}
  [[nodiscard]] std::size_t size() const noexcept override { return size_; }
  [[nodiscard]] std::uintptr_t native_handle() const noexcept override {
    return reinterpret_cast<std::uintptr_t>(data_);
  }
  [[nodiscard]] void* host_pointer() const noexcept override { return data_; }

 private:
  void* data_;
  std::size_t size_;
};

// All host memory copies at full speed here.
class HostPinnedMemory final : public PinnedMemory {
 public:
  explicit HostPinnedMemory(std::size_t nbytes) : block_(nbytes) {}
  [[nodiscard]] void* data() const noexcept override { return block_.data(); }
  [[nodiscard]] std::size_t size() const noexcept override { return block_.size(); }

 private:
  Block block_;
};

}  // namespace quern::backend::host
