// SPDX-License-Identifier: MIT
// Private temporary folders.
#include "backend/host/temporary_folder.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/environment.hpp"
#include "quern/error.hpp"

namespace quern::backend::host {

TemporaryFolder::TemporaryFolder() : owner_(getpid()) {
  std::string base = environment("TMPDIR").value_or("");
  if (!base.starts_with('/')) base = "/tmp";
  path_ = base + "/quern-XXXXXX";
  if (mkdtemp(path_.data()) == nullptr) {
    throw Error("cannot make a temporary folder in " + base +
                " (TMPDIR names another place): " + std::strerror(errno));
  }
}

TemporaryFolder::~TemporaryFolder() {
  if (kept_ || getpid() != owner_) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace quern::backend::host
