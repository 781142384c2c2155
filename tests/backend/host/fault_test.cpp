// SPDX-License-Identifier: MIT
// Kernels that fault: the error of the launch, and the state of the thread and the process afterwards.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cfenv>
#include <csignal>
#include <functional>
#include <thread>

#include "backend/host/fault.hpp"
#include "backend/host/support.hpp"
#include "quern/error.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define QUERN_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define QUERN_SANITIZED
#endif
#endif

namespace quern::backend {
namespace {

class HostFault : public testing::Test {
 protected:
  void SetUp() override {
#ifdef QUERN_SANITIZED
    GTEST_SKIP() << "sanitizers handle faults themselves";
#endif
  }
};

void fault_at(std::uintptr_t address) {
  volatile std::uintptr_t hidden = address;  // from the compiler, which would warn
  *reinterpret_cast<volatile int*>(hidden) = 1;
}

// What a launch of `body`, with an int pointer `p` and an int `n`, ends with; empty when it is fine.
std::string outcome(Module& module, std::size_t global, std::size_t local, int n, Queue& queue) {
  const auto function = module.function("quern_kernel_f", nullptr);
  const auto buffer = host_context().allocate(0, 4096);
  const std::vector<Argument> arguments = {memory(*buffer), value(n)};
  queue.launch(*function, range(global, local), arguments);
  const auto marker = queue.record();
  EXPECT_TRUE(marker->wait(Deadline::max()));
  const std::exception_ptr error = marker->error();
  if (!error) return "";
  try {
    std::rethrow_exception(error);
  } catch (const KernelError& e) {
    return e.what();
  }
}

std::string body_of(const std::string& before, const std::string& text) {
  return before + kernel_text("f", parameter("int *", "p", 0) + parameter("int", "n", 1), text);
}

std::string outcome(const std::string& before, const std::string& text, int n, bool debug = false) {
  const Compiled compiled = compile_c(with_abi(body_of(before, text)), debug);
  const auto queue = host_queue();
  return outcome(*compiled.module, 64, 4, n, *queue);
}

TEST_F(HostFault, an_invalid_address_is_named) {
  const std::string text = outcome("", "*(volatile int *)((char *)0 + n) = 1;", 0x1234);
  EXPECT_NE(text.find("kernel"), std::string::npos) << text;
  EXPECT_NE(text.find("SIGSEGV at address 0x1234"), std::string::npos) << text;
  EXPECT_NE(text.find("work-group"), std::string::npos) << text;
  EXPECT_NE(text.find("debug=True"), std::string::npos) << text;
}

TEST_F(HostFault, a_debug_build_names_the_group) {
  const std::string text = outcome("", "if (id[0] == 42) *(volatile int *)8 = 1;", 0, true);
  EXPECT_NE(text.find(" in work-group (10,0,0)"), std::string::npos) << text;
  EXPECT_NE(text.find("SIGSEGV at address 0x8"), std::string::npos) << text;
}

TEST_F(HostFault, an_address_that_no_processor_has_is_an_error) {
  const std::string text = outcome("", "*(volatile int *)((unsigned long long)(n + 1) << 60) = 1;", 3);
  EXPECT_NE(text.find("invalid memory access"), std::string::npos) << text;
}

TEST_F(HostFault, a_division_by_zero_is_an_error) {
#ifndef __x86_64__
  GTEST_SKIP() << "the processor divides by zero";
#endif
  const std::string text = outcome("", "p[0] = 7 / *(volatile int *)&n;", 0);
  EXPECT_NE(text.find("SIGFPE"), std::string::npos) << text;
}

TEST_F(HostFault, an_illegal_instruction_is_an_error) {
  const std::string text = outcome("", "if (n) __builtin_trap();", 1);
  EXPECT_NE(text.find("SIGILL"), std::string::npos) << text;
}

TEST_F(HostFault, a_stack_overflow_is_an_error_that_says_so) {
  const std::string text = outcome(
      "static int __attribute__((noinline)) deep(int n, volatile int *up) {\n"
      "  volatile int here[256];\n  here[n & 255] = *up;\n"
      "  return n == 0 ? here[0] : deep(n - 1, here) + here[3];\n}\n",
      "volatile int z = 0; p[0] = deep(n, &z);", 1 << 30);
  EXPECT_NE(text.find("stack overflow"), std::string::npos) << text;
}

TEST_F(HostFault, a_fault_on_a_fiber_is_an_error) {
  const std::string before =
      "static void item(void *data, unsigned long long i) {\n"
      "  const quern_launch *launch = data;\n"
      "  launch->runtime->barrier(launch, \"k.cl:1\\0\");\n"
      "  if (i == 3) *(volatile int *)16 = 1;\n"
      "  launch->runtime->barrier(launch, \"k.cl:2\\0\");\n}\n";
  const std::string text =
      outcome(before, "launch->runtime->run_group(launch, group, item, (void *)launch, 8, 4096);", 0);
  EXPECT_NE(text.find("SIGSEGV at address 0x10"), std::string::npos) << text;
  // The same threads run fibers as before.
  const std::string fine =
      "static void item(void *data, unsigned long long i) {\n"
      "  const quern_launch *launch = data;\n"
      "  launch->runtime->barrier(launch, \"k.cl:1\\0\");\n}\n";
  for (int round = 0; round < 10; ++round) {
    EXPECT_EQ(outcome(fine, "launch->runtime->run_group(launch, group, item, (void *)launch, 8, 4096);", 0),
              "");
  }
}

TEST_F(HostFault, other_launches_go_on) {
  const Compiled bad = compile_c(with_abi(body_of("", "if (n) *(volatile int *)8 = 1; p[id[0]] = 1;")));
  for (int round = 0; round < 50; ++round) {
    const auto queue = host_queue(), other = host_queue();
    EXPECT_NE(outcome(*bad.module, 64, 1, 1, *queue), "");
    EXPECT_EQ(outcome(*bad.module, 64, 1, 0, *other), "");
  }
}

TEST_F(HostFault, a_fault_on_the_calling_thread_leaves_its_rounding_as_it_was) {
  const Compiled compiled =
      compile_c(with_abi(body_of("", "if (n == 1) *(volatile int *)8 = 1; p[id[0]] = n;")));
  const auto function = compiled.module->function("quern_kernel_f", nullptr);
  const auto buffer = host_context().allocate(0, 4096);
  std::thread([&] {
    std::fesetround(FE_UPWARD);
    const auto queue = host_queue();
    int n = 0;
    const std::vector<Argument> arguments = {memory(*buffer), value(n)};
    // The host runs on the calling thread what was short before.
    for (int i = 0; i < 20; ++i) queue->launch(*function, range(4, 4), arguments), finish(*queue);
    n = 1;
    queue->launch(*function, range(4, 4), arguments);
    const auto marker = queue->record();
    EXPECT_TRUE(marker->done()) << "it did not run on the calling thread";
    EXPECT_TRUE(marker->wait(Deadline::max()));
    EXPECT_TRUE(marker->error() != nullptr);
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    EXPECT_EQ(sigismember(&mask, SIGSEGV), 0);
  }).join();
}

// Destroyed after the variables that a thread's kernels need, since it was there before them.
struct LateCaller {
  std::function<void()> call;
  ~LateCaller() {
    if (call) call();
  }
};
thread_local LateCaller late_caller;

TEST_F(HostFault, a_kernel_that_runs_while_its_thread_ends_may_fault) {
  const Compiled compiled =
      compile_c(with_abi(body_of("", "if (n == 1) *(volatile int *)8 = 1; p[id[0]] = 1;")));
  std::string late, last;
  std::thread([&] {
    late_caller.call = [&] {
      const auto queue = host_queue();
      // The thread waits, and so runs some of the groups itself.
      for (int round = 0; round < 20; ++round) EXPECT_EQ(outcome(*compiled.module, 4, 4, 0, *queue), "");
      late = outcome(*compiled.module, 4, 4, 1, *queue);
      last = outcome(*compiled.module, 4, 4, 0, *host_queue());
    };
    EXPECT_EQ(outcome(*compiled.module, 4, 4, 0, *host_queue()), "");
    const auto queue = host_queue();
    for (int round = 0; round < 20; ++round) EXPECT_EQ(outcome(*compiled.module, 4, 4, 0, *queue), "");
  }).join();
  EXPECT_NE(late.find("SIGSEGV at address 0x8"), std::string::npos) << late;
  EXPECT_EQ(last, "");
}

// A kernel that prints, and faults in what it calls: the C library may hold a lock.
TEST_F(HostFault, a_fault_that_cannot_be_left_names_the_kernel_and_ends_the_process) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string text = "int printf(const char *, ...);\nvoid *memset(void *, int, unsigned long);\n";
  EXPECT_EXIT(
      static_cast<void>(outcome(
          text, "if (n == 99) printf(\"%d\", n); memset((void *)(8 + (long)n), 0, 4096 * (n + 1));", 1)),
      testing::KilledBySignal(SIGSEGV), "SIGSEGV while kernel '.*f' ran .*work-group");
}

TEST_F(HostFault, handlers_of_others_get_their_faults) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        struct sigaction action = {};
        action.sa_sigaction = [](int, siginfo_t* info, void*) {
          if (info->si_addr != reinterpret_cast<void*>(24)) _exit(2);
          const char text[] = "the program's own handler\n";
          if (write(STDERR_FILENO, text, sizeof text - 1) > 0) _exit(7);
        };
        action.sa_flags = SA_SIGINFO;
        sigaction(SIGSEGV, &action, nullptr);
        if (outcome("", "*(volatile int *)8 = 1;", 0).empty()) _exit(3);
        fault_at(24);
      },
      testing::ExitedWithCode(7), "the program's own handler");
}

