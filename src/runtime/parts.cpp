// SPDX-License-Identifier: MIT
// Divides devices into parts, and finds parts by their names.
#include "runtime/parts.hpp"

#include <charconv>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "backend/parts.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "quern/error.hpp"
#include "runtime/allocation.hpp"
#include "runtime/context_state.hpp"
#include "runtime/queue_state.hpp"

namespace quern {
namespace detail {
namespace {

constexpr std::pair<std::string_view, AffinityDomain> kDomains[] = {
    {"numa", AffinityDomain::numa}, {"l3", AffinityDomain::l3}, {"core", AffinityDomain::core}};

// The parts of one division. A program may repeat it, and each part has threads, contexts or driver objects
// that are never destroyed, so they are made once.
struct Divided {
  Device device;
  std::string division;
  std::vector<Device> parts;
};

struct Registry {
  std::mutex mutex;
  std::deque<Divided> all;
  std::deque<PartOf> origins;
  std::vector<std::pair<const backend::Device*, const PartOf*>> by_device;
};

Registry& registry() {
  static auto* const instance = new Registry;  // never destroyed, as the devices
  return *instance;
}

std::string name_of(const Division& division) {
  if (const auto* const equally = std::get_if<Equally>(&division)) return std::to_string(equally->parts);
  if (const auto* const domain = std::get_if<AffinityDomain>(&division)) {
    for (const auto& [name, value] : kDomains)
      if (value == *domain) return std::string(name);
  }
  return shape_text(std::get<Counts>(division).compute_units);
}

[[noreturn]] void refuse(const Device& device, const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::value, "split of " + device.spec() + ": " + text);
}

// What holds on every device. Backends check what their hardware allows.
void check(const Device& device, const Division& division) {
  const std::size_t units = device.properties().compute_units;
  const std::string has = "the device has " + std::to_string(units) + " compute units";
  if (const auto* const equally = std::get_if<Equally>(&division)) {
    if (equally->parts == 0) refuse(device, "equally=0; at least 1 part is needed");
    if (equally->parts > units)
      refuse(device, "equally=" + std::to_string(equally->parts) +
                         ": each part needs at least 1 compute unit; " + has);
  } else if (const auto* const counts = std::get_if<Counts>(&division)) {
    if (counts->compute_units.empty()) refuse(device, "counts is empty; at least 1 part is needed");
    std::size_t left = units;
    for (const std::size_t count : counts->compute_units) {
      if (count == 0)
        refuse(device, "counts=" + name_of(division) + ": each part needs at least 1 compute unit");
      if (count > left) refuse(device, "counts=" + name_of(division) + " are more than there are; " + has);
      left -= count;
    }
  }
}

// Takes a prefix of the text.
bool skip(std::string_view& text, std::string_view prefix) {
  text = trimmed(text);
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<std::size_t> take_number(std::string_view& text) {
  text = trimmed(text);
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<Division> take_division(std::string_view& text) {
  for (const auto& [name, domain] : kDomains)
    if (skip(text, name)) return domain;
  if (!skip(text, "(")) {
    const auto parts = take_number(text);
    return parts ? std::optional<Division>(Equally{*parts}) : std::nullopt;
  }
  Counts counts;
  while (!skip(text, ")")) {
    const auto count = take_number(text);
    if (!count) return std::nullopt;
    counts.compute_units.push_back(*count);
    if (!skip(text, ",") && !trimmed(text).starts_with(")")) return std::nullopt;
  }
  return counts;
}

}  // namespace

const PartOf* part_of(const Device& device) {
  Registry& known = registry();
  const std::lock_guard lock(known.mutex);
  for (const auto& [part, origin] : known.by_device)
    if (part == device.impl().get()) return origin;
  return nullptr;
}

std::string spec_of(const PartOf& part) {
  return part.parent.spec() + "[" + std::to_string(part.number) + " of " + part.division + "]";
}

Device find_part(Device device, std::string_view rest, std::string_view spec) {
  while (!trimmed(rest).empty()) {
    std::optional<std::size_t> number;
    std::optional<Division> division;
    if (skip(rest, "[")) number = take_number(rest);
    if (number && skip(rest, "of")) division = take_division(rest);
    if (!division || !skip(rest, "]")) {
      throw DeviceNotFound("'" + std::string(spec) +
                           "' is not a device: a part is named as in host[1 of 4], host[0 of (3,1)] or "
                           "host[0 of numa]");
    }
    std::vector<Device> parts;
    try {
      parts = device.split(*division);
    } catch (const ArgumentError& error) {
      throw DeviceNotFound("no device matches '" + std::string(spec) + "': " + error.what());
    }
    if (*number >= parts.size()) {
      throw DeviceNotFound("no device matches '" + std::string(spec) + "': " + device.spec() + " has " +
                           std::to_string(parts.size()) + " such parts, counted from 0");
    }
    device = parts[*number];
  }
  return device;
}

bool is_within_reach(const Allocation& allocation, const QueueState& queue) {
  if (allocation.context() == queue.context()) return true;
  const Device& theirs = allocation.context()->devices()[allocation.device()];
  const Device& ours = queue.device_handle();
  if (ours == theirs || ours.root() != theirs.root()) return false;
  const auto* const common = dynamic_cast<const backend::CommonMemoryContext*>(&queue.context()->native());
  return common != nullptr && common->can_use(allocation.memory());
}

}  // namespace detail

std::vector<Device> Device::split(const Division& division) const {
  process::check_not_forked();
  detail::check(*this, division);
  auto* const divided = dynamic_cast<backend::DividedDevice*>(impl_.get());
  if (divided == nullptr) detail::refuse(*this, "devices of this backend cannot be divided");
  const std::string name = detail::name_of(division);
  detail::Registry& known = detail::registry();
  const std::lock_guard lock(known.mutex);
  for (const detail::Divided& each : known.all)
    if (each.device == *this && each.division == name) return each.parts;
  detail::Divided made{*this, name, {}};
  for (auto& part : divided->split(impl_, division)) {
    made.parts.emplace_back(std::move(part), index_);
    known.origins.push_back({*this, name, made.parts.size() - 1});
    known.by_device.emplace_back(made.parts.back().impl().get(), &known.origins.back());
  }
  return known.all.emplace_back(std::move(made)).parts;
}

std::optional<Device> Device::parent() const {
  const detail::PartOf* const part = detail::part_of(*this);
  return part != nullptr ? std::optional<Device>(part->parent) : std::nullopt;
}

Device Device::root() const {
  const Device* root = this;
  while (const detail::PartOf* const part = detail::part_of(*root)) root = &part->parent;
  return *root;
}

std::vector<Device> Device::parts() const {
  std::vector<Device> result;
  detail::Registry& known = detail::registry();
  const std::lock_guard lock(known.mutex);
  for (const detail::Divided& each : known.all)
    if (each.device == *this) result.insert(result.end(), each.parts.begin(), each.parts.end());
  return result;
}

}  // namespace quern
