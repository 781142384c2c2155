// SPDX-License-Identifier: MIT
// Copies a library into a file in memory, renames the copy and loads it.
#include "base/private_library.hpp"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/elf_file.hpp"
#include "base/file_descriptor.hpp"

namespace quern {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

template <class T>
std::optional<T> record_at(std::string_view file, std::size_t offset) {
  if (offset > file.size() || sizeof(T) > file.size() - offset) return std::nullopt;
  T record;
  std::memcpy(&record, file.data() + offset, sizeof record);
  return record;
}

struct DynamicNames {
  std::size_t soname = 0;           // offset in the file, 0 if it has none
  std::vector<std::string> needed;  // the libraries that it needs
};

DynamicNames dynamic_names(std::string_view file) {
  DynamicNames names;
  const auto header = record_at<ElfW(Ehdr)>(file, 0);
  if (!header || header->e_phentsize != sizeof(ElfW(Phdr))) return names;
  std::vector<ElfW(Phdr)> segments;
  for (std::size_t i = 0; i < header->e_phnum; ++i) {
    const auto segment = record_at<ElfW(Phdr)>(file, header->e_phoff + i * sizeof(ElfW(Phdr)));
    if (!segment) return names;
    segments.push_back(*segment);
  }
  const auto dynamic = std::find_if(segments.begin(), segments.end(),
                                    [](const auto& segment) { return segment.p_type == PT_DYNAMIC; });
  if (dynamic == segments.end()) return names;
  ElfW(Addr) strings = 0;
  std::optional<std::size_t> soname;
  std::vector<std::size_t> needed;
  for (std::size_t at = dynamic->p_offset;; at += sizeof(ElfW(Dyn))) {
    const auto entry = record_at<ElfW(Dyn)>(file, at);
    if (!entry || entry->d_tag == DT_NULL) break;
    if (entry->d_tag == DT_STRTAB) strings = entry->d_un.d_ptr;
    if (entry->d_tag == DT_SONAME) soname = entry->d_un.d_val;
    if (entry->d_tag == DT_NEEDED) needed.push_back(entry->d_un.d_val);
  }
  for (const auto& segment : segments) {
    if (segment.p_type != PT_LOAD || strings < segment.p_vaddr ||
        strings - segment.p_vaddr >= segment.p_filesz)
      continue;
    const std::size_t begin = segment.p_offset + (strings - segment.p_vaddr);
    const auto text = [&](std::size_t offset) {
      if (offset >= file.size() || begin >= file.size() - offset) return std::string_view{};
      const std::string_view rest = file.substr(begin + offset);
      const std::size_t end = rest.find('\0');
      return end == std::string_view::npos ? std::string_view{} : rest.substr(0, end);
    };
    if (soname && text(*soname).size() >= 3) names.soname = begin + *soname;
    for (const std::size_t offset : needed) names.needed.emplace_back(text(offset));
    break;
  }
  return names;
}

SharedLibrary failed(const std::string& file, std::string error) {
  return SharedLibrary::not_loaded(file, std::move(error));
}

}  // namespace

SharedLibrary load_private_copy(const std::string& file) {
  std::optional<std::string> bytes = read_file(file, kMostBytes);
  if (!bytes) return failed(file, std::string("it could not be read: ") + std::strerror(errno));
  const DynamicNames names = dynamic_names(*bytes);
  // The loader takes a loaded library for another one if their sonames are equal.
  if (names.soname != 0) std::memcpy(bytes->data() + names.soname, "qrn", 3);
  // The copy is in another folder, so the loader does not find libraries beside the original.
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  for (const std::string& name : names.needed) {
    const std::string beside = (folder / name).string();
    std::error_code error;
    if (!folder.empty() && std::filesystem::exists(beside, error))
      static_cast<void>(SharedLibrary({&beside, 1}));
  }
  const FileDescriptor copy(::memfd_create("quern-library", MFD_CLOEXEC));
  if (!copy.valid()) return failed(file, std::string("memfd_create failed: ") + std::strerror(errno));
  if (!write_all(copy.get(), std::as_bytes(std::span(*bytes))))
    return failed(file, std::string("the copy could not be written: ") + std::strerror(errno));
  bytes.reset();
  // The loader takes equal paths for the same library, so no two copies may have the same path.
  static std::atomic<unsigned> copies{0};
  std::string path = "/proc/self/task/../fd/";
  for (unsigned i = copies.fetch_add(1); i != 0; --i) path += "./";
  path += std::to_string(copy.get());
  SharedLibrary library({&path, 1});
  library.rename(file);
  return library;
}

}  // namespace quern
