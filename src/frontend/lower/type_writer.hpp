// SPDX-License-Identifier: MIT
// Writes types, declarations and literals. A type is defined when it is first named.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "frontend/lower/dialect.hpp"
#include "frontend/lower/output.hpp"

namespace quern::frontend::lower {

class TypeWriter {
 public:
  TypeWriter(const Dialect& dialect, Output& out) : dialect_(dialect), out_(out) {}

  std::string text(const Type* type);
  // Returns a declaration of `name`. Without a name, returns the type as in a cast.
  std::string declare(const QualType& type, const std::string& name);
  void define(const Record* record);
  // Defines the structures that have only been named by pointers so far.
  void define_rest();

  std::string real_literal(double value, const Type* type);
  std::string integer_literal(std::uint64_t value, const Type* type);
  // Returns a value of the type from the values between the braces.
  std::string aggregate(const Type* type, const std::string& values);

 private:
  std::string vector(const Type* type);
  std::string pointer(const QualType& type, const std::string& qualifiers, const std::string& name);

  const Dialect& dialect_;
  Output& out_;
  std::unordered_set<const Record*> started_;
  std::vector<const Record*> wanted_;
};

}  // namespace quern::frontend::lower
