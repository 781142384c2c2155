// SPDX-License-Identifier: MIT
// A lock file beside the cache of PoCL.
#include "backend/opencl/build_lock.hpp"

#include <fcntl.h>

#include <atomic>
#include <chrono>
#include <string>

#include "backend/opencl/context.hpp"
#include "base/environment.hpp"
#include "base/private_folder.hpp"

namespace quern::backend::opencl {
namespace {

// A build takes a second; a process that waits longer than this waits for one that was stopped.
constexpr std::chrono::seconds kLimit{60};

FileDescriptor open_in(int folder) {
  return FileDescriptor(::openat(folder, "quern.lock",
                                 O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600));
}

// All processes that share PoCL's folder use this file. If the folder of POCL_CACHE_DIR does not exist, it is
// not created: PoCL would start to use it.
FileDescriptor lock_file() {
  if (const auto cache = environment("POCL_CACHE_DIR"); cache && !cache->empty()) {
    const FileDescriptor folder(::open(cache->c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.valid()) return open_in(folder.get());
  }
  std::string caches = environment("XDG_CACHE_HOME").value_or("");
  if (caches.empty()) caches = environment("HOME").value_or("") + "/.cache";
  const PrivateFolder folder = open_private_folder(caches + "/pocl");
  return folder.fd.valid() ? open_in(folder.fd.get()) : FileDescriptor();
}

}  // namespace

FileLock lock_builds(const Device& device) {
  static std::atomic<bool> waits{true};
  if (device.properties().platform != "Portable Computing Language") return {};
  FileLock lock(lock_file(), 0, waits.load() ? kLimit : std::chrono::seconds(0));
  if (lock.state() == FileLock::State::busy) waits.store(false);
  return lock;
}

}  // namespace quern::backend::opencl
