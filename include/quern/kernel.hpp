// SPDX-License-Identifier: MIT
// Kernels: called with a queue, a range of work-items and arguments, which are checked before the launch.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/buffer.hpp"
#include "quern/event.hpp"
#include "quern/queue.hpp"
#include "quern/signature.hpp"

namespace QUERN_API quern {

namespace detail {
class KernelState;
}

// The number of work-items in one to three dimensions, and their grouping.
struct Range {
  unsigned dims = 1;
  std::array<std::size_t, 3> global = {1, 1, 1};
  std::array<std::size_t, 3> local = {0, 0, 0};  // zeros: chosen by the library
  std::array<std::size_t, 3> offset = {0, 0, 0};
  std::size_t dynamic_local = 0;  // bytes of CUDA C's extern __shared__ memory

  [[nodiscard]] Range with_local(std::size_t x, std::size_t y = 1, std::size_t z = 1) const;
  [[nodiscard]] Range with_offset(std::size_t x, std::size_t y = 0, std::size_t z = 0) const;
};

inline Range range(std::size_t x) {
  return {1, {x, 1, 1}};
}
inline Range range(std::size_t x, std::size_t y) {
  return {2, {x, y, 1}};
}
inline Range range(std::size_t x, std::size_t y, std::size_t z) {
  return {3, {x, y, z}};
}

inline Range Range::with_local(std::size_t x, std::size_t y, std::size_t z) const {
  Range result = *this;
  result.local = {x, y, z};
  return result;
}

inline Range Range::with_offset(std::size_t x, std::size_t y, std::size_t z) const {
  Range result = *this;
  result.offset = {x, y, z};
  return result;
}

// Bytes of local memory for a `local T*` parameter.
struct LocalMemory {
  std::size_t nbytes = 0;
};

// A pointer to memory that the device can address itself, such as shared virtual memory. The launch records
// no use of that memory: the caller keeps it alive and orders it by events.
struct DeviceAddress {
  const void* address = nullptr;
};

// An argument of a launch. It borrows: the object it was made from must outlive the call.
class KernelArgument {
 public:
  enum class Kind : std::uint8_t {
    signed_integer,
    unsigned_integer,
    floating,
    raw,
    buffer,
    array,
    local,
    null_pointer,
    address
  };

  KernelArgument(std::nullptr_t) : kind(Kind::null_pointer) {}
  // Starting at this byte offset.
  KernelArgument(const Buffer& value, std::size_t offset = 0)
      : kind(Kind::buffer), buffer(&value), size(offset) {}
  KernelArgument(const Array& value) : kind(Kind::array), array(&value) {}
  KernelArgument(LocalMemory value) : kind(Kind::local), size(value.nbytes) {}
  KernelArgument(DeviceAddress value) : kind(Kind::address), address(value.address) {}
  template <std::signed_integral T>
  KernelArgument(T value) : kind(Kind::signed_integer), integer(value) {}
  template <std::unsigned_integral T>
  KernelArgument(T value) : kind(Kind::unsigned_integer), unsigned_integer(value) {}
  template <std::floating_point T>
  KernelArgument(T value) : kind(Kind::floating), floating(static_cast<double>(value)) {}
  // Raw bytes: a structure or vector of the parameter's size. If a dtype is given, it is checked.
  KernelArgument(std::span<const std::byte> bytes, const DType* type = nullptr)
      : kind(Kind::raw), raw(bytes.data()), size(bytes.size()), dtype(type) {}
  template <class T>
  requires(std::is_class_v<T>&& std::is_trivially_copyable_v<T> && !std::is_same_v<T, LocalMemory> &&
           !std::is_same_v<T, DeviceAddress> && !std::is_convertible_v<T, std::span<const std::byte>>)
      KernelArgument(const T& value)
      : kind(Kind::raw), raw(reinterpret_cast<const std::byte*>(&value)), size(sizeof(T)) {}

  Kind kind;
  union {
    std::int64_t integer;
    std::uint64_t unsigned_integer;
    double floating;
    const std::byte* raw;
    const Buffer* buffer;
    const Array* array;
    const void* address;
    std::nullptr_t null = nullptr;
  };
  std::size_t size = 0;  // byte offset into the buffer
  const DType* dtype = nullptr;
};

// Immutable and safe to share between threads: arguments are passed with each call.
class Kernel {
 public:
  template <class... Arguments>
  Event operator()(const Queue& queue, const Range& range, const Arguments&... arguments) const {
    const std::array<KernelArgument, sizeof...(Arguments)> list = {KernelArgument(arguments)...};
    return launch(queue, range, list);
  }
  Event launch(const Queue& queue, const Range& range, std::span<const KernelArgument> arguments,
               WaitList wait_for = {}) const;

  // True if a launch on this queue needs no build.
  [[nodiscard]] bool ready(const Queue& queue) const noexcept;
  void prepare(const Queue& queue) const;  // builds now
  // The same if the binary exists, in this process or in the disk cache; false if a compiler would have to
  // run or is running.
  [[nodiscard]] bool prepare_from_cache(const Queue& queue) const;

  [[nodiscard]] const std::string& name() const noexcept;
  // The parameters. For a CUDA template instance or a binary this may build the program.
  [[nodiscard]] Signature signature(const Device& device) const;
  [[nodiscard]] FunctionAttributes attributes(const Device& device) const;  // builds first
  // Number of work-groups of this size that a compute unit runs at the same time; nothing if the device
  // cannot tell.
  [[nodiscard]] std::optional<unsigned> groups_per_compute_unit(const Device& device, std::size_t group_size,
                                                                std::size_t dynamic_local = 0) const;

  // Internal.
  explicit Kernel(std::shared_ptr<detail::KernelState> state) : state_(std::move(state)) {}
  [[nodiscard]] const std::shared_ptr<detail::KernelState>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<detail::KernelState> state_;
};

}  // namespace quern
