// SPDX-License-Identifier: MIT
// What the library's algorithms ask: the values of their parameters.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quern/tuned.hpp"

namespace quern::tuning {

// A parameter of an algorithm, and all values that it may have. 0 means that the algorithm chooses.
struct AlgorithmParameter {
  const char* name;
  std::vector<std::int64_t> values;
};

// Parameters of an algorithm on the devices that run one of its forms, such as "reduction of chunks".
struct AlgorithmParameters {
  const char* algorithm;
  unsigned revision;  // of the algorithm: results that were measured with another one are not found
  std::vector<AlgorithmParameter> parameters;
};

[[nodiscard]] std::span<const AlgorithmParameters> library_parameters();
// Null if the library has no such algorithm.
[[nodiscard]] const AlgorithmParameters* library_parameters(std::string_view algorithm) noexcept;

// The value of one parameter: that of the innermost Trial of this thread, else of a kept result; without one,
// or if it is 0 or not one of the declared values, the library's for the class of devices, else `otherwise`.
[[nodiscard]] std::int64_t value_of(const DeviceProperties& device, std::string_view algorithm,
                                    std::string_view problem_class, std::string_view parameter,
                                    std::int64_t otherwise);

// False if value_of() gives `otherwise` for every class of problems: nothing was ever tuned. It costs a few
// nanoseconds.
[[nodiscard]] bool may_have_values(std::string_view algorithm);

// The same for a function that returns the class, which is not called if nothing was ever tuned.
template <std::invocable MakeClass>
[[nodiscard]] std::int64_t value_of(const DeviceProperties& device, std::string_view algorithm,
                                    MakeClass&& make_class, std::string_view parameter,
                                    std::int64_t otherwise) {
  if (!may_have_values(algorithm)) return otherwise;
  const std::string problem_class = make_class();
  return value_of(device, algorithm, std::string_view(problem_class), parameter, otherwise);
}

// While it lives, value_of() gives the algorithm on this thread these values.
class Trial {
 public:
  Trial(std::string algorithm, TuneConfiguration configuration);
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

 private:
  friend std::int64_t value_of(const DeviceProperties&, std::string_view, std::string_view, std::string_view,
                               std::int64_t);
  std::string algorithm_;
  TuneConfiguration configuration_;
  const Trial* outer_;
};

// Records the forms and classes that algorithms ask for on this thread while it lives.
class Asked {
 public:
  Asked();
  ~Asked();
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& forms() const noexcept {
    return forms_;
  }

 private:
  friend std::int64_t value_of(const DeviceProperties&, std::string_view, std::string_view, std::string_view,
                               std::int64_t);
  std::vector<std::pair<std::string, std::string>> forms_;
  Asked* outer_;
};

// The version of the key of the library's algorithms: results for other parameters or of another revision are
// not found.
[[nodiscard]] std::string version_of(const AlgorithmParameters& parameters);

// The library's values for a class of devices; empty if there are none.
[[nodiscard]] TuneConfiguration library_values(const DeviceProperties& device, std::string_view problem,
                                               std::string_view problem_class);
[[nodiscard]] bool has_library_values(std::string_view problem) noexcept;  // for any class of devices

}  // namespace quern::tuning
