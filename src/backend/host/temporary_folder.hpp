// SPDX-License-Identifier: MIT
// A private folder that goes when its owner does, at the latest with the process.
#pragma once

#include <string>

#include "base/file_descriptor.hpp"

namespace quern::backend::host {

// Below TMPDIR or /tmp, with mode 0700. What a process leaves that was killed goes with the next one that
// makes such a folder. Throws Error when it cannot be made. A forked child leaves its parent's alone.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  void keep_until_exit() noexcept { kept_ = true; }  // for a debugger that comes later

 private:
  std::string path_;
  int owner_;  // the process that made it
  FileDescriptor lock_;
  bool kept_ = false;
};

}  // namespace quern::backend::host
