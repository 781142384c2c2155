// SPDX-License-Identifier: MIT
// Instantiates helper functions for a type.
#include "frontend/helpers.hpp"

#include <algorithm>

namespace quern::frontend {

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size())
    text.replace(at, what.size(), by);
}

std::string with_types(std::string text, const HelperType& type) {
  const std::string limits = type.part == "double" ? "DBL" : "FLT";
  replace_all(text, "$MAX", limits + "_MAX");
  replace_all(text, "$MIN", limits + "_MIN");
  replace_all(text, "$EPS", limits + "_EPSILON");
  replace_all(text, "$T", type.name);
  replace_all(text, "$R", type.part);
  return text;
}

std::string with_helpers(std::string text, const HelperType& type,
                         const std::function<std::string_view(std::string_view name)>& find,
                         std::vector<std::string>& definitions, std::string_view self) {
  const auto is_part = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  for (std::size_t at = 0; (at = text.find('@', at)) != text.npos;) {
    std::size_t end = at + 1;
    while (end < text.size() && is_part(text[end])) ++end;
    const std::string name = text.substr(at + 1, end - at - 1);
    if (name != self) {
      const std::string definition =
          with_helpers(with_types(std::string(find(name)), type), type, find, definitions, name);
      if (std::find(definitions.begin(), definitions.end(), definition) == definitions.end())
        definitions.push_back(definition);
    }
    text.replace(at, end - at, "quern_" + name + "_" + type.name);
  }
  return text;
}

std::string with_complex_helpers(std::string text, const HelperType& type,
                                 std::vector<std::string>& definitions) {
  const auto find = [](std::string_view name) -> std::string_view {
    for (const Helper& helper : complex_helpers())
      if (helper.name == name) return helper.text;
    return {};
  };
  return with_helpers(std::move(text), type, find, definitions);
}

}  // namespace quern::frontend
