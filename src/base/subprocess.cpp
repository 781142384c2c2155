// SPDX-License-Identifier: MIT
// Runs programs by posix_spawn: no fork of a process that has threads and drivers, no shell.
#include "base/subprocess.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <span>
#include <string_view>
#include <system_error>
#include <thread>

#include "base/bounded_text.hpp"
#include "base/environment.hpp"
#include "base/file_descriptor.hpp"
#include "base/interruption.hpp"
#include "base/resources.hpp"
#include "quern/error.hpp"

namespace quern {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::size_t kOutputEachSide = std::size_t{32} << 10;
constexpr std::size_t kMostPipeBytes = std::size_t{1} << 20;  // the maximum that a pipe can hold
constexpr milliseconds kLongestWait{20};
constexpr milliseconds kPatienceWithTheKilled{5000};

[[noreturn]] void fail(const std::string& program, const std::string& what, int error) {
  throw_system_error("cannot run " + program + ": " + what, error);
}

// The child's descriptors 0 to 2 are replaced, so ours must not be among them. They would be in a program
// that has closed its standard streams.
FileDescriptor above_standard(FileDescriptor fd) {
  if (!fd.valid() || fd.get() > STDERR_FILENO) return fd;
  return FileDescriptor(::fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

// The input as a file in memory: the child reads it at its own pace, so nothing here can block on it, and a
// child that does not read it causes no SIGPIPE.
FileDescriptor input_file(const std::string& program, const std::string& input) {
  FileDescriptor file = above_standard(FileDescriptor(::memfd_create("quern-input", MFD_CLOEXEC)));
  if (!file.valid() || !write_all(file.get(), std::as_bytes(std::span(input))) ||
      ::lseek(file.get(), 0, SEEK_SET) != 0) {
    fail(program, "cannot store its input", errno);
  }
  return file;
}

struct Pipe {
  FileDescriptor read, write;
};

Pipe output_pipe(const std::string& program) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) fail(program, "no pipe for its output", errno);
  FileDescriptor read(ends[0]), write(ends[1]);
  Pipe pipe{above_standard(std::move(read)), above_standard(std::move(write))};
  if (!pipe.read.valid() || !pipe.write.valid() || ::fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK) != 0) {
    fail(program, "no pipe for its output", errno);
  }
  return pipe;
}

class SpawnActions {
 public:
  // An output of -1 is discarded.
  SpawnActions(int input, int output) {
    failed_ = ::posix_spawn_file_actions_init(&actions_);
    if (failed_ != 0) return;
    add(::posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO));
    if (output >= 0) {
      add(::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO));
    } else {
      add(::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0));
    }
    add(::posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO));
    close_others();
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }

  [[nodiscard]] int failed() const noexcept { return failed_; }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const noexcept { return &actions_; }

 private:
  void add(int error) { failed_ = failed_ != 0 ? failed_ : error; }

  // Our own descriptors are close-on-exec; those of the surrounding program may not be.
  void close_others() {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    add(::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1));
#else
    // A descriptor that another thread opens from now on may still be inherited; older systems cannot prevent
    // that.
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
      const int fd = std::atoi(entry.path().filename().c_str());
      if (fd > STDERR_FILENO) add(::posix_spawn_file_actions_addclose(&actions_, fd));
    }
#endif
  }

  posix_spawn_file_actions_t actions_ = {};
  int failed_ = 0;
};

