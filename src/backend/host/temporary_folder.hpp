// SPDX-License-Identifier: MIT
// A private folder that is removed with its owner, at the latest at exit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"

namespace quern::backend::host {

// Below TMPDIR or /tmp: quern-<user>/build-<random digits>, both with mode 0700. A file in it, `owner`, is
// locked while the folder is used; it identifies the folder and lists the files that this class was asked
// for. The first folder of a process removes those of killed processes. It removes a folder only if that file
// proves that this class made it, and only if nothing else lies in it. Throws Error if the folder cannot be
// created. A forked child does not touch its parent's folders.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  // The path of a file that the caller is about to create; it is removed with the folder. Throws Error if
  // that cannot be recorded.
  [[nodiscard]] std::string file(const std::string& name);
  // A subfolder for the temporary files of a compiler; its whole contents are removed too.
  [[nodiscard]] std::string scratch();

 private:
  std::string path_;
  int owner_;  // the process that made it
  FileDescriptor lock_;
};

// A folder for files that a debugger opens by their paths; it is removed with its contents. All such folders
// of a process lie in one TemporaryFolder, so that they cost no descriptors. Throws Error if the folder
// cannot be created.
class DebugFolder {
 public:
  DebugFolder();
  ~DebugFolder();
  DebugFolder(const DebugFolder&) = delete;
  DebugFolder& operator=(const DebugFolder&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  void keep_until_exit() noexcept { is_kept_ = true; }  // for a debugger that is attached later

 private:
  std::string path_;
  int owner_;  // the process that made it
  bool is_kept_ = false;
};

}  // namespace quern::backend::host
