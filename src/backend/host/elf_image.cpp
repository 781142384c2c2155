// SPDX-License-Identifier: MIT
// A bounds-checked reader of ELF64.
#include "backend/host/elf_image.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "quern/error.hpp"

namespace quern::backend::host {
namespace {

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#else
#error "the host backend does not know this machine's ELF number"
#endif

// Lowered kernels print; kernels written in C may also allocate. Compilers replace some calls of printf by
// others.
constexpr std::array<std::string_view, 24> kLocking = {"printf",
                                                       "__printf_chk",
                                                       "vprintf",
                                                       "fprintf",
                                                       "__fprintf_chk",
                                                       "vfprintf",
                                                       "puts",
                                                       "putchar",
                                                       "fputs",
                                                       "fputc",
                                                       "fwrite",
                                                       "malloc",
                                                       "calloc",
                                                       "realloc",
                                                       "free",
                                                       "aligned_alloc",
                                                       "posix_memalign",
                                                       "memalign",
                                                       "strdup",
                                                       "__vprintf_chk",
                                                       "__vfprintf_chk",
                                                       "fflush",
                                                       "pthread_mutex_lock",
                                                       "exit"};

[[noreturn]] void refuse(const std::string& why) {
  throw Error("not a program for the host device: " + why);
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> part(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) refuse("it is truncated or damaged");
    return bytes_.subspan(offset, size);
  }
  template <class T>
  T at(std::uint64_t offset) const {
    T value;
    std::memcpy(&value, part(offset, sizeof value).data(), sizeof value);
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
};

// A string within a string table, which must be terminated.
std::string text_at(std::span<const std::byte> table, std::uint64_t offset) {
  if (offset >= table.size()) refuse("it is truncated or damaged");
  const auto* begin = reinterpret_cast<const char*>(table.data()) + offset;
  const std::size_t length = strnlen(begin, table.size() - offset);
  if (length == table.size() - offset) refuse("it is truncated or damaged");
  return {begin, length};
}

void read_symbols(const Reader& reader, const Elf64_Shdr& table, const Elf64_Shdr& names, ElfImage& image) {
  const auto strings = reader.part(names.sh_offset, names.sh_size);
  for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
    const auto symbol = reader.at<Elf64_Sym>(table.sh_offset + at);
    if (symbol.st_shndx == SHN_UNDEF && symbol.st_name != 0) {
      const std::string name = text_at(strings, symbol.st_name);
      if (std::find(kLocking.begin(), kLocking.end(), name) != kLocking.end()) image.calls_locking = true;
    }
    if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
    const auto type = ELF64_ST_TYPE(symbol.st_info);
    if (type != STT_FUNC && type != STT_OBJECT) continue;
    image.symbols.push_back({text_at(strings, symbol.st_name), symbol.st_size, type == STT_FUNC});
  }
}

}  // namespace

ElfImage read_elf_image(std::span<const std::byte> bytes) {
  const Reader reader(bytes);
  if (bytes.size() < SELFMAG || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0)
    refuse("it is not an ELF file");
  const auto header = reader.at<Elf64_Ehdr>(0);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    refuse("it is not a 64-bit little-endian ELF file");
  }
  if (header.e_machine != kMachine) refuse("it is for another kind of machine");
  if (header.e_type != ET_DYN) refuse("it is not a shared library");
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_shentsize != sizeof(Elf64_Shdr)) {
    refuse("it is truncated or damaged");
  }
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = reader.at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
    if (segment.p_type != PT_NULL && segment.p_type != PT_GNU_STACK)
      reader.part(segment.p_offset, segment.p_filesz);
  }

  ElfImage image;
  const auto section = [&](std::uint64_t i) {
    if (i >= header.e_shnum) refuse("it is truncated or damaged");
    return reader.at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr));
  };
  const Elf64_Shdr section_names = section(header.e_shstrndx);
  const auto names = reader.part(section_names.sh_offset, section_names.sh_size);
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr here = section(i);
    if (here.sh_type != SHT_NOBITS) reader.part(here.sh_offset, here.sh_size);
    if (here.sh_type == SHT_DYNSYM) read_symbols(reader, here, section(here.sh_link), image);
    if (text_at(names, here.sh_name) == ".debug_info") image.has_debug_info = true;
  }
  return image;
}

}  // namespace quern::backend::host
