// SPDX-License-Identifier: MIT
// The list of kernels of src/kernels that draw random numbers and are precompiled into the library for the
// host. Callers find a kernel by its index in the list.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/random_form.hpp"

namespace quern::codegen {

// The kernels, of which each engine has one. Those of one real type end with its name. The build reads both
// lists from this text (src/codegen/host_loops/CMakeLists.txt).
inline constexpr std::array<std::string_view, 23> kRandomLoops = {
    "uniform_float",   "uniform_double",   "normal_float",      "normal_double",
    "lognormal_float", "lognormal_double", "exponential_float", "exponential_double",
    "integer_8",       "integer_16",       "integer_32",        "integer_64",
    "integer_wide",    "gamma_float",      "reals_float",       "gamma_double",
    "reals_double",    "poisson_small",    "poisson",           "binomial_small",
    "binomial",        "counts",           "count_tiles",
};
inline constexpr std::array<std::string_view, 2> kRandomEngines = {"philox", "threefry"};

struct RandomLoop {
  std::string name;                // such as "uniform_float_philox"
  std::vector<std::string> files;  // of src/kernels
  std::string kernel;
  std::vector<std::pair<std::string, std::string>> defines;
};

// In the order of the compiled table.
std::vector<RandomLoop> random_loops();

// The loop that fills memory with such numbers, a kernel fill_tiles: integers of one size share it.
std::string random_loop_name(const RandomForm& form);
// The loop that draws from gamma (floats or doubles) or counts (64-bit integers) by `kernel`.
std::string random_loop_name(const std::string& kernel, bool is_float, bool is_threefry);
// Whether that loop draws tiles of elements (random_tiles.cl), and not one element for each work-item.
bool is_in_tiles(std::string_view kernel);

}  // namespace quern::codegen
