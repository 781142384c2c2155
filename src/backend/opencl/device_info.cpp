// SPDX-License-Identifier: MIT
// Every clGetDeviceInfo query up to OpenCL 3.0 (and NVIDIA's own), each with the format of its answer as
// text.

#include <cstdio>
#include <cstring>

#include "backend/opencl/device.hpp"

namespace quern::backend::opencl {
namespace {

enum class Form {
  text,
  number,
  boolean,
  hex,
  sizes,
  version,
  named_versions,
  cache_type,
  local_type,
  partition,  // by their type
  device_type,
  fp_config,
  execution,
  queue,
  affinity,
  svm,
  atomic,
  enqueue,  // sets of flags
};

struct Query {
  cl_device_info id;
  const char* name;
  Form form;
};

constexpr Query kQueries[] = {
    {CL_DEVICE_TYPE, "CL_DEVICE_TYPE", Form::device_type},
    {CL_DEVICE_VENDOR_ID, "CL_DEVICE_VENDOR_ID", Form::hex},
    {CL_DEVICE_MAX_COMPUTE_UNITS, "CL_DEVICE_MAX_COMPUTE_UNITS", Form::number},
    {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, "CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS", Form::number},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, "CL_DEVICE_MAX_WORK_GROUP_SIZE", Form::number},
    {CL_DEVICE_MAX_WORK_ITEM_SIZES, "CL_DEVICE_MAX_WORK_ITEM_SIZES", Form::sizes},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, "CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR", Form::number},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, "CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT", Form::number},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, "CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT", Form::number},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, "CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG", Form::number},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, "CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT", Form::number},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, "CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE", Form::number},
    {CL_DEVICE_MAX_CLOCK_FREQUENCY, "CL_DEVICE_MAX_CLOCK_FREQUENCY", Form::number},
    {CL_DEVICE_ADDRESS_BITS, "CL_DEVICE_ADDRESS_BITS", Form::number},
    {CL_DEVICE_MAX_READ_IMAGE_ARGS, "CL_DEVICE_MAX_READ_IMAGE_ARGS", Form::number},
    {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, "CL_DEVICE_MAX_WRITE_IMAGE_ARGS", Form::number},
    {CL_DEVICE_MAX_MEM_ALLOC_SIZE, "CL_DEVICE_MAX_MEM_ALLOC_SIZE", Form::number},
    {CL_DEVICE_IMAGE2D_MAX_WIDTH, "CL_DEVICE_IMAGE2D_MAX_WIDTH", Form::number},
    {CL_DEVICE_IMAGE2D_MAX_HEIGHT, "CL_DEVICE_IMAGE2D_MAX_HEIGHT", Form::number},
    {CL_DEVICE_IMAGE3D_MAX_WIDTH, "CL_DEVICE_IMAGE3D_MAX_WIDTH", Form::number},
    {CL_DEVICE_IMAGE3D_MAX_HEIGHT, "CL_DEVICE_IMAGE3D_MAX_HEIGHT", Form::number},
    {CL_DEVICE_IMAGE3D_MAX_DEPTH, "CL_DEVICE_IMAGE3D_MAX_DEPTH", Form::number},
    {CL_DEVICE_IMAGE_SUPPORT, "CL_DEVICE_IMAGE_SUPPORT", Form::boolean},
    {CL_DEVICE_MAX_PARAMETER_SIZE, "CL_DEVICE_MAX_PARAMETER_SIZE", Form::number},
    {CL_DEVICE_MAX_SAMPLERS, "CL_DEVICE_MAX_SAMPLERS", Form::number},
    {CL_DEVICE_MEM_BASE_ADDR_ALIGN, "CL_DEVICE_MEM_BASE_ADDR_ALIGN", Form::number},
    {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, "CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE", Form::number},
    {CL_DEVICE_SINGLE_FP_CONFIG, "CL_DEVICE_SINGLE_FP_CONFIG", Form::fp_config},
    {CL_DEVICE_HALF_FP_CONFIG, "CL_DEVICE_HALF_FP_CONFIG", Form::fp_config},
    {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, "CL_DEVICE_GLOBAL_MEM_CACHE_TYPE", Form::cache_type},
    {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, "CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE", Form::number},
    {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, "CL_DEVICE_GLOBAL_MEM_CACHE_SIZE", Form::number},
    {CL_DEVICE_GLOBAL_MEM_SIZE, "CL_DEVICE_GLOBAL_MEM_SIZE", Form::number},
    {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, "CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE", Form::number},
    {CL_DEVICE_MAX_CONSTANT_ARGS, "CL_DEVICE_MAX_CONSTANT_ARGS", Form::number},
    {CL_DEVICE_LOCAL_MEM_TYPE, "CL_DEVICE_LOCAL_MEM_TYPE", Form::local_type},
    {CL_DEVICE_LOCAL_MEM_SIZE, "CL_DEVICE_LOCAL_MEM_SIZE", Form::number},
    {CL_DEVICE_ERROR_CORRECTION_SUPPORT, "CL_DEVICE_ERROR_CORRECTION_SUPPORT", Form::boolean},
    {CL_DEVICE_PROFILING_TIMER_RESOLUTION, "CL_DEVICE_PROFILING_TIMER_RESOLUTION", Form::number},
    {CL_DEVICE_ENDIAN_LITTLE, "CL_DEVICE_ENDIAN_LITTLE", Form::boolean},
    {CL_DEVICE_AVAILABLE, "CL_DEVICE_AVAILABLE", Form::boolean},
    {CL_DEVICE_COMPILER_AVAILABLE, "CL_DEVICE_COMPILER_AVAILABLE", Form::boolean},
    {CL_DEVICE_EXECUTION_CAPABILITIES, "CL_DEVICE_EXECUTION_CAPABILITIES", Form::execution},
    {CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, "CL_DEVICE_QUEUE_ON_HOST_PROPERTIES", Form::queue},
    {CL_DEVICE_NAME, "CL_DEVICE_NAME", Form::text},
    {CL_DEVICE_VENDOR, "CL_DEVICE_VENDOR", Form::text},
    {CL_DRIVER_VERSION, "CL_DRIVER_VERSION", Form::text},
    {CL_DEVICE_PROFILE, "CL_DEVICE_PROFILE", Form::text},
    {CL_DEVICE_VERSION, "CL_DEVICE_VERSION", Form::text},
    {CL_DEVICE_EXTENSIONS, "CL_DEVICE_EXTENSIONS", Form::text},
    {CL_DEVICE_DOUBLE_FP_CONFIG, "CL_DEVICE_DOUBLE_FP_CONFIG", Form::fp_config},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, "CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF", Form::number},
    {CL_DEVICE_HOST_UNIFIED_MEMORY, "CL_DEVICE_HOST_UNIFIED_MEMORY", Form::boolean},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, "CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR", Form::number},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, "CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT", Form::number},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, "CL_DEVICE_NATIVE_VECTOR_WIDTH_INT", Form::number},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, "CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG", Form::number},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, "CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT", Form::number},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, "CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE", Form::number},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, "CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF", Form::number},
    {CL_DEVICE_OPENCL_C_VERSION, "CL_DEVICE_OPENCL_C_VERSION", Form::text},
    {CL_DEVICE_LINKER_AVAILABLE, "CL_DEVICE_LINKER_AVAILABLE", Form::boolean},
    {CL_DEVICE_BUILT_IN_KERNELS, "CL_DEVICE_BUILT_IN_KERNELS", Form::text},
    {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, "CL_DEVICE_IMAGE_MAX_BUFFER_SIZE", Form::number},
    {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, "CL_DEVICE_IMAGE_MAX_ARRAY_SIZE", Form::number},
    {CL_DEVICE_PARTITION_MAX_SUB_DEVICES, "CL_DEVICE_PARTITION_MAX_SUB_DEVICES", Form::number},
    {CL_DEVICE_PARTITION_PROPERTIES, "CL_DEVICE_PARTITION_PROPERTIES", Form::partition},
    {CL_DEVICE_PARTITION_AFFINITY_DOMAIN, "CL_DEVICE_PARTITION_AFFINITY_DOMAIN", Form::affinity},
    {CL_DEVICE_PARTITION_TYPE, "CL_DEVICE_PARTITION_TYPE", Form::partition},
    {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, "CL_DEVICE_PREFERRED_INTEROP_USER_SYNC", Form::boolean},
    {CL_DEVICE_PRINTF_BUFFER_SIZE, "CL_DEVICE_PRINTF_BUFFER_SIZE", Form::number},
    {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, "CL_DEVICE_IMAGE_PITCH_ALIGNMENT", Form::number},
    {CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, "CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT", Form::number},
    {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, "CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS", Form::number},
    {CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, "CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE", Form::number},
    {CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, "CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES", Form::queue},
    {CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, "CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE", Form::number},
    {CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, "CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE", Form::number},
    {CL_DEVICE_MAX_ON_DEVICE_QUEUES, "CL_DEVICE_MAX_ON_DEVICE_QUEUES", Form::number},
    {CL_DEVICE_MAX_ON_DEVICE_EVENTS, "CL_DEVICE_MAX_ON_DEVICE_EVENTS", Form::number},
    {CL_DEVICE_SVM_CAPABILITIES, "CL_DEVICE_SVM_CAPABILITIES", Form::svm},
    {CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, "CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE",
     Form::number},
    {CL_DEVICE_MAX_PIPE_ARGS, "CL_DEVICE_MAX_PIPE_ARGS", Form::number},
    {CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, "CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS", Form::number},
    {CL_DEVICE_PIPE_MAX_PACKET_SIZE, "CL_DEVICE_PIPE_MAX_PACKET_SIZE", Form::number},
    {CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, "CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT",
     Form::number},
    {CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, "CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT",
     Form::number},
    {CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, "CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT", Form::number},
    {CL_DEVICE_IL_VERSION, "CL_DEVICE_IL_VERSION", Form::text},
    {CL_DEVICE_MAX_NUM_SUB_GROUPS, "CL_DEVICE_MAX_NUM_SUB_GROUPS", Form::number},
    {CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, "CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS",
     Form::boolean},
    {CL_DEVICE_NUMERIC_VERSION, "CL_DEVICE_NUMERIC_VERSION", Form::version},
    {CL_DEVICE_EXTENSIONS_WITH_VERSION, "CL_DEVICE_EXTENSIONS_WITH_VERSION", Form::named_versions},
    {CL_DEVICE_ILS_WITH_VERSION, "CL_DEVICE_ILS_WITH_VERSION", Form::named_versions},
    {CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, "CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION",
     Form::named_versions},
    {CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, "CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES", Form::atomic},
    {CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, "CL_DEVICE_ATOMIC_FENCE_CAPABILITIES", Form::atomic},
    {CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, "CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT", Form::boolean},
    {CL_DEVICE_OPENCL_C_ALL_VERSIONS, "CL_DEVICE_OPENCL_C_ALL_VERSIONS", Form::named_versions},
    {CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, "CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE",
     Form::number},
    {CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, "CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT",
     Form::boolean},
    {CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, "CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT", Form::boolean},
    {CL_DEVICE_OPENCL_C_FEATURES, "CL_DEVICE_OPENCL_C_FEATURES", Form::named_versions},
    {CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES", Form::enqueue},
    {CL_DEVICE_PIPE_SUPPORT, "CL_DEVICE_PIPE_SUPPORT", Form::boolean},
    {CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, "CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED", Form::text},
    {CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, "CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV", Form::number},
    {CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, "CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV", Form::number},
    {CL_DEVICE_REGISTERS_PER_BLOCK_NV, "CL_DEVICE_REGISTERS_PER_BLOCK_NV", Form::number},
    {CL_DEVICE_WARP_SIZE_NV, "CL_DEVICE_WARP_SIZE_NV", Form::number},
    {CL_DEVICE_GPU_OVERLAP_NV, "CL_DEVICE_GPU_OVERLAP_NV", Form::boolean},
    {CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV, "CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV", Form::boolean},
    {CL_DEVICE_INTEGRATED_MEMORY_NV, "CL_DEVICE_INTEGRATED_MEMORY_NV", Form::boolean},
};

