// SPDX-License-Identifier: MIT
// Names and string literals of the lowered text, the same in every target language.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/parse/ast.hpp"

namespace quern::frontend::lower {

// The name of a user's variable or function. It is unchanged if the target languages allow it, so that
// debuggers show it.
std::string mangled(std::string_view name);
std::string function_name(const Function* function);
std::string record_name(const Record* record);  // with its keyword
std::string field_name(const Record& record, const Field& field);
// The name of a parameter. A parameter without a name is called `unnamed` with a number.
std::string parameter_name(const Variable* parameter, std::string_view unnamed, std::size_t number);
std::string lane(std::size_t index);            // the member that holds a vector's component
std::string short_name(const Type* type);       // for names of helpers: "float4", "float_pointer"
std::string alignment_text(const Variable* v);  // the attribute behind a variable; empty without one
std::string string_literal(std::string_view bytes);
std::string call_text(std::string_view function, const std::vector<std::string>& arguments);

}  // namespace quern::frontend::lower
