// SPDX-License-Identifier: MIT
// The mark of a namespace whose names a shared library exports. It hides all others.
#pragma once

#define QUERN_API [[gnu::visibility("default")]]
