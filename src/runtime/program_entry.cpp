// SPDX-License-Identifier: MIT
// Serialisation of built programs: lengths before contents, every read checked.
#include "runtime/program_entry.hpp"

#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/digest.hpp"

namespace quern::detail {
namespace {

constexpr std::string_view kMagic = "quern-program-6";
constexpr int kDeepestStruct = 16;

class Writer {
 public:
  void number(std::uint64_t value) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
    out.insert(out.end(), bytes, bytes + sizeof value);
  }
  void text(std::string_view value) { bytes(std::as_bytes(std::span(value))); }
  void bytes(std::span<const std::byte> value) {
    number(value.size());
    out.insert(out.end(), value.begin(), value.end());
  }
  void dtype(const DType& type) {
    number(static_cast<std::uint64_t>(type.scalar));
    number(type.lanes);
    number(type.itemsize);
    number(type.layout ? 1 : 0);
    if (!type.layout) return;
    text(type.layout->name);
    number(type.layout->size);
    number(type.layout->alignment);
    number(type.layout->fields.size());
    for (const StructField& field : type.layout->fields) {
      text(field.name);
      dtype(field.dtype);
      number(field.offset);
      number(field.count);
    }
  }
  std::vector<std::byte> out;
};

// Turns bad once something does not fit, and then yields zeros.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  std::uint64_t number() {
    std::uint64_t value = 0;
    const auto taken = take(sizeof value);
    if (!taken.empty()) std::memcpy(&value, taken.data(), sizeof value);
    return value;
  }
  // A count of things that take at least eight bytes each.
  std::size_t count() {
    const std::uint64_t value = number();
    if (value > rest_.size() / 8) good_ = false;
    return good_ ? static_cast<std::size_t>(value) : 0;
  }
  std::span<const std::byte> bytes() { return take(number()); }
  std::string text() {
    const auto taken = bytes();
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }
  DType dtype(int depth = 0) {
    DType type;
    const std::uint64_t scalar = number();
    if (scalar > static_cast<std::uint64_t>(Scalar::unknown) || depth > kDeepestStruct) good_ = false;
    if (!good_) return type;
    type.scalar = static_cast<Scalar>(scalar);
    type.lanes = static_cast<std::uint8_t>(number());
    type.itemsize = number();
    if (number() == 0) return type;
    auto layout = std::make_shared<StructLayout>();
    layout->name = text();
    layout->size = number();
    layout->alignment = number();
    const std::size_t fields = count();
    for (std::size_t i = 0; i < fields && good_; ++i) {
      StructField field;
      field.name = text();
      field.dtype = dtype(depth + 1);
      field.offset = number();
      field.count = number();
      layout->fields.push_back(std::move(field));
    }
    type.layout = std::move(layout);
    return type;
  }

 private:
  std::span<const std::byte> take(std::uint64_t size) {
    if (size > rest_.size()) good_ = false;
    if (!good_) return {};
    const auto taken = rest_.first(static_cast<std::size_t>(size));
    rest_ = rest_.subspan(static_cast<std::size_t>(size));
    return taken;
  }
  std::span<const std::byte> rest_;
  bool good_ = true;
};

}  // namespace

std::vector<std::byte> serialize(const ProgramEntry& entry) {
  Writer writer;
  writer.text(kMagic);
  writer.text(entry.backend);
  writer.number(entry.lowered ? 1 : 0);
  writer.number(entry.signatures.size());
  for (const Signature& signature : entry.signatures) {
    writer.text(signature.name);
    for (const std::size_t size : signature.required_local) writer.number(size);
    writer.number(signature.local_memory);
    writer.number(signature.wants_fixed_local ? 1 : 0);
    writer.number(signature.exchanges_values ? 1 : 0);
    writer.number(signature.parameters.size());
    for (const Parameter& parameter : signature.parameters) {
      writer.text(parameter.name);
      writer.text(parameter.type_name);
      writer.dtype(parameter.dtype);
      writer.number(parameter.is_pointer ? 1 : 0);
      writer.number(static_cast<std::uint64_t>(parameter.space));
      writer.number((parameter.is_const ? 1U : 0U) | (parameter.is_volatile ? 2U : 0U) |
                    (parameter.is_restrict ? 4U : 0U));
    }
  }
  writer.number(entry.lowered_names.size());
  for (const auto& [expression, symbol] : entry.lowered_names) {
    writer.text(expression);
    writer.text(symbol);
  }
  writer.text(entry.log);
  writer.bytes(entry.binary);
  const Digest::Value digest = Digest().add(writer.out).value();
  const auto seal = std::as_bytes(std::span(digest));
  writer.out.insert(writer.out.end(), seal.begin(), seal.end());
  return std::move(writer.out);
}

std::optional<ProgramEntry> deserialize(std::span<const std::byte> bytes) {
  // A damaged binary would be loaded and run: the digest at the end says that it is whole.
  constexpr std::size_t kSeal = sizeof(Digest::Value);
  if (bytes.size() < kSeal) return std::nullopt;
  const auto contents = bytes.first(bytes.size() - kSeal);
  const Digest::Value digest = Digest().add(contents).value();
  if (std::memcmp(digest.data(), bytes.data() + contents.size(), kSeal) != 0) return std::nullopt;
  Reader reader(contents);
  if (reader.text() != kMagic) return std::nullopt;
  ProgramEntry entry;
  entry.backend = reader.text();
  entry.lowered = reader.number() != 0;
  const std::size_t signatures = reader.count();
  for (std::size_t i = 0; i < signatures && reader.good(); ++i) {
    Signature signature;
    signature.name = reader.text();
    for (std::size_t& size : signature.required_local) size = reader.number();
    signature.local_memory = reader.number();
    signature.wants_fixed_local = reader.number() != 0;
    signature.exchanges_values = reader.number() != 0;
    const std::size_t parameters = reader.count();
    for (std::size_t j = 0; j < parameters && reader.good(); ++j) {
      Parameter parameter;
      parameter.name = reader.text();
      parameter.type_name = reader.text();
      parameter.dtype = reader.dtype();
      parameter.is_pointer = reader.number() != 0;
      parameter.space = static_cast<AddressSpace>(reader.number() % 4);
      const std::uint64_t qualifiers = reader.number();
      parameter.is_const = (qualifiers & 1) != 0;
      parameter.is_volatile = (qualifiers & 2) != 0;
      parameter.is_restrict = (qualifiers & 4) != 0;
      signature.parameters.push_back(std::move(parameter));
    }
    entry.signatures.push_back(std::move(signature));
  }
  const std::size_t names = reader.count();
  for (std::size_t i = 0; i < names && reader.good(); ++i) {
    std::string expression = reader.text();
    entry.lowered_names.emplace_back(std::move(expression), reader.text());
  }
  entry.log = reader.text();
  const auto binary = reader.bytes();
  entry.binary.assign(binary.begin(), binary.end());
  if (!reader.good() || !reader.at_end()) return std::nullopt;
  return entry;
}

}  // namespace quern::detail
