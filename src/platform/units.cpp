// SPDX-License-Identifier: MIT
// Joins units, and writes them to binaries.
#include "platform/units.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/digest.hpp"
#include "frontend/frontend.hpp"
#include "runtime/build_options.hpp"

namespace quern::platform {
namespace {

constexpr std::string_view kMagic = "quern-units-1";

void add(std::vector<std::byte>& out, std::string_view text) {
  const std::uint64_t size = text.size();
  const auto* const count = reinterpret_cast<const std::byte*>(&size);
  const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
  out.insert(out.end(), count, count + sizeof size);
  out.insert(out.end(), bytes, bytes + text.size());
}

std::optional<std::string> take(std::span<const std::byte>& rest) {
  std::uint64_t size = 0;
  if (rest.size() < sizeof size) return std::nullopt;
  std::memcpy(&size, rest.data(), sizeof size);
  rest = rest.subspan(sizeof size);
  if (size > rest.size()) return std::nullopt;
  std::string text(reinterpret_cast<const char*>(rest.data()), size);
  rest = rest.subspan(size);
  return text;
}

std::string preprocessed(const Unit& unit) {
  const detail::BuildOptions parsed = detail::parse_options(unit.options);
  frontend::Source source;
  source.text = unit.text;
  source.file = unit.options.name;
  source.defines = parsed.defines;
  source.include_paths = parsed.include_paths;
  source.headers = unit.options.headers;
  return frontend::preprocess(source, frontend::Target::host);
}

}  // namespace

Program link(std::span<const Unit> units) {
  if (units.size() == 1) return Program(units.front().text, units.front().options);
  ProgramOptions options;
  std::string text;
  for (const Unit& unit : units) {
    text += preprocessed(unit) + "\n";
    for (const std::string& option : unit.options.options)
      if (!option.starts_with("-D") && !option.starts_with("-I") &&
          std::ranges::find(options.options, option) == options.options.end())
        options.options.push_back(option);
  }
  return Program(std::move(text), std::move(options));
}

std::vector<std::byte> to_binary(const UnitFile& file) {
  std::vector<std::byte> out;
  add(out, kMagic);
  add(out, file.is_library ? "library" : "object");
  for (const Unit& unit : file.units) {
    // The text after preprocessing: what it includes may not be there when it is linked.
    add(out, preprocessed(unit));
    std::string options;
    for (const std::string& option : unit.options.options)
      if (!option.starts_with("-D") && !option.starts_with("-I")) options += option + "\n";
    add(out, options);
  }
  add(out, Digest().add(out).hex());
  return out;
}

std::optional<UnitFile> from_binary(std::span<const std::byte> binary) {
  std::span<const std::byte> rest = binary;
  if (take(rest) != kMagic) return std::nullopt;
  UnitFile file;
  const auto kind = take(rest);
  if (!kind || (*kind != "library" && *kind != "object")) return std::nullopt;
  file.is_library = *kind == "library";
  for (;;) {
    const auto before = binary.first(binary.size() - rest.size());
    auto text = take(rest);
    if (!text) return std::nullopt;
    if (rest.empty()) {
      if (*text != Digest().add(before).hex()) return std::nullopt;
      return file;
    }
    const auto options = take(rest);
    if (!options) return std::nullopt;
    Unit unit{std::move(*text), {}};
    for (std::size_t at = 0, end = 0; (end = options->find('\n', at)) != std::string::npos; at = end + 1)
      unit.options.options.push_back(options->substr(at, end - at));
    file.units.push_back(std::move(unit));
  }
}

}  // namespace quern::platform
