// SPDX-License-Identifier: MIT
// What builds and links have in common.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "platform/objects.hpp"
#include "runtime/program_state.hpp"

namespace quern::platform {

// The places of these devices in the program's list; of all of them if there is no list.
[[nodiscard]] std::vector<std::size_t> devices_of(const _cl_program& program, cl_uint count,
                                                  const cl_device_id* devices);
// The engine's program of a successful build.
[[nodiscard]] std::shared_ptr<const detail::BuiltProgram> built(const _cl_program& program,
                                                                std::size_t device);
// Runs a build of one device and stores its result in place of the last one. The function throws BuildError.
// Returns whether it succeeded.
bool run_build(_cl_program& program, std::size_t device, const std::string& options,
               const std::function<Build()>& function);
// Compiles an executable for one device.
[[nodiscard]] Build make_executable(const _cl_program& program, std::size_t device, Program engine_program);

}  // namespace quern::platform
