// SPDX-License-Identifier: MIT
// Kernel arguments: each is checked against its parameter, converted and packed.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <string>

#include "base/dtype_kinds.hpp"
#include "base/half.hpp"
#include "quern/error.hpp"
#include "runtime/allocation.hpp"
#include "runtime/argument_types.hpp"
#include "runtime/launch.hpp"
#include "runtime/parts.hpp"

namespace quern::detail {
namespace {

using Kind = KernelArgument::Kind;

// The position of an argument, for messages.
struct ArgumentSlot {
  const KernelInstance& kernel;
  std::size_t index;
  [[nodiscard]] const Parameter& parameter() const { return kernel.signature.parameters[index]; }
};

[[noreturn]] void reject(const ArgumentSlot& slot, ArgumentError::Kind kind, const std::string& text) {
  std::string name = "argument " + std::to_string(slot.index);
  if (slot.kernel.signature_known) {
    name += " ('" + slot.parameter().name + "', " + slot.parameter().type_name + ")";
  }
  throw ArgumentError(kind, name + " of kernel '" + slot.kernel.signature.name + "': " + text);
}

template <class T>
void add(PackedLaunch& launch, T value) {
  launch.add_value(&value, sizeof value);
}

template <class T>
void add_integer(PackedLaunch& launch, const ArgumentSlot& slot, const KernelArgument& argument) {
  if (argument.kind == Kind::floating) {
    reject(slot, ArgumentError::Kind::type,
           "expected an integer, got " + describe(argument) + "; convert it, as in int(value)");
  }
  const bool fits = argument.kind == Kind::signed_integer ? std::in_range<T>(argument.integer)
                                                          : std::in_range<T>(argument.unsigned_integer);
  if (!fits) {
    reject(slot, ArgumentError::Kind::value,
           describe(argument) + " does not fit; the range is " +
               std::to_string(std::numeric_limits<T>::min()) + " to " +
               std::to_string(std::numeric_limits<T>::max()));
  }
  add(launch, argument.kind == Kind::signed_integer ? static_cast<T>(argument.integer)
                                                    : static_cast<T>(argument.unsigned_integer));
}

double as_double(const KernelArgument& argument) {
  switch (argument.kind) {
    case Kind::signed_integer:
      return static_cast<double>(argument.integer);
    case Kind::unsigned_integer:
      return static_cast<double>(argument.unsigned_integer);
    default:
      return argument.floating;
  }
}

// Integers, too, are rounded only once.
float as_float(const KernelArgument& argument) {
  switch (argument.kind) {
    case Kind::signed_integer:
      return static_cast<float>(argument.integer);
    case Kind::unsigned_integer:
      return static_cast<float>(argument.unsigned_integer);
    default:
      return static_cast<float>(argument.floating);
  }
}

// Infinity is allowed, but a finite number must not become infinity.
template <class T>
T checked(const ArgumentSlot& slot, double number, T converted, bool is_infinite) {
  if (is_infinite && std::isfinite(number)) {
    const DType& wanted = slot.parameter().dtype;
    const double most =
        wanted.scalar == Scalar::float16 ? 65504.0 : double{std::numeric_limits<float>::max()};
    reject(slot, ArgumentError::Kind::value,
           "the number " + number_text(number) + " does not fit; the greatest " + wanted.name() + " is " +
               number_text(most));
  }
  return converted;
}

// Converts a complex number to the precision of the parameter.
void add_converted(PackedLaunch& launch, const ArgumentSlot& slot, const KernelArgument& argument) {
  std::complex<double> value;
  if (argument.dtype->scalar == Scalar::complex64) {
    std::complex<float> single;
    std::memcpy(&single, argument.raw, sizeof single);
    value = single;
  } else {
    std::memcpy(&value, argument.raw, sizeof value);
  }
  if (slot.parameter().dtype.scalar != Scalar::complex64) return add(launch, value);
  const auto part = [&](double number) {
    const auto single = static_cast<float>(number);
    return checked(slot, number, single, std::isinf(single));
  };
  add(launch, std::complex<float>(part(value.real()), part(value.imag())));
}

void add_raw(PackedLaunch& launch, const ArgumentSlot& slot, const KernelArgument& argument) {
  const DType& wanted = slot.parameter().dtype;
  const bool unknown = wanted.scalar == Scalar::unknown;
  if (argument.dtype && !unknown && !(*argument.dtype == wanted)) {
    if (is_complex(wanted) && is_complex(*argument.dtype)) return add_converted(launch, slot, argument);
    if (!is_pair_of_parts(wanted, *argument.dtype) && !fits_structure(wanted, *argument.dtype)) {
      reject(slot, ArgumentError::Kind::type,
             "expected " + wanted.name() + ", got " + describe(argument) +
                 structure_difference(wanted, *argument.dtype));
    }
  }
  if (wanted.itemsize != 0 && argument.size != wanted.itemsize) {
    reject(slot, ArgumentError::Kind::type,
           "expected " + std::to_string(wanted.itemsize) + " bytes, got " + std::to_string(argument.size));
  }
  launch.add_value(argument.raw, argument.size);
}

void add_scalar(PackedLaunch& launch, const ArgumentSlot& slot, const KernelArgument& argument) {
  switch (argument.kind) {
    case Kind::raw:
      return add_raw(launch, slot, argument);
    case Kind::signed_integer:
    case Kind::unsigned_integer:
    case Kind::floating:
      break;
    default:
      reject(slot, ArgumentError::Kind::type, "expected a value, got " + describe(argument));
  }
  const DType& wanted = slot.parameter().dtype;
  if (wanted.lanes != 1) {
    reject(slot, ArgumentError::Kind::type,
           "expected a vector of " + std::to_string(wanted.lanes) + " elements, got " + describe(argument));
  }
  switch (wanted.scalar) {
    case Scalar::boolean:
      return add(launch, static_cast<std::uint8_t>(as_double(argument) != 0));
    case Scalar::int8:
      return add_integer<std::int8_t>(launch, slot, argument);
    case Scalar::int16:
      return add_integer<std::int16_t>(launch, slot, argument);
    case Scalar::int32:
      return add_integer<std::int32_t>(launch, slot, argument);
    case Scalar::int64:
      return add_integer<std::int64_t>(launch, slot, argument);
    case Scalar::uint8:
      return add_integer<std::uint8_t>(launch, slot, argument);
    case Scalar::uint16:
      return add_integer<std::uint16_t>(launch, slot, argument);
    case Scalar::uint32:
      return add_integer<std::uint32_t>(launch, slot, argument);
    case Scalar::uint64:
      return add_integer<std::uint64_t>(launch, slot, argument);
    case Scalar::float16: {
      constexpr std::uint16_t kMagnitude = 0x7fff, kInfinity = 0x7c00;
      const auto half = to_half(as_double(argument));
      return add(launch, checked(slot, as_double(argument), half, (half & kMagnitude) == kInfinity));
    }
    case Scalar::float32: {
      const float single = as_float(argument);
      return add(launch, checked(slot, as_double(argument), single, std::isinf(single)));
    }
    case Scalar::float64:
      return add(launch, as_double(argument));
    case Scalar::complex64: {
      const float single = as_float(argument);
      return add(launch, std::complex<float>(checked(slot, as_double(argument), single, std::isinf(single))));
    }
    case Scalar::complex128:
      return add(launch, std::complex<double>(as_double(argument)));
    case Scalar::bfloat16:  // OpenCL C and CUDA's parsed signatures have no such parameter
    case Scalar::structure:
      reject(slot, ArgumentError::Kind::type, "expected " + wanted.name() + ", got " + describe(argument));
    case Scalar::unknown:
      reject(slot, ArgumentError::Kind::type,
             "the parameter's type is not known, so " + describe(argument) +
                 " cannot be converted; pass a value that has a dtype, such as np.float32(1)");
  }
}

// Returns whether the kernel only reads through the pointer. Throws if it may not use this memory.
bool check_buffer(const ArgumentSlot& slot, const Buffer& buffer, const QueueState& queue) {
  if (buffer.released()) reject(slot, ArgumentError::Kind::value, "the buffer was released");
  const Allocation& allocation = *buffer.allocation();
  if (!is_within_reach(allocation, queue)) {
    reject(slot, ArgumentError::Kind::value,
           "the memory is on " + buffer.device().spec() + ", but the queue is on " +
               queue.context()->devices()[queue.device()].spec() + "; copy it there first");
  }
  const bool known = slot.kernel.signature_known;
  const bool reads_only =
      known && (slot.parameter().is_const || slot.parameter().space == AddressSpace::constant);
  if (!reads_only && buffer.access() == Access::read_only) {
    reject(slot, ArgumentError::Kind::value,
           "the buffer is read-only, but the kernel may write through this pointer");
  }
  if (known && reads_only && buffer.access() == Access::write_only) {
    reject(slot, ArgumentError::Kind::value,
           "the buffer is write-only, but the kernel only reads through this pointer");
  }
  return reads_only;
}

// The alignment that the pointer's elements need. A misaligned vector load faults, and on a GPU the fault
// ends the context.
std::size_t alignment_of(const ArgumentSlot& slot) {
  if (!slot.kernel.signature_known) return 1;
  const DType& dtype = slot.parameter().dtype;
  if (dtype.scalar == Scalar::unknown) return 1;
  const std::size_t alignment = dtype.alignment();
  constexpr std::size_t kMostInCuda = 16;
  if (alignment <= kMostInCuda) return alignment;
  const Dialect dialect = slot.kernel.context->devices()[slot.kernel.device].properties().dialect;
  const bool is_cuda_c = dialect == Dialect::cuda_cpp && !slot.kernel.program->entry.lowered;
  return is_cuda_c ? kMostInCuda : alignment;
}

void check_alignment(const ArgumentSlot& slot, const Buffer& buffer, std::size_t offset) {
  const std::size_t wanted = alignment_of(slot);
  if (wanted <= 1 || offset == buffer.size() || is_aligned(buffer, offset, wanted)) return;
  std::size_t has = 1;
  while (is_aligned(buffer, offset, 2 * has)) has *= 2;
  reject(slot, ArgumentError::Kind::value,
         "the memory is aligned to " + std::to_string(has) + (has == 1 ? " byte" : " bytes") +
             ", but the pointer's elements need " + std::to_string(wanted) +
             "; pass aligned memory, such as a copy (array.copy())" +
             (slot.parameter().dtype.lanes > 1 ? ", or take a pointer to the elements and read with vload"
                                               : ""));
}

void add_buffer(PackedLaunch& launch, const ArgumentSlot& slot, const KernelArgument& argument,
                const QueueState& queue) {
  const Buffer& buffer = *argument.buffer;
  const bool reads_only = check_buffer(slot, buffer, queue);
  check_alignment(slot, buffer, argument.size);
  launch.add_memory(buffer, argument.size, buffer.size() - argument.size, !reads_only);
}

void add_array(PackedLaunch& launch, const ArgumentSlot& slot, const Array& array, const QueueState& queue) {
  if (!array.contiguous()) {
    reject(slot, ArgumentError::Kind::value, layout_difference(array));
  }
  const bool reads_only = check_buffer(slot, array.buffer(), queue);
  if (array.size() != 0) check_alignment(slot, array.buffer(), array.offset());
  launch.add_memory(array.buffer(), array.offset(), array.buffer().size() - array.offset(), !reads_only);
}

// OpenCL's own devices take a shared address through a call of their own.
void add_address(PackedLaunch& launch, const ArgumentSlot& slot, const KernelArgument& argument,
                 const QueueState& queue) {
  if (queue.properties().dialect == Dialect::opencl_c)
    reject(slot, ArgumentError::Kind::type,
           "an OpenCL device takes buffers and arrays, not addresses; pass the buffer");
  launch.add_value(&argument.address, sizeof argument.address);
}

void add_pointer(PackedLaunch& launch, const ArgumentSlot& slot, const KernelArgument& argument,
                 const QueueState& queue) {
  const Parameter& parameter = slot.parameter();
  if (parameter.space == AddressSpace::local) {
    if (argument.kind != Kind::local) {
      reject(slot, ArgumentError::Kind::type, "expected LocalMemory(nbytes), got " + describe(argument));
    }
    if (argument.size == 0)
      reject(slot, ArgumentError::Kind::value, "local memory must have at least 1 byte");
    const std::size_t most = queue.context()->devices()[queue.device()].properties().local_memory;
    if (argument.size > most) {
      reject(slot, ArgumentError::Kind::value,
             std::to_string(argument.size) + " bytes of local memory exceed the device's local_memory, " +
                 std::to_string(most));
    }
    return launch.add_local(argument.size);
  }
  switch (argument.kind) {
    case Kind::buffer:
      return add_buffer(launch, slot, argument, queue);
    case Kind::array:
      if (!fits_pointer(parameter.dtype, *argument.array)) {
        reject(slot, ArgumentError::Kind::type,
               "expected an array of " + parameter.dtype.name() + ", got " + describe(argument) +
                   pointer_difference(parameter.dtype, *argument.array));
      }
      return add_array(launch, slot, *argument.array, queue);
    case Kind::null_pointer:
      return launch.add_null();
    case Kind::address:
      return add_address(launch, slot, argument, queue);
    default:
      reject(slot, ArgumentError::Kind::type, "expected a buffer or an array, got " + describe(argument));
  }
}

// The type of the parameter is unknown, so the argument's own type is used.
void add_unchecked(PackedLaunch& launch, const ArgumentSlot& slot, const KernelArgument& argument,
                   const QueueState& queue) {
  switch (argument.kind) {
    case Kind::buffer:
      return add_buffer(launch, slot, argument, queue);
    case Kind::array:
      return add_array(launch, slot, *argument.array, queue);
    case Kind::raw:
      return launch.add_value(argument.raw, argument.size);
    case Kind::local:
      return launch.add_local(argument.size);
    case Kind::null_pointer:
      return launch.add_null();
    case Kind::address:
      return add_address(launch, slot, argument, queue);
    default:
      reject(slot, ArgumentError::Kind::type,
             "the parameter's type is not known, so " + describe(argument) +
                 " cannot be converted; pass a value that has a dtype, such as np.float32(1)");
  }
}

}  // namespace

void pack_argument(PackedLaunch& launch, const KernelInstance& kernel, std::size_t index,
                   const KernelArgument& argument, const QueueState& queue) {
  const ArgumentSlot slot{kernel, index};
  if (!kernel.signature_known) return add_unchecked(launch, slot, argument, queue);
  if (slot.parameter().is_pointer) return add_pointer(launch, slot, argument, queue);
  add_scalar(launch, slot, argument);
}

}  // namespace quern::detail
