// SPDX-License-Identifier: MIT
// What the loader sees: the dispatch table and the three exported functions.
#include <string_view>

#include "platform/objects.hpp"
#include "platform/platform.hpp"
#include "platform/tables.hpp"

namespace quern::platform {

const cl_icd_dispatch& dispatch_table() noexcept {
  static const cl_icd_dispatch* const table = [] {
    static cl_icd_dispatch filled{};
    add_absent(filled);
    add_platform(filled);
    add_devices(filled);
    add_contexts(filled);
    add_queues(filled);
    add_memory(filled);
    add_maps(filled);
    add_transfers(filled);
    add_programs(filled);
    add_linking(filled);
    add_kernels(filled);
    add_launches(filled);
    add_events(filled);
    add_shared_memory(filled);
    return &filled;
  }();
  return *table;
}

namespace {

using Address = void*;

// Extension functions, which the table does not hold or holds under another name.
Address extension_function(std::string_view name) noexcept {
  const cl_icd_dispatch& table = dispatch_table();
  const auto address = [](auto* function) { return reinterpret_cast<Address>(function); };
  if (name == "clIcdGetPlatformIDsKHR") return address(&list_platforms);
  if (name == "clGetPlatformInfo") return address(table.clGetPlatformInfo);
  if (name == "clCreateCommandQueueWithPropertiesKHR")
    return address(table.clCreateCommandQueueWithProperties);
  if (name == "clCreateSubDevicesEXT") return address(table.clCreateSubDevicesEXT);
  if (name == "clRetainDeviceEXT") return address(table.clRetainDeviceEXT);
  if (name == "clReleaseDeviceEXT") return address(table.clReleaseDeviceEXT);
  return nullptr;
}

Address CL_API_CALL function_address(const char* name) {
  return name == nullptr ? nullptr : extension_function(name);
}

Address CL_API_CALL function_address_for(cl_platform_id platform, const char* name) {
  return is_valid(platform) ? function_address(name) : nullptr;
}

}  // namespace

void add_extension_functions(cl_icd_dispatch& table) noexcept {
  table.clGetExtensionFunctionAddress = function_address;
  table.clGetExtensionFunctionAddressForPlatform = function_address_for;
}

}  // namespace quern::platform

// The only names that the library exports: see exports.map.
#pragma GCC visibility push(default)
extern "C" {

CL_API_ENTRY void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  return quern::platform::function_address(name);
}

CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint entries, cl_platform_id* platforms,
                                                       cl_uint* count) {
  return quern::platform::list_platforms(entries, platforms, count);
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info query,
                                                  size_t space, void* value, size_t* size) {
  return quern::platform::dispatch_table().clGetPlatformInfo(platform, query, space, value, size);
}

}  // extern "C"
#pragma GCC visibility pop
