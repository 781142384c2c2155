// SPDX-License-Identifier: MIT
// What the handler of faults does: the jump out of a kernel, and the error that describes it.
#include "backend/host/fault.hpp"

#include <pthread.h>
#include <setjmp.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <sstream>
#include <string_view>

#include "backend/backend.hpp"
#include "backend/host/fault_handler.hpp"
#include "backend/host/fiber.hpp"
#include "base/signals.hpp"
#include "base/subprocess.hpp"
#include "quern/error.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define QUERN_SANITIZED  // whose own handlers report more
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define QUERN_SANITIZED
#endif
#endif

namespace quern::backend::host {
namespace {

std::string_view signal_name(int signal) noexcept {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    default:
      return "SIGILL";
  }
}

// A line of text composed without allocating, as signal handlers must.
class Line {
 public:
  Line& add(std::string_view text) noexcept {
    const std::size_t count = std::min(text.size(), text_.size() - size_);
    std::memcpy(text_.data() + size_, text.data(), count);
    size_ += count;
    return *this;
  }
  Line& add(std::uint64_t number, unsigned base = 10) noexcept {
    std::array<char, 20> digits;
    std::size_t at = digits.size();
    do digits[--at] = "0123456789abcdef"[number % base];
    while ((number /= base) != 0);
    return add({digits.data() + at, digits.size() - at});
  }
  Line& add_group(const quern_launch& launch, std::uint64_t number) noexcept {
    const auto id = group_id(launch, number);
    return add("(").add(id[0]).add(",").add(id[1]).add(",").add(id[2]).add(")");
  }
  Line& add_groups(const KernelCall& call) noexcept {
    if (call.last - call.first == 1) return add("work-group ").add_group(*call.launch, call.first);
    return add("one of the work-groups ")
        .add_group(*call.launch, call.first)
        .add(" to ")
        .add_group(*call.launch, call.last - 1);
  }
  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), size_}; }
  void print() const noexcept {
    if (write(STDERR_FILENO, text_.data(), size_) < 0) return;  // nothing can be reported
  }

 private:
  std::array<char, 1024> text_;
  std::size_t size_ = 0;
};

void add_advice(Line& line, const KernelCall& call) noexcept {
  if (!call.code->is_plain) return;
  if (call.code->debug_file != nullptr) {
    line.add("; run the process under a debugger to see the line");
    return;
  }
  const bool is_one_group = call.last - call.first == 1;
  line.add("; build the program with debug=True to learn the ")
      .add(is_one_group ? "line" : "work-group and the line");
}

#ifndef QUERN_SANITIZED

// The modes of rounding and denormals. A signal handler starts with the system's default, while a kernel may
// have set its own mode, except for the x87, whose mode the handler inherits.
class FloatMode {
 public:
  FloatMode() noexcept {
#if defined(__x86_64__)
    vector_ = __builtin_ia32_stmxcsr();
#elif defined(__aarch64__)
    asm volatile("mrs %0, fpcr" : "=r"(control_));
#endif
  }
  void interrupted([[maybe_unused]] const ucontext_t& context) noexcept {
#if defined(__x86_64__)
    if (context.uc_mcontext.fpregs != nullptr) x87_ = context.uc_mcontext.fpregs->cwd;
#endif
  }
  void restore() const noexcept {
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(vector_);
    asm volatile("fldcw %0" : : "m"(x87_));
#elif defined(__aarch64__)
    asm volatile("msr fpcr, %0" : : "r"(control_));
#endif
  }

 private:
#if defined(__x86_64__)
  unsigned vector_ = 0;
  unsigned short x87_ = 0x37f;
#elif defined(__aarch64__)
  std::uint64_t control_ = 0;
#endif
};

struct ThreadEntry;

// A kernel that runs on this thread, and the point to continue at after a fault.
struct Scope {
  const KernelCall* call;
  ThreadEntry* entry;  // that leads to this
  FloatMode mode;
  Fault fault;
  sigset_t mask;  // signal mask of the thread when it faulted
  volatile std::sig_atomic_t library_calls = 0;
  sigjmp_buf back;

  [[nodiscard]] bool may_jump_from(std::uintptr_t at) const noexcept {
    const KernelCode& code = *call->code;
    if (!code.is_plain || library_calls != 0) return false;
    return !code.calls_locking || (at >= code.begin && at < code.end);
  }
};

