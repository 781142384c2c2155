// SPDX-License-Identifier: MIT
// Parts of a CUDA device: green contexts.
#include <algorithm>

#include "backend/cuda/device.hpp"
#include "quern/error.hpp"

namespace quern::backend::cuda {

CudaDevice::CudaDevice(std::shared_ptr<CudaDevice> whole, GreenContextHandle green, unsigned multiprocessors)
    : api_(whole->api_),
      ordinal_(whole->ordinal_),
      handle_(whole->handle_),
      capability_(whole->capability_),
      properties_(whole->properties_),
      whole_(std::move(whole)),
      green_(green) {
  properties_.compute_units = multiprocessors;
}

std::vector<Resource> CudaDevice::smallest_groups() {
  Resource all;
  if (green_ != nullptr) {
    check(api_.cuGreenCtxGetDevResource(green_, &all, kResourceMultiprocessors), "cuGreenCtxGetDevResource");
  } else {
    check(api_.cuDeviceGetDevResource(handle_, &all, kResourceMultiprocessors), "cuDeviceGetDevResource");
  }
  // Older drivers do not report the limits that NVIDIA documents for each architecture.
  unsigned least = all.smallest_part;
  if (least == 0) least = capability_ >= 90 ? 8 : capability_ >= 80 ? 4 : 2;
  if (all.multiprocessors < 2 * least) return {all};
  unsigned count = 0;
  check(api_.cuDevSmResourceSplitByCount(nullptr, &count, &all, nullptr, 0, least),
        "cuDevSmResourceSplitByCount");
  std::vector<Resource> groups(count);
  check(api_.cuDevSmResourceSplitByCount(groups.data(), &count, &all, nullptr, 0, least),
        "cuDevSmResourceSplitByCount");
  groups.resize(std::min<std::size_t>(count, groups.size()));
  return groups;
}

std::vector<std::shared_ptr<Device>> CudaDevice::split(const std::shared_ptr<Device>& self,
                                                       const Division& division) {
  const std::string name = "cuda:" + std::to_string(ordinal_);
  if (std::holds_alternative<AffinityDomain>(division)) {
    throw ArgumentError(ArgumentError::Kind::value, name +
                                                        " has no NUMA nodes, level-3 caches or cores: divide "
                                                        "it equally or by counts of multiprocessors");
  }
  if (api_.cuGreenCtxStreamCreate == nullptr || api_.cuGreenCtxCreate == nullptr ||
      api_.cuDevResourceGenerateDesc == nullptr || api_.cuDevSmResourceSplitByCount == nullptr ||
      api_.cuDeviceGetDevResource == nullptr || api_.cuGreenCtxGetDevResource == nullptr) {
    throw Error("dividing " + name +
                " needs green contexts, which the driver has since CUDA 12.5; this one is of " +
                std::to_string(api_.version / 1000) + "." + std::to_string(api_.version % 1000 / 10));
  }
  state();  // a green context is one of the primary context
  std::vector<Resource> groups = smallest_groups();
  const std::size_t size = groups.empty() ? 0 : groups.front().multiprocessors;  // all have the same
  const std::string limits = ": its " + std::to_string(properties_.compute_units) + " multiprocessors form " +
                             std::to_string(groups.size()) + " groups of " + std::to_string(size) +
                             ", which cannot be divided";
  std::vector<std::size_t> counts;  // of groups
  if (const auto* const equally = std::get_if<Equally>(&division)) {
    if (equally->parts > groups.size()) {
      throw ArgumentError(ArgumentError::Kind::value, name + " cannot be divided into " +
                                                          std::to_string(equally->parts) + " parts" + limits);
    }
    counts.assign(equally->parts, groups.size() / equally->parts);
  } else {
    std::size_t left = groups.size();
    for (const std::size_t wanted : std::get<Counts>(division).compute_units) {
      if (size == 0 || wanted % size != 0 || wanted / size > left) {
        throw ArgumentError(ArgumentError::Kind::value, name + " has no part of " + std::to_string(wanted) +
                                                            " multiprocessors left" + limits +
                                                            "; use multiples of " + std::to_string(size));
      }
      counts.push_back(wanted / size);
      left -= wanted / size;
    }
  }
  std::vector<std::shared_ptr<Device>> parts;
  std::size_t next = 0;
  for (const std::size_t count : counts) {
    ResourceDescriptor descriptor = nullptr;
    check(api_.cuDevResourceGenerateDesc(&descriptor, groups.data() + next, static_cast<unsigned>(count)),
          "cuDevResourceGenerateDesc");
    GreenContextHandle green = nullptr;
    check(api_.cuGreenCtxCreate(&green, descriptor, handle_, kGreenContextDefaultStream), "cuGreenCtxCreate");
    parts.push_back(std::make_shared<CudaDevice>(std::static_pointer_cast<CudaDevice>(self), green,
                                                 static_cast<unsigned>(count * size)));
    next += count;
  }
  return parts;
}

}  // namespace quern::backend::cuda
