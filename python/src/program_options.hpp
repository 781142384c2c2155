// SPDX-License-Identifier: MIT
// The options of a program, from the arguments of Python's Program().
#pragma once

#include "binding.hpp"

namespace quern::python {

// Raises TypeError or ValueError, which names the argument. If `check_bounds` is None, QUERN_CHECK_BOUNDS
// decides.
[[nodiscard]] ProgramOptions program_options(nb::handle language, nb::handle defines,
                                             nb::handle include_paths, nb::handle options, nb::handle name,
                                             nb::handle name_expressions, nb::handle debug,
                                             nb::handle check_bounds);

}  // namespace quern::python
