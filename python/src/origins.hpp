// SPDX-License-Identifier: MIT
// Source lines of Python: each operation records its line, so that later errors can name it.
#pragma once

namespace quern::python {

// Called once, when the module is imported.
void remember_origins();

// Sets the origin of this thread's next operations to Python's current position: the innermost line outside
// this package. It takes some ten nanoseconds, because no frame object is created and no line is looked up.
// Needs the GIL.
void note_origin() noexcept;

}  // namespace quern::python
