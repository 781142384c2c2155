// SPDX-License-Identifier: MIT
// Checks that bytes are a complete CUDA binary. The driver does not check its input, so damaged files must
// not reach it.
#include <cstdint>
#include <cstring>
#include <string_view>

#include "backend/cuda/program.hpp"
#include "quern/error.hpp"

namespace quern::backend::cuda {
namespace {

constexpr std::uint16_t kElfMachineCuda = 190;
constexpr std::uint32_t kSectionWithoutBytes = 8;  // SHT_NOBITS
constexpr std::uint32_t kFatBinaryMagic = 0xBA55ED50;

template <class T>
T load(std::span<const std::byte> bytes, std::size_t offset) {
  T value{};
  if (offset <= bytes.size() && sizeof value <= bytes.size() - offset) {
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  }
  return value;
}

bool inside(std::span<const std::byte> bytes, std::uint64_t offset, std::uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

// Offsets are those of a 64-bit ELF header, section header and program header.
const char* elf_problem(std::span<const std::byte> image) {
  if (image.size() < 64) return "it ends within its header";
  if (load<std::uint8_t>(image, 4) != 2) return "it is not a 64-bit file";
  if (load<std::uint16_t>(image, 18) != kElfMachineCuda) return "it is not for NVIDIA GPUs";
  const auto sections = load<std::uint64_t>(image, 40);
  const auto section_size = load<std::uint16_t>(image, 58);
  const auto section_count = load<std::uint16_t>(image, 60);
  if (section_count == 0 || section_size < 64) return "it has no sections";
  if (!inside(image, sections, std::uint64_t{section_size} * section_count)) return "it is truncated";
  for (std::size_t i = 0; i < section_count; ++i) {
    const std::size_t header = static_cast<std::size_t>(sections) + i * section_size;
    if (load<std::uint32_t>(image, header + 4) == kSectionWithoutBytes) continue;
    if (!inside(image, load<std::uint64_t>(image, header + 24), load<std::uint64_t>(image, header + 32))) {
      return "it is truncated";
    }
  }
  const auto segments = load<std::uint64_t>(image, 32);
  const auto segment_size = load<std::uint16_t>(image, 54);
  const auto segment_count = load<std::uint16_t>(image, 56);
  if (!inside(image, segments, std::uint64_t{segment_size} * segment_count)) return "it is truncated";
  return nullptr;
}

const char* problem(std::span<const std::byte> image) {
  if (image.empty()) return "it is empty";
  const std::string_view text(reinterpret_cast<const char*>(image.data()), image.size());
  if (text.starts_with("\x7f"
                       "ELF")) {
    return elf_problem(image);
  }
  if (load<std::uint32_t>(image, 0) == kFatBinaryMagic) {
    const auto header = load<std::uint16_t>(image, 6);
    const auto size = load<std::uint64_t>(image, 8);
    return header >= 16 && inside(image, header, size) ? nullptr : "it is truncated";
  }
  // PTX, possibly with a terminating zero byte.
  const std::string_view lines = text.substr(0, text.find('\0'));
  if (lines.size() + 1 >= text.size() && lines.find(".version") != lines.npos &&
      lines.find(".target") != lines.npos) {
    return nullptr;
  }
  return "it is neither a cubin nor a fat binary nor PTX";
}

}  // namespace

void check_image(std::span<const std::byte> image) {
  if (const char* what = problem(image)) {
    throw Error("the CUDA binary of " + std::to_string(image.size()) + " bytes cannot be loaded: " + what);
  }
}

}  // namespace quern::backend::cuda
