// SPDX-License-Identifier: MIT
// Launches of kernels, and of functions of the program itself.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "platform/commands.hpp"
#include "platform/device_info.hpp"
#include "platform/memory.hpp"
#include "platform/objects.hpp"
#include "platform/tables.hpp"
#include "quern/inline_vector.hpp"
#include "runtime/library_call.hpp"

namespace quern::platform {
namespace {

// The greatest divisor of n that is not above `most`: in these versions of the language every work-group is
// full.
std::size_t largest_divisor(std::size_t n, std::size_t most) {
  for (std::size_t d = std::min(n, most); d > 1; --d)
    if (n % d == 0) return d;
  return 1;
}

// Checks the sizes and returns the range. Fails with the codes that the specification gives.
Range range_of(const _cl_kernel& kernel, const DeviceKernel& own, cl_uint dims, const size_t* offset,
               const size_t* global, const size_t* local) {
  require(dims >= 1 && dims <= 3, CL_INVALID_WORK_DIMENSION);
  const DeviceProperties& device = own.device->device.properties();
  Range range;
  range.dims = dims;
  bool is_empty = false;
  for (cl_uint d = 0; d < dims; ++d) {
    range.global[d] = global != nullptr ? global[d] : 0;
    range.offset[d] = offset != nullptr ? offset[d] : 0;
    is_empty |= range.global[d] == 0;
    require(range.offset[d] <= SIZE_MAX - range.global[d], CL_INVALID_GLOBAL_OFFSET);
  }
  const auto& required = kernel.signature.required_local;
  if (local != nullptr) {
    std::size_t group = 1;
    for (cl_uint d = 0; d < dims; ++d) {
      require(local[d] != 0, CL_INVALID_WORK_GROUP_SIZE);
      require(local[d] <= device.max_work_item_sizes[d], CL_INVALID_WORK_ITEM_SIZE);
      require(group <= device.max_work_group_size / local[d], CL_INVALID_WORK_GROUP_SIZE);
      require(required[0] == 0 || local[d] == required[d], CL_INVALID_WORK_GROUP_SIZE);
      const bool is_uniform = own.has_uniform_groups || required[0] != 0;
      require(!is_uniform || range.global[d] % local[d] == 0, CL_INVALID_WORK_GROUP_SIZE);
      group *= local[d];
    }
    for (cl_uint d = dims; d < 3; ++d)
      require(required[0] == 0 || required[d] == 1, CL_INVALID_WORK_GROUP_SIZE);
    range.local = {local[0], dims > 1 ? local[1] : 1, dims > 2 ? local[2] : 1};
  } else if (required[0] != 0) {
    for (cl_uint d = 0; d < dims; ++d)
      require(range.global[d] % required[d] == 0, CL_INVALID_WORK_GROUP_SIZE);
  } else if (own.has_uniform_groups && !is_empty) {
    const std::size_t row = dims > 1 ? device.preferred_row : device.preferred_group_size;
    range.local = {1, 1, 1};
    std::size_t left = device.preferred_group_size;
    for (cl_uint d = 0; d < dims; ++d) {
      range.local[d] = largest_divisor(range.global[d],
                                       std::min({d == 0 ? row : left, left, device.max_work_item_sizes[d]}));
      left /= range.local[d];
    }
  }
  return range;
}

// The arguments of one launch, and the memory that they refer to.
struct Arguments {
  InlineVector<KernelArgument, 16> list;
  std::vector<std::shared_ptr<Buffer>> memory;
};

Arguments arguments_of(const _cl_kernel& kernel, const DeviceKernel& own) {
  using Kind = KernelValue::Kind;
  Arguments arguments;
  arguments.memory.reserve(kernel.arguments.size());
  std::size_t local_bytes = kernel.signature.local_memory;
  for (const KernelValue& argument : kernel.arguments) {
    switch (argument.kind) {
      case Kind::unset:
        fail(CL_INVALID_KERNEL_ARGS);
      case Kind::value:
        arguments.list.push_back(KernelArgument(std::span<const std::byte>(argument.bytes)));
        break;
      case Kind::memory: {
        auto memory = argument.memory.lock();
        require(memory != nullptr, CL_INVALID_KERNEL_ARGS);  // it was released meanwhile
        require(memory->offset() % own.device->device.properties().sub_buffer_alignment == 0,
                CL_MISALIGNED_SUB_BUFFER_OFFSET);
        arguments.list.push_back(KernelArgument(*memory));
        arguments.memory.push_back(std::move(memory));
        break;
      }
      case Kind::null:
        arguments.list.push_back(KernelArgument(nullptr));
        break;
      case Kind::local:
        local_bytes += argument.size;
        arguments.list.push_back(KernelArgument(LocalMemory{argument.size}));
        break;
      case Kind::address:
        arguments.list.push_back(argument.address != nullptr ? KernelArgument(DeviceAddress{argument.address})
                                                             : KernelArgument(nullptr));
        break;
    }
  }
  require(local_bytes <= own.device->device.properties().local_memory, CL_OUT_OF_RESOURCES);
  return arguments;
}

cl_int launch(cl_command_queue queue, cl_kernel kernel, cl_command_type type, cl_uint dims,
              const size_t* offset, const size_t* global, const size_t* local, const CommandEvents& events) {
  return guarded([&] {
    _cl_command_queue& self = checked(queue, CL_INVALID_COMMAND_QUEUE);
    const _cl_kernel& object = checked(kernel, CL_INVALID_KERNEL);
    require(object.program->context.get() == self.context.get(), CL_INVALID_CONTEXT);
    const DeviceKernel& own = object.on_device(self.device.get(), CL_INVALID_PROGRAM_EXECUTABLE);
    const Range range = range_of(object, own, dims, offset, global, local);
    const Arguments arguments = arguments_of(object, own);
    enqueue(self, type, events, false, [&](WaitList list) {
      try {
        return own.kernel.launch(self.queue, range, {arguments.list.begin(), arguments.list.size()}, list);
      } catch (const ArgumentError& error) {
        self.context->report(error.what());
        fail(CL_INVALID_KERNEL_ARGS);
      } catch (const BuildError& error) {  // of the variant for this local size
        self.context->report(error.what());
        fail(CL_OUT_OF_RESOURCES);
      }
    });
  });
}

cl_int CL_API_CALL launch_range(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t* offset,
                                const size_t* global, const size_t* local, cl_uint count,
                                const cl_event* waits, cl_event* result) {
  return launch(queue, kernel, CL_COMMAND_NDRANGE_KERNEL, dims, offset, global, local,
                {count, waits, result});
}

cl_int CL_API_CALL launch_task(cl_command_queue queue, cl_kernel kernel, cl_uint count, const cl_event* waits,
                               cl_event* result) {
  const size_t one = 1;
  return launch(queue, kernel, CL_COMMAND_TASK, 1, nullptr, &one, &one, {count, waits, result});
}

cl_int CL_API_CALL launch_native(cl_command_queue queue, void(CL_CALLBACK* function)(void*), void* arguments,
                                 size_t nbytes, cl_uint memory_count, const cl_mem* memory,
                                 const void** places, cl_uint count, const cl_event* waits,
                                 cl_event* result) {
  return guarded([&] {
    _cl_command_queue& self = checked(queue, CL_INVALID_COMMAND_QUEUE);
    require(self.device->device.properties().kind == DeviceKind::cpu, CL_INVALID_OPERATION);
    require(function != nullptr && (arguments == nullptr) == (nbytes == 0), CL_INVALID_VALUE);
    require(arguments != nullptr || memory_count == 0, CL_INVALID_VALUE);
    require((memory_count == 0) == (memory == nullptr) && (memory_count == 0) == (places == nullptr),
            CL_INVALID_VALUE);
    // The copy starts at an address of the same alignment, since the block may hold any type.
    const auto block = std::make_shared<std::vector<std::max_align_t>>(nbytes / sizeof(std::max_align_t) + 1);
    auto* const copy = reinterpret_cast<std::byte*>(block->data());
    if (nbytes != 0) std::memcpy(copy, arguments, nbytes);
    std::vector<std::shared_ptr<Buffer>> kept;
    for (cl_uint k = 0; k < memory_count; ++k) {
      const _cl_mem& object = memory_of(memory[k], self);
      const auto offset = static_cast<const std::byte*>(places[k]) - static_cast<const std::byte*>(arguments);
      require(offset >= 0 && static_cast<std::size_t>(offset) + sizeof(void*) <= nbytes, CL_INVALID_VALUE);
      void* const address = object.buffer.host_pointer();
      std::memcpy(copy + offset, &address, sizeof address);
      kept.push_back(object.shared);
    }
    enqueue(self, CL_COMMAND_NATIVE_KERNEL, {count, waits, result}, false, [&](WaitList list) {
      return detail::call_library(
          self.queue, "native kernel", {},
          [function, block, kept](const detail::LibraryArguments&) { function(block->data()); }, list,
          detail::LibraryCall::computes);
    });
  });
}

}  // namespace

void add_launches(cl_icd_dispatch& table) noexcept {
  table.clEnqueueNDRangeKernel = launch_range;
  table.clEnqueueTask = launch_task;
  table.clEnqueueNativeKernel = launch_native;
}

}  // namespace quern::platform
