// SPDX-License-Identifier: MIT
// The functions of the registry as Python objects: quern.sum, and Array.sum as a method.
#pragma once

#include "binding.hpp"
#include "quern/registry.hpp"

namespace quern::python {

// A new reference to the object of a row under one of its names.
nb::object function_object(const registry::Function& function, const char* name, bool is_method);

}  // namespace quern::python
