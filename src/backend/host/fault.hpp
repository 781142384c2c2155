// SPDX-License-Identifier: MIT
// Faults of kernels: an invalid access, division or instruction ends the launch with an error, or at least
// the process with a message.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "frontend/host_abi.h"

namespace quern::backend::host {

// Properties of the code of a kernel.
struct KernelCode {
  std::uintptr_t base = 0, begin = 0, end = 0;  // address range of its module
  // Plain C that owns nothing while it runs: the handler may jump out of it. Not so the library's own C++.
  bool is_plain = false;
  // It calls functions that hold locks, such as printf: the handler may jump only out of its own
  // instructions.
  bool calls_locking = false;
  bool checks_bounds = false;                     // host_bounds.h
  std::shared_ptr<const std::string> debug_file;  // the path of its module, if that has debug information
};

struct KernelCall {
  quern_kernel_function* entry;
  const quern_launch* launch;
  std::uint64_t first, last;  // groups
  const char* name;
  const KernelCode* code;
};

struct Fault {
  int signal = 0, code = 0;  // as in siginfo_t
  std::uintptr_t address = 0, instruction = 0;
};

// Runs the groups on this thread. If one of their instructions faults, they end there, and the fault is
// returned. If the handler must not jump out of the code, it names the kernel on standard error, and the
// process ends as it would have without the handler.
std::optional<Fault> call_kernel(const KernelCall& call);

// Throws a KernelError that says what happened, where, and what to do. It is an IncompleteError if the source
// line can be looked up.
[[noreturn]] void throw_fault(const Fault& fault, const KernelCall& call);

// While an object of this class lives, this thread runs library code that a kernel has called, which the
// handler must not jump out of.
class LibraryCall {
 public:
  LibraryCall() noexcept;
  ~LibraryCall();
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;
};

}  // namespace quern::backend::host
