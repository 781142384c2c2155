// SPDX-License-Identifier: MIT
// Finds devices by their specifications, and chooses the default device.
#include "quern/device.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <list>
#include <mutex>

#include "backend/registry.hpp"
#include "base/environment.hpp"
#include "quern/error.hpp"
#include "runtime/context_state.hpp"
#include "runtime/parts.hpp"

namespace quern {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 10 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_backend(std::string_view name) {
  return std::find(std::begin(backend::kBackends), std::end(backend::kBackends), name) !=
         std::end(backend::kBackends);
}

// Lists the devices, or why there are none, for the message of a DeviceNotFound.
std::string describe(std::string_view backend) {
  std::string text;
  for (const Device& device : devices(backend)) text += "\n  " + device.spec() + ": " + device.name();
  for (const backend::Attempt& attempt : backend::discovery(backend).attempts) {
    if (!attempt.ok) text += "\n  " + attempt.what + ": " + attempt.outcome;
  }
  return text.empty() ? "\n  " + std::string(backend) + ": no device found" : text;
}

}  // namespace

const DeviceProperties& Device::properties() const noexcept {
  return impl_->properties();
}

std::string Device::spec() const {
  if (const detail::PartOf* const part = detail::part_of(*this)) return detail::spec_of(*part);
  return backend() == "host" ? "host" : backend() + ":" + std::to_string(index_);
}

Info Device::info() const {
  return impl_->info();
}

std::uintptr_t Device::native_handle() const noexcept {
  return impl_->native_handle();
}

MemoryInfo Device::memory_info() const {
  return detail::ContextState::of(*this)->native().memory_info(0);
}

std::vector<Device> devices(std::string_view backend) {
  std::vector<Device> result;
  for (const auto& found : backend::discovery(backend).devices) result.emplace_back(found, result.size());
  return result;
}

std::vector<Device> devices() {
  std::vector<Device> result;
  for (const std::string_view backend : backend::kBackends) {
    const std::vector<Device> found = devices(backend);
    result.insert(result.end(), found.begin(), found.end());
  }
  return result;
}

Device device(std::string_view spec) {
  if (const std::size_t bracket = spec.find('['); bracket != std::string_view::npos)
    return detail::find_part(device(spec.substr(0, bracket)), spec.substr(bracket), spec);
  const std::size_t colon = spec.find(':');
  const std::string backend = lower(spec.substr(0, colon));
  const std::string which = colon == std::string_view::npos ? "" : lower(spec.substr(colon + 1));
  if (!is_backend(backend)) {
    throw DeviceNotFound(
        "'" + std::string(spec) +
        "' is not a device: expected host, opencl or cuda, optionally with a number or a part of the name, "
        "as in cuda:1 or opencl:nvidia");
  }
  const std::vector<Device> found = devices(backend);
  if (which.empty() && !found.empty()) return found.front();
  if (is_number(which)) {
    const std::size_t index = std::stoul(which);
    if (index < found.size()) return found[index];
  } else if (!which.empty()) {
    for (const Device& candidate : found) {
      const DeviceProperties& properties = candidate.properties();
      for (const std::string* text : {&properties.name, &properties.platform, &properties.vendor}) {
        if (lower(*text).find(which) != std::string::npos) return candidate;
      }
    }
  }
  throw DeviceNotFound("no device matches '" + std::string(spec) +
                       "'. Devices found, and libraries tried:" + describe(backend));
}

namespace {

Device find_default_device() {
  if (const auto spec = environment("QUERN_DEVICE"); spec && !spec->empty()) {
    try {
      return device(*spec);
    } catch (const DeviceNotFound& error) {
      throw DeviceNotFound(std::string("QUERN_DEVICE: ") + error.what());
    }
  }
  if (const auto cuda = devices("cuda"); !cuda.empty()) return cuda.front();
  for (const Device& candidate : devices("opencl")) {
    if (candidate.properties().kind == DeviceKind::gpu && candidate.properties().has_fp64) return candidate;
  }
  const auto host = devices("host");
  if (host.empty()) throw DeviceNotFound("no device found, not even the host." + describe("host"));
  return host.front();
}

std::atomic<const Device*> named_device{nullptr};

}  // namespace

void set_default_device(const std::optional<Device>& device) {
  // Other threads may still read the previous device, so it is never destroyed.
  static auto* const mutex = new std::mutex;
  static auto* const named = new std::list<Device>;
  if (!device) {
    named_device = nullptr;
    return;
  }
  const std::lock_guard lock(*mutex);
  auto found = std::find(named->begin(), named->end(), *device);
  if (found == named->end()) found = named->insert(named->end(), *device);
  named_device = &*found;
}

Device default_device() {
  if (const Device* const named = named_device) return *named;
  // After an exception the next call searches again.
  static const auto* const chosen = new Device(find_default_device());
  return *chosen;
}

std::vector<BackendReport> backend_reports() {
  std::vector<BackendReport> reports;
  for (const std::string_view name : backend::kBackends) {
    BackendReport report;
    report.backend = name;
    report.devices = devices(name);
    for (const backend::Attempt& attempt : backend::discovery(name).attempts) {
      report.attempts.push_back({attempt.what, attempt.outcome, attempt.ok});
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace quern
