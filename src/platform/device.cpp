// SPDX-License-Identifier: MIT
// Devices: references, sub-devices and timers. What they say of themselves is in device_info.cpp.
#include <chrono>
#include <vector>

#include "platform/device_info.hpp"
#include "platform/errors.hpp"
#include "platform/info.hpp"
#include "platform/objects.hpp"
#include "platform/tables.hpp"
#include "quern/error.hpp"

namespace quern::platform {
namespace {

cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info query, size_t space, void* value,
                                   size_t* size) {
  return guarded(
      [&] { answer_device_query(checked(device, CL_INVALID_DEVICE), query, Answer(space, value, size)); });
}

// Whole devices are not counted.
cl_int CL_API_CALL retain_device(cl_device_id device) {
  if (!is_valid(device)) return CL_INVALID_DEVICE;
  if (device->parent) device->retain();
  return CL_SUCCESS;
}

cl_int CL_API_CALL release_device(cl_device_id device) {
  if (!is_valid(device)) return CL_INVALID_DEVICE;
  return device->parent ? release_handle(device, CL_INVALID_DEVICE) : CL_SUCCESS;
}

Division division_of(const cl_device_partition_property* properties) {
  switch (properties[0]) {
    case CL_DEVICE_PARTITION_EQUALLY:  // into parts of so many units
      require(properties[1] > 0, CL_INVALID_VALUE);
      return Equally{static_cast<std::size_t>(properties[1])};
    case CL_DEVICE_PARTITION_BY_COUNTS: {
      Counts counts;
      for (const auto* at = properties + 1; *at != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END; ++at) {
        require(*at > 0, CL_INVALID_DEVICE_PARTITION_COUNT);
        counts.compute_units.push_back(static_cast<std::size_t>(*at));
      }
      require(!counts.compute_units.empty(), CL_INVALID_VALUE);
      return counts;
    }
    case CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN:
      switch (properties[1]) {
        case CL_DEVICE_AFFINITY_DOMAIN_NUMA:
        case CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE:
          return AffinityDomain::numa;
        case CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE:
          return AffinityDomain::l3;
        default:
          fail(CL_INVALID_VALUE);
      }
    default:
      fail(CL_INVALID_VALUE);
  }
}

// The number of values of a list of properties, its end included.
std::size_t length_of(const cl_device_partition_property* properties) {
  std::size_t n = 1;
  if (properties[0] == CL_DEVICE_PARTITION_BY_COUNTS) {
    while (properties[n] != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END) ++n;
  }
  return n + 2;
}

cl_int CL_API_CALL create_sub_devices(cl_device_id device, const cl_device_partition_property* properties,
                                      cl_uint entries, cl_device_id* result, cl_uint* count) {
  return guarded([&] {
    _cl_device_id& whole = checked(device, CL_INVALID_DEVICE);
    require(properties != nullptr && (result != nullptr || count != nullptr), CL_INVALID_VALUE);
    require(is_partitionable(whole), CL_INVALID_VALUE);
    Division division = division_of(properties);
    const std::size_t units = whole.device.properties().compute_units;
    if (auto* const equally = std::get_if<Equally>(&division)) {
      // OpenCL names the size of a part, the engine their number.
      require(equally->parts <= units, CL_DEVICE_PARTITION_FAILED);
      division = Counts{std::vector<std::size_t>(units / equally->parts, equally->parts)};
    } else if (const auto* const counts = std::get_if<Counts>(&division)) {
      std::size_t total = 0;
      for (const std::size_t n : counts->compute_units) total += std::min(n, units + 1);
      require(counts->compute_units.size() <= units && total <= units, CL_INVALID_DEVICE_PARTITION_COUNT);
    }
    std::vector<Device> parts;
    try {
      parts = whole.device.split(division);
    } catch (const Error&) {
      fail(CL_DEVICE_PARTITION_FAILED);
    }
    require(result == nullptr || entries >= parts.size(), CL_INVALID_VALUE);
    for (std::size_t k = 0; result != nullptr && k < parts.size(); ++k) {
      result[k] = make_handle<_cl_device_id>(whole.platform, parts[k], &whole);
      result[k]->partition.assign(properties, properties + length_of(properties));
    }
    if (count != nullptr) *count = static_cast<cl_uint>(parts.size());
  });
}

// The steady clock, which times of events are given in, too.
cl_ulong now() noexcept {
  return static_cast<cl_ulong>(std::chrono::steady_clock::now().time_since_epoch().count());
}

cl_int CL_API_CALL device_and_host_timer(cl_device_id device, cl_ulong* device_time, cl_ulong* host_time) {
  if (!is_valid(device)) return CL_INVALID_DEVICE;
  if (device_time == nullptr || host_time == nullptr) return CL_INVALID_VALUE;
  *device_time = *host_time = now();
  return CL_SUCCESS;
}

cl_int CL_API_CALL host_timer(cl_device_id device, cl_ulong* host_time) {
  if (!is_valid(device)) return CL_INVALID_DEVICE;
  if (host_time == nullptr) return CL_INVALID_VALUE;
  *host_time = now();
  return CL_SUCCESS;
}

}  // namespace

void add_devices(cl_icd_dispatch& table) noexcept {
  table.clGetDeviceInfo = get_device_info;
  table.clRetainDevice = table.clRetainDeviceEXT = retain_device;
  table.clReleaseDevice = table.clReleaseDeviceEXT = release_device;
  table.clCreateSubDevices = create_sub_devices;
  // An older extension, with properties of its own.
  table.clCreateSubDevicesEXT = [](cl_device_id, const cl_device_partition_property_ext*, cl_uint,
                                   cl_device_id*, cl_uint*) -> cl_int { return CL_INVALID_OPERATION; };
  table.clGetDeviceAndHostTimer = device_and_host_timer;
  table.clGetHostTimer = host_timer;
}

}  // namespace quern::platform