struct Flag {
  Form form;
  cl_ulong bit;
  const char* name;
};

constexpr Flag kFlags[] = {
    {Form::device_type, CL_DEVICE_TYPE_DEFAULT, "default"},
    {Form::device_type, CL_DEVICE_TYPE_CPU, "CPU"},
    {Form::device_type, CL_DEVICE_TYPE_GPU, "GPU"},
    {Form::device_type, CL_DEVICE_TYPE_ACCELERATOR, "accelerator"},
    {Form::device_type, CL_DEVICE_TYPE_CUSTOM, "custom"},
    {Form::fp_config, CL_FP_DENORM, "denormals"},
    {Form::fp_config, CL_FP_INF_NAN, "infinity and NaN"},
    {Form::fp_config, CL_FP_ROUND_TO_NEAREST, "round to nearest"},
    {Form::fp_config, CL_FP_ROUND_TO_ZERO, "round to zero"},
    {Form::fp_config, CL_FP_ROUND_TO_INF, "round to infinity"},
    {Form::fp_config, CL_FP_FMA, "fma"},
    {Form::fp_config, CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT, "correctly rounded divide and sqrt"},
    {Form::fp_config, CL_FP_SOFT_FLOAT, "in software"},
    {Form::execution, CL_EXEC_KERNEL, "kernels"},
    {Form::execution, CL_EXEC_NATIVE_KERNEL, "native kernels"},
    {Form::queue, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, "out of order"},
    {Form::queue, CL_QUEUE_PROFILING_ENABLE, "profiling"},
    {Form::affinity, CL_DEVICE_AFFINITY_DOMAIN_NUMA, "NUMA"},
    {Form::affinity, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, "L4 cache"},
    {Form::affinity, CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, "L3 cache"},
    {Form::affinity, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, "L2 cache"},
    {Form::affinity, CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, "L1 cache"},
    {Form::affinity, CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, "next partitionable"},
    {Form::svm, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER, "coarse-grain buffer"},
    {Form::svm, CL_DEVICE_SVM_FINE_GRAIN_BUFFER, "fine-grain buffer"},
    {Form::svm, CL_DEVICE_SVM_FINE_GRAIN_SYSTEM, "fine-grain system"},
    {Form::svm, CL_DEVICE_SVM_ATOMICS, "atomics"},
    {Form::atomic, CL_DEVICE_ATOMIC_ORDER_RELAXED, "relaxed"},
    {Form::atomic, CL_DEVICE_ATOMIC_ORDER_ACQ_REL, "acquire and release"},
    {Form::atomic, CL_DEVICE_ATOMIC_ORDER_SEQ_CST, "sequentially consistent"},
    {Form::atomic, CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM, "work-item scope"},
    {Form::atomic, CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP, "work-group scope"},
    {Form::atomic, CL_DEVICE_ATOMIC_SCOPE_DEVICE, "device scope"},
    {Form::atomic, CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES, "all-devices scope"},
    {Form::enqueue, CL_DEVICE_QUEUE_SUPPORTED, "supported"},
    {Form::enqueue, CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT, "replaceable default queue"},
};

