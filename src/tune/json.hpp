// SPDX-License-Identifier: MIT
// JSON documents, as far as tuning results need them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace quern::tuning {

struct Json {
  using List = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;  // in the order of the text

  // Not inline, for gcc 12 warns of uninitialised members of a variant that it inlines.
  Json(std::nullptr_t = nullptr);
  Json(bool flag);
  Json(std::int64_t integer);
  Json(double real);
  Json(std::string text);
  Json(const char* text);
  Json(List items);
  Json(Object members);
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();

  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, List, Object> value;

  // Null if this is not an object, or has no such member.
  [[nodiscard]] const Json* find(std::string_view name) const noexcept;
  template <class T>
  [[nodiscard]] const T* as() const noexcept {
    return std::get_if<T>(&value);
  }
};

// Throws ArgumentError that names the line.
Json parse_json(std::string_view text);
// Lists of numbers and objects without lists and objects stand on one line.
std::string json_text(const Json& json);

}  // namespace quern::tuning
