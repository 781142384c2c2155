// SPDX-License-Identifier: MIT
// Whether long work of the library is shown on standard error.
#pragma once

#include "quern/api.hpp"

namespace QUERN_API quern {

// Compilations and copies that a program waits for longer than a second are shown on standard error if that
// is a terminal; QUERN_PROGRESS=always shows them in pipes, too, and QUERN_PROGRESS=never does not show them.
// A program hides them while it draws a display of its own. Calls nest.
void hide_progress(bool hidden);

}  // namespace quern
