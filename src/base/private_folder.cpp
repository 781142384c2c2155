// SPDX-License-Identifier: MIT
// Checks the opened folder, not its path, which might name another folder by then.
#include "base/private_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace quern {
namespace {

FileDescriptor open_folder(const std::string& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// Creates the folder; true if it exists afterwards, otherwise errno says why not.
bool make_folders(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return true;
  if (errno != ENOENT) return false;
  const std::size_t slash = path.find_last_of('/');
  if (slash == 0 || slash == std::string::npos || !make_folders(path.substr(0, slash))) return false;
  return ::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST;
}

std::string octal(mode_t mode) {
  std::string text;
  for (int shift = 6; shift >= 0; shift -= 3) text += static_cast<char>('0' + (mode >> shift & 7));
  return text;
}

}  // namespace

PrivateFolder open_private_folder(const std::string& path) {
  FileDescriptor fd = open_folder(path);
  if (!fd.valid() && errno == ENOENT && make_folders(path)) fd = open_folder(path);
  if (!fd.valid()) {
    const int error = errno;
    struct stat status = {};
    if (::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode)) return {{}, "is a symbolic link"};
    return {{}, "cannot be opened: " + std::system_category().message(error)};
  }
  struct stat status = {};
  if (::fstat(fd.get(), &status) != 0)
    return {{}, "cannot be opened: " + std::system_category().message(errno)};
  if (status.st_uid != ::geteuid())
    return {{}, "belongs to another user (" + std::to_string(status.st_uid) + ")"};
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return {{}, "can be written by other users (mode " + octal(status.st_mode) + "; fix it with chmod 700)"};
  }
  return {std::move(fd), {}};
}

}  // namespace quern
