// SPDX-License-Identifier: MIT
// Programs run to their end, and ended when they do not.
#include "base/subprocess.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "base/bounded_text.hpp"
#include "base/environment_variable.hpp"
#include "base/forked_child.hpp"
#include "base/resources.hpp"
#include "base/temporary_folder.hpp"
#include "quern/error.hpp"
#include "quern/waiting.hpp"

namespace quern {
namespace {

using quern::testing::EnvironmentVariable;
using quern::testing::in_forked_child;
using quern::testing::TemporaryFolder;
using std::chrono::milliseconds;

constexpr milliseconds kLong{60000};  // far more than these programs take
constexpr milliseconds kShort{1000};  // for programs that do not end by themselves

ProcessResult shell(const std::string& script, const std::string& input = "", milliseconds limit = kLong) {
  return run_process({"/bin/sh", "-c", script}, input, limit);
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    count += entry.path().empty() ? 0 : 1;
  return count;
}

bool has_children() {
  return ::waitpid(-1, nullptr, WNOHANG) == 0 || errno != ECHILD;
}

TEST(RunProcess, gives_the_exit_code_and_both_outputs_in_order) {
  const ProcessResult result = shell("echo one; echo two >&2; echo three; exit 7");
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.signal, 0);
  EXPECT_FALSE(result.timed_out);
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.output, "one\ntwo\nthree\n");
  EXPECT_TRUE(shell("true").ok());
}

TEST(RunProcess, finds_names_by_the_path_variable) {
  EXPECT_EQ(run_process({"cat"}, "text", kLong).output, "text");
}

TEST(RunProcess, arguments_do_not_pass_through_a_shell) {
  const std::string odd = "$(touch /tmp/no) `id` ; | & ' \" \\ * \n ä";
  EXPECT_EQ(run_process({"printf", "%s|", odd, "", "b"}, "", kLong).output, odd + "||b|");
}

TEST(RunProcess, a_program_that_is_not_there_is_an_error_with_its_name) {
  for (const std::string name : {"quern-has-no-such-program", "/nowhere/cc", "/etc/passwd", "/tmp"}) {
    try {
      (void)run_process({name}, "", kLong);
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW((void)run_process({}, "", kLong), Error);
  EXPECT_THROW((void)run_process({"echo", std::string("a\0b", 3)}, "", kLong), Error);
}

// What is read of an output that is this long.
std::string kept_of(const std::string& output) {
  return bounded(output, std::size_t{32} << 10);
}

TEST(RunProcess, input_larger_than_a_pipe_is_fed_while_output_is_read) {
  std::string input;
  for (int i = 0; input.size() < (std::size_t{3} << 20); ++i) input += std::to_string(i) + "\n";
  EXPECT_EQ(run_process({"cat"}, input, kLong).output, kept_of(input));
  EXPECT_EQ(run_process({"wc", "-c"}, input, kLong).output, std::to_string(input.size()) + "\n");
}

TEST(RunProcess, a_program_that_does_not_read_its_input_does_no_harm) {
  const std::string input(std::size_t{2} << 20, 'x');
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(run_process({"true"}, input, kLong).ok());
}

TEST(RunProcess, input_ends) {
  EXPECT_EQ(shell("cat; echo end").output, "end\n");
}

TEST(RunProcess, a_program_ended_by_a_signal_says_which) {
  const ProcessResult result = shell("echo before; kill -SEGV $$");
  EXPECT_EQ(result.signal, SIGSEGV);
  EXPECT_FALSE(result.ok());
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.output, "before\n");
}

TEST(RunProcess, a_program_that_hangs_is_killed_at_the_limit_and_its_output_kept) {
  const ProcessResult result = shell("echo before; sleep 1000", "", kShort);
  EXPECT_TRUE(result.timed_out);
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.output, "before\n");
  EXPECT_FALSE(has_children());
}

TEST(RunProcess, a_program_that_closes_its_output_and_hangs_is_killed_too) {
  EXPECT_TRUE(shell("exec >&- 2>&-; sleep 1000", "", kShort).timed_out);
  EXPECT_FALSE(has_children());
}

TEST(RunProcess, a_program_that_closes_its_output_is_waited_for) {
  EXPECT_EQ(shell("exec >&- 2>&-; sleep 0.2; exit 3").exit_code, 3);
}