// A handler must not access thread-local variables, which may have to be allocated: it looks up its thread in
// a list. Entries are never freed; those of ended threads are reused.
struct ThreadEntry {
  std::atomic<std::uintptr_t> thread{0};  // 0: free
  std::atomic<Scope*> scope{nullptr};
  ThreadEntry* next = nullptr;
};
std::atomic<ThreadEntry*> thread_entries{nullptr};
thread_local ThreadEntry* own_entry = nullptr;  // once it has run a kernel
thread_local bool is_ending = false;            // it has returned its entry

// Takes an entry for this thread, and returns it when the thread ends.
class OwnEntry {
 public:
  OwnEntry() {
    const std::uintptr_t me = this_thread_number();
    for (entry_ = thread_entries.load(); entry_ != nullptr; entry_ = entry_->next) {
      std::uintptr_t none = 0;
      if (entry_->thread.compare_exchange_strong(none, me)) return;
    }
    entry_ = new ThreadEntry;
    entry_->thread.store(me);
    entry_->next = thread_entries.load();
    while (!thread_entries.compare_exchange_weak(entry_->next, entry_)) {
    }
  }
  ~OwnEntry() {
    own_entry = nullptr;
    is_ending = true;
    entry_->thread.store(0);
  }
  OwnEntry(const OwnEntry&) = delete;
  OwnEntry& operator=(const OwnEntry&) = delete;
  [[nodiscard]] ThreadEntry* entry() const noexcept { return entry_; }

 private:
  ThreadEntry* entry_;
};

Scope* running_scope() noexcept {
  const std::uintptr_t me = this_thread_number();
  for (const ThreadEntry* entry = thread_entries.load(); entry != nullptr; entry = entry->next) {
    if (entry->thread.load() == me) return entry->scope.load(std::memory_order_relaxed);
  }
  return nullptr;
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  Scope* const scope = running_scope();
  if (scope != nullptr) {
    const bool is_sent = info->si_code <= 0;
    // Another handler that came first, such as Python's faulthandler, reports a fault and raises the signal
    // again.
    const bool is_raised = info->si_code == SI_TKILL && info->si_pid == getpid();
    const std::uintptr_t at = program_counter(context);
    if ((!is_sent || is_raised) && scope->may_jump_from(at)) {
      const auto& interrupted = *static_cast<const ucontext_t*>(context);
      scope->mode.interrupted(interrupted);
      scope->mask = interrupted.uc_sigmask;
      scope->fault = {signal, info->si_code, 0, 0};
      if (!is_sent) {
        scope->fault.address = reinterpret_cast<std::uintptr_t>(info->si_addr);
        scope->fault.instruction = at;
      }
      siglongjmp(scope->back, 1);
    }
    if (!is_sent || info->si_pid == getpid()) {
      Line line;
      line.add("quern: ").add(signal_name(signal)).add(" while kernel '").add(scope->call->name);
      line.add("' ran ").add_groups(*scope->call);
      if (!is_sent) line.add(", at address 0x").add(reinterpret_cast<std::uintptr_t>(info->si_addr), 16);
      add_advice(line, *scope->call);
      line.add("\n").print();
    }
  }
  errno = error;
  pass_on(signal, info, context);
}

Scope* own_scope() noexcept {
  return own_entry != nullptr ? own_entry->scope.load(std::memory_order_relaxed) : nullptr;
}

// Before this thread's first kernel.
ThreadEntry* prepare_thread() {
  handle_faults(on_fault);
  ensure_signal_stack();
  thread_local const OwnEntry own;
  return own_entry = own.entry();
}

