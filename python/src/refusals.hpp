// SPDX-License-Identifier: MIT
// Replaces nanobind's error for arguments that no overload takes by an ArgumentError.
#pragma once

#include "binding.hpp"

namespace quern::python {

// Applied to all functions and methods of the module, after they are defined.
void word_refusals(nb::handle module);

}  // namespace quern::python
