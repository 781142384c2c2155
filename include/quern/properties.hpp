// SPDX-License-Identifier: MIT
// Plain facts that backends report and users read: of devices, functions and operations.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "quern/api.hpp"

namespace QUERN_API quern {

using Deadline = std::chrono::steady_clock::time_point;  // Deadline::max() waits for ever

enum class DeviceKind : std::uint8_t { cpu, gpu, accelerator };

// The language a device's own compiler takes; kernels written in OpenCL C are lowered to it.
enum class Dialect : std::uint8_t { opencl_c, host_c, cuda_cpp };

// What programs ask of a device, the same on every backend.
struct DeviceProperties {
  std::string backend;  // "host", "opencl", "cuda"
  std::string name, vendor, platform, version, driver_version;
  DeviceKind kind = DeviceKind::cpu;
  Dialect dialect = Dialect::opencl_c;
  unsigned compute_units = 1;
  unsigned sub_group_size = 1;     // warp or SIMD width, the preferred multiple of a local size
  std::size_t global_memory = 0;   // bytes
  std::size_t max_allocation = 0;  // bytes of one allocation
  std::size_t local_memory = 0;    // bytes a work-group may use
  std::size_t max_work_group_size = 1;
  std::array<std::size_t, 3> max_work_item_sizes = {1, 1, 1};
  std::size_t preferred_group_size = 256;  // work-items of a group where the caller leaves it open,
  std::size_t preferred_row = 32;          // and how many of them lie in dimension 0 when there are more
  std::array<std::size_t, 3> max_groups = {SIZE_MAX, SIZE_MAX, SIZE_MAX};
  std::size_t sub_buffer_alignment = 1;   // bytes; where a sub-buffer may start when a kernel uses it
  std::size_t max_argument_bytes = 4096;  // of all arguments of a kernel together
  bool has_fp64 = true;
  bool rounds_divide_and_sqrt = false;  // of float correctly, but only where a program asks for it
  bool has_fp16 = false;
  bool has_int64_atomics = false;
  bool shares_host_memory = false;     // a kernel can work on ordinary host pointers
  bool groups_start_in_order = false;  // a work-group may wait for what one of a lower number does
  bool non_uniform_groups = true;      // the global size need not be a multiple of the local size
  std::string architecture;            // "sm_90", "x86-64 avx2"...; part of cache keys
};

using Info = std::vector<std::pair<std::string, std::string>>;

struct MemoryInfo {
  std::size_t free = 0, total = 0;
};

struct QueueOptions {
  bool profiling = false;  // operations record when they ran
};

// When one operation of a profiling queue ran, in nanoseconds of the host's steady clock.
struct Times {
  std::int64_t queued = 0, submitted = 0, started = 0, ended = 0;
};

struct FunctionAttributes {
  std::size_t max_work_group_size = 0;
  std::size_t preferred_multiple = 1;
  std::size_t local_memory = 0;    // bytes, static
  std::size_t private_memory = 0;  // bytes a work-item spills or keeps
  unsigned registers = 0;          // 0 when unknown
  bool wants_fixed_local = false;  // faster when built for one local size, which launches then do
};

}  // namespace quern