TEST(RunProcess, a_program_that_ignores_polite_signals_is_killed_too) {
  EXPECT_TRUE(shell("trap '' TERM INT HUP; while :; do sleep 0.1; done", "", kShort).timed_out);
}

// Gone, or a zombie that its new parent has not collected yet.
bool is_dead(const std::string& pid) {
  std::string text;
  std::getline(std::ifstream("/proc/" + pid + "/stat"), text);
  return text.empty() || text.find(") Z ") != std::string::npos;
}

TEST(RunProcess, the_whole_group_is_killed_at_the_limit) {
  const ProcessResult result = shell("sleep 1000 & echo $!; wait", "", kShort);
  EXPECT_TRUE(result.timed_out);
  const std::string grandchild = result.output.substr(0, result.output.find('\n'));
  ASSERT_FALSE(grandchild.empty());
  for (int i = 0; i < 1000 && !is_dead(grandchild); ++i) std::this_thread::sleep_for(milliseconds(10));
  EXPECT_TRUE(is_dead(grandchild));
}

TEST(RunProcess, does_not_wait_for_a_grandchild_that_holds_the_output) {
  const ProcessResult result = shell("sleep 30 & echo done; exit 4");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.output, "done\n");
}

TEST(RunProcess, a_grandchild_that_floods_the_output_does_not_hold_the_caller) {
  EXPECT_EQ(shell("timeout 20 yes & sleep 0.1; exit 4").exit_code, 4);
}

TEST(RunProcess, an_endless_output_is_bounded_and_ends_at_the_limit) {
  const ProcessResult result = shell("echo first; exec yes", "", milliseconds(1000));
  EXPECT_TRUE(result.timed_out);
  EXPECT_TRUE(result.output.starts_with("first\ny\n"));
  EXPECT_LE(result.output.size(), (std::size_t{64} << 10) + 100);
}

TEST(RunProcess, a_limit_of_nothing_is_a_timeout_and_a_huge_limit_none) {
  EXPECT_TRUE(shell("sleep 1000", "", milliseconds(0)).timed_out);
  EXPECT_TRUE(shell("sleep 1000", "", milliseconds(-5)).timed_out);
  EXPECT_TRUE(shell("exit 0", "", milliseconds::max()).ok());
}

TEST(RunProcess, runs_in_a_process_group_of_its_own) {
  const std::string script = "cut -d' ' -f5 /proc/$$/stat";
  const std::string first = shell(script).output, second = shell(script).output;
  EXPECT_NE(first, std::to_string(::getpgrp()) + "\n");
  EXPECT_NE(first, second);
}

// Waits until a file has as many words, and returns them.
std::vector<std::string> words_of(const std::string& path, std::size_t count) {
  std::vector<std::string> words;
  while (words.size() < count) {
    std::this_thread::sleep_for(milliseconds(1));
    words.clear();
    std::ifstream file(path);
    for (std::string word; file >> word;) words.push_back(word);
  }
  return words;
}

void expect_to_die(const std::vector<std::string>& pids) {
  for (const std::string& pid : pids) {
    for (int i = 0; i < 3000 && !is_dead(pid); ++i) std::this_thread::sleep_for(milliseconds(10));
    EXPECT_TRUE(is_dead(pid)) << pid;
  }
}

const std::string kWithGrandchild = "sleep 1000 & echo $$ $! > $PIDS; wait";

TEST(RunProcess, the_whole_group_ends_with_a_caller_that_is_killed) {
  const TemporaryFolder folder;
  const std::string file = folder / "pids";
  const pid_t caller = quern::testing::fork_child([&] {
    return run_process({"/bin/sh", "-c", kWithGrandchild}, "", std::chrono::hours(1), {"PIDS=" + file}).ok();
  });
  const std::vector<std::string> pids = words_of(file, 2);
  ::kill(caller, SIGKILL);
  ::waitpid(caller, nullptr, 0);
  expect_to_die(pids);
}

TEST(RunProcess, the_end_of_the_thread_that_started_another_program_does_no_harm) {
  std::thread([] { (void)shell("true"); }).join();
  EXPECT_EQ(shell("sleep 0.1; echo done").output, "done\n");
}

std::atomic<bool> is_interrupted{false};

