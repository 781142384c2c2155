// SPDX-License-Identifier: MIT
// Exchanges arrays with other libraries by the DLPack standard.
#include "quern/dlpack.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "quern/device.hpp"
#include "quern/error.hpp"
#include "quern/sharing.hpp"

namespace quern::dlpack {
namespace {

[[noreturn]] void reject(ArgumentError::Kind kind, const std::string& text) {
  throw ArgumentError(kind, "DLPack: " + text);
}

ElementType element_type(const DType& dtype) {
  const auto type = [&](TypeCode code) {
    const std::size_t bits = 8 * DType::of(dtype.scalar).itemsize;
    return ElementType{code, static_cast<std::uint8_t>(bits), dtype.lanes};
  };
  // A vector of three lanes takes the space of four. DLPack has no way to express that.
  if (dtype.lanes == 3) reject(ArgumentError::Kind::type, "no data type for elements of " + dtype.name());
  switch (dtype.scalar) {
    case Scalar::boolean:
      return type(TypeCode::boolean);
    case Scalar::int8:
    case Scalar::int16:
    case Scalar::int32:
    case Scalar::int64:
      return type(TypeCode::integer);
    case Scalar::uint8:
    case Scalar::uint16:
    case Scalar::uint32:
    case Scalar::uint64:
      return type(TypeCode::unsigned_integer);
    case Scalar::float16:
    case Scalar::float32:
    case Scalar::float64:
      return type(TypeCode::floating);
    case Scalar::bfloat16:
      return type(TypeCode::brain_floating);
    case Scalar::complex64:
    case Scalar::complex128:
      return type(TypeCode::complex);
    case Scalar::structure:
    case Scalar::unknown:
      break;
  }
  reject(ArgumentError::Kind::type, "no data type for elements of " + dtype.name());
}

DType dtype_of(const ElementType& type) {
  constexpr Scalar kAll[] = {Scalar::boolean, Scalar::int8,      Scalar::int16,     Scalar::int32,
                             Scalar::int64,   Scalar::uint8,     Scalar::uint16,    Scalar::uint32,
                             Scalar::uint64,  Scalar::float16,   Scalar::bfloat16,  Scalar::float32,
                             Scalar::float64, Scalar::complex64, Scalar::complex128};
  const bool has_lanes =
      type.lanes == 1 || type.lanes == 2 || type.lanes == 4 || type.lanes == 8 || type.lanes == 16;
  for (const Scalar scalar : kAll) {
    const ElementType known = element_type(DType::of(scalar));
    if (has_lanes && known.code == type.code && known.bits == type.bits) return DType::of(scalar, type.lanes);
  }
  const auto code = static_cast<std::uint8_t>(type.code);
  reject(ArgumentError::Kind::type, "cannot import elements of type code " + std::to_string(code) + ", " +
                                        std::to_string(type.bits) + " bits and " +
                                        std::to_string(type.lanes) + " lanes");
}

// The data of an exported tensor.
struct Exported {
  Array array;
  Loan loan;
  Shape shape;
  Strides strides;
};

// Operations that other libraries enqueue on the memory are not recorded. On CUDA an event in the default
// stream comes after all of them, except those on streams that do not synchronise with it.
void note_use_by_others(const Exported& exported) noexcept {
  constexpr std::uintptr_t kDefaultStream = 1;
  try {
    const Buffer& buffer = exported.array.buffer();
    if (buffer.device().backend() != "cuda" || buffer.empty()) return;
    const Device device = buffer.device();
    note_filled(Queue::wrap(buffer.context(), device, kDefaultStream), buffer);
  } catch (const std::exception&) {
    return;  // the process or the device ends, so the memory is not used again
  }
}

template <class Managed>
void delete_exported(Managed* self) {
  if (self == nullptr) return;
  auto* const exported = static_cast<Exported*>(self->manager);
  note_use_by_others(*exported);
  delete exported;
  delete self;
}

template <class Managed>
Managed* to_managed(const Array& array) {
  const ElementType type = element_type(array.dtype());
  const ArrayMemory& memory = array.evaluate();
  const Buffer& buffer = memory.buffer;
  const bool is_handle = array.device().properties().dialect == Dialect::opencl_c;
  auto exported = std::make_unique<Exported>(Exported{array, lend(buffer), array.shape(), memory.strides});
  const auto itemsize = static_cast<std::int64_t>(array.dtype().itemsize);
  for (std::int64_t& stride : exported->strides) {
    if (stride % itemsize != 0) {
      reject(ArgumentError::Kind::value, "a stride of " + std::to_string(stride) +
                                             " bytes is not a multiple of the item size, " +
                                             std::to_string(itemsize));
    }
    stride /= itemsize;
  }
  auto managed = std::make_unique<Managed>();
  Tensor& tensor = managed->tensor;
  tensor.device = device_id_of(array.device());
  tensor.ndim = static_cast<std::int32_t>(array.shape().size());
  tensor.dtype = type;
  tensor.shape = exported->shape.data();
  tensor.strides = exported->strides.data();
  const std::uintptr_t native = array.size() == 0 ? 0 : exported->loan.native_handle;
  if (is_handle) {
    tensor.data = reinterpret_cast<void*>(native);
    tensor.byte_offset = buffer.offset() + memory.offset;
  } else {
    // The offset is added to the address, because some libraries ignore byte_offset.
    tensor.data = native == 0 ? nullptr : reinterpret_cast<void*>(native + memory.offset);
    tensor.byte_offset = 0;
  }
  managed->manager = exported.release();
  managed->deleter = &delete_exported<Managed>;
  return managed.release();
}

template <class Managed>
Array from_managed(Managed* managed, const Queue& queue, bool is_read_only) {
  if (managed == nullptr) reject(ArgumentError::Kind::value, "the tensor is a null pointer");
  std::shared_ptr<void> owner(managed, [](Managed* self) {
    if (self->deleter != nullptr) self->deleter(self);
  });
  return from_tensor(managed->tensor, std::move(owner), queue, is_read_only);
}

}  // namespace

DeviceId device_id_of(const Device& device) {
  const std::string& backend = device.backend();
  if (backend == "cuda") return {DeviceType::cuda, static_cast<std::int32_t>(device.native_handle())};
  if (backend == "opencl") {
    const std::vector<Device> all = devices("opencl");
    const auto found = std::find(all.begin(), all.end(), device);
    return {DeviceType::opencl, found == all.end() ? 0 : static_cast<std::int32_t>(found - all.begin())};
  }
  return {DeviceType::cpu, 0};
}

Device device_of(const DeviceId& device_id) {
  switch (device_id.type) {
    case DeviceType::cpu:
    case DeviceType::cuda_host:
      return device("host");
    case DeviceType::cuda:
    case DeviceType::cuda_managed:
      for (const Device& one : devices("cuda"))
        if (device_id_of(one).id == device_id.id) return one;
      return device("cuda:" + std::to_string(device_id.id));
    case DeviceType::opencl:
      return device("opencl:" + std::to_string(device_id.id));
  }
  reject(ArgumentError::Kind::value, "unknown device type " +
                                         std::to_string(static_cast<std::int32_t>(device_id.type)) +
                                         "; expected CPU (1), CUDA (2) or OpenCL (4)");
}

VersionedTensor* to_versioned(const Array& array, std::uint64_t flags) {
  VersionedTensor* const result = to_managed<VersionedTensor>(array);
  result->version = kVersion;
  result->flags = flags;
  if (array.buffer().access() == Access::read_only) result->flags |= kReadOnly;
  return result;
}

ManagedTensor* to_unversioned(const Array& array) {
  if (array.evaluate().buffer.access() == Access::read_only)
    reject(ArgumentError::Kind::value, "version 0 cannot mark an array as read-only; use version 1");
  return to_managed<ManagedTensor>(array);
}

Array from_tensor(const Tensor& tensor, std::shared_ptr<void> owner, const Queue& queue, bool is_read_only) {
  const Device home = device_of(tensor.device);
  if (!(home == queue.device())) {
    reject(ArgumentError::Kind::value,
           "the tensor is on " + home.spec() + ", the queue on " + queue.device().spec());
  }
  if (tensor.ndim < 0) reject(ArgumentError::Kind::value, "the number of dimensions must not be negative");
  ForeignMemory memory;
  memory.native = reinterpret_cast<std::uintptr_t>(tensor.data);
  memory.byte_offset = tensor.byte_offset;
  memory.dtype = dtype_of(tensor.dtype);
  memory.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
  if (tensor.strides == nullptr) {
    memory.strides = contiguous_strides(memory.shape, memory.dtype.itemsize);
  } else {
    for (std::int32_t d = 0; d < tensor.ndim; ++d) {
      std::int64_t& stride = memory.strides.emplace_back();
      // The stride of an axis of length 1 may have any value.
      if (tensor.shape[d] > 1 && __builtin_mul_overflow(tensor.strides[d], memory.dtype.itemsize, &stride))
        reject(ArgumentError::Kind::value, "a stride is larger than the address space");
    }
  }
  if (is_read_only) memory.access = Access::read_only;
  return wrap_array(queue, std::move(memory), std::move(owner));
}

Array from_versioned(VersionedTensor* tensor, const Queue& queue) {
  if (tensor != nullptr && tensor->version.major != kVersion.major) {
    const std::string version = std::to_string(tensor->version.major);
    if (tensor->deleter != nullptr) tensor->deleter(tensor);
    reject(ArgumentError::Kind::value, "expected a tensor of version 1, got version " + version);
  }
  return from_managed(tensor, queue, tensor != nullptr && (tensor->flags & kReadOnly) != 0);
}

Array from_unversioned(ManagedTensor* tensor, const Queue& queue) {
  return from_managed(tensor, queue, false);
}

}  // namespace quern::dlpack
