// SPDX-License-Identifier: MIT
// Which code each exception of the engine becomes.
#include "platform/errors.hpp"

#include <new>

#include "quern/error.hpp"

namespace quern::platform {

cl_int code_of_current_exception() noexcept {
  try {
    throw;
  } catch (const Failure& failure) {
    return failure.code;
  } catch (const OutOfDeviceMemory&) {
    return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  } catch (const BuildError&) {
    return CL_BUILD_PROGRAM_FAILURE;
  } catch (const DependencyError&) {
    return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  } catch (const DeviceLost&) {
    return CL_DEVICE_NOT_AVAILABLE;
  } catch (const ArgumentError&) {
    return CL_INVALID_VALUE;
  } catch (const std::bad_alloc&) {
    return CL_OUT_OF_HOST_MEMORY;
  } catch (...) {  // a failed kernel, a use after fork(), a failed call of a driver
    return CL_OUT_OF_RESOURCES;
  }
}

cl_int code_of(const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (...) {
    return code_of_current_exception();
  }
}

}  // namespace quern::platform
