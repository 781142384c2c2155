// SPDX-License-Identifier: MIT
// Error codes: the one guard between C++ exceptions and the C interface.
#pragma once

#include <exception>
#include <utility>

#include "platform/handles.hpp"

namespace quern::platform {

// An error that the specification names.
struct Failure {
  cl_int code;
};

[[noreturn]] inline void fail(cl_int code) {
  throw Failure{code};
}
inline void require(bool condition, cl_int code) {
  if (!condition) fail(code);
}

// The code for an exception of the engine, or for a Failure.
[[nodiscard]] cl_int code_of(const std::exception_ptr& error) noexcept;
[[nodiscard]] cl_int code_of_current_exception() noexcept;

// Runs the body of an entry point that returns a code.
template <class Body>
cl_int guarded(Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    return CL_SUCCESS;
  } catch (...) {
    return code_of_current_exception();
  }
}

// Runs the body of an entry point that returns an object. `code` may be null.
template <class Body>
auto guarded(cl_int* code, Body&& body) noexcept -> decltype(body()) {
  decltype(body()) result = nullptr;
  cl_int status = CL_SUCCESS;
  try {
    result = std::forward<Body>(body)();
  } catch (...) {
    status = code_of_current_exception();
  }
  if (code != nullptr) *code = status;
  return result;
}

// The object behind a handle. Fails with the code if there is none.
template <class T>
T& checked(T* handle, cl_int invalid) {
  require(is_valid(handle), invalid);
  return *handle;
}

}  // namespace quern::platform