class SpawnAttributes {
 public:
  // For a process that joins this group, or leads its own for 0.
  explicit SpawnAttributes(pid_t group) {
    failed_ = ::posix_spawnattr_init(&attributes_);
    if (failed_ != 0) return;
    sigset_t none, defaults;
    ::sigemptyset(&none);
    ::sigemptyset(&defaults);
    // Signals that a program may ignore for itself (Python ignores SIGPIPE) but that a compiler does not
    // expect to be ignored. SIGHUP stays ignored, for nohup.
    for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGCHLD, SIGXFSZ})
      ::sigaddset(&defaults, signal);
    add(::posix_spawnattr_setsigmask(&attributes_, &none));
    add(::posix_spawnattr_setsigdefault(&attributes_, &defaults));
    add(::posix_spawnattr_setpgroup(&attributes_, group));
    add(::posix_spawnattr_setflags(&attributes_,
                                   POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  ~SpawnAttributes() { ::posix_spawnattr_destroy(&attributes_); }

  [[nodiscard]] int failed() const noexcept { return failed_; }
  [[nodiscard]] const posix_spawnattr_t* get() const noexcept { return &attributes_; }

 private:
  void add(int error) { failed_ = failed_ != 0 ? failed_ : error; }

  posix_spawnattr_t attributes_ = {};
  int failed_ = 0;
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

// This process's environment, with some variables replaced or added.
std::vector<char*> environment_with(const std::vector<std::string>& changes) {
  std::vector<char*> result;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const auto replaces = [&](const std::string& change) {
      return text.starts_with(std::string_view(change).substr(0, change.find('=') + 1));
    };
    if (std::none_of(changes.begin(), changes.end(), replaces)) result.push_back(*variable);
  }
  for (const std::string& change : changes) result.push_back(const_cast<char*>(change.c_str()));
  result.push_back(nullptr);
  return result;
}

struct Command {
  const std::string& program;
  const std::vector<std::string>& argv;
  const std::vector<std::string>& variables;
  int input, output;
};

// 0, or the error that prevented the start.
int spawn(const Command& command, pid_t group, pid_t& pid) {
  const SpawnActions actions(command.input, command.output);
  const SpawnAttributes attributes(group);
  if (actions.failed() != 0 || attributes.failed() != 0)
    return actions.failed() != 0 ? actions.failed() : attributes.failed();
  return ::posix_spawn(&pid, command.program.c_str(), actions.get(), attributes.get(),
                       pointers(command.argv).data(), environment_with(command.variables).data());
}

void collect(pid_t pid) noexcept {
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

// A shell that leads the program's process group and reads from a socket whose other end this process holds.
// When this process ends, even by SIGKILL, the read fails and the shell kills the group: the program, its
// children and itself. A death signal of the kernel would reach only the program, and would fire when the
// starting thread ends.
class Watchdog {
 public:
  Watchdog() {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
    ours_.reset(ends[0]);
    const FileDescriptor theirs = above_standard(FileDescriptor(ends[1]));
    const std::string shell = "/bin/sh";
    const std::vector<std::string> argv = {"sh", "-c", "read -r end || kill -KILL 0"}, variables;
    pid_t pid = -1;
    if (theirs.valid() && spawn({shell, argv, variables, theirs.get(), -1}, 0, pid) == 0) pid_ = pid;
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog() {
    if (!works()) return;
    static_cast<void>(::send(ours_.get(), "\n", 1, MSG_NOSIGNAL));
    ours_.reset();
    collect(pid_);
  }

  // If there is no shell, the program leads its group itself.
  [[nodiscard]] bool works() const noexcept { return pid_ > 0; }
  [[nodiscard]] pid_t group() const noexcept { return pid_; }

 private:
  FileDescriptor ours_;
  pid_t pid_ = -1;
};

// The groups of the running programs. They end with this process: a compiler that works in the background, or
// hangs, must not outlive it.
class Running {
 public:
  static Running& instance() {
    static auto* const running =
        new Running;  // never destroyed: threads may run programs while the process exits
    return *running;
  }

  // The result of start() is recorded under the lock, so that no started program is missed.
  template <class Start>
  pid_t add(const std::string& program, const Start& start) {
    const std::lock_guard lock(mutex_);
    if (is_exiting_) throw Error("cannot run " + program + ": this process is about to end");
    const pid_t group = start();
    groups_.push_back(group);
    return group;
  }
  // Before it is collected: afterwards its number may be reused.
  void remove(pid_t group) noexcept {
    const std::lock_guard lock(mutex_);
    std::erase(groups_, group);
  }
  [[nodiscard]] bool is_exiting() const noexcept { return is_exiting_.load(); }

 private:
  Running() : owner_(::getpid()) {
    std::atexit([] { instance().kill_all(); });
  }
  void kill_all() noexcept {
    if (::getpid() != owner_) return;  // a forked child, in which another thread may have held the lock
    const std::lock_guard lock(mutex_);
    is_exiting_ = true;
    for (const pid_t group : groups_) ::kill(-group, SIGKILL);
  }

  pid_t owner_;
  std::mutex mutex_;
  std::vector<pid_t> groups_;
  std::atomic<bool> is_exiting_{false};
};

// A started program. The destructor kills and collects it.
class Child {
 public:
  explicit Child(const Command& command) {
    group_ = Running::instance().add(command.program, [&] {
      int error = ESRCH;
      if (watchdog_.works()) error = spawn(command, watchdog_.group(), pid_);
      const bool joins = error == 0;
      // A watchdog that has died has no group to join.
      if (error == ESRCH || error == EPERM) error = spawn(command, 0, pid_);
      if (error != 0) fail(command.program, "it cannot be started", error);
      return joins ? watchdog_.group() : pid_;
    });
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (!collected_) kill_and_collect();
  }

  // True once it has ended; it stays a zombie, so that its number and its group's cannot be reused yet.
  [[nodiscard]] bool ended() noexcept {
    siginfo_t info = {};
    if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
      lost_ = lost_ || errno == ECHILD;
      return lost_;
    }
    return info.si_pid == pid_;
  }

  // Only once it has ended.
  void collect(ProcessResult& result) {
    collected_ = true;
    Running::instance().remove(group_);
    int status = 0;
    pid_t got = -1;
    if (!lost_) {
      do got = ::waitpid(pid_, &status, 0);
      while (got < 0 && errno == EINTR);
    }
    if (got != pid_) {
      throw Error(
          "the exit status of a program that Quern ran went to another part of this process: it ignores "
          "SIGCHLD or "
          "waits for children that are not its own");
    }
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  }

  void kill_and_collect() noexcept {
    collected_ = true;
    Running::instance().remove(group_);
    if (lost_) return;
    ::kill(-group_, SIGKILL);
    ::kill(pid_, SIGKILL);  // in case it has left its group
    // Killed processes end at once, except those that hang in the kernel: do not wait for these.
    const auto patience = Clock::now() + kPatienceWithTheKilled;
    for (auto pause = microseconds(100); !ended() && Clock::now() < patience; pause = next(pause)) {
      std::this_thread::sleep_for(pause);
    }
    ::waitpid(pid_, nullptr, WNOHANG);
  }

  static microseconds next(microseconds pause) { return std::min<microseconds>(2 * pause, kLongestWait); }

 private:
  Watchdog watchdog_;
  pid_t pid_ = -1;
  pid_t group_ = -1;
  bool collected_ = false;
  bool lost_ = false;  // other code has collected it
};

// Reads the available output, up to `most`; false at the end of the output.
bool read_some(int fd, std::size_t most, BoundedText& output) {
  char chunk[16 << 10];
  while (most > 0) {
    const ssize_t got = ::read(fd, chunk, std::min(most, sizeof(chunk)));
    if (got == 0) return false;
    if (got < 0) {
      if (errno == EINTR) continue;
      return errno == EAGAIN;
    }
    output.append(std::string_view(chunk, static_cast<std::size_t>(got)));
    most -= static_cast<std::size_t>(got);
  }
  return true;
}

// Reads the output until the child has ended; false if the deadline came first.
bool follow(Child& child, FileDescriptor& pipe, Clock::time_point deadline, BoundedText& output) {
  for (auto pause = microseconds(100);;) {
    if (child.ended()) {
      if (pipe.valid()) read_some(pipe.get(), kMostPipeBytes, output);
      return true;
    }
    check_interruption();
    const auto left = std::chrono::ceil<microseconds>(deadline - Clock::now());
    if (left <= microseconds(0)) return false;
    if (pipe.valid()) {
      // The end of the output usually is the end of the program. If another process keeps the pipe open, the
      // timeout ensures that the end is noticed.
      pollfd ready = {pipe.get(), POLLIN, 0};
      const auto wait = std::chrono::ceil<milliseconds>(std::min<microseconds>(left, kLongestWait));
      if (::poll(&ready, 1, static_cast<int>(wait.count())) > 0 &&
          !read_some(pipe.get(), kMostPipeBytes, output)) {
        pipe.reset();
      }
    } else {
      std::this_thread::sleep_for(std::min(left, pause));
      pause = Child::next(pause);
    }
  }
}

bool is_executable(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

std::string absolute(const std::string& path) {
  std::error_code error;
  const auto result = std::filesystem::absolute(path, error);
  return error ? path : result.string();
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& argv, const std::string& input, milliseconds limit,
                          const std::vector<std::string>& variables) {
  if (argv.empty()) throw Error("cannot run a program without a name");
  for (const auto* texts : {&argv, &variables}) {
    for (const std::string& text : *texts) {
      if (text.find('\0') != std::string::npos) {
        throw Error("cannot run " + argv[0] + ": an argument holds a null character");
      }
    }
  }
  for (const std::string& variable : variables) {
    if (variable.find('=', 1) == std::string::npos) {
      throw Error("cannot run " + argv[0] + ": '" + variable + "' is not of the form NAME=value");
    }
  }
  const bool is_path = argv[0].find('/') != std::string::npos;
  const std::string program = is_path ? argv[0] : find_executable(argv[0]);
  if (program.empty()) throw Error("cannot run '" + argv[0] + "': not found in any folder of PATH");

  // A limit beyond the clock's range has no effect.
  const auto deadline =
      Clock::now() + std::clamp<milliseconds>(limit, milliseconds(0), std::chrono::hours(24 * 3650));
  Pipe pipe = output_pipe(program);
  const FileDescriptor given = input_file(program, input);
  Child child({program, argv, variables, given.get(), pipe.write.get()});
  pipe.write.reset();

  ProcessResult result;
  BoundedText output(kOutputEachSide);
  if (follow(child, pipe.read, deadline, output)) {
    child.collect(result);
  } else {
    result.timed_out = true;
    child.kill_and_collect();
    if (pipe.read.valid()) read_some(pipe.read.get(), kMostPipeBytes, output);
  }
  result.output = output.take();
  return result;
}

bool has_ended_programs() noexcept {
  return Running::instance().is_exiting();
}

std::string find_executable(const std::string& name) {
  if (name.empty()) return {};
  if (name.find('/') != std::string::npos) return is_executable(name) ? absolute(name) : std::string{};
  const std::string path = environment("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find(':', start), path.size());
    const std::string folder = end == start ? "." : path.substr(start, end - start);
    if (const std::string candidate = folder + "/" + name; is_executable(candidate))
      return absolute(candidate);
    start = end + 1;
  }
  return {};
}

}  // namespace quern
