// SPDX-License-Identifier: MIT
// Arguments and sizes of launches, for tests that call a backend directly.
#pragma once

#include <cstddef>

#include "backend/backend.hpp"

namespace quern::backend {

// The value outlives the launch.
template <class T>
Argument value(const T& v) {
  Argument argument;
  argument.value = &v;
  argument.size = sizeof v;
  return argument;
}

inline Argument memory(Memory& m, std::size_t offset = 0) {
  Argument argument;
  argument.kind = Argument::Kind::memory;
  argument.memory = &m;
  argument.offset = offset;
  argument.size = m.size() - offset;
  return argument;
}

inline Argument local(std::size_t nbytes) {
  Argument argument;
  argument.kind = Argument::Kind::local;
  argument.size = nbytes;
  return argument;
}

inline Argument null_pointer() {
  Argument argument;
  argument.kind = Argument::Kind::null_pointer;
  return argument;
}

inline LaunchShape range(std::size_t global, std::size_t local_size) {
  LaunchShape shape;
  shape.global[0] = global;
  shape.local[0] = local_size;
  return shape;
}

}  // namespace quern::backend
