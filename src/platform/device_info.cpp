// SPDX-License-Identifier: MIT
// What a device says of itself.
#include "platform/device_info.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "platform/platform.hpp"
#include "quern/svm.hpp"

namespace quern::platform {
namespace {

bool is_host(const _cl_device_id& device) noexcept {
  return device.device.properties().kind == DeviceKind::cpu;
}

// CL_DEVICE_VENDOR is the processor's on the host. Programs that see NVIDIA there expect its own platform and
// the extensions of that one, so CUDA devices say who runs them; their name says the rest.
std::string vendor_of(const _cl_device_id& device) {
  return is_host(device) ? device.device.properties().vendor : kVendor;
}

cl_uint vendor_id_of(const _cl_device_id& device) {
  const std::string& vendor = device.device.properties().vendor;
  if (!is_host(device)) return 0x10de;
  if (vendor.find("Intel") != vendor.npos) return 0x8086;
  if (vendor.find("AMD") != vendor.npos) return 0x1022;
  return 0;
}

std::vector<const char*> extensions_of(const _cl_device_id& device) {
  const DeviceProperties& p = device.device.properties();
  std::vector<const char*> names = {"cl_khr_byte_addressable_store",
                                    "cl_khr_global_int32_base_atomics",
                                    "cl_khr_global_int32_extended_atomics",
                                    "cl_khr_local_int32_base_atomics",
                                    "cl_khr_local_int32_extended_atomics",
                                    "cl_khr_icd",
                                    "cl_khr_create_command_queue",
                                    "cl_khr_extended_versioning",
                                    "cl_khr_priority_hints",
                                    "cl_khr_throttle_hints"};
  if (p.has_int64_atomics)
    names.insert(names.end(), {"cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"});
  if (p.has_fp64) names.push_back("cl_khr_fp64");
  if (p.has_fp16) names.push_back("cl_khr_fp16");
  return names;
}

cl_name_version named(const char* name, cl_version version) {
  cl_name_version result{version, {}};
  std::strncpy(result.name, name, sizeof result.name - 1);
  return result;
}

void answer_features(const _cl_device_id& device, const Answer& answer) {
  std::vector<cl_name_version> all;
  for (const char* name :
       {"__opencl_c_generic_address_space", "__opencl_c_program_scope_global_variables",
        "__opencl_c_atomic_order_acq_rel", "__opencl_c_atomic_order_seq_cst",
        "__opencl_c_atomic_scope_device", "__opencl_c_int64", "__opencl_c_work_group_collective_functions"})
    all.push_back(named(name, kVersion));
  if (device.device.properties().has_fp64) all.push_back(named("__opencl_c_fp64", kVersion));
  answer.list(std::span<const cl_name_version>(all));
}

void answer_languages(const Answer& answer) {
  std::vector<cl_name_version> all;
  for (const auto& [major, minor] : {std::pair{1, 0}, {1, 1}, {1, 2}, {3, 0}})
    all.push_back(named("OpenCL C",
                        CL_MAKE_VERSION(static_cast<cl_version>(major), static_cast<cl_version>(minor), 0)));
  answer.list(std::span<const cl_name_version>(all));
}

// MHz; 0 if the system does not tell.
cl_uint clock_frequency() {
  std::ifstream highest("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
  if (double khz = 0; highest >> khz) return static_cast<cl_uint>(khz / 1e3);
  std::ifstream processors("/proc/cpuinfo");
  for (std::string line; std::getline(processors, line);)
    if (line.starts_with("cpu MHz") && line.find(':') != line.npos)
      return static_cast<cl_uint>(std::strtod(line.c_str() + line.find(':') + 1, nullptr));
  return 0;
}

std::size_t system_value(int name) noexcept {
  const long value = sysconf(name);
  return value > 0 ? static_cast<std::size_t>(value) : 0;
}

cl_device_fp_config full_precision() noexcept {
  return CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF |
         CL_FP_FMA;
}

constexpr cl_device_atomic_capabilities kAtomics =
    CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_ORDER_SEQ_CST |
    CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE;

void answer_identity(const _cl_device_id& device, cl_device_info query, const Answer& answer) {
  const DeviceProperties& p = device.device.properties();
  switch (query) {
    case CL_DEVICE_TYPE:
      return answer.value(
          static_cast<cl_device_type>(is_host(device) ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_GPU));
    case CL_DEVICE_VENDOR_ID:
      return answer.value(vendor_id_of(device));
    case CL_DEVICE_NAME:
      return answer.text(p.name);
    case CL_DEVICE_VENDOR:
      return answer.text(vendor_of(device));
    case CL_DRIVER_VERSION:
      return answer.text(QUERN_VERSION);
    case CL_DEVICE_PROFILE:
      return answer.text("FULL_PROFILE");
    case CL_DEVICE_VERSION:
      return answer.text("OpenCL 3.0 Quern " + p.architecture);
    case CL_DEVICE_NUMERIC_VERSION:
      return answer.value(kVersion);
    case CL_DEVICE_OPENCL_C_VERSION:  // the latest that is compatible with all before it
      return answer.text("OpenCL C 1.2 Quern");
    case CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR:
      return answer.value(static_cast<cl_version_khr>(CL_MAKE_VERSION(1, 2, 0)));
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
      return answer_languages(answer);
    case CL_DEVICE_OPENCL_C_FEATURES:
      return answer_features(device, answer);
    case CL_DEVICE_EXTENSIONS: {
      std::string text;
      for (const char* name : extensions_of(device)) text += (text.empty() ? "" : " ") + std::string(name);
      return answer.text(text);
    }
    case CL_DEVICE_EXTENSIONS_WITH_VERSION: {
      std::vector<cl_name_version> all;
      for (const char* name : extensions_of(device)) all.push_back(named(name, CL_MAKE_VERSION(1, 0, 0)));
      return answer.list(std::span<const cl_name_version>(all));
    }
    case CL_DEVICE_ILS_WITH_VERSION:
    case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
      return answer.list(std::span<const cl_name_version>());
    case CL_DEVICE_IL_VERSION:
    case CL_DEVICE_BUILT_IN_KERNELS:
    case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED:  // it has not been submitted
      return answer.text("");
    case CL_DEVICE_PLATFORM:
      return answer.value(device.platform);
    case CL_DEVICE_REFERENCE_COUNT:
      return answer.value(device.retained());
    default:
      fail(CL_INVALID_VALUE);
  }
}

void answer_partition(const _cl_device_id& device, cl_device_info query, const Answer& answer) {
  const DeviceProperties& p = device.device.properties();
  const bool divides = is_partitionable(device);
  switch (query) {
    case CL_DEVICE_PARENT_DEVICE:
      return answer.value(device.parent.get());
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
      return answer.value(divides ? p.compute_units : cl_uint{0});
    case CL_DEVICE_PARTITION_PROPERTIES: {
      const cl_device_partition_property kinds[] = {
          CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS, CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN};
      const cl_device_partition_property none[] = {0};
      return answer.list(divides ? std::span<const cl_device_partition_property>(kinds)
                                 : std::span<const cl_device_partition_property>(none));
    }
    case CL_DEVICE_PARTITION_AFFINITY_DOMAIN:
      return answer.value(static_cast<cl_device_affinity_domain>(
          divides ? CL_DEVICE_AFFINITY_DOMAIN_NUMA | CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE |
                        CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE
                  : 0));
    case CL_DEVICE_PARTITION_TYPE:
      return answer.list(std::span<const cl_device_partition_property>(device.partition));
    default:
      return answer_identity(device, query, answer);
  }
}

void answer_memory(const _cl_device_id& device, cl_device_info query, const Answer& answer) {
  const DeviceProperties& p = device.device.properties();
  switch (query) {
    case CL_DEVICE_GLOBAL_MEM_SIZE:
      return answer.value(static_cast<cl_ulong>(p.global_memory));
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
      return answer.value(static_cast<cl_ulong>(p.max_allocation));
    case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE:
      return answer.value(cl_device_mem_cache_type{CL_READ_WRITE_CACHE});
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
      return answer.value(static_cast<cl_ulong>(
          is_host(device) ? std::max(system_value(_SC_LEVEL3_CACHE_SIZE), system_value(_SC_LEVEL2_CACHE_SIZE))
                          : 0));
    case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE: {
      const std::size_t line = is_host(device) ? system_value(_SC_LEVEL1_DCACHE_LINESIZE) : 128;
      return answer.value(static_cast<cl_uint>(line != 0 ? line : 64));
    }
    case CL_DEVICE_LOCAL_MEM_TYPE:
      return answer.value(static_cast<cl_device_local_mem_type>(is_host(device) ? CL_GLOBAL : CL_LOCAL));
    case CL_DEVICE_LOCAL_MEM_SIZE:
      return answer.value(static_cast<cl_ulong>(p.local_memory));
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:  // constant memory is global memory in the lowered kernels
      return answer.value(static_cast<cl_ulong>(p.max_allocation));
    case CL_DEVICE_MAX_CONSTANT_ARGS:
      return answer.value(cl_uint{64});
    case CL_DEVICE_MAX_PARAMETER_SIZE:
      return answer.value(p.max_argument_bytes);
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
      return answer.value(static_cast<cl_uint>(8 * sub_buffer_alignment(device.device)));
    case CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE:
      return answer.value(cl_uint{128});
    case CL_DEVICE_ERROR_CORRECTION_SUPPORT:
      return answer.flag(false);
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
      return answer.flag(is_host(device));
    case CL_DEVICE_SVM_CAPABILITIES:
      return answer.value(svm_capabilities(device.device));
    case CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE:
    case CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE:
      return answer.value(std::size_t{1} << 16);
    case CL_DEVICE_PRINTF_BUFFER_SIZE:
      return answer.value(std::size_t{1} << 20);
    case CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT:
    case CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT:
    case CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT:
      return answer.value(cl_uint{0});
    default:
      return answer_partition(device, query, answer);
  }
}

void answer_execution(const _cl_device_id& device, cl_device_info query, const Answer& answer) {
  const DeviceProperties& p = device.device.properties();
  switch (query) {
    case CL_DEVICE_MAX_COMPUTE_UNITS:
      return answer.value(cl_uint{p.compute_units});
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
      return answer.value(cl_uint{3});
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
      return answer.value(p.max_work_item_sizes);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
      return answer.value(p.max_work_group_size);
    case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
      return answer.value(std::size_t{p.sub_group_size});
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
      return answer.value(is_host(device) ? clock_frequency() : cl_uint{0});
    case CL_DEVICE_ADDRESS_BITS:
      return answer.value(cl_uint{64});
    case CL_DEVICE_ENDIAN_LITTLE:
      return answer.flag(true);
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_LINKER_AVAILABLE:
    case CL_DEVICE_PREFERRED_INTEROP_USER_SYNC:
      return answer.flag(true);
    case CL_DEVICE_EXECUTION_CAPABILITIES:
      return answer.value(static_cast<cl_device_exec_capabilities>(
          CL_EXEC_KERNEL | (is_host(device) ? CL_EXEC_NATIVE_KERNEL : 0)));
    case CL_DEVICE_QUEUE_ON_HOST_PROPERTIES:
      return answer.value(static_cast<cl_command_queue_properties>(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
                                                                   CL_QUEUE_PROFILING_ENABLE));
    case CL_DEVICE_PROFILING_TIMER_RESOLUTION:
      return answer.value(std::size_t{1});
    case CL_DEVICE_SINGLE_FP_CONFIG:
      return answer.value(full_precision() | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
    case CL_DEVICE_DOUBLE_FP_CONFIG:
      return answer.value(p.has_fp64 ? full_precision() : cl_device_fp_config{0});
    case CL_DEVICE_HALF_FP_CONFIG:
      return answer.value(static_cast<cl_device_fp_config>(
          p.has_fp16 ? CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST : 0));
    case CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES:
    case CL_DEVICE_ATOMIC_FENCE_CAPABILITIES:
      return answer.value(kAtomics);
    case CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT:
    case CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT:
    case CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT:
      return answer.flag(true);
    case CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS:
    case CL_DEVICE_PIPE_SUPPORT:
    case CL_DEVICE_IMAGE_SUPPORT:
      return answer.flag(false);
    case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES:
      return answer.value(cl_device_device_enqueue_capabilities{0});
    default:
      return answer_memory(device, query, answer);
  }
}

// Of queries about images, pipes, queues on devices and sub-groups, which no device has: zeros of the right
// size.
bool answer_absent(cl_device_info query, const Answer& answer) {
  switch (query) {
    case CL_DEVICE_IMAGE2D_MAX_WIDTH:
    case CL_DEVICE_IMAGE2D_MAX_HEIGHT:
    case CL_DEVICE_IMAGE3D_MAX_WIDTH:
    case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
    case CL_DEVICE_IMAGE3D_MAX_DEPTH:
    case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE:
    case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE:
      answer.value(std::size_t{0});
      return true;
    case CL_DEVICE_MAX_READ_IMAGE_ARGS:
    case CL_DEVICE_MAX_WRITE_IMAGE_ARGS:
    case CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS:
    case CL_DEVICE_MAX_SAMPLERS:
    case CL_DEVICE_IMAGE_PITCH_ALIGNMENT:
    case CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT:
    case CL_DEVICE_MAX_PIPE_ARGS:
    case CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS:
    case CL_DEVICE_PIPE_MAX_PACKET_SIZE:
    case CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE:
    case CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE:
    case CL_DEVICE_MAX_ON_DEVICE_QUEUES:
    case CL_DEVICE_MAX_ON_DEVICE_EVENTS:
    case CL_DEVICE_MAX_NUM_SUB_GROUPS:
      answer.value(cl_uint{0});
      return true;
    case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
      answer.value(cl_command_queue_properties{0});
      return true;
    default:
      return false;
  }
}

// Kernels are vectorised across work-items, so scalars are preferred; native widths are those of the
// registers.
bool answer_widths(const _cl_device_id& device, cl_device_info query, const Answer& answer) {
  const DeviceProperties& p = device.device.properties();
  const cl_uint bytes = is_host(device) ? 4 * p.sub_group_size : 4;
  const auto lanes = [&](cl_uint size, bool has = true) {
    answer.value(has ? std::clamp(bytes / size, cl_uint{1}, cl_uint{16}) : cl_uint{0});
    return true;
  };
  switch (query) {
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT:
      answer.value(cl_uint{1});
      return true;
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE:
      answer.value(cl_uint{p.has_fp64});
      return true;
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF:
      answer.value(cl_uint{p.has_fp16});
      return true;
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR:
      return lanes(1);
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT:
      return lanes(2);
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_INT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
      return lanes(4);
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG:
      return lanes(8);
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE:
      return lanes(8, p.has_fp64);
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF:
      return lanes(2, p.has_fp16);
    default:
      return false;
  }
}

}  // namespace

bool is_partitionable(const _cl_device_id& device) noexcept {
  return is_host(device) && device.device.properties().compute_units > 1;
}

cl_device_svm_capabilities svm_capabilities(const Device& device) {
  if (device.properties().shares_host_memory)
    return CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER |
           CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
  return svm_grain(device) == SvmGrain::none ? 0 : CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
}

std::size_t sub_buffer_alignment(const Device& device) noexcept {
  constexpr std::size_t kLargestType = 128;  // long16
  return std::max(kLargestType, device.properties().sub_buffer_alignment);
}

void answer_device_query(const _cl_device_id& device, cl_device_info query, const Answer& answer) {
  if (answer_absent(query, answer) || answer_widths(device, query, answer)) return;
  answer_execution(device, query, answer);
}

}  // namespace quern::platform
