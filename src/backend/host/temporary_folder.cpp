// SPDX-License-Identifier: MIT
// Private temporary folders.
#include "backend/host/temporary_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "base/environment.hpp"
#include "quern/error.hpp"

namespace quern::backend::host {
namespace {

void remove_folder(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

constexpr const char* kPrefix = "/quern-";
constexpr const char* kLock = "/owner";

// A file that is locked while somebody has it, however that ends.
FileDescriptor locked_file(const std::string& path, int flags) {
  FileDescriptor lock(::open(path.c_str(), flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock.valid() && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) lock.reset();
  return lock;
}

// Says that the folder has an owner. The file gets its name when it is locked: others must not find it
// before.
FileDescriptor lock_folder(const std::string& path) {
  const std::string made = path + kLock + ".new";
  FileDescriptor lock = locked_file(made, O_CREAT | O_EXCL);
  if (lock.valid() && ::rename(made.c_str(), (path + kLock).c_str()) != 0) lock.reset();
  return lock;
}

// Those of our user whose owners were killed before they could remove them.
void remove_left_behind(const std::string& base) {
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(base, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().string();
    struct stat status = {};
    if (!path.starts_with(base + kPrefix) || ::lstat(path.c_str(), &status) != 0 ||
        !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid())
      continue;
    // One that is just being made has no such file yet.
    if (locked_file(path + kLock, 0).valid()) remove_folder(path);
  }
}

// The folders that are there, each with the process that made it. What their owners have left when the
// process exits goes then: programs may outlive every object that could remove their folders.
struct Folders {
  std::mutex mutex;
  std::set<std::pair<int, std::string>> paths;

  Folders() {
    std::atexit([] {
      Folders& all = folders();
      // A child that was forked while another thread held the lock would wait forever.
      const std::unique_lock lock(all.mutex, std::try_to_lock);
      if (!lock) return;
      for (const auto& [owner, path] : all.paths)
        if (owner == getpid()) remove_folder(path);
    });
  }
  // Never destroyed: a module may be unloaded while the process exits.
  static Folders& folders() {
    static auto* const all = new Folders;
    return *all;
  }
};

}  // namespace

TemporaryFolder::TemporaryFolder() : owner_(getpid()) {
  std::string base = environment("TMPDIR").value_or("");
  if (!base.starts_with('/')) base = "/tmp";
  static std::once_flag looked;
  std::call_once(looked, [&] { remove_left_behind(base); });
  path_ = base + kPrefix + "XXXXXX";
  if (mkdtemp(path_.data()) == nullptr) {
    throw Error("cannot make a temporary folder in " + base +
                " (TMPDIR names another place): " + std::strerror(errno));
  }
  lock_ = lock_folder(path_);
  Folders& all = Folders::folders();
  const std::lock_guard lock(all.mutex);
  all.paths.emplace(owner_, path_);
}

TemporaryFolder::~TemporaryFolder() {
  if (kept_) static_cast<void>(lock_.release());  // with the process
  if (kept_ || getpid() != owner_) return;
  remove_folder(path_);
  Folders& all = Folders::folders();
  const std::lock_guard lock(all.mutex);
  all.paths.erase({owner_, path_});
}

}  // namespace quern::backend::host
