// SPDX-License-Identifier: MIT
// Private temporary folders.
#include "backend/host/temporary_folder.hpp"

#include <unistd.h>

#include <cerrno>
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
  path_ = base + "/quern-XXXXXX";
  if (mkdtemp(path_.data()) == nullptr) {
    throw Error("cannot make a temporary folder in " + base +
                " (TMPDIR names another place): " + std::strerror(errno));
  }
  Folders& all = Folders::folders();
  const std::lock_guard lock(all.mutex);
  all.paths.emplace(owner_, path_);
}

TemporaryFolder::~TemporaryFolder() {
  if (kept_ || getpid() != owner_) return;
  remove_folder(path_);
  Folders& all = Folders::folders();
  const std::lock_guard lock(all.mutex);
  all.paths.erase({owner_, path_});
}

}  // namespace quern::backend::host
