// SPDX-License-Identifier: MIT
// The platforms and the search for their devices.
#include "platform/platform.hpp"

#include <algorithm>
#include <string>

#include "platform/info.hpp"
#include "platform/objects.hpp"
#include "platform/tables.hpp"

namespace quern::platform {
namespace {

// Devices are looked for by backend: the OpenCL backend must not start inside of a platform of OpenCL.
const std::vector<cl_device_id>& devices_of(cl_platform_id platform) {
  std::call_once(platform->searched, [&] {
    for (const Device& device : quern::devices(platform->backend))
      platform->devices.push_back(make_handle<_cl_device_id>(platform, device));
  });
  return platform->devices;
}

const std::vector<cl_platform_id>& platforms() {
  static const auto* const all = [] {
    auto* const found = new std::vector<cl_platform_id>;
    found->push_back(make_handle<_cl_platform_id>("Quern", "host"));
    const cl_platform_id cuda = make_handle<_cl_platform_id>("Quern CUDA", "cuda");
    if (!devices_of(cuda).empty()) found->push_back(cuda);
    return found;
  }();
  return *all;
}

constexpr char kExtensions[] = "cl_khr_icd";

cl_int CL_API_CALL platform_info(cl_platform_id platform, cl_platform_info query, size_t space, void* value,
                                 size_t* size) {
  return guarded([&] {
    const _cl_platform_id& self =
        checked(platform != nullptr ? platform : default_platform(), CL_INVALID_PLATFORM);
    const Answer answer(space, value, size);
    switch (query) {
      case CL_PLATFORM_PROFILE:
        return answer.text("FULL_PROFILE");
      case CL_PLATFORM_VERSION:
        return answer.text("OpenCL 3.0 Quern " QUERN_VERSION);
      case CL_PLATFORM_NAME:
        return answer.text(self.name);
      case CL_PLATFORM_VENDOR:
        return answer.text(kVendor);
      case CL_PLATFORM_EXTENSIONS:
        return answer.text(kExtensions);
      case CL_PLATFORM_ICD_SUFFIX_KHR:
        return answer.text("QUERN");
      case CL_PLATFORM_NUMERIC_VERSION:
        return answer.value(kVersion);
      case CL_PLATFORM_HOST_TIMER_RESOLUTION:
        return answer.value(cl_ulong{1});
      case CL_PLATFORM_EXTENSIONS_WITH_VERSION: {
        const cl_name_version icd = {CL_MAKE_VERSION(1, 0, 0), "cl_khr_icd"};
        return answer.value(icd);
      }
      default:
        fail(CL_INVALID_VALUE);
    }
  });
}

cl_int CL_API_CALL device_ids(cl_platform_id platform, cl_device_type type, cl_uint entries,
                              cl_device_id* devices, cl_uint* count) {
  return guarded([&] {
    _cl_platform_id& self = checked(platform != nullptr ? platform : default_platform(), CL_INVALID_PLATFORM);
    constexpr cl_device_type kKnown = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                      CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    require(type == CL_DEVICE_TYPE_ALL || (type != 0 && (type & ~kKnown) == 0), CL_INVALID_DEVICE_TYPE);
    require(devices != nullptr || count != nullptr, CL_INVALID_VALUE);
    require(devices == nullptr || entries != 0, CL_INVALID_VALUE);
    std::vector<cl_device_id> found;
    for (const cl_device_id device : devices_of(&self)) {
      const cl_device_type own =
          device->device.properties().kind == DeviceKind::cpu ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_GPU;
      const bool is_default = (type & CL_DEVICE_TYPE_DEFAULT) != 0 && found.empty();
      if (type == CL_DEVICE_TYPE_ALL || (type & own) != 0 || is_default) found.push_back(device);
    }
    require(!found.empty(), CL_DEVICE_NOT_FOUND);
    if (devices != nullptr) std::copy_n(found.begin(), std::min<std::size_t>(entries, found.size()), devices);
    if (count != nullptr) *count = static_cast<cl_uint>(found.size());
  });
}

cl_int CL_API_CALL unload_platform_compiler(cl_platform_id platform) {
  return is_valid(platform) ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

cl_int CL_API_CALL unload_compiler() {
  return CL_SUCCESS;
}

}  // namespace

cl_int CL_API_CALL list_platforms(cl_uint entries, cl_platform_id* result, cl_uint* count) {
  return guarded([&] {
    require(result != nullptr || count != nullptr, CL_INVALID_VALUE);
    require(result == nullptr || entries != 0, CL_INVALID_VALUE);
    const std::vector<cl_platform_id>& all = platforms();
    if (result != nullptr) std::copy_n(all.begin(), std::min<std::size_t>(entries, all.size()), result);
    if (count != nullptr) *count = static_cast<cl_uint>(all.size());
  });
}

cl_platform_id default_platform() {
  return platforms().front();
}

void add_platform(cl_icd_dispatch& table) noexcept {
  table.clGetPlatformIDs = list_platforms;
  table.clGetPlatformInfo = platform_info;
  table.clGetDeviceIDs = device_ids;
  table.clUnloadCompiler = unload_compiler;
  table.clUnloadPlatformCompiler = unload_platform_compiler;
  add_extension_functions(table);
}

}  // namespace quern::platform
