// SPDX-License-Identifier: MIT
// Sub-devices.
#include <algorithm>
#include <utility>

#include "backend/opencl/device.hpp"
#include "quern/error.hpp"

namespace quern::backend::opencl {
namespace {

using Property = cl_device_partition_property;

[[noreturn]] void refuse(const Device& device, const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::value, device.label() + " cannot be divided " + text);
}

bool supports(const Device& device, Property kind) {
  std::string bytes;
  const cl_int status = query_bytes(
      [&](std::size_t n, void* p, std::size_t* needed) {
        return api().GetDeviceInfo(device.id(), CL_DEVICE_PARTITION_PROPERTIES, n, p, needed);
      },
      bytes);
  if (status != CL_SUCCESS) return false;
  const auto* const first = reinterpret_cast<const Property*>(bytes.data());
  const auto* const last = first + bytes.size() / sizeof(Property);
  return std::find(first, last, kind) != last;
}

std::vector<Property> by_domain(const Device& device, AffinityDomain domain) {
  const bool is_numa = domain == AffinityDomain::numa;
  const cl_device_affinity_domain wanted =
      is_numa ? CL_DEVICE_AFFINITY_DOMAIN_NUMA : CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE;
  const auto has = device_value<cl_device_affinity_domain>(device.id(), CL_DEVICE_PARTITION_AFFINITY_DOMAIN);
  if (!supports(device, CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN) || (has & wanted) == 0) {
    refuse(device, std::string("by ") + (is_numa ? "NUMA nodes" : "level-3 caches") +
                       ": its driver does not offer it (CL_DEVICE_PARTITION_AFFINITY_DOMAIN)");
  }
  return {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, static_cast<Property>(wanted), 0};
}

std::vector<Property> equal_parts(const Device& device, std::size_t units) {
  if (!supports(device, CL_DEVICE_PARTITION_EQUALLY))
    refuse(device, "equally: its driver does not offer it (CL_DEVICE_PARTITION_PROPERTIES)");
  return {CL_DEVICE_PARTITION_EQUALLY, static_cast<Property>(units), 0};
}

std::vector<Property> properties_of(const Device& device, const Division& division) {
  if (const auto* const equally = std::get_if<Equally>(&division))
    return equal_parts(device, device.properties().compute_units / equally->parts);
  if (const auto* const domain = std::get_if<AffinityDomain>(&division))
    return *domain == AffinityDomain::core ? equal_parts(device, 1) : by_domain(device, *domain);
  if (!supports(device, CL_DEVICE_PARTITION_BY_COUNTS))
    refuse(device, "by counts: its driver does not offer it (CL_DEVICE_PARTITION_PROPERTIES)");
  std::vector<Property> properties = {CL_DEVICE_PARTITION_BY_COUNTS};
  for (const std::size_t count : std::get<Counts>(division).compute_units)
    properties.push_back(static_cast<Property>(count));
  properties.insert(properties.end(), {CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0});
  return properties;
}

void check_division(cl_int status, const Device& device) {
  switch (status) {
    case CL_DEVICE_PARTITION_FAILED:
    case CL_INVALID_DEVICE_PARTITION_COUNT:
    case CL_INVALID_VALUE:
      refuse(device, "like this: clCreateSubDevices failed with " + error_name(status));
    default:
      check(status, "clCreateSubDevices", device.label());
  }
}

}  // namespace

std::vector<std::shared_ptr<backend::Device>> Device::split(const std::shared_ptr<backend::Device>& self,
                                                            const Division& division) {
  const std::vector<Property> properties = properties_of(*this, division);
  cl_uint count = 0;
  check_division(api().CreateSubDevices(device_, properties.data(), 0, nullptr, &count), *this);
  std::vector<cl_device_id> ids(count);
  std::vector<SubDevice> made;
  made.reserve(count);
  check_division(api().CreateSubDevices(device_, properties.data(), count, ids.data(), nullptr), *this);
  for (const cl_device_id id : ids) made.emplace_back(id);
  // The driver divides all units; parts of so many units may be more than were asked for.
  if (const auto* const equally = std::get_if<Equally>(&division))
    made.resize(std::min(made.size(), equally->parts));
  std::vector<std::shared_ptr<backend::Device>> parts;
  for (SubDevice& each : made)
    parts.push_back(
        std::make_shared<Device>(platform_, std::move(each), std::static_pointer_cast<const Device>(self)));
  return parts;
}

}  // namespace quern::backend::opencl
