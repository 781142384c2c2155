// SPDX-License-Identifier: MIT
// Search for OpenCL devices, and conversion of their properties.
#include "backend/opencl/device.hpp"

#include <algorithm>
#include <cstdio>

#include "backend/opencl/context.hpp"
#include "backend/registry.hpp"
#include "base/environment.hpp"
#include "quern/error.hpp"

namespace quern::backend::opencl {
namespace {

bool has_extension(const std::string& extensions, std::string_view name) {
  for (std::size_t at = extensions.find(name); at != std::string::npos; at = extensions.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || extensions[at - 1] == ' ') && (end == extensions.size() || extensions[end] == ' ')) {
      return true;
    }
  }
  return false;
}

// "OpenCL 3.0 CUDA 13.0.84" is 30.
int parse_version(const std::string& text) {
  int major = 1, minor = 2;
  if (std::sscanf(text.c_str(), "OpenCL %d.%d", &major, &minor) != 2) return 12;
  return major * 10 + minor;
}

// The SIMD width of the hardware. Before 3.0, OpenCL reports it only for a built kernel, so vendors' queries
// come first.
unsigned sub_group_size(cl_device_id device, const std::string& extensions) {
  if (has_extension(extensions, "cl_nv_device_attribute_query")) {
    if (const auto warp = device_value<cl_uint>(device, CL_DEVICE_WARP_SIZE_NV)) return warp;
  }
  if (has_extension(extensions, "cl_amd_device_attribute_query")) {
    if (const auto wavefront = device_value<cl_uint>(device, CL_DEVICE_WAVEFRONT_WIDTH_AMD)) return wavefront;
  }
  if (has_extension(extensions, "cl_intel_required_subgroup_size")) {
    std::string bytes;
    const cl_int status = query_bytes(
        [&](std::size_t n, void* p, std::size_t* needed) {
          return api().GetDeviceInfo(device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, n, p, needed);
        },
        bytes);
    if (status == CL_SUCCESS && bytes.size() >= sizeof(std::size_t)) {
      const auto* sizes = reinterpret_cast<const std::size_t*>(bytes.data());
      return static_cast<unsigned>(*std::max_element(sizes, sizes + bytes.size() / sizeof(std::size_t)));
    }
  }
  // Core since 3.0; older drivers do not know the query.
  const auto multiple = device_value<std::size_t>(device, CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
  if (multiple != 0) return static_cast<unsigned>(multiple);
  return std::max(1u, device_value<cl_uint>(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT));
}

std::string architecture(cl_device_id device, const std::string& extensions, const std::string& name) {
  if (has_extension(extensions, "cl_nv_device_attribute_query")) {
    const auto major = device_value<cl_uint>(device, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV);
    const auto minor = device_value<cl_uint>(device, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV);
    if (major != 0) return "sm_" + std::to_string(major) + std::to_string(minor);
  }
  return name;
}

DeviceKind kind_of(cl_device_type type) {
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return DeviceKind::gpu;
  if ((type & CL_DEVICE_TYPE_CPU) != 0) return DeviceKind::cpu;
  return DeviceKind::accelerator;
}

constexpr std::string_view kOwnVendor = "Quern";  // of src/platform

// Reports each device of a platform; those that can run programs are added to `found`.
void discover_platform(cl_platform_id platform, Discovery& found) {
  const std::string name = platform_text(platform, CL_PLATFORM_NAME);
  const std::string what = "OpenCL platform '" + name + "'";
  // Our own platform (src/platform) has the devices that the other backends have already.
  if (name.starts_with("Quern") && platform_text(platform, CL_PLATFORM_VENDOR) == kOwnVendor) {
    found.attempts.push_back({what, "it is this library, whose devices are listed as its own", false});
    return;
  }
  cl_uint count = 0;
  cl_int status = api().GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  std::vector<cl_device_id> ids(count);
  if (status == CL_SUCCESS && count > 0) {
    status = api().GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr);
  }
  if (status == CL_DEVICE_NOT_FOUND || (status == CL_SUCCESS && count == 0)) {
    found.attempts.push_back({what, "it has no devices", false});
    return;
  }
  if (status != CL_SUCCESS) {
    found.attempts.push_back({what, "clGetDeviceIDs failed with " + error_name(status), false});
    return;
  }
  found.attempts.push_back({what, platform_text(platform, CL_PLATFORM_VERSION), true});
  for (cl_device_id id : ids) {
    const std::string device_what =
        "OpenCL device '" + device_text(id, CL_DEVICE_NAME) + "' of '" + name + "'";
    const auto report = [&](std::string outcome, bool ok) {
      found.attempts.push_back({device_what, std::move(outcome), ok});
    };
    try {
      if (device_value<cl_bool>(id, CL_DEVICE_AVAILABLE) == CL_FALSE) {
        report("the driver says that it is not available (CL_DEVICE_AVAILABLE)", false);
      } else if (device_value<cl_bool>(id, CL_DEVICE_COMPILER_AVAILABLE) == CL_FALSE) {
        report("it has no compiler for OpenCL C (CL_DEVICE_COMPILER_AVAILABLE)", false);
      } else {
        auto device = std::make_shared<Device>(platform, id);
        report(device->properties().version, true);
        found.devices.push_back(std::move(device));
      }
    } catch (const std::exception& error) {
      report(error.what(), false);
    }
  }
}

}  // namespace