std::optional<Fault> call_on(ThreadEntry* entry, const KernelCall& call) {
  Scope scope;
  scope.call = &call;
  scope.entry = entry;
  if (call.code->is_plain) keep_handler_first();
  if (sigsetjmp(scope.back, 0) == 0) {
    // Only this thread and its handlers access it.
    scope.entry->scope.store(&scope, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    call.entry(call.launch, call.first, call.last);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    scope.entry->scope.store(nullptr, std::memory_order_relaxed);
    return std::nullopt;
  }
  scope.entry->scope.store(nullptr, std::memory_order_relaxed);
  pthread_sigmask(SIG_SETMASK, &scope.mask, nullptr);
  scope.mode.restore();
  return scope.fault;
}

#endif

// Whether the address lies just below the stack of this thread or of its fibers.
bool is_below_the_stack(std::uintptr_t address) noexcept {
  if (is_in_fiber_guard(address)) return true;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
  void* low = nullptr;
  std::size_t size = 0, guard = 0;
  const bool known = pthread_attr_getstack(&attributes, &low, &size) == 0 &&
                     pthread_attr_getguardsize(&attributes, &guard) == 0;
  pthread_attr_destroy(&attributes);
  constexpr std::size_t kNear = std::size_t{64} << 10;
  const auto end = reinterpret_cast<std::uintptr_t>(low);
  return known && address + guard + kNear >= end && address < end + guard + kNear;
}

// The source line of an instruction, as in "steps.cl:8"; empty if unknown. Throws the exceptions of
// check_interruption().
std::string source_line(std::uintptr_t instruction, const std::string& file) {
  const std::string tool = find_executable("addr2line");
  if (tool.empty()) return {};
  Line offset;
  offset.add("0x").add(instruction, 16);
  try {
    const ProcessResult result =
        run_process({tool, "-i", "-e", file, std::string(offset.text())}, "", std::chrono::seconds(10));
    // Innermost first; helpers of lowered code have lines only in the generated text.
    std::istringstream lines(result.output);
    for (std::string line; std::getline(lines, line);) {
      line = line.substr(0, line.find(' '));
      line = line.substr(line.rfind('/') + 1);
      const bool is_generated = line.starts_with("program.c:") || line.starts_with("<");
      if (!is_generated && line.find('?') == std::string::npos) return line;
    }
  } catch (const Error&) {  // it does not start: the error is reported without the line
  }
  return {};
}

class FaultError final : public IncompleteError {
 public:
  FaultError(const std::string& text, const std::string& advice, std::uintptr_t instruction,
             std::shared_ptr<const std::string> file)
      : IncompleteError(text + advice),
        length_(text.size()),
        instruction_(instruction),
        file_(std::move(file)) {}

  [[nodiscard]] std::exception_ptr completed() const override {
    const std::string text = what();
    const std::string line = source_line(instruction_, *file_);
    return std::make_exception_ptr(
        KernelError(line.empty() ? text : text.substr(0, length_) + ", at " + line));
  }

 private:
  std::size_t length_;                       // length of the text without the advice
  std::uintptr_t instruction_;               // as an offset in the file
  std::shared_ptr<const std::string> file_;  // the path of the module
};

}  // namespace

std::optional<Fault> call_kernel(const KernelCall& call) {
#ifdef QUERN_SANITIZED
  call.entry(call.launch, call.first, call.last);
  return std::nullopt;
#else
  if (own_entry != nullptr) return call_on(own_entry, call);
  if (!is_ending) return call_on(prepare_thread(), call);
  // The destructor of a thread-local variable runs a kernel: nothing would return an entry after this.
  const OwnEntry entry;
  own_entry = entry.entry();
  return call_on(own_entry, call);
#endif
}

void throw_fault(const Fault& fault, const KernelCall& call) {
  Line line, advice;
  line.add("kernel '").add(call.name).add("': ");
  const bool has_address = fault.signal == SIGSEGV || fault.signal == SIGBUS;
  if (fault.signal == SIGFPE) {
    line.add("invalid arithmetic, such as an integer division by zero (");
  } else if (fault.signal == SIGILL) {
    line.add("illegal instruction (");
  } else if (is_below_the_stack(fault.address)) {
    line.add("stack overflow: the private variables of a work-item exceed the stack of its thread (");
  } else if (fault.signal == SIGBUS) {
    line.add("access to a mapped file beyond its end, for example after the file was truncated (");
  } else {
    line.add("invalid memory access (");
  }
  line.add(signal_name(fault.signal));
  bool is_told = fault.code > 0;  // otherwise another handler raised the signal again
#ifdef SI_KERNEL                  // a non-canonical address, which the processor does not report
  is_told = is_told && fault.code != SI_KERNEL;
#endif
  if (has_address && is_told) line.add(" at address 0x").add(fault.address, 16);
  line.add(") in ").add_groups(call);
  const KernelCode& code = *call.code;
  add_advice(advice, call);
  const std::string text(line.text()), more(advice.text());
  const bool has_line =
      code.debug_file != nullptr && fault.instruction >= code.begin && fault.instruction < code.end;
  if (has_line) throw FaultError(text, more, fault.instruction - code.base, code.debug_file);
  throw KernelError(text + more);
}

#ifdef QUERN_SANITIZED
LibraryCall::LibraryCall() noexcept = default;
LibraryCall::~LibraryCall() = default;
#else
LibraryCall::LibraryCall() noexcept {
  if (Scope* const scope = own_scope()) scope->library_calls = scope->library_calls + 1;
}

LibraryCall::~LibraryCall() {
  if (Scope* const scope = own_scope()) scope->library_calls = scope->library_calls - 1;
}
#endif

}  // namespace quern::backend::host
