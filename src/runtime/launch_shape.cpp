// SPDX-License-Identifier: MIT
// Global and local sizes: the device's limits, and its preferences.
#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

#include "quern/error.hpp"
#include "runtime/launch.hpp"

namespace quern::detail {
namespace {

using Sizes = std::array<std::size_t, 3>;

std::string show(const Sizes& sizes, unsigned dims) {
  std::string text = "(";
  for (unsigned d = 0; d < dims; ++d) text += (d ? ", " : "") + std::to_string(sizes[d]);
  return text + ")";
}

[[noreturn]] void reject(const KernelInstance& kernel, const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::value, "kernel '" + kernel.signature.name + "' on " +
                                                      kernel.context->devices()[kernel.device].spec() + ": " +
                                                      text);
}

std::size_t largest_divisor(std::size_t n, std::size_t most) {
  for (std::size_t power = std::size_t{1} << 10; power >= 32; power /= 2) {
    if (power <= most && n % power == 0) return power;
  }
  for (std::size_t d = std::min(n, most); d > 1; --d) {
    if (n % d == 0) return d;
  }
  return 1;
}

std::size_t divided(std::size_t n, std::size_t by) {
  return (n + by - 1) / by;
}

// The number of work-items of a row with which there are as many groups as the device prefers. A power of
// two, because drivers and programs compile some kernels anew for each local size.
std::size_t most_of_row(const DeviceProperties& device, const Range& range, const Sizes& limit) {
  std::size_t others = 1;  // groups along the other dimensions
  for (unsigned d = 1; d < range.dims; ++d) others *= divided(range.global[d], limit[d]);
  const std::size_t wanted =
      std::max<std::size_t>(divided(device.preferred_groups, std::max<std::size_t>(others, 1)), 1);
  return std::bit_floor(std::max<std::size_t>(range.global[0] / wanted, 1));
}

Sizes choose_local(const DeviceProperties& device, std::size_t most, bool uniform, const Range& range) {
  const std::size_t wanted = std::min(most, device.preferred_group_size);
  const std::size_t row = range.dims > 1 ? std::min(wanted, device.preferred_row) : wanted;
  Sizes limit = {row, std::max<std::size_t>(wanted / row, 1), 1};
  if (device.preferred_groups > 1) limit[0] = std::min(row, most_of_row(device, range, limit));
  Sizes local = {1, 1, 1};
  for (unsigned d = 0; d < range.dims; ++d) {
    const std::size_t bound = std::min(limit[d], device.max_work_item_sizes[d]);
    local[d] = !uniform ? std::min(range.global[d], bound) : largest_divisor(range.global[d], bound);
  }
  return local;
}

}  // namespace

void check_local_memory(const KernelInstance& kernel, std::size_t argument_bytes) {
  const std::size_t most = kernel.context->devices()[kernel.device].properties().local_memory;
  if (kernel.local_memory <= most && argument_bytes <= most - kernel.local_memory) return;
  reject(kernel, std::to_string(kernel.local_memory) + " bytes of local variables and " +
                     std::to_string(argument_bytes) +
                     " of local arguments exceed the device's local_memory, " + std::to_string(most));
}

LocalSize given_local(const DeviceProperties& device, const Range& range) noexcept {
  if (range.local[0] == 0 || range.dims > 3) return {};
  LocalSize local = {1, 1, 1};
  std::size_t group_size = 1;
  for (unsigned d = 0; d < range.dims; ++d) {
    local[d] = range.local[d];
    if (local[d] == 0 || local[d] > device.max_work_group_size / group_size) return {};
    group_size *= local[d];
  }
  return local;
}

backend::LaunchShape resolve_shape(const KernelInstance& kernel, const Range& range) {
  const DeviceProperties& device = kernel.context->devices()[kernel.device].properties();
  const std::size_t most =
      std::min(kernel.function->attributes().max_work_group_size, device.max_work_group_size);
  const Sizes& required = kernel.signature.required_local;
  // CUDA C kernels have no global size: they run in whole blocks.
  const bool is_cuda_c = device.dialect == Dialect::cuda_cpp && !kernel.program->entry.lowered;
  const bool uniform = is_cuda_c || required[0] != 0 || !device.non_uniform_groups;

  backend::LaunchShape shape;
  shape.dims = range.dims;
  shape.dynamic_local = range.dynamic_local;
  for (unsigned d = 0; d < range.dims; ++d) {
    shape.global[d] = range.global[d];
    shape.offset[d] = range.offset[d];
  }
  const bool given = range.local[0] != 0;
  if (given) {
    for (unsigned d = 0; d < range.dims; ++d) shape.local[d] = range.local[d];
  } else if (required[0] != 0) {
    shape.local = required;
  } else {
    shape.local = choose_local(device, most, uniform, range);
  }

  if (required[0] != 0 && shape.local != required) {
    reject(kernel,
           "the local size is " + show(shape.local, 3) + ", but the kernel requires " + show(required, 3));
  }
  std::size_t group_size = 1;
  for (unsigned d = 0; d < 3; ++d) {
    const std::size_t local = shape.local[d];
    if (local == 0)
      reject(kernel, "local size must be at least 1 in each dimension, got " + show(range.local, range.dims));
    if (local > device.max_work_item_sizes[d]) {
      reject(kernel, "the local size " + std::to_string(local) + " in dimension " + std::to_string(d) +
                         " exceeds the device's max_work_item_sizes, " +
                         std::to_string(device.max_work_item_sizes[d]));
    }
    group_size *= local;
    if (group_size > most) {
      reject(kernel, "a work-group of " + show(shape.local, range.dims) +
                         " work-items exceeds max_work_group_size, " + std::to_string(most) +
                         (most < device.max_work_group_size ? " for this kernel" : ""));
    }
    if (uniform && shape.global[d] % local != 0) {
      reject(kernel, "the global size " + std::to_string(shape.global[d]) + " in dimension " +
                         std::to_string(d) + " is not a multiple of the local size " + std::to_string(local) +
                         (is_cuda_c          ? ", and CUDA C kernels run in whole blocks"
                          : required[0] != 0 ? ", and kernels with reqd_work_group_size run in whole groups"
                                             : ", as this device requires") +
                         "; round it up and check the index in the kernel");
    }
    if ((shape.global[d] - 1) / local + 1 > device.max_groups[d]) {
      reject(kernel, "the global size " + std::to_string(shape.global[d]) + " in dimension " +
                         std::to_string(d) + " needs more work-groups than the device's limit of " +
                         std::to_string(device.max_groups[d]));
    }
    if (shape.global[d] > SIZE_MAX - shape.offset[d]) reject(kernel, "global size and offset overflow");
  }
  return shape;
}

}  // namespace quern::detail
