// SPDX-License-Identifier: MIT
// What is wrong with a program, found without a device and without a compiler.
#pragma once

#include <vector>

#include "quern/api.hpp"
#include "quern/error.hpp"
#include "quern/program.hpp"
#include "quern/properties.hpp"

namespace QUERN_API quern {

// Returns the errors and warnings of the front end for the devices of a dialect: of OpenCL
// C the first error of each function, or of each declaration if declarations have errors. Of CUDA
// C only the preprocessor's errors are found. An OpenCL device's own compiler may know constructs that the
// front end does not support yet; these are not errors for that dialect.
[[nodiscard]] std::vector<Diagnostic> diagnostics(const Program& program, Dialect dialect);

}  // namespace quern
