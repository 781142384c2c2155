// SPDX-License-Identifier: MIT
// What nanobind says of arguments that no overload takes, as an ArgumentError in our words.
#pragma once

#include "binding.hpp"

namespace quern::python {

// Of all functions and methods of the module, when they are all there.
void word_refusals(nb::handle module);

}  // namespace quern::python
