// SPDX-License-Identifier: MIT
// A second instance of a shared library, with state of its own.
#pragma once

#include <string>

#include "base/shared_library.hpp"

namespace quern {

// Loads a copy of the file beside the instance that the process may have loaded, so that settings such as a
// number of threads affect only the copy. Libraries that the file needs are shared with the rest of the
// process. The path of the result is the file's. If the system allows no copy, the attempt says why.
SharedLibrary load_private_copy(const std::string& file);

}  // namespace quern