void append(std::string& list, const std::string& item) {
  list += (list.empty() ? "" : ", ") + item;
}

std::string flags_text(Form form, cl_ulong bits) {
  std::string text;
  for (const Flag& flag : kFlags) {
    if (flag.form == form && (bits & flag.bit) != 0) append(text, flag.name);
  }
  return text.empty() ? "none" : text;
}

// An unsigned number of the width of the driver's answer.
cl_ulong number(const std::string& bytes) {
  cl_ulong value = 0;
  if (bytes.size() <= sizeof value) std::memcpy(&value, bytes.data(), bytes.size());
  return value;
}

std::string version_text(cl_version version) {
  return std::to_string(CL_VERSION_MAJOR(version)) + "." + std::to_string(CL_VERSION_MINOR(version)) + "." +
         std::to_string(CL_VERSION_PATCH(version));
}

template <class T, class ToText>
std::string list_text(const std::string& bytes, const ToText& to_text) {
  std::string text;
  for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    if (const std::string item = to_text(value); !item.empty()) append(text, item);
  }
  return text.empty() ? "none" : text;
}

std::string partition_text(cl_device_partition_property property) {
  switch (property) {
    case 0:
      return {};
    case CL_DEVICE_PARTITION_EQUALLY:
      return "equally";
    case CL_DEVICE_PARTITION_BY_COUNTS:
      return "by counts";
    case CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN:
      return "by affinity domain";
    default:
      return std::to_string(property);
  }
}

