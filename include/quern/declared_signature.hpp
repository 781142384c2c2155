// SPDX-License-Identifier: MIT
// For bindings: the parameters of a kernel as its source declares them.
#pragma once

#include <optional>

#include "quern/api.hpp"
#include "quern/kernel.hpp"

namespace QUERN_API quern {

// Reads the source and builds nothing. Returns nothing for kernels of binaries, instances of templates, and
// sources with errors in their declarations.
[[nodiscard]] std::optional<Signature> declared_signature(const Kernel& kernel);

}  // namespace quern
