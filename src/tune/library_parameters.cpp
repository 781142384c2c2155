// SPDX-License-Identifier: MIT
// The parameters that the library's algorithms expose, and their values for classes of devices.
#include <algorithm>
#include <array>

#include "tune/lookup.hpp"

namespace quern::tuning {
namespace {

// The first value of each is 0: what the algorithm chooses by itself. The number of a row is its revision:
// who changes an algorithm so that other values may be the best ones raises it.
const std::vector<AlgorithmParameters>& table() {
  static const auto* const result = new std::vector<AlgorithmParameters>{
      // Loops over chunks, on CPUs: segments of the reduced axis for each compute unit.
      {"reduction_chunks", 1, {{"segments_per_unit", {0, 1, 2, 4, 8, 16}}}},
      // Work-groups, on GPUs.
      {"reduction_rows",
       1,
       {{"group", {0, 64, 128, 256, 512, 1024}}, {"groups_per_unit", {0, 2, 4, 8, 16, 32}}}},
      {"scan_chunks", 1, {{"chunks_per_unit", {0, 1, 2, 4, 8, 16}}}},
      {"scan_tiles", 1, {{"group", {0, 64, 128, 256, 512}}, {"items", {0, 4, 8, 16, 32}}}},
      {"sort_chunks", 1, {{"chunks_per_unit", {0, 1, 2, 4}}}},
      {"sort_passes", 1, {{"groups_per_unit", {0, 2, 4, 8, 16, 32}}}},
      {"sort_sweep",
       1,
       {{"threads", {0, 256, 384, 512}}, {"items", {0, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23}}}},
      {"matmul_panels",
       1,
       {{"block_rows", {0, 48, 96, 192}},
        {"block_columns", {0, 128, 256, 512}},
        {"block_depth", {0, 128, 256, 512}}}},
      {"matmul_tiles", 1, {{"tile", {0, 1, 2, 3}}, {"least_depth", {0, 128, 256, 512}}}},
      {"transpose_rows", 1, {{"tile", {0, 8, 16, 32, 64, 128}}}},
      {"transpose_tiles", 1, {{"tile", {0, 16, 32, 64}}, {"rows", {0, 4, 8, 16, 32}}}},
      {"elementwise_rows", 1, {{"group", {0, 64, 128, 256, 512}}, {"width", {0, 16, 32, 64, 128, 256}}}},
  };
  return *result;
}

// Values for a class of devices: by the backend and the beginning of the architecture, each empty for any.
struct ClassValues {
  const char *backend, *architecture, *problem, *problem_class;
  TuneConfiguration values;
};

const std::vector<ClassValues>& class_values() {
  // Measured on sm_90, for keys and values of so many 32-bit words together. Other GPUs that run this form
  // have the same limits, and take them until they are tuned.
  static const auto* const result = new std::vector<ClassValues>{
      {"", "", "sort_sweep", "1", {{"threads", std::int64_t{512}}, {"items", std::int64_t{23}}}},
      {"", "", "sort_sweep", "2", {{"threads", std::int64_t{384}}, {"items", std::int64_t{13}}}},
      {"", "", "sort_sweep", "3", {{"threads", std::int64_t{384}}, {"items", std::int64_t{11}}}},
  };
  return *result;
}

}  // namespace

std::span<const AlgorithmParameters> library_parameters() {
  return table();
}

const AlgorithmParameters* library_parameters(std::string_view algorithm) noexcept {
  const auto found = std::find_if(table().begin(), table().end(), [&](const AlgorithmParameters& parameters) {
    return parameters.algorithm == algorithm;
  });
  return found == table().end() ? nullptr : &*found;
}

TuneConfiguration library_values(const DeviceProperties& device, std::string_view problem,
                                 std::string_view problem_class) {
  for (const ClassValues& row : class_values())
    if (problem == row.problem && problem_class == row.problem_class &&
        (*row.backend == '\0' || device.backend == row.backend) &&
        device.architecture.starts_with(row.architecture))
      return row.values;
  return {};
}

bool has_library_values(std::string_view problem) noexcept {
  return std::any_of(class_values().begin(), class_values().end(),
                     [&](const ClassValues& row) { return problem == row.problem; });
}

}  // namespace quern::tuning