struct sigaction action_before;

// As drivers do that were loaded later, such as PoCL's.
TEST_F(HostFault, a_handler_that_passes_faults_on_to_ours_does_no_harm) {
  EXPECT_NE(outcome("", "*(volatile int *)8 = 1;", 0), "");
  struct sigaction action = {};
  action.sa_sigaction = [](int signal, siginfo_t* info, void* context) {
    action_before.sa_sigaction(signal, info, context);
  };
  action.sa_flags = SA_SIGINFO;  // the signal is blocked while it runs
  ASSERT_EQ(sigaction(SIGSEGV, &action, &action_before), 0);
  const Compiled bad = compile_c(with_abi(body_of("", "if (n) *(volatile int *)8 = 1;")));
  for (int round = 0; round < 20; ++round) {
    const auto queue = host_queue();
    EXPECT_NE(outcome(*bad.module, 64, 1, 1, *queue), "");
  }
  sigaction(SIGSEGV, &action_before, nullptr);
}

TEST_F(HostFault, faults_outside_of_kernels_end_the_process_as_ever) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        if (outcome("", "*(volatile int *)8 = 1;", 0).empty()) _exit(3);
        fault_at(24);
      },
      testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(
      {
        if (outcome("", "*(volatile int *)8 = 1;", 0).empty()) _exit(3);
        raise(SIGBUS);
      },
      testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace quern::backend
