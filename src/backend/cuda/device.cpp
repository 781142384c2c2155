// SPDX-License-Identifier: MIT
// Discovery of CUDA devices and their properties.
#include "backend/cuda/device.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "backend/cuda/context.hpp"
#include "base/process.hpp"
#include "quern/error.hpp"

namespace quern::backend::cuda {
namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// The driver's own release, such as 580.159.03, which the CUDA API does not report.
std::string driver_release() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;) {
    const bool number = word.find_first_not_of("0123456789.") == word.npos;
    if (number && std::count(word.begin(), word.end(), '.') >= 1) return word;
    if (word == "GCC") break;
  }
  return {};
}

std::string uuid_text(const Uuid& uuid) {
  std::string out = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(uuid.bytes[i]));
    out += digits;
  }
  return out;
}

}  // namespace

CudaDevice::CudaDevice(const Driver& api, int ordinal) : api_(api), ordinal_(ordinal) {
  check(api.cuDeviceGet(&handle_, ordinal), "cuDeviceGet");
  char name[256] = {};
  check(api.cuDeviceGetName(name, sizeof name - 1, handle_), "cuDeviceGetName");
  const auto count = [this](DeviceAttribute which) {
    return static_cast<std::size_t>(std::max(attribute(which), 1));
  };

  const int major = attribute(DeviceAttribute::compute_capability_major);
  const int minor = attribute(DeviceAttribute::compute_capability_minor);
  capability_ = 10 * major + minor;

  DeviceProperties& p = properties_;
  p.backend = "cuda";
  p.name = name;
  p.vendor = "NVIDIA Corporation";
  p.platform = "NVIDIA CUDA";
  p.version = "CUDA " + version_text(api.version) + ", compute capability " + std::to_string(major) + "." +
              std::to_string(minor);
  p.driver_version = driver_release();
  if (p.driver_version.empty()) p.driver_version = "CUDA " + version_text(api.version);
  p.kind = DeviceKind::gpu;
  p.dialect = Dialect::cuda_cpp;
  p.compute_units = static_cast<unsigned>(count(DeviceAttribute::multiprocessor_count));
  p.sub_group_size = static_cast<unsigned>(count(DeviceAttribute::warp_size));
  check(api.cuDeviceTotalMem(&p.global_memory, handle_), "cuDeviceTotalMem");
  p.max_allocation = p.global_memory;
  p.local_memory = std::max(count(DeviceAttribute::max_shared_memory_per_block),
                            count(DeviceAttribute::max_shared_memory_per_block_optin));
  p.max_work_group_size = count(DeviceAttribute::max_threads_per_block);
  p.max_work_item_sizes = {count(DeviceAttribute::max_block_dim_x), count(DeviceAttribute::max_block_dim_y),
                           count(DeviceAttribute::max_block_dim_z)};
  p.max_groups = {count(DeviceAttribute::max_grid_dim_x), count(DeviceAttribute::max_grid_dim_y),
                  count(DeviceAttribute::max_grid_dim_z)};
  p.sub_buffer_alignment = 1;
  p.has_fp64 = true;
  p.has_fp16 = capability_ >= 53;
  p.has_int64_atomics = true;
  // A discrete GPU may also access ordinary host memory (HMM), but at the speed of its page faults.
  p.shares_host_memory =
      attribute(DeviceAttribute::integrated) != 0 && attribute(DeviceAttribute::pageable_memory_access) != 0;
  p.groups_start_in_order = true;
  p.non_uniform_groups = true;
  p.architecture = "sm_" + std::to_string(capability_);
  if (attribute(DeviceAttribute::unified_addressing) == 0)
    throw Error("the device has no unified address space");
}

void CudaDevice::check(Result result, const char* call) const {
  if (result == Result::success) return;
  const std::string what =
      std::string(call) + " failed on cuda:" + std::to_string(ordinal_) + ": " + describe(api_, result);
  if (is_sticky(result)) throw DeviceLost(what);
  throw Error(what);
}

