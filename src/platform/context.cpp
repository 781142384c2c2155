// SPDX-License-Identifier: MIT
// Contexts.
#include <algorithm>
#include <vector>

#include "platform/info.hpp"
#include "platform/objects.hpp"
#include "platform/platform.hpp"
#include "platform/tables.hpp"

_cl_context::~_cl_context() {
  for (auto callback = destructor_callbacks.rbegin(); callback != destructor_callbacks.rend(); ++callback)
    (*callback)();
}

bool _cl_context::has(cl_device_id device) const noexcept {
  return std::ranges::any_of(devices, [&](const auto& each) { return each.get() == device; });
}

std::size_t _cl_context::index_of(cl_device_id device) const {
  for (std::size_t k = 0; k < devices.size(); ++k)
    if (devices[k].get() == device) return k;
  quern::platform::fail(CL_INVALID_DEVICE);
}

void _cl_context::report(const std::string& text) const noexcept {
  if (notify != nullptr) notify(text.c_str(), nullptr, 0, notify_data);
}

const quern::Queue& _cl_context::service_queue() {
  const std::lock_guard lock(mutex);
  if (!service) service.emplace(context, devices.front()->device);
  return *service;
}

namespace quern::platform {
namespace {

using Notify = void(CL_CALLBACK*)(const char*, const void*, std::size_t, void*);

// The list as the program gave it, with its end. `platform` is the one that it names.
std::vector<cl_context_properties> read_properties(const cl_context_properties* properties,
                                                   cl_platform_id& platform) {
  std::vector<cl_context_properties> all;
  if (properties == nullptr) return all;
  bool has_platform = false, has_sync = false;
  for (; *properties != 0; properties += 2) {
    switch (properties[0]) {
      case CL_CONTEXT_PLATFORM:
        require(!has_platform, CL_INVALID_PROPERTY);
        has_platform = true;
        platform = reinterpret_cast<cl_platform_id>(properties[1]);
        require(is_valid(platform), CL_INVALID_PLATFORM);
        break;
      case CL_CONTEXT_INTEROP_USER_SYNC:
        require(!has_sync && (properties[1] == CL_TRUE || properties[1] == CL_FALSE), CL_INVALID_PROPERTY);
        has_sync = true;
        break;
      default:
        fail(CL_INVALID_PROPERTY);
    }
    all.insert(all.end(), properties, properties + 2);
  }
  all.push_back(0);
  return all;
}

cl_context make_context(const cl_context_properties* properties, cl_uint count, const cl_device_id* devices,
                        Notify notify, void* data) {
  require(count != 0 && devices != nullptr, CL_INVALID_VALUE);
  require(notify != nullptr || data == nullptr, CL_INVALID_VALUE);
  cl_platform_id platform = nullptr;
  std::vector<cl_context_properties> kept = read_properties(properties, platform);
  std::vector<Device> engine_devices;
  std::vector<cl_device_id> handles;
  for (cl_uint k = 0; k < count; ++k) {
    _cl_device_id& device = checked(devices[k], CL_INVALID_DEVICE);
    if (platform == nullptr) platform = device.platform;
    require(device.platform == platform, CL_INVALID_DEVICE);
    if (std::ranges::find(engine_devices, device.device) != engine_devices.end()) continue;  // repeated
    engine_devices.push_back(device.device);
    handles.push_back(&device);
  }
  // The engine's own context of a device keeps programs that were built before.
  const cl_context made = make_handle<_cl_context>(
      engine_devices.size() == 1 ? Context::of(engine_devices.front()) : Context(engine_devices));
  made->properties = std::move(kept);
  made->notify = notify;
  made->notify_data = data;
  for (const cl_device_id device : handles) made->devices.emplace_back(device);
  return made;
}

cl_context CL_API_CALL create_context(const cl_context_properties* properties, cl_uint count,
                                      const cl_device_id* devices, Notify notify, void* data, cl_int* code) {
  return guarded(code, [&] { return make_context(properties, count, devices, notify, data); });
}

cl_context CL_API_CALL create_context_from_type(const cl_context_properties* properties, cl_device_type type,
                                                Notify notify, void* data, cl_int* code) {
  return guarded(code, [&] {
    cl_platform_id platform = nullptr;
    static_cast<void>(read_properties(properties, platform));
    if (platform == nullptr) platform = default_platform();
    const auto& table = dispatch_table();
    cl_uint count = 0;
    cl_int status = table.clGetDeviceIDs(platform, type, 0, nullptr, &count);
    std::vector<cl_device_id> devices(count);
    if (status == CL_SUCCESS) status = table.clGetDeviceIDs(platform, type, count, devices.data(), nullptr);
    require(status == CL_SUCCESS, status);
    return make_context(properties, count, devices.data(), notify, data);
  });
}

cl_int CL_API_CALL retain_context(cl_context context) {
  return retain_handle(context, CL_INVALID_CONTEXT);
}
cl_int CL_API_CALL release_context(cl_context context) {
  return release_handle(context, CL_INVALID_CONTEXT);
}

cl_int CL_API_CALL context_info(cl_context context, cl_context_info query, size_t space, void* value,
                                size_t* size) {
  return guarded([&] {
    const _cl_context& self = checked(context, CL_INVALID_CONTEXT);
    const Answer answer(space, value, size);
    switch (query) {
      case CL_CONTEXT_REFERENCE_COUNT:
        return answer.value(self.retained());
      case CL_CONTEXT_NUM_DEVICES:
        return answer.value(static_cast<cl_uint>(self.devices.size()));
      case CL_CONTEXT_DEVICES: {
        std::vector<cl_device_id> devices;
        for (const auto& device : self.devices) devices.push_back(device.get());
        return answer.list(std::span<const cl_device_id>(devices));
      }
      case CL_CONTEXT_PROPERTIES:
        return answer.list(std::span<const cl_context_properties>(self.properties));
      default:
        fail(CL_INVALID_VALUE);
    }
  });
}

cl_int CL_API_CALL set_destructor_callback(cl_context context, void(CL_CALLBACK* function)(cl_context, void*),
                                           void* data) {
  return guarded([&] {
    _cl_context& self = checked(context, CL_INVALID_CONTEXT);
    require(function != nullptr, CL_INVALID_VALUE);
    const std::lock_guard lock(self.mutex);
    self.destructor_callbacks.emplace_back([=] { function(context, data); });
  });
}

}  // namespace

void add_contexts(cl_icd_dispatch& table) noexcept {
  table.clCreateContext = create_context;
  table.clCreateContextFromType = create_context_from_type;
  table.clRetainContext = retain_context;
  table.clReleaseContext = release_context;
  table.clGetContextInfo = context_info;
  table.clSetContextDestructorCallback = set_destructor_callback;
}

}  // namespace quern::platform
