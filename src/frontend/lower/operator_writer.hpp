// SPDX-License-Identifier: MIT
// Operators on scalars and vectors, and the helper functions that they need.
#pragma once

#include <string>
#include <vector>

#include "frontend/lower/conversion_writer.hpp"

namespace quern::frontend::lower {

class OperatorWriter {
 public:
  OperatorWriter(Program& program, const Dialect& dialect, Output& out, TypeWriter& types,
                 ConversionWriter& conversions)
      : program_(program), dialect_(dialect), out_(out), types_(types), conversions_(conversions) {}

  // x and y have the type `type`; the right operand of a shift has the type `right`.
  std::string operate(std::uint32_t op, const Type* type, const Type* right, const std::string& x,
                      const std::string& y);
  std::string splat(const Type* vector, const std::string& x);

  // Names of helper functions.
  std::string negate_helper(const Type* vector);
  // A compound assignment through a pointer, for targets that must be evaluated once.
  std::string store_helper(std::uint32_t op, const Type* target, const Type* computed, const Type* right);
  // condition ? x : y for each component.
  std::string choose_helper(const Type* condition, const Type* type);
  std::string get_lanes_helper(const Type* vector, const Type* part, const std::vector<std::uint8_t>& lanes);
  std::string set_lanes_helper(const Type* vector, const Type* part, const std::vector<std::uint8_t>& lanes);
  // `p->lanes op= y` for a vector whose address must be computed once, because computing it may have side
  // effects.
  std::string change_lanes_helper(std::uint32_t op, const Expr* swizzle, const Type* right);

 private:
  std::string scalar_operate(std::uint32_t op, const Type* type, const std::string& x, const std::string& y);
  std::string half_operate(std::uint32_t op, const std::string& x, const std::string& y);

  Program& program_;
  const Dialect& dialect_;
  Output& out_;
  TypeWriter& types_;
  ConversionWriter& conversions_;
};

}  // namespace quern::frontend::lower
