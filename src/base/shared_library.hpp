// SPDX-License-Identifier: MIT
// Shared libraries found and loaded at run time: drivers and compilers that may not be there.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace quern {

// A loaded library; unloaded never, since drivers do not survive it.
class SharedLibrary {
 public:
  struct Attempt {
    std::string name;
    std::string error;  // empty for the one that was loaded
  };

  // Tries the names in order (sonames or paths) and keeps the first that loads.
  explicit SharedLibrary(std::span<const std::string> names);

  [[nodiscard]] bool loaded() const noexcept { return handle_ != nullptr; }
  [[nodiscard]] const std::vector<Attempt>& attempts() const noexcept { return attempts_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }  // of the file that was loaded
  // Null when the library has no such symbol.
  [[nodiscard]] void* symbol(const char* name) const noexcept;

 private:
  void* handle_ = nullptr;
  std::string path_;
  std::vector<Attempt> attempts_;
};

// Where the loader would find this soname, without loading it: LD_LIBRARY_PATH, the loader's cache, the
// system folders. Empty when it would not.
std::string find_library_file(const std::string& soname);

// Identifies a file without running it: its real path, its size and, for an ELF file, its build id (otherwise
// its time of change). Empty when there is no such file.
std::string file_identity(const std::string& path);

}  // namespace quern
