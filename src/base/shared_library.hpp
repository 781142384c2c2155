// SPDX-License-Identifier: MIT
// Shared libraries that are found and loaded at run time: drivers and compilers, which may be missing.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace quern {

// A loaded library. It is never unloaded, because drivers do not survive that.
class SharedLibrary {
 public:
  struct Attempt {
    std::string name;
    std::string error;  // empty for the one that was loaded
  };

  // Tries the names in order (sonames or paths) and keeps the first that loads.
  explicit SharedLibrary(std::span<const std::string> names);
  // A library that could not be loaded for another reason than the loader's.
  static SharedLibrary not_loaded(const std::string& name, std::string error) {
    SharedLibrary library({});
    library.attempts_.push_back({name, std::move(error)});
    return library;
  }
  // Names the file that a loaded copy was made of.
  void rename(const std::string& file) {
    if (loaded()) path_ = file;
    for (Attempt& attempt : attempts_) attempt.name = file;
  }

  [[nodiscard]] bool loaded() const noexcept { return handle_ != nullptr; }
  [[nodiscard]] const std::vector<Attempt>& attempts() const noexcept { return attempts_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }  // path of the loaded file
  // Null if the library has no such symbol.
  [[nodiscard]] void* symbol(const char* name) const noexcept;

 private:
  void* handle_ = nullptr;
  std::string path_;
  std::vector<Attempt> attempts_;
};

// The path at which the loader would find this soname, without loading it: LD_LIBRARY_PATH, the loader's
// cache, the system folders. Empty if it would not find it.
std::string find_library_file(const std::string& soname);

// Identifies a file without running it: its real path, its size and its build id, or the modification time if
// it is not an ELF file. Empty if the file does not exist.
std::string file_identity(const std::string& path);

}  // namespace quern
