// SPDX-License-Identifier: MIT
// Kernels with a launch configuration.
#pragma once

#include "py_kernel.hpp"

namespace quern::python {

// kernel[grid, block]: the sizes come first, as in CUDA C and Numba.
struct ConfiguredKernel {
  nb::object kernel, grid, block, queue = nb::none();
  nb::object shared_memory = nb::none();
};
// `sizes` is what Python passes in brackets.
ConfiguredKernel configured(nb::handle kernel, nb::handle sizes);
Event launch_configured(const ConfiguredKernel& self, nb::args arguments, nb::kwargs named);

}  // namespace quern::python