TEST(RunProcess, an_interruption_kills_the_whole_group) {
  const TemporaryFolder folder;
  const std::string file = folder / "pids";
  set_wait_hook([] {
    if (is_interrupted) throw std::runtime_error("Ctrl-C");
  });
  std::vector<std::string> pids;
  std::thread interrupter([&] {
    pids = words_of(file, 2);
    is_interrupted = true;
  });
  EXPECT_THROW(
      (void)run_process({"/bin/sh", "-c", kWithGrandchild}, "", std::chrono::hours(1), {"PIDS=" + file}),
      std::runtime_error);
  interrupter.join();
  set_wait_hook(nullptr);
  expect_to_die(pids);
  EXPECT_FALSE(has_children());
  EXPECT_TRUE(shell("true").ok());
}

TEST(RunProcess, the_program_starts_with_ordinary_signals) {
  EXPECT_TRUE(in_forked_child([] {
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGINT, SIG_IGN);
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
    const std::string status = run_process({"cat", "/proc/self/status"}, "", kLong).output;
    const auto field = [&](const std::string& name) {
      return std::stoull(status.substr(status.find(name + ":") + name.size() + 1), nullptr, 16);
    };
    const auto bit = [](int signal) { return 1ull << (signal - 1); };
    return field("SigBlk") == 0 && (field("SigIgn") & (bit(SIGPIPE) | bit(SIGINT))) == 0;
  }));
}

TEST(RunProcess, the_callers_signals_stay_as_they_were) {
  sigset_t before, after;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
  (void)shell("true");
  ::pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int signal = 1; signal < SIGRTMIN; ++signal) {
    EXPECT_EQ(::sigismember(&before, signal), ::sigismember(&after, signal)) << signal;
  }
}

TEST(RunProcess, signals_that_interrupt_the_caller_do_not_disturb_it) {
  EXPECT_TRUE(in_forked_child([] {
    struct sigaction action = {};
    action.sa_handler = [](int) {};
    ::sigaction(SIGALRM, &action, nullptr);  // without SA_RESTART
    itimerval timer = {{0, 2000}, {0, 2000}};
    ::setitimer(ITIMER_REAL, &timer, nullptr);
    const std::string input(1 << 20, 'x');
    for (int i = 0; i < 10; ++i) {
      const ProcessResult result = run_process({"/bin/sh", "-c", "sleep 0.05; cat"}, input, kLong);
      if (!result.ok() || result.output != kept_of(input)) return false;
    }
    return true;
  }));
}

TEST(RunProcess, nothing_but_the_standard_streams_is_inherited) {
  const int careless = ::fcntl(STDIN_FILENO, F_DUPFD, 77);  // without FD_CLOEXEC
  ASSERT_GE(careless, 77);
  const std::string path = "/proc/$$/fd/" + std::to_string(careless);
  EXPECT_EQ(shell("test -e " + path + " && echo inherited; test -e /proc/$$/fd/2 && echo standard").output,
            "standard\n");
  ::close(careless);
}

TEST(RunProcess, leaves_no_descriptor_behind_on_any_path) {
  (void)shell("true");
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 5; ++i) {
    (void)shell("echo text", "input");
    (void)shell("sleep 1000", "", milliseconds(10));
    EXPECT_THROW((void)run_process({"/nowhere/cc"}, "input", kLong), Error);
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_FALSE(has_children());
}

TEST(RunProcess, running_out_of_descriptors_is_an_error_and_leaves_none_behind) {
  EXPECT_TRUE(in_forked_child([] {
    // UBSan opens a pipe the first time it checks the type of an object; later it remembers the answer.
    { const OutOfResources seen(""); }
    const std::size_t before = open_descriptors();
    const int next = ::dup(0);
    ::close(next);
    bool right = true;
    for (int room = 0; room <= 4; ++room) {
      rlimit limit = {};
      ::getrlimit(RLIMIT_NOFILE, &limit);
      const rlimit narrow = {static_cast<rlim_t>(next + room), limit.rlim_max};
      ::setrlimit(RLIMIT_NOFILE, &narrow);
      bool failed = false;
      try {
        failed = !run_process({"/bin/true"}, "x", kLong).ok();
      } catch (const OutOfResources&) {
        failed = true;
      }
      ::setrlimit(RLIMIT_NOFILE, &limit);
      right = right && failed == (room < 3) && open_descriptors() == before;
    }
    return right;
  }));
}

