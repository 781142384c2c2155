// SPDX-License-Identifier: MIT
// The list of kernels of src/kernels that draw random numbers and are precompiled into the library for the
// host. Callers find a kernel by its index in the list.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "codegen/random_form.hpp"

namespace quern::codegen {

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

}  // namespace quern::codegen
