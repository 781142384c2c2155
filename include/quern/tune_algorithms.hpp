// SPDX-License-Identifier: MIT
// Tuning of the library's own algorithms on a device.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quern/api.hpp"
#include "quern/tune.hpp"

namespace QUERN_API quern {

// One form of an algorithm that a device runs, with a class of problems, such as elements of four bytes.
struct TunableAlgorithm {
  std::string workload;  // what is measured: "reduction", "scan", "sort", "matmul", "transpose", "stencil"
  std::string form;      // TuneKey::problem, such as "reduction_rows"
  std::string problem_class;  // TuneKey::problem_class
  std::string description;    // "the sum of 16777216 float32"
};

// The forms that have parameters on this device. Runs each workload once.
[[nodiscard]] std::vector<TunableAlgorithm> tunable_algorithms(const Device& device);
// Searches for the parameters with which the workload is fastest. The reference of its results is the
// algorithm with the values that it chooses by itself, which are the default. They are 0 in the result.
[[nodiscard]] TuneResult tune_algorithm(const Device& device, const TunableAlgorithm& algorithm,
                                        const TuneOptions& options = {});
// For keep_tuned().
[[nodiscard]] TuneKey tune_key(const TunableAlgorithm& algorithm);

}  // namespace quern
