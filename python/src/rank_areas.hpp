// SPDX-License-Identifier: MIT
// The areas of the module that only programs of several ranks use, beside distributed arrays.
#pragma once

#include "binding.hpp"

namespace quern::python {

void bind_messages(nb::module_& module);  // after the classes of arrays, events and communicators

}  // namespace quern::python
