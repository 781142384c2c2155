// SPDX-License-Identifier: MIT
// Our place among the handlers of fault signals: first, and back in front when another library has taken it.
#pragma once

#include <csignal>
#include <cstdint>

namespace quern::backend::host {

using FaultHandler = void(int signal, siginfo_t* info, void* context);

// Installs `handler` for the signals of faults, once.
void handle_faults(FaultHandler* handler);

// Installs the handler again where another one has replaced it. LLVM, for example, which an OpenCL driver
// brings, removes on Ctrl-C all handlers that came after its own. Looks once in some milliseconds.
void keep_handler_first() noexcept;

// Calls the handler that ours replaced. If that one leads back to ours, calls the next older one. Safe in
// handlers.
void pass_on(int signal, siginfo_t* info, void* context) noexcept;

// The instruction that a signal interrupted.
[[nodiscard]] std::uintptr_t program_counter(const void* context) noexcept;

// A number of this thread that handlers may ask for: thread-local variables may have to be allocated.
[[nodiscard]] std::uintptr_t this_thread_number() noexcept;

}  // namespace quern::backend::host
