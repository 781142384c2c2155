// SPDX-License-Identifier: MIT
// Comparison of a device's clock with the host's.
#include "backend/opencl/clock.hpp"

#include <algorithm>

#include "backend/opencl/context.hpp"
#include "backend/opencl/device.hpp"

namespace quern::backend::opencl {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t host_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

}  // namespace

// A marker on an idle queue ends between two readings of the host's clock. That is correct by construction,
// but only to some microseconds; the device's own timer is sharper, and is used if it agrees with that.
DeviceClock::Anchor DeviceClock::measure(const Device& device, cl_command_queue queue) {
  Anchor best;
  std::int64_t best_width = -1;
  for (int attempt = 0; attempt < 5; ++attempt) {
    cl_event event = nullptr;
    const std::int64_t before = host_now();
    check(api().EnqueueMarkerWithWaitList(queue, 0, nullptr, &event), "clEnqueueMarkerWithWaitList",
          device.label());
    const EventHandle owned(event);
    check(api().WaitForEvents(1, &event), "clWaitForEvents", device.label());
    const std::int64_t after = host_now();
    cl_ulong ended = 0;
    check(api().GetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof ended, &ended, nullptr),
          "clGetEventProfilingInfo", device.label());
    if (best_width >= 0 && after - before >= best_width) continue;
    best_width = after - before;
    best = {static_cast<std::int64_t>(ended), before + best_width / 2};
  }
  if (device.speaks(2, 1) && api().GetDeviceAndHostTimer != nullptr) {
    cl_ulong ticks = 0, unused = 0;
    const std::int64_t before = host_now();
    const cl_int status = api().GetDeviceAndHostTimer(device.id(), &ticks, &unused);
    const std::int64_t after = host_now();
    const Anchor sharper = {static_cast<std::int64_t>(ticks), before + (after - before) / 2};
    const std::int64_t difference = (sharper.host - sharper.device) - (best.host - best.device);
    if (status == CL_SUCCESS && std::abs(difference) <= best_width) return sharper;
  }
  return best;
}

void DeviceClock::compare(const Device& device, cl_context context) {
  const std::lock_guard lock(mutex_);
  if (compared_ && host_now() - last_.host < kSecond) return;
  const QueueHandle queue = create_queue(context, device, {.profiling = true});
  last_ = measure(device, queue.get());
  if (!compared_) first_ = last_;
  compared_ = true;
}

std::int64_t DeviceClock::to_host(std::int64_t device_ns) const {
  const std::lock_guard lock(mutex_);
  const std::int64_t span = last_.device - first_.device;
  double rate = 1.0;
  if (span >= kSecond) rate = static_cast<double>(last_.host - first_.host) / static_cast<double>(span);
  // A clock that jumped does not drift: the line starts again.
  if (rate < 0.99 || rate > 1.01) rate = 1.0;
  const std::int64_t since = device_ns - last_.device;
  return last_.host + since + static_cast<std::int64_t>(static_cast<double>(since) * (rate - 1.0));
}

}  // namespace quern::backend::opencl
