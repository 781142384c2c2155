// SPDX-License-Identifier: MIT
// Command queues, markers and barriers.
#include <vector>

#include "platform/commands.hpp"
#include "platform/info.hpp"
#include "platform/objects.hpp"
#include "platform/tables.hpp"

namespace quern::platform {
namespace {

constexpr cl_command_queue_properties kOnHost =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
constexpr cl_command_queue_properties kOnDevice = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;

void check_flags(cl_command_queue_properties flags) {
  require((flags & ~(kOnHost | kOnDevice)) == 0, CL_INVALID_VALUE);
  require((flags & kOnDevice) == 0, CL_INVALID_QUEUE_PROPERTIES);
}

int priority_of(cl_queue_properties hint) {
  switch (hint) {
    case CL_QUEUE_PRIORITY_HIGH_KHR:
      return 1;
    case CL_QUEUE_PRIORITY_MED_KHR:
      return 0;
    case CL_QUEUE_PRIORITY_LOW_KHR:
      return -1;
    default:
      fail(CL_INVALID_VALUE);
  }
}

cl_command_queue make_queue(cl_context context, cl_device_id device, cl_command_queue_properties flags,
                            int priority) {
  _cl_context& owner = checked(context, CL_INVALID_CONTEXT);
  require(is_valid(device) && owner.has(device), CL_INVALID_DEVICE);
  check_flags(flags);
  QueueOptions options;
  options.profiling = (flags & CL_QUEUE_PROFILING_ENABLE) != 0;
  options.out_of_order = (flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
  // OpenCL orders commands by queues and wait lists alone: a program may hold one back by a user event that
  // it sets only after another one on the same memory is done.
  options.track_memory = false;
  options.priority = priority;
  return make_handle<_cl_command_queue>(&owner, device, Queue(owner.context, device->device, options), flags);
}

cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                          cl_command_queue_properties flags, cl_int* code) {
  return guarded(code, [&] { return make_queue(context, device, flags, 0); });
}

cl_command_queue CL_API_CALL create_queue_with_properties(cl_context context, cl_device_id device,
                                                          const cl_queue_properties* properties,
                                                          cl_int* code) {
  return guarded(code, [&] {
    cl_command_queue_properties flags = 0;
    int priority = 0;
    std::vector<cl_queue_properties> all;
    for (const auto* at = properties; at != nullptr && *at != 0; at += 2) {
      switch (at[0]) {
        case CL_QUEUE_PROPERTIES:
          flags = at[1];
          break;
        case CL_QUEUE_PRIORITY_KHR:
          priority = priority_of(at[1]);
          break;
        case CL_QUEUE_THROTTLE_KHR:  // a hint, without effect here
          require(at[1] == CL_QUEUE_THROTTLE_HIGH_KHR || at[1] == CL_QUEUE_THROTTLE_MED_KHR ||
                      at[1] == CL_QUEUE_THROTTLE_LOW_KHR,
                  CL_INVALID_VALUE);
          break;
        case CL_QUEUE_SIZE:
          fail(CL_INVALID_QUEUE_PROPERTIES);
        default:
          fail(CL_INVALID_VALUE);
      }
      all.insert(all.end(), at, at + 2);
    }
    const cl_command_queue queue = make_queue(context, device, flags, priority);
    if (properties != nullptr) {
      all.push_back(0);
      queue->properties = std::move(all);
    }
    return queue;
  });
}

cl_int CL_API_CALL retain_queue(cl_command_queue queue) {
  return retain_handle(queue, CL_INVALID_COMMAND_QUEUE);
}

// The last release flushes.
cl_int CL_API_CALL release_queue(cl_command_queue queue) {
  return guarded([&] {
    _cl_command_queue& self = checked(queue, CL_INVALID_COMMAND_QUEUE);
    if (self.retained() == 1) self.queue.flush();
    static_cast<void>(release_handle(queue, CL_INVALID_COMMAND_QUEUE));
  });
}

cl_int CL_API_CALL queue_info(cl_command_queue queue, cl_command_queue_info query, size_t space, void* value,
                              size_t* size) {
  return guarded([&] {
    const _cl_command_queue& self = checked(queue, CL_INVALID_COMMAND_QUEUE);
    const Answer answer(space, value, size);
    switch (query) {
      case CL_QUEUE_CONTEXT:
        return answer.value(self.context.get());
      case CL_QUEUE_DEVICE:
        return answer.value(self.device.get());
      case CL_QUEUE_REFERENCE_COUNT:
        return answer.value(self.retained());
      case CL_QUEUE_PROPERTIES:
        return answer.value(self.flags);
      case CL_QUEUE_PROPERTIES_ARRAY:
        return answer.list(std::span<const cl_queue_properties>(self.properties));
      case CL_QUEUE_SIZE:  // of queues on devices
        fail(CL_INVALID_COMMAND_QUEUE);
      case CL_QUEUE_DEVICE_DEFAULT:
        return answer.value(cl_command_queue{nullptr});
      default:
        fail(CL_INVALID_VALUE);
    }
  });
}

cl_int CL_API_CALL flush(cl_command_queue queue) {
  return guarded([&] { checked(queue, CL_INVALID_COMMAND_QUEUE).queue.flush(); });
}

cl_int CL_API_CALL finish(cl_command_queue queue) {
  return guarded([&] {
    const Queue& own = checked(queue, CL_INVALID_COMMAND_QUEUE).queue;
    try {
      own.finish();
    } catch (const DependencyError&) {  // a status of events, not of the queue
    }
  });
}

cl_int CL_API_CALL marker_with_list(cl_command_queue queue, cl_uint count, const cl_event* waits,
                                    cl_event* result) {
  return guarded([&] {
    _cl_command_queue& self = checked(queue, CL_INVALID_COMMAND_QUEUE);
    enqueue(self, CL_COMMAND_MARKER, {count, waits, result}, false,
            [&](WaitList list) { return self.queue.marker(list); });
  });
}

cl_int CL_API_CALL barrier_with_list(cl_command_queue queue, cl_uint count, const cl_event* waits,
                                     cl_event* result) {
  return guarded([&] {
    _cl_command_queue& self = checked(queue, CL_INVALID_COMMAND_QUEUE);
    enqueue(self, CL_COMMAND_BARRIER, {count, waits, result}, false,
            [&](WaitList list) { return self.queue.barrier(list); });
  });
}

// Deprecated since OpenCL 1.2.
cl_int CL_API_CALL marker(cl_command_queue queue, cl_event* result) {
  if (is_valid(queue) && result == nullptr) return CL_INVALID_VALUE;
  return marker_with_list(queue, 0, nullptr, result);
}
cl_int CL_API_CALL barrier(cl_command_queue queue) {
  return barrier_with_list(queue, 0, nullptr, nullptr);
}
cl_int CL_API_CALL wait_for_events(cl_command_queue queue, cl_uint count, const cl_event* waits) {
  if (is_valid(queue) && (count == 0 || waits == nullptr)) return CL_INVALID_VALUE;
  const cl_int code = barrier_with_list(queue, count, waits, nullptr);
  return code == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : code;
}

}  // namespace

void add_queues(cl_icd_dispatch& table) noexcept {
  table.clCreateCommandQueue = create_queue;
  table.clCreateCommandQueueWithProperties = create_queue_with_properties;
  table.clRetainCommandQueue = retain_queue;
  table.clReleaseCommandQueue = release_queue;
  table.clGetCommandQueueInfo = queue_info;
  table.clFlush = flush;
  table.clFinish = finish;
  table.clEnqueueMarkerWithWaitList = marker_with_list;
  table.clEnqueueBarrierWithWaitList = barrier_with_list;
  table.clEnqueueMarker = marker;
  table.clEnqueueBarrier = barrier;
  table.clEnqueueWaitForEvents = wait_for_events;
}

}  // namespace quern::platform
