// SPDX-License-Identifier: MIT
// Spaces of configurations.
#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "quern/error.hpp"
#include "quern/tune.hpp"

namespace quern {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw ArgumentError(ArgumentError::Kind::value, "parameters: " + what);
}

}  // namespace

TuneSpace::TuneSpace(std::vector<TuneParameter> parameters, std::vector<TuneRestriction> restrictions)
    : parameters_(std::move(parameters)), restrictions_(std::move(restrictions)) {
  if (parameters_.empty()) refuse("there are none");
  std::set<std::string> names;
  for (const TuneParameter& parameter : parameters_) {
    if (parameter.name.empty()) refuse("one has no name");
    if (!names.insert(parameter.name).second) refuse("'" + parameter.name + "' is given twice");
    if (parameter.values.empty()) refuse("'" + parameter.name + "' has no values");
    if (std::set<TuneValue>(parameter.values.begin(), parameter.values.end()).size() !=
        parameter.values.size())
      refuse("'" + parameter.name + "' has a value twice");
    if (size_ > std::numeric_limits<std::uint64_t>::max() / 2 / parameter.values.size())
      refuse("there are too many combinations");
    size_ *= parameter.values.size();
  }
}

std::vector<std::size_t> TuneSpace::indices(std::uint64_t number) const {
  std::vector<std::size_t> result(parameters_.size());
  for (std::size_t p = parameters_.size(); p-- > 0;) {
    const std::uint64_t count = parameters_[p].values.size();
    result[p] = static_cast<std::size_t>(number % count);
    number /= count;
  }
  return result;
}

std::uint64_t TuneSpace::number(std::span<const std::size_t> indices) const {
  std::uint64_t result = 0;
  for (std::size_t p = 0; p < parameters_.size(); ++p)
    result = result * parameters_[p].values.size() + indices[p];
  return result;
}

std::optional<std::uint64_t> TuneSpace::number(const TuneConfiguration& configuration) const {
  if (configuration.items().size() != parameters_.size()) return std::nullopt;
  std::vector<std::size_t> found(parameters_.size());
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    const TuneParameter& parameter = parameters_[p];
    const TuneValue* const value = configuration.find(parameter.name);
    if (value == nullptr) return std::nullopt;
    const auto at = std::find(parameter.values.begin(), parameter.values.end(), *value);
    if (at == parameter.values.end()) return std::nullopt;
    found[p] = static_cast<std::size_t>(at - parameter.values.begin());
  }
  return number(found);
}

TuneConfiguration TuneSpace::at(std::uint64_t number) const {
  const std::vector<std::size_t> index = indices(number);
  std::vector<TuneConfiguration::Item> items;
  for (std::size_t p = 0; p < parameters_.size(); ++p)
    items.emplace_back(parameters_[p].name, parameters_[p].values[index[p]]);
  return TuneConfiguration(std::move(items));
}

bool TuneSpace::allows(std::uint64_t number) const {
  if (restrictions_.empty()) return true;
  const TuneConfiguration configuration = at(number);
  return std::all_of(restrictions_.begin(), restrictions_.end(),
                     [&](const TuneRestriction& restriction) { return restriction(configuration); });
}

}  // namespace quern
