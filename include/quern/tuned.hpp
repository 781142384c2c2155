// SPDX-License-Identifier: MIT
// Tuned parameters: values, results that are kept for devices and classes of problems, and their lookup.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "quern/api.hpp"
#include "quern/device.hpp"

namespace QUERN_API quern {

using TuneValue = std::variant<bool, std::int64_t, double, std::string>;
// "true", "16", "0.5", "float4": as a macro's value, with 1 and 0 for a bool, if `as_macro`.
[[nodiscard]] std::string text_of(const TuneValue& value, bool as_macro = false);

// A value for each parameter, in the order of the parameters.
class TuneConfiguration {
 public:
  using Item = std::pair<std::string, TuneValue>;
  TuneConfiguration() = default;
  TuneConfiguration(std::initializer_list<Item> items) : items_(items) {}
  explicit TuneConfiguration(std::vector<Item> items) : items_(std::move(items)) {}

  [[nodiscard]] const std::vector<Item>& items() const noexcept { return items_; }
  [[nodiscard]] bool empty() const noexcept { return items_.empty(); }
  [[nodiscard]] const TuneValue* find(std::string_view name) const noexcept;  // null if there is none
  // These throw ArgumentError if there is no parameter of this name, or if its value has another type.
  [[nodiscard]] const TuneValue& at(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] std::string text() const;  // "tile=16, unroll=4"

  friend bool operator==(const TuneConfiguration&, const TuneConfiguration&) = default;

 private:
  std::vector<Item> items_;
};

// What was tuned. `problem` names a kernel or an algorithm, `problem_class` what its best parameters depend
// on besides the device, such as dtypes and the order of magnitude of sizes. Results of another version are
// not found: for a kernel it is a digest of the source.
struct TuneKey {
  std::string problem, problem_class, version;
  friend bool operator==(const TuneKey&, const TuneKey&) = default;
};

// The device that a result belongs to. Results of another driver are not found.
struct TunedDevice {
  std::string backend, name, architecture, driver;
  unsigned compute_units = 0;
  friend bool operator==(const TunedDevice&, const TunedDevice&) = default;
};
[[nodiscard]] TunedDevice tuned_device(const DeviceProperties& properties);

struct TunedResult {
  TuneKey key;
  TunedDevice device;
  TuneConfiguration configuration;
  double seconds = 0, default_seconds = 0;  // of one run; 0 if unknown
  std::size_t evaluations = 0;
  std::string strategy, date;  // date: "2026-01-31T12:00:00Z"
  bool complete = true;        // false if the search was stopped before its end
};

// Results are kept in the folder tuning/ of the disk cache, one synced file each, and are not removed with
// compiled programs. Without a disk cache they are kept in memory. QUERN_TUNING=off: nothing is looked up.
//
// Replaces the result of the same key and device. False if it could not be written: it is then known to this
// process only.
bool keep_tuned(const TunedResult& result);
// A result of this key for the device, or nothing. It reads the disk the first time, and never measures.
[[nodiscard]] std::optional<TunedResult> find_tuned(const Device& device, const TuneKey& key);
[[nodiscard]] std::vector<TunedResult> tuned_results();  // of all devices and drivers
// Removes the results of a problem, or all; returns their number.
std::size_t forget_tuned(std::string_view problem = {});
// Forgets what this process has read, so that results that other processes have kept since then are found.
void reload_tuned();

// Results as JSON, for people, other machines and version control. import_tuned() returns the number of
// results that it has kept. It throws ArgumentError, and keeps nothing, if the text is not such a document.
[[nodiscard]] std::string export_tuned();
std::size_t import_tuned(std::string_view json);

enum class TunedOrigin : std::uint8_t {
  kept,      // a result for this device, driver and class
  library,   // the library's values for this class of devices
  defaults,  // neither
};

// The parameters of a kernel or algorithm at run time: those of a kept result, else the library's for the
// class of devices, else the defaults. Never measures.
class Tuned {
 public:
  Tuned(std::string problem, TuneConfiguration defaults, std::string version = {});

  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
  [[nodiscard]] const std::string& version() const noexcept { return version_; }
  [[nodiscard]] const TuneConfiguration& defaults() const noexcept { return defaults_; }
  // A result counts only if it has exactly the names of the defaults.
  [[nodiscard]] TuneConfiguration operator()(const Device& device,
                                             std::string_view problem_class = {}) const {
    return find(device, problem_class).first;
  }
  [[nodiscard]] std::pair<TuneConfiguration, TunedOrigin> find(const Device& device,
                                                               std::string_view problem_class = {}) const;

 private:
  std::string problem_;
  TuneConfiguration defaults_;
  std::string version_;
};

}  // namespace quern
