// SPDX-License-Identifier: MIT
// Copies between Python objects: buffers, arrays, NumPy arrays and other host memory.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "binding.hpp"
#include "numpy.hpp"

namespace quern::python {

// One side of a copy.
class Side {
 public:
  Side(nb::handle object, bool writable, const char* role);
  [[nodiscard]] bool on_device() const noexcept { return !host_.has_value(); }
  [[nodiscard]] std::size_t size() const noexcept { return host_ ? host_->size() : buffer_.size(); }
  [[nodiscard]] const Buffer& buffer() const noexcept { return buffer_; }
  [[nodiscard]] HostMemory& host() noexcept { return *host_; }
  // The element type, if the object has one.
  [[nodiscard]] const std::optional<DType>& dtype() const noexcept { return dtype_; }

 private:
  Buffer buffer_;
  std::optional<HostMemory> host_;
  std::optional<DType> dtype_;
};

// Enqueues the copy. The sizes must be equal, and so must the element types if both sides have one.
Event enqueue_copy(const Queue& queue, nb::handle to, nb::handle from, nb::handle wait_for);

// The rectangle of one side in bytes: origin (bytes, rows, slices), row and slice pitch.
struct Rectangle {
  nb::handle origin, pitches;
};
Event enqueue_copy_rect(nb::handle queue, nb::handle to, nb::handle from, nb::handle region,
                        const Rectangle& to_rectangle, const Rectangle& from_rectangle, nb::handle wait_for);

}  // namespace quern::python
