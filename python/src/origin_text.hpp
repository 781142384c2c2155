// SPDX-License-Identifier: MIT
// The current line of Python as text.
#pragma once

#include <string>

namespace quern::python {

// The innermost line outside this package, as "file:line". Needs the GIL.
std::string origin_here();

}  // namespace quern::python
