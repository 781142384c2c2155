// SPDX-License-Identifier: MIT
// Kernels whose parameters are macros, and the time that a queue is busy.
#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "base/digest.hpp"
#include "quern/tune.hpp"

namespace quern {

double seconds_on(const Queue& queue, const std::function<void()>& f) {
  queue.finish();
  if (!queue.profiling()) {
    const auto start = std::chrono::steady_clock::now();
    f();
    queue.finish();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  queue.start_recording();
  const auto start = std::chrono::steady_clock::now();
  std::vector<Event> events;
  try {
    f();
    queue.finish();
  } catch (...) {
    (void)queue.stop_recording();
    throw;
  }
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - start;
  events = queue.stop_recording();
  std::int64_t first = std::numeric_limits<std::int64_t>::max(),
               last = std::numeric_limits<std::int64_t>::min();
  for (const Event& event : events) {
    const Times times = event.times();
    first = std::min(first, times.started);
    last = std::max(last, times.ended);
  }
  // Small work of the host's may run without an event, and clocks of drivers may be coarse.
  return last > first ? static_cast<double>(last - first) * 1e-9 : whole.count();
}

KernelTarget::KernelTarget(Queue queue, TuneKernel kernel)
    : queue_(std::move(queue)), kernel_(std::move(kernel)) {}

Kernel KernelTarget::kernel(const TuneConfiguration& configuration) const {
  ProgramOptions options = kernel_.options;
  for (const auto& [name, value] : configuration.items())
    options.defines.emplace_back(name, text_of(value, true));
  return Program(kernel_.source, std::move(options)).kernel(kernel_.name);
}

void KernelTarget::prepare(const TuneConfiguration& configuration) {
  const Kernel built = kernel(configuration);
  built.prepare(queue_);
  const std::lock_guard lock(mutex_);
  prepared_.insert_or_assign(configuration.items(), built);
}

Kernel KernelTarget::prepared(const TuneConfiguration& configuration) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = prepared_.find(configuration.items()); found != prepared_.end())
      return found->second;
  }
  return kernel(configuration);
}

void KernelTarget::release(const TuneConfiguration& configuration) {
  const std::lock_guard lock(mutex_);
  prepared_.erase(configuration.items());
}

std::string KernelTarget::verify(const TuneConfiguration& configuration) {
  if (!kernel_.verify) return {};
  if (kernel_.reset) kernel_.reset();
  prepared(configuration).launch(queue_, kernel_.range(configuration), kernel_.arguments).wait();
  return kernel_.verify(configuration);
}

double KernelTarget::run(const TuneConfiguration& configuration) {
  const Kernel ready = prepared(configuration);
  const Range range = kernel_.range(configuration);
  return seconds_on(queue_, [&] { (void)ready.launch(queue_, range, kernel_.arguments); });
}

std::string KernelTarget::version() const {
  Digest digest;
  digest.add_field(kernel_.source).add_field(kernel_.name);
  for (const auto& [name, value] : kernel_.options.defines) digest.add_field(name).add_field(value);
  for (const std::string& option : kernel_.options.options) digest.add_field(option);
  return digest.hex().substr(0, 16);
}

}  // namespace quern
