// SPDX-License-Identifier: MIT
// Keeps results in a disk store of their own, so that compiled programs never displace them.
#include "tune/store.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/digest.hpp"
#include "base/disk_store.hpp"
#include "base/environment.hpp"
#include "quern/error.hpp"

namespace quern {
namespace tuning {
namespace {

// Of documents and entries. Entries of another version are not found, documents of another one are refused.
constexpr std::int64_t kFormat = 1;
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;
constexpr std::size_t kMostRead = 200;  // results, for a look at all
constexpr const char* kDocument = "quern tuning";

std::string folder() {
  const DiskStore& programs = DiskStore::standard();
  return programs.usable() ? programs.folder() + "/tuning" : "";
}

DiskStore& store() {
  static auto* const result = new DiskStore(folder(), kMostBytes);
  return *result;
}

// Whether there is a folder, which no lookup creates.
bool has_folder() {
  struct stat status = {};
  const std::string path = folder();
  return !path.empty() && ::stat(path.c_str(), &status) == 0;
}

std::string name_of(const TunedDevice& device, const TuneKey& key) {
  Digest digest;
  for (const std::string& field :
       {std::string(kDocument), std::to_string(kFormat), device.backend, device.name, device.architecture,
        device.driver, std::to_string(device.compute_units), key.problem, key.problem_class, key.version})
    digest.add_field(field);
  return digest.hex();
}

// The same without the price of a digest.
std::string quick_name(const TunedDevice& device, const TuneKey& key) {
  std::string name;
  for (const std::string* const field : {&key.problem, &key.problem_class, &key.version, &device.backend,
                                         &device.name, &device.architecture, &device.driver}) {
    name += *field;
    name += '\0';
  }
  return name + std::to_string(device.compute_units);
}

// What this process has looked up or kept; without a value: there is nothing.
struct Known {
  std::shared_mutex mutex;
  std::unordered_map<std::string, std::optional<TunedResult>> results;
  // Problems that have results, of any device; for those that are looked up often.
  std::set<std::string, std::less<>> problems;
  bool has_many = false;  // too many to read all for that
  enum State : int { unread, none, some };
  std::atomic<int> state{unread};
};

Known& known() {
  static auto* const result = new Known;
  return *result;
}

std::optional<TunedResult> read(const std::string& name) {
  const auto payload = store().get(name);
  if (!payload) return std::nullopt;
  try {
    return result_of(parse_json({reinterpret_cast<const char*>(payload->data()), payload->size()}));
  } catch (const ArgumentError&) {
    return std::nullopt;  // of another format
  }
}

template <class T>
const T& member(const Json& json, const char* name, const char* expected) {
  const Json* const found = json.find(name);
  const T* const value = found != nullptr ? found->as<T>() : nullptr;
  if (value == nullptr)
    throw ArgumentError(ArgumentError::Kind::value,
                        std::string("tuning result: '") + name + "': expected " + expected);
  return *value;
}

const std::string& text_member(const Json& json, const char* name) {
  return member<std::string>(json, name, "a string");
}

double number_member(const Json& json, const char* name) {
  const Json* const found = json.find(name);
  if (found != nullptr) {
    if (const double* const real = found->as<double>()) return *real;
    if (const std::int64_t* const integer = found->as<std::int64_t>()) return static_cast<double>(*integer);
  }
  return 0;
}

}  // namespace

Json to_json(const TunedResult& result) {
  Json::Object parameters;
  for (const auto& [name, value] : result.configuration.items())
    parameters.emplace_back(name, std::visit([](const auto& held) { return Json{held}; }, value));
  return {
      Json::Object{{"problem", {result.key.problem}},
                   {"class", {result.key.problem_class}},
                   {"version", {result.key.version}},
                   {"device",
                    {Json::Object{{"backend", {result.device.backend}},
                                  {"name", {result.device.name}},
                                  {"architecture", {result.device.architecture}},
                                  {"compute_units", {static_cast<std::int64_t>(result.device.compute_units)}},
                                  {"driver", {result.device.driver}}}}},
                   {"parameters", {std::move(parameters)}},
                   {"seconds", {result.seconds}},
                   {"default_seconds", {result.default_seconds}},
                   {"evaluations", {static_cast<std::int64_t>(result.evaluations)}},
                   {"strategy", {result.strategy}},
                   {"complete", {result.complete}},
                   {"date", {result.date}}}};
}

TunedResult result_of(const Json& json) {
  TunedResult result;
  result.key = {text_member(json, "problem"), text_member(json, "class"), text_member(json, "version")};
  const Json* const device = json.find("device");
  if (device == nullptr || device->as<Json::Object>() == nullptr)
    throw ArgumentError(ArgumentError::Kind::value, "tuning result: 'device': expected an object");
  result.device = {text_member(*device, "backend"), text_member(*device, "name"),
                   text_member(*device, "architecture"), text_member(*device, "driver"),
                   static_cast<unsigned>(member<std::int64_t>(*device, "compute_units", "an integer"))};
  std::vector<TuneConfiguration::Item> items;
  for (const auto& [name, value] : member<Json::Object>(json, "parameters", "an object")) {
    if (const auto* const flag = value.as<bool>()) {
      items.emplace_back(name, *flag);
    } else if (const auto* const integer = value.as<std::int64_t>()) {
      items.emplace_back(name, *integer);
    } else if (const auto* const real = value.as<double>()) {
      items.emplace_back(name, *real);
    } else if (const auto* const text = value.as<std::string>()) {
      items.emplace_back(name, *text);
    } else {
      throw ArgumentError(ArgumentError::Kind::value, "tuning result: parameter '" + name +
                                                          "': expected a number, a string or a boolean");
    }
  }
  result.configuration = TuneConfiguration(std::move(items));
  result.seconds = number_member(json, "seconds");
  result.default_seconds = number_member(json, "default_seconds");
  result.evaluations = static_cast<std::size_t>(std::max(number_member(json, "evaluations"), 0.0));
  if (const Json* const found = json.find("strategy");
      found != nullptr && found->as<std::string>() != nullptr)
    result.strategy = *found->as<std::string>();
  if (const Json* const found = json.find("date"); found != nullptr && found->as<std::string>() != nullptr)
    result.date = *found->as<std::string>();
  if (const Json* const found = json.find("complete"); found != nullptr && found->as<bool>() != nullptr)
    result.complete = *found->as<bool>();
  return result;
}

bool is_enabled() {
  const auto setting = environment("QUERN_TUNING");
  return !setting || *setting != "off";
}

namespace {

int look_at_folder(Known& all) {
  const std::unique_lock lock(all.mutex);
  if (const int state = all.state.load(); state != Known::unread) return state;
  const auto names = is_enabled() && has_folder() ? store().names() : std::vector<std::string>();
  all.has_many = names.size() > kMostRead;
  for (std::size_t i = 0; i < names.size() && !all.has_many; ++i)
    if (const auto result = read(names[i])) all.problems.insert(result->key.problem);
  const int state = names.empty() ? Known::none : Known::some;
  all.state.store(state, std::memory_order_release);
  return state;
}

}  // namespace

bool has_results() {
  Known& all = known();
  const int state = all.state.load(std::memory_order_acquire);
  return (state == Known::unread ? look_at_folder(all) : state) == Known::some;
}

bool has_results_of(std::string_view problem) {
  if (!has_results()) return false;
  Known& all = known();
  const std::shared_lock lock(all.mutex);
  return all.has_many || all.problems.contains(problem);
}

std::optional<TunedResult> find(const TunedDevice& device, const TuneKey& key) {
  if (!has_results()) return std::nullopt;
  Known& all = known();
  const std::string quick = quick_name(device, key);
  {
    const std::shared_lock lock(all.mutex);
    if (const auto found = all.results.find(quick); found != all.results.end()) return found->second;
  }
  auto result = has_folder() ? read(name_of(device, key)) : std::nullopt;
  // An entry says what it is for, so that no file of another name is believed.
  if (result && (result->key != key || result->device != device)) result.reset();
  const std::unique_lock lock(all.mutex);
  return all.results.emplace(quick, std::move(result)).first->second;
}

std::string library_version() {
  return QUERN_VERSION;
}

}  // namespace tuning

TunedDevice tuned_device(const DeviceProperties& properties) {
  return {properties.backend, properties.name, properties.architecture,
          properties.driver_version.empty() ? properties.version : properties.driver_version,
          properties.compute_units};
}

bool keep_tuned(const TunedResult& result) {
  const std::string text = tuning::json_text(tuning::to_json(result));
  const bool is_written = tuning::store().put(tuning::name_of(result.device, result.key),
                                              std::as_bytes(std::span(text)), DiskStore::Durability::synced);
  if (!tuning::is_enabled()) return is_written;
  tuning::Known& all = tuning::known();
  (void)tuning::look_at_folder(all);
  const std::unique_lock lock(all.mutex);
  all.results[tuning::quick_name(result.device, result.key)] = result;
  all.problems.insert(result.key.problem);
  all.state.store(tuning::Known::some, std::memory_order_release);
  return is_written;
}

std::optional<TunedResult> find_tuned(const Device& device, const TuneKey& key) {
  return tuning::find(tuned_device(device.properties()), key);
}

std::vector<TunedResult> tuned_results() {
  // Those that could not be written are known to this process only.
  std::unordered_map<std::string, TunedResult> results;
  if (tuning::has_folder()) {
    for (const std::string& name : tuning::store().names())
      if (auto result = tuning::read(name); result && tuning::name_of(result->device, result->key) == name)
        results.emplace(name, std::move(*result));
  }
  {
    tuning::Known& all = tuning::known();
    const std::shared_lock lock(all.mutex);
    for (const auto& [quick, result] : all.results)
      if (result) results.emplace(tuning::name_of(result->device, result->key), *result);
  }
  std::vector<TunedResult> sorted;
  for (auto& [name, result] : results) sorted.push_back(std::move(result));
  const auto order = [](const TunedResult& result) {
    return std::tie(result.key.problem, result.key.problem_class, result.device.backend, result.device.name,
                    result.device.driver, result.device.compute_units, result.key.version);
  };
  std::sort(sorted.begin(), sorted.end(),
            [&](const TunedResult& a, const TunedResult& b) { return order(a) < order(b); });
  return sorted;
}

std::size_t forget_tuned(std::string_view problem) {
  std::size_t removed = 0;
  for (const TunedResult& result : tuned_results()) {
    if (!problem.empty() && result.key.problem != problem) continue;
    if (tuning::has_folder()) (void)tuning::store().remove(tuning::name_of(result.device, result.key));
    tuning::Known& all = tuning::known();
    const std::unique_lock lock(all.mutex);
    all.results[tuning::quick_name(result.device, result.key)].reset();
    ++removed;
  }
  return removed;
}

void reload_tuned() {
  tuning::Known& all = tuning::known();
  const std::unique_lock lock(all.mutex);
  all.results.clear();
  all.problems.clear();
  all.has_many = false;
  all.state.store(tuning::Known::unread, std::memory_order_release);
}

std::string export_tuned() {
  tuning::Json::List results;
  for (const TunedResult& result : tuned_results()) results.push_back(tuning::to_json(result));
  return tuning::json_text({tuning::Json::Object{{"format", {std::string(tuning::kDocument)}},
                                                 {"version", {tuning::kFormat}},
                                                 {"quern", {tuning::library_version()}},
                                                 {"results", {std::move(results)}}}});
}

std::size_t import_tuned(std::string_view json) {
  const tuning::Json document = tuning::parse_json(json);
  const auto refuse = [](const std::string& what) {
    throw ArgumentError(ArgumentError::Kind::value, "import_tuned: " + what);
  };
  const tuning::Json* const format = document.find("format");
  if (format == nullptr || format->as<std::string>() == nullptr ||
      *format->as<std::string>() != tuning::kDocument)
    refuse("expected an object with \"format\": \"" + std::string(tuning::kDocument) + "\"");
  const tuning::Json* const version = document.find("version");
  if (version == nullptr || version->as<std::int64_t>() == nullptr ||
      *version->as<std::int64_t>() != tuning::kFormat)
    refuse("expected \"version\": " + std::to_string(tuning::kFormat));
  const tuning::Json* const list = document.find("results");
  if (list == nullptr || list->as<tuning::Json::List>() == nullptr) refuse("expected a list \"results\"");
  std::vector<TunedResult> results;
  for (const tuning::Json& item : *list->as<tuning::Json::List>()) results.push_back(tuning::result_of(item));
  for (const TunedResult& result : results) (void)keep_tuned(result);
  return results.size();
}

}  // namespace quern
