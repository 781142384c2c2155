// SPDX-License-Identifier: MIT
// Protocols of arrays for other libraries: the buffer protocol and the interfaces of NumPy, CUDA and DLPack.
#pragma once

#include "binding.hpp"

namespace quern::python {

// The type slots of the buffer protocol, for nb::type_slots.
PyType_Slot* array_buffer_slots();
void bind_protocols(nb::class_<PyArray>& array);
void bind_dlpack(nb::module_& module, nb::class_<PyArray>& array);

}  // namespace quern::python
