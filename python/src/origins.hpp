// SPDX-License-Identifier: MIT
// Where in Python operations are written: each remembers it, so that errors which come later can tell.
#pragma once

namespace quern::python {

// To be called once, when the module is imported.
void remember_origins();

// What this thread writes next is written where Python is now: at the innermost line outside this package.
// Some ten nanoseconds, since no frame object is made and no line is looked up. Needs the GIL.
void note_origin() noexcept;

}  // namespace quern::python
