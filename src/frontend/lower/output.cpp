// SPDX-License-Identifier: MIT
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
  const auto [entry, is_new] = defined_.insert(name);
  if (!is_new) return *entry;
  // Helpers that compute on half are long, because they round each step by itself. gcc decides better than we
  // do which of them to inline.
  const std::string forced = "static inline __attribute__((always_inline)) ";
  const bool is_long = name.find("half") != name.npos && text.starts_with(forced);
  helpers_ += (is_long ? "static inline " + text.substr(forced.size()) : text) + "\n";
  return *entry;
}

std::string Output::location_text(Location at) const {
  return std::string(files_.name(at.file)) + ":" + std::to_string(at.line);
}

std::string Output::text(const std::string& prologue) const {
  return prologue + types_ + helpers_ + program_;
}

}  // namespace quern::frontend::lower
