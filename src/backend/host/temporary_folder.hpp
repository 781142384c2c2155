// SPDX-License-Identifier: MIT
// A private folder that goes when its owner does, at the latest with the process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"

namespace quern::backend::host {

// Below TMPDIR or /tmp: quern-<user>/build-<random digits>, both with mode 0700. A file in it, `owner`, is
// locked while the folder is used; it says which folder it was made for and lists the files that this class
// was asked for. The first folder of a process removes those of processes that were killed. It removes a
// folder only when that file proves that this class made it, and only when nothing else lies in it. Throws
// Error when the folder cannot be made. A forked child leaves its parent's alone.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  // The path of a file that the caller is about to make, which goes with the folder. Throws Error when that
  // cannot be noted.
  [[nodiscard]] std::string file(const std::string& name);
  // A folder in it for the temporary files of a compiler: all that is in there goes too.
  [[nodiscard]] std::string scratch();

 private:
  std::string path_;
  int owner_;  // the process that made it
  FileDescriptor lock_;
};

// A folder for files that a debugger opens by their paths, which goes with all that is in it. Those of a
// process lie in one TemporaryFolder, so that none of them costs a descriptor while it is there. Throws Error
// when the folder cannot be made.
class DebugFolder {
 public:
  DebugFolder();
  ~DebugFolder();
  DebugFolder(const DebugFolder&) = delete;
  DebugFolder& operator=(const DebugFolder&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  void keep_until_exit() noexcept { is_kept_ = true; }  // for a debugger that comes later

 private:
  std::string path_;
  int owner_;  // the process that made it
  bool is_kept_ = false;
};

}  // namespace quern::backend::host
