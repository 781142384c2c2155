// SPDX-License-Identifier: MIT
// QUERN_API marks a namespace whose names a shared library exports. All other names are hidden.
#pragma once

#define QUERN_API [[gnu::visibility("default")]]
