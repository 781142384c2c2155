// SPDX-License-Identifier: MIT
// Collects the lowered text.
#include "frontend/lower/output.hpp"

#include <algorithm>

#include "base/c_string.hpp"

namespace quern::frontend::lower {
namespace {

constexpr int kMaxIndent = 20;

}  // namespace

void Output::plain_line(const std::string& text) {
  program_.append(2 * static_cast<std::size_t>(std::min(indent_, kMaxIndent)), ' ');
  program_ += text + "\n";
  ++line_;
}

void Output::line(Location at, const std::string& text) {
  if (at.file != file_ || at.line != line_) {
    program_ +=
        "#line " + std::to_string(at.line > 0 ? at.line : 1) + " " + c_string(files_.name(at.file)) + "\n";
    file_ = at.file;
    line_ = at.line;
  }
  plain_line(text);
}

const std::string& Output::helper(const std::string& name, const std::string& text) {
  // Helpers for half are long, because they round each step separately.
  const bool is_long = name.find("half") != name.npos;
  return define_text(name, std::string(dialect_.helper_qualifiers(is_long)) + text);
}

const std::string& Output::define_text(const std::string& name, std::string_view text) {
  const auto [entry, is_new] = defined_.insert(name);
  if (is_new) helpers_ += std::string(text) + "\n";
  return *entry;
}

std::string Output::location_text(Location at) const {
  return std::string(files_.name(at.file)) + ":" + std::to_string(at.line);
}

std::string Output::text(const std::string& prologue) const {
  return prologue + types_ + helpers_ + program_;
}

}  // namespace quern::frontend::lower
