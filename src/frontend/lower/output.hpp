// SPDX-License-Identifier: MIT
// The lowered text under construction: types, helper functions, and the program's lines.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "frontend/lower/dialect.hpp"
#include "frontend/preprocess/token.hpp"

namespace quern::frontend::lower {

// What the text requires from the compiler and the linker. Each target reads the members that concern it.
struct Requirements {
  bool libm = false, libmvec = false;
  bool designated_initialisers = false;
};

class Output {
 public:
  Output(Files& files, const Dialect& dialect) : files_(files), dialect_(dialect) {}

  // Adds a line of the program. line() adds a #line directive before it if the compiler would report another
  // location.
  void line(Location at, const std::string& text);
  void plain_line(const std::string& text);
  void indent() { ++indent_; }
  void dedent() { --indent_; }
  void forget_location() { file_ = -1; }  // the next line() writes #line

  // Defines a helper function once. The text begins with the type of the result; the dialect adds the
  // qualifiers. Helpers precede the program's functions.
  const std::string& helper(const std::string& name, const std::string& text);
  // The same for a text that is already complete.
  const std::string& define_text(const std::string& name, std::string_view text);
  [[nodiscard]] bool is_defined(const std::string& name) const { return defined_.contains(name); }
  // Whether the name is new; the caller then defines it.
  bool define(const std::string& name) { return defined_.insert(name).second; }
  void add_type(std::string_view text) { types_ += text; }

  [[nodiscard]] std::string location_text(Location at) const;  // "kernel.cl:12"
  [[noreturn]] void fail(Location at, const std::string& message) { files_.fail(at, message); }
  [[nodiscard]] std::string text(const std::string& prologue) const;

  Requirements requirements;

 private:
  Files& files_;
  const Dialect& dialect_;
  std::string types_, helpers_, program_;
  std::unordered_set<std::string> defined_;
  // the source location that the compiler has for the next line of the program
  int line_ = 0, file_ = -1;
  int indent_ = 0;
};

}  // namespace quern::frontend::lower
