// SPDX-License-Identifier: MIT
// Reads headers and notes of ELF files; every offset and size in them is treated as hostile.
#include "base/elf_file.hpp"

#include <elf.h>
#include <link.h>

#include <bit>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/file_descriptor.hpp"

namespace quern::elf {
namespace {

using FileHeader = ElfW(Ehdr);
using ProgramHeader = ElfW(Phdr);
using NoteHeader = ElfW(Nhdr);

constexpr std::size_t kMostNoteBytes = 1 << 20;

#if defined(__x86_64__)
constexpr unsigned kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kMachine = EM_AARCH64;
#elif defined(__i386__)
constexpr unsigned kMachine = EM_386;
#elif defined(__powerpc64__)
constexpr unsigned kMachine = EM_PPC64;
#elif defined(__riscv)
constexpr unsigned kMachine = EM_RISCV;
#else
constexpr unsigned kMachine = EM_NONE;  // no library is found by file; loading by soname still works
#endif

std::optional<FileHeader> native_header(int fd) {
  FileHeader header = {};
  if (!read_at(fd, 0, std::as_writable_bytes(std::span(&header, 1)))) return std::nullopt;
  constexpr unsigned char kClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
  constexpr unsigned char kOrder = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != kClass ||
      header.e_ident[EI_DATA] != kOrder || header.e_machine != kMachine) {
    return std::nullopt;
  }
  return header;
}

std::string hex(std::span<const std::byte> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

// The build id among the notes of one segment; notes are consecutive, with padded names and contents.
std::string build_id_in(std::span<const std::byte> notes, std::size_t alignment) {
  const auto padded = [alignment](std::size_t size) { return rounded_up(size, alignment); };
  while (notes.size() >= sizeof(NoteHeader)) {
    NoteHeader header = {};
    std::memcpy(&header, notes.data(), sizeof(header));
    // The sizes have 32 bits, so none of these sums can overflow a 64-bit size_t. For a 32-bit size_t they
    // are checked against the rest before they are added.
    if (header.n_namesz > notes.size() || header.n_descsz > notes.size()) break;
    const std::size_t contents = padded(sizeof(header) + header.n_namesz);
    if (contents > notes.size() || header.n_descsz > notes.size() - contents) break;
    const bool is_gnu = header.n_namesz == 4 && std::memcmp(notes.data() + sizeof(header), "GNU", 4) == 0;
    if (is_gnu && header.n_type == NT_GNU_BUILD_ID) return hex(notes.subspan(contents, header.n_descsz));
    const std::size_t next = padded(contents + header.n_descsz);
    if (next > notes.size()) break;
    notes = notes.subspan(next);
  }
  return {};
}

}  // namespace

bool is_native(int fd) {
  return native_header(fd).has_value();
}

std::string build_id(int fd) {
  const auto header = native_header(fd);
  if (!header || header->e_phentsize != sizeof(ProgramHeader)) return {};
  for (std::size_t i = 0; i < header->e_phnum; ++i) {
    ProgramHeader segment = {};
    const std::size_t place = header->e_phoff + i * sizeof(segment);
    if (!read_at(fd, place, std::as_writable_bytes(std::span(&segment, 1)))) return {};
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMostNoteBytes) continue;
    std::vector<std::byte> notes(segment.p_filesz);
    if (!read_at(fd, segment.p_offset, notes)) continue;
    if (std::string id = build_id_in(notes, segment.p_align == 8 ? 8 : 4); !id.empty()) return id;
  }
  return {};
}

}  // namespace quern::elf