std::string device_text(cl_device_id device, cl_device_info query) {
  std::string text;
  const cl_int status =
      query_bytes([&](std::size_t n, void* p,
                      std::size_t* needed) { return api().GetDeviceInfo(device, query, n, p, needed); },
                  text);
  return status == CL_SUCCESS ? driver_text(text) : std::string();
}

std::string platform_text(cl_platform_id platform, cl_platform_info query) {
  std::string text;
  const cl_int status =
      query_bytes([&](std::size_t n, void* p,
                      std::size_t* needed) { return api().GetPlatformInfo(platform, query, n, p, needed); },
                  text);
  return status == CL_SUCCESS ? driver_text(text) : std::string();
}

Device::Device(cl_platform_id platform, SubDevice part, std::shared_ptr<const Device> whole)
    : Device(platform, part.get()) {
  part_ = std::move(part);
  whole_ = std::move(whole);
}

Device::Device(cl_platform_id platform, cl_device_id device) : platform_(platform), device_(device) {
  DeviceProperties& p = properties_;
  p.backend = "opencl";
  p.name = device_text(device, CL_DEVICE_NAME);
  p.vendor = device_text(device, CL_DEVICE_VENDOR);
  p.platform = platform_text(platform, CL_PLATFORM_NAME);
  p.version = device_text(device, CL_DEVICE_VERSION);
  p.driver_version = device_text(device, CL_DRIVER_VERSION);
  label_ = p.name + " (" + p.platform + ")";
  version_ = parse_version(p.version);
  if (version_ < 12) throw Error("it speaks '" + p.version + "' only: OpenCL 1.2 is needed");

  // The one query that must be answered: a device without a work-group size cannot run kernels.
  check(api().GetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof p.max_work_group_size,
                            &p.max_work_group_size, nullptr),
        "clGetDeviceInfo(CL_DEVICE_MAX_WORK_GROUP_SIZE)", label_);
  const std::string extensions = device_text(device, CL_DEVICE_EXTENSIONS);
  p.kind = kind_of(device_value<cl_device_type>(device, CL_DEVICE_TYPE));
  if (p.kind == DeviceKind::cpu) p.preferred_group_size = p.preferred_row = 1024;
  p.dialect = Dialect::opencl_c;
  p.compute_units = std::max(1u, device_value<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS));
  if (p.kind == DeviceKind::cpu) p.preferred_groups = p.compute_units;
  p.sub_group_size = sub_group_size(device, extensions);
  p.global_memory = device_value<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE);
  p.max_allocation = device_value<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  p.local_memory = device_value<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE);
  // At least three dimensions by the standard; a device with more does not answer into a shorter array.
  std::vector<std::size_t> sizes(
      std::max(3u, device_value<cl_uint>(device, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS)), 1);
  check(api().GetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizes.size() * sizeof sizes[0],
                            sizes.data(), nullptr),
        "clGetDeviceInfo(CL_DEVICE_MAX_WORK_ITEM_SIZES)", label_);
  std::copy_n(sizes.begin(), 3, p.max_work_item_sizes.begin());
  // In bits, unlike all other values.
  p.max_argument_bytes = device_value<std::size_t>(device, CL_DEVICE_MAX_PARAMETER_SIZE);
  p.sub_buffer_alignment = std::max(1u, device_value<cl_uint>(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8);
  p.rounds_divide_and_sqrt = (device_value<cl_device_fp_config>(device, CL_DEVICE_SINGLE_FP_CONFIG) &
                              CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  p.has_fp64 = device_value<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  p.has_fp16 = has_extension(extensions, "cl_khr_fp16");
  p.has_int64_atomics = has_extension(extensions, "cl_khr_int64_base_atomics") &&
                        has_extension(extensions, "cl_khr_int64_extended_atomics");
  p.shares_host_memory = false;
  // Programs are built as OpenCL C 1.x unless an option says otherwise, and there local sizes must divide
  // global sizes. Building everything as 2.0 or 3.0 for this would be a poor trade: NVIDIA does not support
  // it at all, and PoCL compiles each kernel once more for the group at the edge.
  p.non_uniform_groups = false;
  p.architecture = architecture(device, extensions, p.name);
  runs_out_of_order_ = (device_value<cl_command_queue_properties>(device, CL_DEVICE_QUEUE_PROPERTIES) &
                        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
  has_priorities_ = has_extension(extensions, "cl_khr_priority_hints");
}

Info Device::info() const {
  return device_info(platform_, device_);
}

std::shared_ptr<backend::Context> Device::make_context(
    std::span<const std::shared_ptr<backend::Device>> devices) {
  std::vector<std::shared_ptr<const Device>> ours;
  bool has_this = false;
  for (const auto& device : devices) {
    auto same_backend = std::dynamic_pointer_cast<const Device>(device);
    if (same_backend == nullptr || same_backend->platform() != platform_) {
      throw ArgumentError(ArgumentError::Kind::value, "a context needs devices of one platform: '" +
                                                          device->properties().name + "' and '" +
                                                          properties_.name + "' are of different ones");
    }
    has_this = has_this || device.get() == this;
    ours.push_back(std::move(same_backend));
  }
  if (!has_this) {
    throw ArgumentError(ArgumentError::Kind::value,
                        "the context's devices do not include '" + properties_.name + "' itself");
  }
  return std::make_shared<Context>(std::move(ours));
}

}  // namespace quern::backend::opencl

namespace quern::backend {

Discovery discover_opencl() {
  Discovery found;
  const opencl::Api& api = opencl::api();
  for (const SharedLibrary::Attempt& attempt : api.library.attempts()) {
    found.attempts.push_back({attempt.name,
                              attempt.error.empty() ? "loaded " + api.library.path() : attempt.error,
                              attempt.error.empty()});
  }
  if (!api.problem.empty()) {
    const std::string hint =
        "; install an OpenCL loader (such as ocl-icd-libopencl1), or name its library in "
        "QUERN_OPENCL_LIBRARY";
    found.attempts.push_back({"OpenCL", api.problem + hint, false});
    return found;
  }
  const KeptVariable files("OCL_ICD_FILENAMES"), folders("OCL_ICD_VENDORS"), layers("OPENCL_LAYERS");
  cl_uint count = 0;
  cl_int status = api.GetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> platforms(count);
  if (status == CL_SUCCESS && count > 0) status = api.GetPlatformIDs(count, platforms.data(), nullptr);
  // Loaders differ: some report only by the count that there is no platform.
  if (status == CL_SUCCESS && count == 0) status = CL_PLATFORM_NOT_FOUND_KHR;
  if (status == CL_PLATFORM_NOT_FOUND_KHR) {
    found.attempts.push_back(
        {"OpenCL platforms",
         "clGetPlatformIDs failed with CL_PLATFORM_NOT_FOUND_KHR: the loader found no driver; "
         "install the vendor's, or pocl-opencl-icd for the CPU (drivers are listed in "
         "/etc/OpenCL/vendors)",
         false});
    return found;
  }
  if (status != CL_SUCCESS) {
    found.attempts.push_back(
        {"OpenCL platforms", "clGetPlatformIDs failed with " + opencl::error_name(status), false});
    return found;
  }
  for (cl_platform_id platform : platforms) opencl::discover_platform(platform, found);
  return found;
}

}  // namespace quern::backend
