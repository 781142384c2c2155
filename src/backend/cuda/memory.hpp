// SPDX-License-Identifier: MIT
// Device memory and pinned host memory of CUDA.
#pragma once

#include "backend/backend.hpp"
#include "backend/cuda/state.hpp"

namespace quern::backend::cuda {

class CudaMemory final : public Memory {
 public:
  // An owned allocation is freed with the object; a borrowed one is not.
  CudaMemory(StatePtr state, DevicePointer pointer, std::size_t size, bool owned)
      : state_(std::move(state)), pointer_(pointer), size_(size), owned_(owned) {}
  ~CudaMemory() override {
    if (owned_ && pointer_ != 0) state_->discard_memory(pointer_);
  }
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  [[nodiscard]] std::size_t size() const noexcept override { return size_; }
  [[nodiscard]] std::uintptr_t native_handle() const noexcept override {
    return static_cast<std::uintptr_t>(pointer_);
  }
  [[nodiscard]] void* host_pointer() const noexcept override {
    return is_managed_ ? reinterpret_cast<void*>(pointer_) : nullptr;
  }
  void set_managed() noexcept { is_managed_ = true; }  // the host may access it, too

  [[nodiscard]] DevicePointer pointer() const noexcept { return pointer_; }
  [[nodiscard]] const DeviceState& state() const noexcept { return *state_; }

 private:
  StatePtr state_;
  DevicePointer pointer_;
  std::size_t size_;
  bool owned_;
  bool is_managed_ = false;
};

class CudaPinnedMemory final : public PinnedMemory {
 public:
  CudaPinnedMemory(StatePtr state, void* data, std::size_t size)
      : state_(std::move(state)), data_(data), size_(size) {}
  ~CudaPinnedMemory() override {
    if (data_ != nullptr) state_->discard_pinned(data_);
  }
  CudaPinnedMemory(const CudaPinnedMemory&) = delete;
  CudaPinnedMemory& operator=(const CudaPinnedMemory&) = delete;

  [[nodiscard]] void* data() const noexcept override { return data_; }
  [[nodiscard]] std::size_t size() const noexcept override { return size_; }

 private:
  StatePtr state_;
  void* data_;
  std::size_t size_;
};

std::unique_ptr<CudaMemory> allocate_memory(const StatePtr& state, std::size_t nbytes);
// At most what is free on the device, although the driver would give more and move it back and forth.
std::unique_ptr<CudaMemory> allocate_managed_memory(const StatePtr& state, std::size_t nbytes);
std::unique_ptr<CudaPinnedMemory> allocate_pinned_memory(const StatePtr& state, std::size_t nbytes);

// Whether the driver copies to and from all of this host memory without staging.
bool is_pinned(const DeviceState& state, const void* host, std::size_t nbytes);

}  // namespace quern::backend::cuda
