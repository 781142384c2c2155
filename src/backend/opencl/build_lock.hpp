// SPDX-License-Identifier: MIT
// Drivers that several processes must not build with at once.
#pragma once

#include "base/file_lock.hpp"

namespace quern::backend::opencl {

class Device;

// To be held while a program is built for the device, from source or a binary. PoCL keeps what it built in a
// folder that all processes of a user share; of processes that fill it at the same time some fail or crash.
// This waits for them, within limits. Of other platforms it is no lock.
FileLock lock_builds(const Device& device);

}  // namespace quern::backend::opencl
