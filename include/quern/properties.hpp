// SPDX-License-Identifier: MIT
// Properties of devices, functions and operations that backends report and users read.
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

using Deadline = std::chrono::steady_clock::time_point;  // Deadline::max() waits forever

enum class DeviceKind : std::uint8_t { cpu, gpu, accelerator };

// The language of a device's own compiler; kernels in OpenCL C are lowered to it.
enum class Dialect : std::uint8_t { opencl_c, host_c, cuda_cpp };

// Properties of a device, the same on every backend.
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
  std::size_t preferred_group_size = 256;  // default number of work-items of a group,
  std::size_t preferred_row = 32;    // and the number of them in dimension 0 if there are more dimensions
  std::size_t preferred_groups = 1;  // with fewer groups, processors that run groups one by one are idle
  std::array<std::size_t, 3> max_groups = {SIZE_MAX, SIZE_MAX, SIZE_MAX};
  std::size_t sub_buffer_alignment = 1;   // bytes; alignment of the start of a sub-buffer that a kernel uses
  std::size_t max_argument_bytes = 4096;  // bytes of all arguments of a kernel together
  bool has_fp64 = true;
  bool rounds_divide_and_sqrt = false;  // of float, correctly, if a program requests it
  bool has_fp16 = false;
  bool has_int64_atomics = false;
  bool shares_host_memory = false;     // kernels can use ordinary host pointers
  bool groups_start_in_order = false;  // a work-group may wait for one of a lower index
  bool non_uniform_groups = true;      // the global size need not be a multiple of the local size
  std::string architecture;            // "sm_90", "x86-64 avx2"...; part of cache keys
};

using Info = std::vector<std::pair<std::string, std::string>>;

struct MemoryInfo {
  std::size_t free = 0, total = 0;
};

struct QueueOptions {
  bool profiling = false;  // operations record their times
  // Operations run as soon as their wait lists and the memory that they use allow, in any order.
  bool out_of_order = false;
  // Operations wait for earlier ones, of all queues, that use the same memory. If false, only wait lists and,
  // in an in-order queue, the order of the queue delay them.
  bool track_memory = true;
  // Work of higher priority runs first: 0 is normal, above is urgent, below is for the background. A hint,
  // limited to what the device has; 0 where it has no priorities.
  int priority = 0;
  // What errors, profiles and descriptions call the queue; may be empty, and need not be unique.
  std::string name = {};
};

// Times of one operation of a profiling queue, in nanoseconds of the host's steady clock.
struct Times {
  std::int64_t queued = 0, submitted = 0, started = 0, ended = 0;
};

struct FunctionAttributes {
  std::size_t max_work_group_size = 0;
  std::size_t preferred_multiple = 1;
  std::size_t local_memory = 0;    // bytes, static
  std::size_t private_memory = 0;  // bytes per work-item
  unsigned registers = 0;          // 0 if unknown
  bool wants_fixed_local = false;  // faster if built for one local size; launches then do so
};

}  // namespace quern
