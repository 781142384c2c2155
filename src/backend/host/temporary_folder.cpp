// SPDX-License-Identifier: MIT
// Private temporary folders, and the proof that one is ours.
#include "backend/host/temporary_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "base/environment.hpp"
#include "base/resources.hpp"
#include "quern/error.hpp"

namespace quern::backend::host {
namespace {

constexpr std::string_view kPrefix = "build-", kMagic = "quern temporary folder 1";
constexpr std::size_t kRandomDigits = 16;
constexpr const char *kOwner = "owner", *kNewOwner = "owner.new", *kScratch = "scratch";
constexpr std::size_t kLongestOwner = 64 << 10;
constexpr int kDeepestScratch = 8;  // compilers create hardly any folders there

FileDescriptor open_folder(int parent, const char* name) {
  return FileDescriptor(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// Only our user, who owns it, can access it.
bool is_private(int fd) {
  struct stat status = {};
  return ::fstat(fd, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() &&
         (status.st_mode & 0777) == 0700;
}

std::vector<std::string> names_in(int folder) {
  std::vector<std::string> names;
  FileDescriptor again = open_folder(folder, ".");  // the stream owns it from here
  if (!again.valid()) return names;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(again.get()), ::closedir);
  if (!stream) return names;
  static_cast<void>(again.release());
  while (const dirent* item = ::readdir(stream.get())) {
    const std::string_view name = item->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

// The beginning of this folder's owner file: it identifies the folder, so a copy does not match.
std::string proof(int folder) {
  struct stat status = {};
  if (::fstat(folder, &status) != 0) return {};
  return std::string(kMagic) + "\n" + std::to_string(status.st_dev) + " " + std::to_string(status.st_ino) +
         "\n";
}

// The files that the owner file lists; nothing if it does not prove that the folder is ours.
std::optional<std::vector<std::string>> listed_files(int folder, int owner) {
  struct stat status = {};
  if (::fstat(owner, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid() ||
      status.st_nlink != 1 || static_cast<std::size_t>(status.st_size) > kLongestOwner) {
    return std::nullopt;
  }
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  if (!read_at(owner, 0, std::as_writable_bytes(std::span(text)))) return std::nullopt;
  const std::string begin = proof(folder);
  if (begin.empty() || !text.starts_with(begin)) return std::nullopt;
  std::vector<std::string> names;
  for (std::size_t at = begin.size(); at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos) break;  // the owner was killed while it wrote; the file does not exist yet
    names.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

// Removes everything that a compiler left. Folders are opened without following links, and belong to our
// user.
void remove_scratch(int parent, const char* name, int depth = 0) {
  {
    const FileDescriptor folder = open_folder(parent, name);
    if (!folder.valid() || depth > kDeepestScratch) return;
    for (const std::string& inner : names_in(folder.get())) {
      if (::unlinkat(folder.get(), inner.c_str(), 0) != 0 && (errno == EISDIR || errno == EPERM)) {
        remove_scratch(folder.get(), inner.c_str(), depth + 1);
      }
    }
  }
  ::unlinkat(parent, name, AT_REMOVEDIR);
}

// Removes the folder if its owner file, which the caller has locked, proves that it is ours, and if it holds
// only files that the owner file lists.
void remove_folder(int parent, const std::string& name, int owner) {
  const FileDescriptor folder = open_folder(parent, name.c_str());
  if (!folder.valid() || !is_private(folder.get())) return;
  const auto files = listed_files(folder.get(), owner);
  if (!files) return;
  const auto is_listed = [&](const std::string& found) {
    return found == kOwner || found == kScratch ||
           std::find(files->begin(), files->end(), found) != files->end();
  };
  const std::vector<std::string> found = names_in(folder.get());
  if (!std::all_of(found.begin(), found.end(), is_listed)) return;
  for (const std::string& file : *files) ::unlinkat(folder.get(), file.c_str(), 0);
  remove_scratch(folder.get(), kScratch);
  // The owner file is removed last: if the process is killed here, the next one can finish.
  const std::vector<std::string> left = names_in(folder.get());
  if (left.size() == 1 && left[0] == kOwner && ::unlinkat(folder.get(), kOwner, 0) == 0) {
    ::unlinkat(parent, name.c_str(), AT_REMOVEDIR);
  }
}

bool is_our_name(std::string_view name) {
  return name.size() == kPrefix.size() + kRandomDigits && name.starts_with(kPrefix) &&
         name.find_first_not_of("0123456789abcdef", kPrefix.size()) == std::string_view::npos;
}

std::string random_name() {
  std::random_device source;
  std::string name(kPrefix);
  for (std::size_t i = 0; i < kRandomDigits; ++i) name += "0123456789abcdef"[source() % 16];
  return name;
}

FileDescriptor open_owner(int folder, const char* name, int flags) {
  constexpr int kAlways = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  return FileDescriptor(::openat(folder, name, flags | kAlways, 0600));
}

// The file gets its name once it is locked and identifies the folder: other processes must not find it
// before. If the file system has no locks, no process can lock it, so none removes the folder.
FileDescriptor own_folder(int folder) {
  FileDescriptor lock = open_owner(folder, kNewOwner, O_CREAT | O_EXCL);
  if (!lock.valid()) return {};
  ::flock(lock.get(), LOCK_EX | LOCK_NB);
  const std::string text = proof(folder);
  if (!write_all(lock.get(), std::as_bytes(std::span(text))) ||
      ::renameat(folder, kNewOwner, folder, kOwner) != 0) {
    return {};
  }
  return lock;
}

// Removes the folders of processes that were killed before they could.
void remove_left_behind(int parent) {
  for (const std::string& name : names_in(parent)) {
    if (!is_our_name(name)) continue;
    const FileDescriptor folder = open_folder(parent, name.c_str());
    if (!folder.valid() || !is_private(folder.get())) continue;
    // A folder that is being created has no such file yet, and one in use has it locked. Another process that
    // removes the folder unlinks the file before it releases the lock.
    const FileDescriptor lock = open_owner(folder.get(), kOwner, 0);
    if (lock.valid() && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) remove_folder(parent, name, lock.get());
  }
}

std::string base_folder() {
  std::string base = environment("TMPDIR").value_or("");
  return base.starts_with('/') ? base : "/tmp";
}

struct Parent {
  std::string path;
  FileDescriptor fd;  // invalid, with errno set, if there is none
};

// The user's parent folder, created if it is missing. If another user, or a program of the same user, has
// taken its name, a new one with a random name is used, which other processes do not scan.
Parent open_parent(const std::string& base) {
  Parent parent{base + "/quern-" + std::to_string(::geteuid()), {}};
  if (::mkdir(parent.path.c_str(), 0700) != 0 && errno != EEXIST) return parent;
  parent.fd = open_folder(AT_FDCWD, parent.path.c_str());
  if (parent.fd.valid() && is_private(parent.fd.get())) return parent;
  parent.path += "-XXXXXX";
  parent.fd.reset();
  if (::mkdtemp(parent.path.data()) != nullptr) parent.fd = open_folder(AT_FDCWD, parent.path.c_str());
  return parent;
}

// The existing folders, each with the process that made it and the descriptor of its owner file. Folders that
// still exist when the process exits are removed then: programs may outlive every object that could remove
// them.
struct Folders {
  struct Entry {
    int process;
    std::string path;
    int owner;
    bool operator<(const Entry& other) const {
      return std::tie(process, path) < std::tie(other.process, other.path);
    }
  };
  std::mutex mutex;
  std::set<Entry> all;

  Folders() {
    std::atexit([] {
      Folders& them = instance();
      // A child that was forked while another thread held the lock would wait forever.
      const std::unique_lock lock(them.mutex, std::try_to_lock);
      if (!lock) return;
      for (const Entry& entry : them.all)
        if (entry.process == getpid()) remove(entry.path, entry.owner);
    });
  }
  // Never destroyed: a module may be unloaded while the process exits.
  static Folders& instance() {
    static auto* const folders = new Folders;
    return *folders;
  }
  static void remove(const std::string& path, int owner) {
    const std::string parent = path.substr(0, path.find_last_of('/'));
    {
      const FileDescriptor opened = open_folder(AT_FDCWD, parent.c_str());
      if (opened.valid()) remove_folder(opened.get(), path.substr(parent.size() + 1), owner);
    }
    ::rmdir(parent.c_str());  // only if it is empty: other processes create it again
  }
};

}  // namespace

TemporaryFolder::TemporaryFolder() : owner_(getpid()) {
  const std::string base = base_folder();
  const auto fail = [&](int error) {
    throw_system_error("cannot create a temporary folder in " + base + " (set TMPDIR to another folder)",
                       error);
  };
  static std::once_flag looked;
  for (int attempt = 0; path_.empty(); ++attempt) {
    const Parent parent = open_parent(base);
    if (!parent.fd.valid()) fail(errno);
    std::call_once(looked, [&] { remove_left_behind(parent.fd.get()); });
    const std::string name = random_name();
    if (::mkdirat(parent.fd.get(), name.c_str(), 0700) != 0) {
      // Another process may have removed the empty parent.
      if (attempt < 100 && (errno == ENOENT || errno == EEXIST)) continue;
      const int error = errno;
      ::rmdir(parent.path.c_str());
      fail(error);
    }
    const FileDescriptor folder = open_folder(parent.fd.get(), name.c_str());
    if (folder.valid()) lock_ = own_folder(folder.get());
    if (!lock_.valid()) {
      const int error = errno;
      if (folder.valid()) ::unlinkat(folder.get(), kNewOwner, 0);
      ::unlinkat(parent.fd.get(), name.c_str(), AT_REMOVEDIR);
      ::rmdir(parent.path.c_str());
      fail(error);
    }
    path_ = parent.path + "/" + name;
  }
  Folders& folders = Folders::instance();
  const std::lock_guard lock(folders.mutex);
  folders.all.insert({owner_, path_, lock_.get()});
}

TemporaryFolder::~TemporaryFolder() {
  if (getpid() != owner_) return;
  Folders::remove(path_, lock_.get());
  Folders& folders = Folders::instance();
  const std::lock_guard lock(folders.mutex);
  folders.all.erase({owner_, path_, lock_.get()});
}

std::string TemporaryFolder::file(const std::string& name) {
  const bool is_taken = name == kOwner || name == kNewOwner || name == kScratch;
  if (name.empty() || is_taken || name.find_first_of("/\n") != std::string::npos)
    throw Error("a temporary file cannot be called '" + name + "'");
  const std::string line = name + "\n";
  if (!write_all(lock_.get(), std::as_bytes(std::span(line))))
    throw_system_error("cannot create a file in " + path_, errno);
  return path_ + "/" + name;
}

std::string TemporaryFolder::scratch() {
  std::string path = path_ + "/" + kScratch;
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    throw_system_error("cannot make the folder " + path, errno);
  return path;
}

DebugFolder::DebugFolder() : owner_(getpid()) {
  struct Shared {
    std::mutex mutex;
    std::map<std::string, std::unique_ptr<TemporaryFolder>> folders;  // by their parent folder
    std::uint64_t count = 0;
  };
  static auto* const shared = new Shared;  // its folders are removed when the process exits
  const std::lock_guard lock(shared->mutex);
  std::unique_ptr<TemporaryFolder>& folder = shared->folders[base_folder()];
  // Programs that clean /tmp may have removed it.
  if (folder && ::access(folder->path().c_str(), F_OK) != 0 && errno == ENOENT) folder.reset();
  if (!folder) folder = std::make_unique<TemporaryFolder>();
  path_ = folder->scratch() + "/" + std::to_string(++shared->count);
  if (::mkdir(path_.c_str(), 0700) != 0) throw_system_error("cannot make the folder " + path_, errno);
}

DebugFolder::~DebugFolder() {
  if (is_kept_ || getpid() != owner_) return;
  const std::size_t name = path_.find_last_of('/') + 1;
  const FileDescriptor parent = open_folder(AT_FDCWD, path_.substr(0, name).c_str());
  if (parent.valid()) remove_scratch(parent.get(), path_.c_str() + name);
}

}  // namespace quern::backend::host
