// SPDX-License-Identifier: MIT
// Arrays as others see them: the buffer protocol and NumPy's, CUDA's and DLPack's interfaces.
#pragma once

#include "binding.hpp"

namespace quern::python {

// The slots of the class that has the buffer protocol, for nb::type_slots.
PyType_Slot* array_buffer_slots();
void bind_protocols(nb::class_<PyArray>& array);
void bind_dlpack(nb::module_& module, nb::class_<PyArray>& array);

}  // namespace quern::python
