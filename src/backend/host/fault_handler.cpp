// SPDX-License-Identifier: MIT
// The chain of handlers: those that ours replaced, newest first.
#include "backend/host/fault_handler.hpp"

#include <pthread.h>
#include <ucontext.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <ctime>
#include <mutex>
#include <new>

#include "base/signals.hpp"

namespace quern::backend::host {
namespace {

// A handler that ours replaced. Never freed, because another thread's handler may be reading it.
struct Replaced {
  struct sigaction action;
  const Replaced* older;
};
std::array<std::atomic<const Replaced*>, NSIG> replaced{};

std::atomic<FaultHandler*> our_handler{nullptr};
std::mutex install_mutex;
std::atomic<std::int64_t> last_look{0};

struct sigaction default_action() noexcept {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  return action;
}

bool is_same(const struct sigaction& a, const struct sigaction& b) noexcept {
  if ((a.sa_flags & SA_SIGINFO) != (b.sa_flags & SA_SIGINFO)) return false;
  return (a.sa_flags & SA_SIGINFO) != 0 ? a.sa_sigaction == b.sa_sigaction : a.sa_handler == b.sa_handler;
}

bool is_ours(const struct sigaction& action, FaultHandler* handler) noexcept {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == handler;
}

// With install_mutex locked.
void remember(int signal, const struct sigaction& action) noexcept {
  auto& newest = replaced[static_cast<std::size_t>(signal)];
  for (const Replaced* entry = newest.load(); entry != nullptr; entry = entry->older) {
    if (is_same(entry->action, action)) return;
  }
  if (const auto* const entry = new (std::nothrow) Replaced{action, newest.load()}) newest.store(entry);
}

// With install_mutex locked.
void install_where_absent(FaultHandler* handler) noexcept {
  for (const int signal : kFaultSignals) {
    struct sigaction present = {};
    if (sigaction(signal, nullptr, &present) != 0 || is_ours(present, handler)) continue;
    remember(signal, present);
    struct sigaction action = {};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(signal, &action, nullptr);
  }
}

// A number that changes every few milliseconds and costs few nanoseconds.
std::int64_t coarse_time() noexcept {
#ifdef CLOCK_MONOTONIC_COARSE
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
#else
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::milliseconds(4);
#endif
}

// The last signal that was passed on.
struct Passed {
  std::atomic<std::uintptr_t> thread{0}, frame{0}, instruction{0}, address{0};
  std::atomic<bool> has_returned{false};
  std::atomic<unsigned> raised{0}, repeated{0};
} passed;

// A handler that handles faults, such as one that makes a page accessible, may see the same fault again
// later; one that returns to the instruction without a change sees nothing else.
constexpr unsigned kMostRepeats = 100;

// How many handlers to pass over. A newer handler that reports a fault and gives way to the one before it,
// which is ours, leads back here: it raises the signal again, which interrupts it, or returns to the faulty
// instruction. One that jumps out ends the fault.
unsigned handlers_to_skip(const siginfo_t* info, std::uintptr_t instruction) noexcept {
  const std::uintptr_t me = this_thread_number();
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const bool has_returned = passed.has_returned.exchange(false);
  const bool is_same_thread = passed.thread.exchange(me) == me;
  const bool is_raised = is_same_thread && !has_returned && frame < passed.frame.load();
  const bool is_repeated = is_same_thread && has_returned && info->si_code > 0 &&
                           passed.instruction.load() == instruction && passed.address.load() == address;
  if (is_raised) {
    passed.raised.fetch_add(1);
  } else if (is_repeated) {
    passed.repeated.fetch_add(1);
  } else {
    passed.frame.store(frame);
    passed.instruction.store(instruction);
    passed.address.store(address);
    passed.raised.store(0);
    passed.repeated.store(0);
  }
  return passed.raised.load() + passed.repeated.load() / kMostRepeats;
}

void call(const struct sigaction& previous, int signal, siginfo_t* info, void* context) noexcept {
  const bool has_information = (previous.sa_flags & SA_SIGINFO) != 0;
  const bool is_sent = info->si_code <= 0;  // by kill() or raise(), not by a faulty instruction
  if (!has_information && previous.sa_handler == SIG_IGN && is_sent) return;
  const struct sigaction standard = default_action();
  if (!has_information && (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN)) {
    sigaction(signal, &standard, nullptr);
    if (is_sent) raise(signal);
    return;  // returns to the instruction, which faults again: now the process ends, with the right state for
             // a debugger
  }
  if ((static_cast<unsigned>(previous.sa_flags) & SA_RESETHAND) != 0) sigaction(signal, &standard, nullptr);
  sigset_t blocked = previous.sa_mask, before;
  if ((previous.sa_flags & SA_NODEFER) == 0) sigaddset(&blocked, signal);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  if (has_information) {
    previous.sa_sigaction(signal, info, context);
  } else {
    previous.sa_handler(signal);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

void handle_faults(FaultHandler* handler) {
  static std::once_flag once;
  std::call_once(once, [&] {
    const std::lock_guard lock(install_mutex);
    install_where_absent(handler);
    last_look.store(coarse_time());
    our_handler.store(handler);
  });
}

void keep_handler_first() noexcept {
  const std::int64_t now = coarse_time();
  if (last_look.load(std::memory_order_relaxed) == now) return;
  const std::unique_lock lock(install_mutex, std::try_to_lock);
  if (!lock.owns_lock()) return;  // another thread looks
  last_look.store(now, std::memory_order_relaxed);
  install_where_absent(our_handler.load());
}

void pass_on(int signal, siginfo_t* info, void* context) noexcept {
  const Replaced* entry = replaced[static_cast<std::size_t>(signal)].load();
  // The oldest was there before ours and does not lead back.
  for (unsigned skip = handlers_to_skip(info, program_counter(context));
       skip > 0 && entry != nullptr && entry->older != nullptr; --skip)
    entry = entry->older;
  call(entry != nullptr ? entry->action : default_action(), signal, info, context);
  passed.has_returned.store(true);
}

std::uintptr_t program_counter(const void* context) noexcept {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<std::uintptr_t>(machine.pc);
#endif
}

std::uintptr_t this_thread_number() noexcept {
  static_assert(sizeof(pthread_t) == sizeof(std::uintptr_t));
  const pthread_t self = pthread_self();
  std::uintptr_t number = 0;
  std::memcpy(&number, &self, sizeof number);
  return number;
}

}  // namespace quern::backend::host
