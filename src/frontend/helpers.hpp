// SPDX-License-Identifier: MIT
// Helper functions in OpenCL C that generated text calls, as templates that are instantiated for a type.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quern::frontend {

// The definition of a helper for elements of type $T. The text calls helpers, itself included, as @name. $R
// is the real type of a complex $T. $MAX, $MIN and $EPS are the largest number, the smallest normal number
// and the epsilon of $R.
struct Helper {
  std::string_view name, text;
};

// Helpers for complex numbers, which are vectors of two. Both kernels in the language with complex numbers
// and array expressions use them.
std::span<const Helper> complex_helpers();

void replace_all(std::string& text, std::string_view what, std::string_view by);

// What $T and $R are replaced by.
struct HelperType {
  std::string name, part;
};

// Returns the text with $T, $R, $MAX, $MIN and $EPS replaced.
std::string with_types(std::string text, const HelperType& type);

// Returns the text with each @NAME replaced by quern_NAME_TYPE. Appends the definition of each helper to
// `definitions`, after the definitions that it needs. `find` returns a helper's text by name. `self` is the
// helper that the text defines.
std::string with_helpers(std::string text, const HelperType& type,
                         const std::function<std::string_view(std::string_view name)>& find,
                         std::vector<std::string>& definitions, std::string_view self = {});

// The same for the helpers of complex numbers.
std::string with_complex_helpers(std::string text, const HelperType& type,
                                 std::vector<std::string>& definitions);

}  // namespace quern::frontend
