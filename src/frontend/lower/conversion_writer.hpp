// SPDX-License-Identifier: MIT
// Conversions of the lowered text: casts, convert_T with rounding and saturation, and as_T. half is stored as
// its bits and computed in float. Functions that take and return text are for scalars.
#pragma once

#include <string>

#include "frontend/lower/type_writer.hpp"

namespace quern::frontend::lower {

class ConversionWriter {
 public:
  ConversionWriter(Program& program, const Dialect& dialect, Output& out, TypeWriter& types)
      : program_(program), dialect_(dialect), out_(out), types_(types) {}

  std::string scalar_convert(const Type* to, const Type* from, const std::string& x);
  std::string conversion(const Type* to, const Type* from, const Conversion& mode, const std::string& x);
  std::string convert_builtin(const Expr* e, const std::string& x);
  // Names of helper functions.
  std::string convert_helper(const Type* to, const Type* from, const Conversion& mode = {});
  std::string reinterpret_helper(const Type* to, const Type* from);

  // half_conversions.cpp
  std::string from_half(const std::string& x);
  std::string to_half(const std::string& x, Rounding rounding = Rounding::none);
  std::string half_convert(const Type* to, const Type* from, const Conversion& mode, const std::string& x);

 private:
  std::string saturate_real(const Type* to, const Type* from);
  std::string saturate_integer(const Type* to, const Type* from);
  std::string round_integer(const Type* to, Rounding rounding);
  std::string round_double(Rounding rounding);
  std::string rounded(const Type* real, Rounding rounding, const std::string& x);

  Program& program_;
  const Dialect& dialect_;
  Output& out_;
  TypeWriter& types_;
};

}  // namespace quern::frontend::lower