std::string answer_text(Form form, const std::string& bytes) {
  switch (form) {
    case Form::text:
      return driver_text(bytes);
    case Form::number:
      return std::to_string(number(bytes));
    case Form::boolean:
      return number(bytes) != 0 ? "yes" : "no";
    case Form::hex: {
      char text[24];
      std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number(bytes)));
      return text;
    }
    case Form::sizes:
      return list_text<std::size_t>(bytes, [](std::size_t value) { return std::to_string(value); });
    case Form::version:
      return version_text(static_cast<cl_version>(number(bytes)));
    case Form::named_versions:
      return list_text<cl_name_version>(bytes, [](const cl_name_version& entry) {
        return std::string(entry.name, strnlen(entry.name, sizeof entry.name)) + " " +
               version_text(entry.version);
      });
    case Form::cache_type: {
      const cl_ulong type = number(bytes);
      return type == CL_READ_WRITE_CACHE  ? "read and write"
             : type == CL_READ_ONLY_CACHE ? "read only"
                                          : "none";
    }
    case Form::local_type: {
      const cl_ulong type = number(bytes);
      return type == CL_LOCAL ? "dedicated" : type == CL_GLOBAL ? "global memory" : "none";
    }
    case Form::partition:
      return list_text<cl_device_partition_property>(bytes, partition_text);
    default:
      return flags_text(form, number(bytes));
  }
}

}  // namespace

Info device_info(cl_platform_id platform, cl_device_id device) {
  Info info;
  constexpr std::pair<cl_platform_info, const char*> kPlatform[] = {
      {CL_PLATFORM_NAME, "CL_PLATFORM_NAME"},
      {CL_PLATFORM_VENDOR, "CL_PLATFORM_VENDOR"},
      {CL_PLATFORM_VERSION, "CL_PLATFORM_VERSION"},
      {CL_PLATFORM_PROFILE, "CL_PLATFORM_PROFILE"},
      {CL_PLATFORM_EXTENSIONS, "CL_PLATFORM_EXTENSIONS"}};
  for (const auto& [id, name] : kPlatform) info.emplace_back(name, platform_text(platform, id));
  std::string bytes;
  for (const Query& query : kQueries) {
    const cl_int status =
        query_bytes([&](std::size_t n, void* p,
                        std::size_t* needed) { return api().GetDeviceInfo(device, query.id, n, p, needed); },
                    bytes);
    // A driver answers the queries of its version; unanswered ones are omitted.
    if (status == CL_SUCCESS) info.emplace_back(query.name, answer_text(query.form, bytes));
  }
  return info;
}

}  // namespace quern::backend::opencl
