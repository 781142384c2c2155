// SPDX-License-Identifier: MIT
// A lock for drivers with which several processes must not build at once.
#pragma once

#include "base/file_lock.hpp"

namespace quern::backend::opencl {

class Device;

// Held while a program is built for the device, from source or a binary. PoCL keeps built programs in a
// folder that all processes of a user share; if several processes fill it at the same time, some fail or
// crash. The lock waits for them, with a limit. For other platforms it does nothing.
FileLock lock_builds(const Device& device);

}  // namespace quern::backend::opencl
