// SPDX-License-Identifier: MIT
// Kept results: their JSON, their names in the disk store, and those that this process has read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quern/tuned.hpp"
#include "tune/json.hpp"

namespace quern::tuning {

Json to_json(const TunedResult& result);
// Throws ArgumentError that names what is missing.
TunedResult result_of(const Json& json);

// Whether results are looked up: QUERN_TUNING is not "off".
bool is_enabled();
// Whether there may be any result, of any device. Cheap after the first call.
bool has_results();
bool has_results_of(std::string_view problem);
// For QUERN_TUNING=off, and for keys without a result: nothing.
std::optional<TunedResult> find(const TunedDevice& device, const TuneKey& key);
std::string library_version();

}  // namespace quern::tuning
