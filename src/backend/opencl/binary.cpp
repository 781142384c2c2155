// SPDX-License-Identifier: MIT
// The header in front of program binaries: magic, digest of the compiler's identity, digest of the payload.
#include <cstring>

#include "backend/opencl/program.hpp"
#include "base/digest.hpp"
#include "quern/error.hpp"

namespace quern::backend::opencl {
namespace {

constexpr std::string_view kMagic = "quern-opencl-1\n";
constexpr std::size_t kDigest = std::tuple_size_v<Digest::Value>;
constexpr std::size_t kHeader = kMagic.size() + 2 * kDigest;

}  // namespace

std::vector<std::byte> pack_binary(std::string_view identity, std::span<const std::byte> payload) {
  std::vector<std::byte> packed(kHeader + payload.size());
  const Digest::Value of_identity = Digest().add_field(identity).value();
  const Digest::Value of_payload = Digest().add(payload).value();
  std::byte* to = packed.data();
  std::memcpy(to, kMagic.data(), kMagic.size());
  std::memcpy(to + kMagic.size(), of_identity.data(), kDigest);
  std::memcpy(to + kMagic.size() + kDigest, of_payload.data(), kDigest);
  if (!payload.empty()) std::memcpy(to + kHeader, payload.data(), payload.size());
  return packed;
}

std::span<const std::byte> unpack_binary(std::string_view identity, std::span<const std::byte> packed) {
  if (packed.size() < kHeader || std::memcmp(packed.data(), kMagic.data(), kMagic.size()) != 0) {
    throw Error("this is not a program binary that Quern's OpenCL backend has made");
  }
  const std::span<const std::byte> payload = packed.subspan(kHeader);
  const Digest::Value of_payload = Digest().add(payload).value();
  if (std::memcmp(packed.data() + kMagic.size() + kDigest, of_payload.data(), kDigest) != 0) {
    throw Error("the program binary is damaged: its contents do not match their checksum");
  }
  const Digest::Value of_identity = Digest().add_field(identity).value();
  if (std::memcmp(packed.data() + kMagic.size(), of_identity.data(), kDigest) != 0) {
    throw Error(
        "the program binary was made for another device or driver; build the program from its source");
  }
  return payload;
}

}  // namespace quern::backend::opencl
