// SPDX-License-Identifier: MIT
// Exchange of arrays with other libraries without a copy, by the DLPack standard (versions 0.x and 1.x). The
// standard's structures are declared here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/queue.hpp"

namespace quern {
namespace QUERN_API dlpack {

// Names and layout are the standard's, in our naming style.
enum class DeviceType : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, opencl = 4, cuda_managed = 13 };

struct DeviceId {
  DeviceType type = DeviceType::cpu;
  std::int32_t id = 0;
  friend bool operator==(const DeviceId&, const DeviceId&) = default;
};

enum class TypeCode : std::uint8_t {
  integer = 0,
  unsigned_integer = 1,
  floating = 2,
  brain_floating = 4,  // bfloat16
  complex = 5,
  boolean = 6
};

struct ElementType {
  TypeCode code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct Tensor {
  void* data;  // an address, or a cl_mem
  DeviceId device;
  std::int32_t ndim;
  ElementType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null for C-contiguous
  std::uint64_t byte_offset;
};

// Version 0.x.
struct ManagedTensor {
  Tensor tensor;
  void* manager;
  void (*deleter)(ManagedTensor* self);
};

struct Version {
  std::uint32_t major, minor;
};
inline constexpr Version kVersion{1, 1};

// Version 1.x.
struct VersionedTensor {
  Version version;
  void* manager;
  void (*deleter)(VersionedTensor* self);
  std::uint64_t flags;
  Tensor tensor;
};
inline constexpr std::uint64_t kReadOnly = 1, kIsCopied = 2;

// DLPack's device of an array, and our device of a DLPack device. Throws ArgumentError for an unsupported
// device type, DeviceNotFound for an unknown device number.
DeviceId device_id_of(const Device& device);
Device device_of(const DeviceId& device_id);

// Exports the array. The consumer calls the deleter when it is done, on any thread and at any time. The
// memory stays alive until then. Export does not wait for enqueued work (order_after_uses() and
// Buffer::wait_until() do that). Throws ArgumentError for dtypes that the standard lacks.
VersionedTensor* to_versioned(const Array& array, std::uint64_t flags = 0);
ManagedTensor* to_unversioned(const Array& array);

// Imports an array of another library, sharing its memory; `owner` keeps it alive. The memory is on the
// queue's device, and the work that fills it is complete or on that queue. Throws ArgumentError if the device
// or the dtype is not supported.
Array from_tensor(const Tensor& tensor, std::shared_ptr<void> owner, const Queue& queue,
                  bool is_read_only = false);
// The same; calls the deleter at the end, on any thread, also when it throws.
Array from_versioned(VersionedTensor* tensor, const Queue& queue);
Array from_unversioned(ManagedTensor* tensor, const Queue& queue);

}  // namespace dlpack
}  // namespace quern
