// SPDX-License-Identifier: MIT
// Functions in OpenCL C that generated text calls, and how their definitions are made for a type.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quern::frontend {

// A definition for elements of type $T, whose name is @name in texts; it may call other helpers. $R is the
// real type of a complex $T, $MAX, $MIN and $EPS are that type's greatest and least normal numbers and the
// distance of one to the next.
struct Helper {
  std::string_view name, text;
};

// Of complex numbers, which are vectors of two. Snippets and array expressions compute with the same ones.
std::span<const Helper> complex_helpers();

void replace_all(std::string& text, std::string_view what, std::string_view by);

// What $T and $R are.
struct HelperType {
  std::string name, part;
};

// The text with $T and its like spelled out.
std::string with_types(std::string text, const HelperType& type);

// The text with quern_NAME_TYPE for each @NAME. The definition of a helper, which `find` gives by its name,
// is added to `definitions` behind those that it needs.
std::string with_helpers(std::string text, const HelperType& type,
                         const std::function<std::string_view(std::string_view name)>& find,
                         std::vector<std::string>& definitions, std::string_view self = {});

// The same of complex numbers.
std::string with_complex_helpers(std::string text, const HelperType& type,
                                 std::vector<std::string>& definitions);

}  // namespace quern::frontend