int CudaDevice::attribute(DeviceAttribute which) const {
  int value = 0;
  check(api_.cuDeviceGetAttribute(&value, which, handle_), "cuDeviceGetAttribute");
  return value;
}

const StatePtr& CudaDevice::state() {
  if (whole_) return whole_->state();
  process::check_not_forked();
  const std::lock_guard lock(mutex_);
  if (state_ == nullptr) {
    ContextHandle context = nullptr;
    check(api_.cuDevicePrimaryCtxRetain(&context, handle_), "cuDevicePrimaryCtxRetain");
    LaunchLimits limits;
    limits.groups = properties_.max_groups;
    limits.local = properties_.max_work_item_sizes;
    limits.dynamic_local = properties_.local_memory;
    limits.pitch = static_cast<std::size_t>(std::max(attribute(DeviceAttribute::max_pitch), 1));
    state_ = std::make_shared<DeviceState>(
        api_, handle_, context, "'" + properties_.name + "' (cuda:" + std::to_string(ordinal_) + ")", limits);
  }
  return state_;
}

std::shared_ptr<Context> CudaDevice::make_context(std::span<const std::shared_ptr<Device>> devices) {
  std::vector<std::shared_ptr<CudaDevice>> own;
  for (const auto& device : devices) {
    auto cuda_device = std::dynamic_pointer_cast<CudaDevice>(device);
    if (cuda_device == nullptr) {
      throw ArgumentError(ArgumentError::Kind::value, "a CUDA context accepts only CUDA devices");
    }
    own.push_back(std::move(cuda_device));
  }
  if (own.empty()) throw ArgumentError(ArgumentError::Kind::value, "a context needs at least one device");
  return std::make_shared<CudaContext>(std::move(own));
}

Info CudaDevice::info() const {
  Info out = {
      {"name", properties_.name},
      {"ordinal", std::to_string(ordinal_)},
      {"multiprocessors", std::to_string(properties_.compute_units)},
      {"compute_capability", std::to_string(capability_ / 10) + "." + std::to_string(capability_ % 10)},
      {"total_memory", std::to_string(properties_.global_memory)},
      {"cuda_version", version_text(api_.version)},
      {"driver_version", properties_.driver_version},
      {"driver_library", api_.path}};
  Uuid uuid{};
  if (api_.cuDeviceGetUuid != nullptr && api_.cuDeviceGetUuid(&uuid, handle_) == Result::success) {
    out.emplace_back("uuid", uuid_text(uuid));
  }
  char bus_id[32] = {};
  if (api_.cuDeviceGetPCIBusId != nullptr &&
      api_.cuDeviceGetPCIBusId(bus_id, sizeof bus_id - 1, handle_) == Result::success) {
    out.emplace_back("pci_bus_id", bus_id);
  }
  for (const AttributeName& row : attribute_names()) {
    int value = 0;
    // An older driver does not know newer attributes.
    if (api_.cuDeviceGetAttribute(&value, static_cast<DeviceAttribute>(row.attribute), handle_) ==
        Result::success) {
      out.emplace_back(row.name, std::to_string(value));
    }
  }
  return out;
}

}  // namespace quern::backend::cuda

namespace quern::backend {

Discovery discover_cuda() {
  Discovery found;
  const cuda::Driver* driver = cuda::load_driver(found.attempts);
  if (driver == nullptr) return found;
  int count = 0;
  if (const cuda::Result result = driver->cuDeviceGetCount(&count); result != cuda::Result::success) {
    found.attempts.push_back({driver->path, "cuDeviceGetCount: " + cuda::describe(*driver, result), false});
    return found;
  }
  if (count == 0) found.attempts.push_back({driver->path, "no CUDA device found", false});
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    const std::string what = "cuda:" + std::to_string(ordinal);
    try {
      found.devices.push_back(std::make_shared<cuda::CudaDevice>(*driver, ordinal));
      found.attempts.push_back({what, found.devices.back()->properties().name, true});
    } catch (const std::exception& error) {
      found.attempts.push_back({what, error.what(), false});
    }
  }
  return found;
}

}  // namespace quern::backend
