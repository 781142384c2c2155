// SPDX-License-Identifier: MIT
// Looks up the parameters of kernels and algorithms.
#include "tune/lookup.hpp"

#include <algorithm>
#include <utility>

#include "base/digest.hpp"
#include "tune/store.hpp"

namespace quern {
namespace tuning {
namespace {

thread_local const Trial* innermost = nullptr;
thread_local Asked* recorder = nullptr;

std::int64_t declared(const AlgorithmParameters& all, std::string_view name, const TuneConfiguration& from,
                      std::int64_t otherwise) {
  const TuneValue* const value = from.find(name);
  const std::int64_t* const integer = value != nullptr ? std::get_if<std::int64_t>(value) : nullptr;
  if (integer == nullptr || *integer == 0) return otherwise;
  for (const AlgorithmParameter& parameter : all.parameters)
    if (parameter.name == name)
      return std::find(parameter.values.begin(), parameter.values.end(), *integer) != parameter.values.end()
                 ? *integer
                 : otherwise;
  return otherwise;
}

}  // namespace

Trial::Trial(std::string algorithm, TuneConfiguration configuration)
    : algorithm_(std::move(algorithm)),
      configuration_(std::move(configuration)),
      outer_(std::exchange(innermost, this)) {}

Trial::~Trial() {
  innermost = outer_;
}

Asked::Asked() : outer_(std::exchange(recorder, this)) {}

Asked::~Asked() {
  recorder = outer_;
}

std::string version_of(const AlgorithmParameters& parameters) {
  std::string text;
  for (const AlgorithmParameter& parameter : parameters.parameters)
    text += (text.empty() ? "" : ",") + std::string(parameter.name);
  return text + "@" + std::to_string(parameters.revision);
}

std::int64_t value_of(const DeviceProperties& device, std::string_view algorithm,
                      std::string_view problem_class, std::string_view parameter, std::int64_t otherwise) {
  if (recorder != nullptr) {
    std::pair<std::string, std::string> form(algorithm, problem_class);
    auto& forms = recorder->forms_;
    if (std::find(forms.begin(), forms.end(), form) == forms.end()) forms.push_back(std::move(form));
  }
  const AlgorithmParameters* all = nullptr;
  const auto declaration = [&]() -> const AlgorithmParameters* {
    if (all == nullptr) all = library_parameters(algorithm);
    return all;
  };
  // What an untuned device uses, and what 0 means in a trial or a kept result.
  const TuneConfiguration values = library_values(device, algorithm, problem_class);
  if (!values.empty() && declaration() != nullptr) otherwise = declared(*all, parameter, values, otherwise);
  for (const Trial* trial = innermost; trial != nullptr; trial = trial->outer_)
    if (trial->algorithm_ == algorithm)
      return declaration() != nullptr ? declared(*all, parameter, trial->configuration_, otherwise)
                                      : otherwise;
  if (has_results_of(algorithm) && declaration() != nullptr) {
    if (const auto kept = find(tuned_device(device),
                               {std::string(algorithm), std::string(problem_class), version_of(*all)}))
      return declared(*all, parameter, kept->configuration, otherwise);
  }
  return otherwise;
}

bool may_have_values(std::string_view algorithm) {
  return innermost != nullptr || recorder != nullptr || has_results() || has_library_values(algorithm);
}

}  // namespace tuning

Tuned::Tuned(std::string problem, TuneConfiguration defaults, std::string version)
    : problem_(std::move(problem)), defaults_(std::move(defaults)), version_(std::move(version)) {}

std::pair<TuneConfiguration, TunedOrigin> Tuned::find(const Device& device,
                                                      std::string_view problem_class) const {
  const auto fits = [&](const TuneConfiguration& configuration) {
    const auto& items = configuration.items();
    return items.size() == defaults_.items().size() &&
           std::all_of(items.begin(), items.end(), [&](const TuneConfiguration::Item& item) {
             return defaults_.find(item.first) != nullptr;
           });
  };
  const auto in_order = [&](const TuneConfiguration& configuration) {
    std::vector<TuneConfiguration::Item> items;
    for (const auto& [name, value] : defaults_.items()) items.emplace_back(name, configuration.at(name));
    return TuneConfiguration(std::move(items));
  };
  if (const auto kept = find_tuned(device, {problem_, std::string(problem_class), version_});
      kept && fits(kept->configuration))
    return {in_order(kept->configuration), TunedOrigin::kept};
  if (const TuneConfiguration values = tuning::library_values(device.properties(), problem_, problem_class);
      !values.empty() && fits(values))
    return {in_order(values), TunedOrigin::library};
  return {defaults_, TunedOrigin::defaults};
}

}  // namespace quern