TEST(RunProcess, works_in_a_program_that_has_closed_its_standard_streams) {
  EXPECT_TRUE(in_forked_child([] {
    ::close(0);
    ::close(1);
    ::close(2);
    return run_process({"/bin/sh", "-c", "cat; echo error >&2"}, "input\n", kLong).output == "input\nerror\n";
  }));
}

TEST(RunProcess, an_exit_status_that_someone_else_took_is_an_error) {
  EXPECT_TRUE(in_forked_child([] {
    ::signal(SIGCHLD, SIG_IGN);
    try {
      (void)run_process({"true"}, "", kLong);
    } catch (const Error& error) {
      return std::string(error.what()).find("SIGCHLD") != std::string::npos;
    }
    return false;
  }));
}

TEST(RunProcess, many_threads_each_get_their_own_answer) {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t, &wrong] {
      for (int i = 0; i < 10; ++i) {
        const std::string input(static_cast<std::size_t>(1000 * t + i + 1), static_cast<char>('a' + t));
        if (run_process({"cat"}, input, kLong).output != input) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(RunProcess, variables_add_to_the_environment) {
  const EnvironmentVariable one("QUERN_TEST_ONE", "1");
  const EnvironmentVariable two("QUERN_TEST_TWO", "2");
  const auto result = run_process({"/bin/sh", "-c", "echo $QUERN_TEST_ONE $QUERN_TEST_TWO $QUERN_TEST_THREE"},
                                  "", kLong, {"QUERN_TEST_TWO=two", "QUERN_TEST_THREE=three"});
  EXPECT_EQ(result.output, "1 two three\n");
  EXPECT_EQ(std::string(::getenv("QUERN_TEST_TWO")), "2");
  for (const std::string bad : {"", "NAME", "=value"}) {
    EXPECT_THROW((void)run_process({"true"}, "", kLong, {bad}), Error) << bad;
  }
}

TEST(FindExecutable, takes_the_first_executable_file_of_the_path) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "a/tool");  // a folder is not a program
  std::filesystem::create_directories(folder / "b");
  std::filesystem::create_directories(folder / "c");
  std::ofstream(folder / "b/tool") << "text";
  std::ofstream(folder / "c/tool") << "#!/bin/sh\n";
  ::chmod((folder / "b/tool").c_str(), 0600);
  ::chmod((folder / "c/tool").c_str(), 0700);
  const EnvironmentVariable path("PATH",
                                 (folder / "a") + ":" + (folder / "b") + ":/nowhere:" + (folder / "c"));
  EXPECT_EQ(find_executable("tool"), folder / "c/tool");
  EXPECT_EQ(find_executable("quern-has-no-such-program"), "");
  EXPECT_EQ(find_executable(""), "");
  EXPECT_EQ(find_executable(folder / "c/tool"), folder / "c/tool");
  EXPECT_EQ(find_executable(folder / "b/tool"), "");
}

TEST(FindExecutable, keeps_links_and_works_without_a_path) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("/bin/sh", folder / "cc");
  const EnvironmentVariable path("PATH", folder.path());
  EXPECT_EQ(find_executable("cc"), folder / "cc");
  const EnvironmentVariable none("PATH", std::nullopt);
  EXPECT_NE(find_executable("sh"), "");
}

TEST(BoundedText, keeps_a_text_that_fits) {
  BoundedText text(4);
  text.append("abc");
  text.append("");
  text.append("defgh");
  EXPECT_EQ(text.take(), "abcdefgh");
}

TEST(BoundedText, leaves_out_the_middle_and_says_how_much) {
  for (const std::size_t chunk : {1, 3, 7, 1000}) {
    std::string whole;
    for (int i = 0; i < 500; ++i) whole += static_cast<char>('a' + i % 26);
    BoundedText text(10);
    for (std::size_t i = 0; i < whole.size(); i += chunk)
      text.append(std::string_view(whole).substr(i, chunk));
    EXPECT_EQ(text.take(), whole.substr(0, 10) + "\n[... 480 bytes left out ...]\n" + whole.substr(490));
  }
}

}  // namespace
}  // namespace quern
