// SPDX-License-Identifier: MIT
// Faults of kernels: an invalid access, division or instruction ends the launch with an error, or at least
// the process with a word.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "frontend/host_abi.h"

namespace quern::backend::host {

// What is known of the code behind a kernel.
struct KernelCode {
  std::uintptr_t base = 0, begin = 0, end = 0;  // of its module in memory
  // Plain C that owns nothing while it runs: a jump may leave it. Not so the library's own C++.
  bool is_plain = false;
  // It calls functions that hold locks, such as printf: a jump may leave its own instructions only.
  bool calls_locking = false;
  std::shared_ptr<const std::string> debug_file;  // the path of its module, where that has debug information
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

// Runs the groups on this thread. When an instruction of theirs faults, they end there, and the fault is
// returned. Where the code must not be left by a jump, the kernel is named on standard error, and the process
// ends as it would have without us.
std::optional<Fault> call_kernel(const KernelCall& call);

// Throws a KernelError that says what happened, where, and what to do. It is an IncompleteError where the
// line of the source may be found out.
[[noreturn]] void throw_fault(const Fault& fault, const KernelCall& call);

// While one lives, this thread runs code of the library that a kernel has called, which no jump may leave.
class LibraryCall {
 public:
  LibraryCall() noexcept;
  ~LibraryCall();
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;
};

}  // namespace quern::backend::host
