// SPDX-License-Identifier: MIT
// Parses build logs, and formats diagnostics with source lines.
#include "frontend/diagnostics.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "frontend/preprocess/token.hpp"

namespace quern::frontend {
namespace {

constexpr int kLinesAround = 2;

std::optional<int> read_number(std::string_view text, std::size_t& position) {
  int value = 0;
  const std::size_t start = position;
  while (position < text.size() && text[position] >= '0' && text[position] <= '9' && position - start < 9)
    value = value * 10 + (text[position++] - '0');
  if (position == start) return std::nullopt;
  return value;
}

// Reads what follows the position: "error: text", "fatal error: text", "warning #177-D: text".
bool read_severity(std::string_view text, Diagnostic& out) {
  text = trimmed(text);
  if (text.starts_with("fatal ")) text.remove_prefix(6);
  using Severity = Diagnostic::Severity;
  constexpr std::pair<std::string_view, Severity> kWords[] = {{"catastrophic error", Severity::error},
                                                              {"error", Severity::error},
                                                              {"warning", Severity::warning},
                                                              {"remark", Severity::note},
                                                              {"note", Severity::note}};
  for (const auto& [word, severity] : kWords) {
    if (!text.starts_with(word)) continue;
    const std::size_t colon = text.find(':', word.size());
    if (colon == text.npos || colon > word.size() + 12) return false;
    out.severity = severity;
    text.remove_prefix(colon + 1);
    text = trimmed(text);
    out.text = text;
    return true;
  }
  return false;
}

// Reads "file:line:" or "file:line:column:". `colon` is the colon in front of the line number. `rest`
// receives the text that follows.
bool read_position(std::string_view line, std::size_t colon, Diagnostic& out, std::string_view& rest) {
  std::size_t position = colon + 1;
  const auto number = read_number(line, position);
  if (!number || position >= line.size() || line[position] != ':') return false;
  out.line = *number;
  std::size_t after = position + 1;
  if (const auto column = read_number(line, after)) {
    // PoCL adds the position of the macro definition: "file:3:10 <Spelling=other.h:5:1>: text".
    if (line.substr(after).starts_with(" <Spelling="))
      after = std::min(line.find(">:", after), line.size() - 1) + 1;
    if (after < line.size() && line[after] == ':') {
      out.column = *column;
      position = after;
    }
  }
  std::string_view file = line.substr(0, colon);
  file = trimmed(file);
  out.file = file;
  rest = line.substr(position + 1);
  rest = trimmed(rest);
  return true;
}

std::optional<Diagnostic> parse_line(std::string_view line) {
  // severity: file:line[:column]: text
  Diagnostic headed;
  if (read_severity(line, headed)) {
    const std::string inner = headed.text;
    for (std::size_t colon = inner.find(':'); colon != inner.npos; colon = inner.find(':', colon + 1)) {
      std::string_view rest;
      if (!read_position(inner, colon, headed, rest)) continue;
      headed.text = rest;
      return headed;
    }
  }
  // file:line[:column]: severity: text
  for (std::size_t colon = line.find(':'); colon != line.npos; colon = line.find(':', colon + 1)) {
    Diagnostic found;
    std::string_view rest;
    if (read_position(line, colon, found, rest) && read_severity(rest, found)) return found;
  }
  // file(line): severity: text
  for (std::size_t open = line.find('('); open != line.npos; open = line.find('(', open + 1)) {
    Diagnostic found;
    std::size_t position = open + 1;
    const auto number = read_number(line, position);
    if (!number || line.substr(position, 2) != "):") continue;
    found.line = *number;
    if (!read_severity(line.substr(position + 2), found)) continue;
    std::string_view file = line.substr(0, open);
    file = trimmed(file);
    found.file = file;
    return found;
  }
  return std::nullopt;
}

template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  int number = 1;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    visit(number++, line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

bool is_placeholder(std::string_view file) {
  return file.empty() || file == "<kernel>" || file == "<stdin>" || file == "<source>" ||
         file == "input.cl" || file == "default_program" || file.ends_with("tempfile.cl");
}

std::string_view severity_name(Diagnostic::Severity severity) {
  if (severity == Diagnostic::Severity::error) return "error";
  return severity == Diagnostic::Severity::warning ? "warning" : "note";
}

void append_numbered(std::string& out, int number, int width, std::string_view line) {
  const std::string digits = std::to_string(number);
  out.append(static_cast<std::size_t>(std::max(width - static_cast<int>(digits.size()), 0)) + 2, ' ');
  out += digits + " | ";
  out += line;
  out += '\n';
}

// Consecutive lines of a source with one numbering: from the beginning, or from a #line directive.
struct Part {
  std::string file;
  int line = 1;                 // the number of its first line
  int start = 1;                // the real number of its first line
  int end = 1;                  // the real number after its last line
  bool is_named_apart = false;  // a #line directive gives `file`
  [[nodiscard]] bool has(const std::string& name, int number) const {
    return file == name && number >= line && number - line < end - start;
  }
};

// Reads the number and the name of `#line 12 "name"`. Returns false for any other line.
bool read_directive(std::string_view text, Part& part) {
  const auto skip = [&](std::string_view word) {
    text = trimmed(text);
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
  };
  if (!skip("#") || !skip("line")) return false;
  text = trimmed(text);
  std::size_t position = 0;
  const auto number = read_number(text, position);
  if (!number) return false;
  part.line = *number;
  text.remove_prefix(position);
  if (!skip("\"")) return true;
  part.file.clear();
  part.is_named_apart = true;
  for (std::size_t i = 0; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    part.file += text[i];
  }
  return true;
}

std::vector<Part> parts_of(std::string_view file, std::string_view source) {
  std::vector<Part> parts(1);
  parts[0].file = file;
  int lines = 0;
  for_each_line(source, [&](int number, std::string_view line) {
    lines = number;
    Part next = parts.back();
    if (!read_directive(line, next)) return;
    parts.back().end = number;
    next.start = number + 1;
    parts.push_back(std::move(next));
  });
  parts.back().end = lines + 1;
  return parts;
}

std::vector<std::string_view> lines_of(std::string_view source) {
  std::vector<std::string_view> lines;
  for_each_line(source, [&](int, std::string_view line) { lines.push_back(line); });
  return lines;
}

void append_excerpt(std::string& out, const Diagnostic& diagnostic, const Part& part,
                    const std::vector<std::string_view>& lines) {
  const int shift = part.line - part.start;
  const int first = std::max(diagnostic.line - kLinesAround, part.line);
  const int last = std::min(diagnostic.line + kLinesAround, part.end - 1 + shift);
  const int width = static_cast<int>(std::to_string(last).size());
  for (int number = first; number <= last; ++number) {
    const std::string_view line = lines[static_cast<std::size_t>(number - shift - 1)];
    append_numbered(out, number, width, line);
    if (number != diagnostic.line || diagnostic.column < 1) continue;
    const auto column = static_cast<std::size_t>(diagnostic.column - 1);
    if (column > line.size()) continue;
    out.append(static_cast<std::size_t>(width) + 3, ' ');
    out += "  ";
    for (const char c : line.substr(0, column)) out += c == '\t' ? '\t' : ' ';  // keeps the caret aligned
    out += "^\n";
  }
}

}  // namespace

std::vector<Diagnostic> parse_log(std::string_view log) {
  std::vector<Diagnostic> found;
  for_each_line(log, [&](int, std::string_view line) {
    if (auto diagnostic = parse_line(line)) found.push_back(std::move(*diagnostic));
  });
  return found;
}

std::string format_diagnostics(std::string_view headline, const std::vector<Diagnostic>& diagnostics,
                               std::string_view file, std::string_view source) {
  std::string out(headline);
  const std::vector<Part> parts = parts_of(file, source);
  const std::vector<std::string_view> lines = lines_of(source);
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!out.empty() && out.back() != '\n') out += '\n';
    const std::string name = is_placeholder(diagnostic.file) ? std::string(file) : diagnostic.file;
    out += name;
    if (diagnostic.line > 0) out += ":" + std::to_string(diagnostic.line);
    if (diagnostic.line > 0 && diagnostic.column > 0) out += ":" + std::to_string(diagnostic.column);
    out += ": ";
    out += severity_name(diagnostic.severity);
    out += ": " + diagnostic.text + "\n";
    const auto part = std::find_if(parts.begin(), parts.end(),
                                   [&](const Part& each) { return each.has(name, diagnostic.line); });
    if (part != parts.end()) append_excerpt(out, diagnostic, *part, lines);
  }
  return out;
}

BuildError build_error(std::string_view device, std::string_view file, std::string_view source,
                       std::string_view log, std::string_view options) {
  std::vector<Diagnostic> diagnostics = parse_log(log);
  const std::vector<Part> parts = parts_of(file, source);
  for (Diagnostic& diagnostic : diagnostics) {
    if (is_placeholder(diagnostic.file)) diagnostic.file = file;
    if (diagnostic.file != file) continue;
    // This compiler ignores #line directives and numbers the lines of the whole text. Other compilers already
    // report the name that the directive gives.
    for (const Part& part : parts) {
      if (!part.is_named_apart || diagnostic.line < part.start || diagnostic.line >= part.end) continue;
      diagnostic.file = part.file;
      diagnostic.line += part.line - part.start;
      break;
    }
  }
  // Generated kernels may contain a user's snippet several times; each error is reported once.
  std::set<std::tuple<std::string, int, std::string>> known;
  std::erase_if(diagnostics, [&](const Diagnostic& each) {
    return !known.emplace(each.file, each.line, each.text).second;
  });
  const std::string headline = "build failed on " + std::string(device);
  std::string what = format_diagnostics(headline, diagnostics, file, source);
  const bool has_error = std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& d) {
    return d.severity == Diagnostic::Severity::error;
  });
  if (!has_error) what += "\n" + std::string(log);  // the log has an unknown format, so all of it is shown
  if (!options.empty()) what += "\noptions: " + std::string(options);
  return BuildError(what, std::move(diagnostics), std::string(log), std::string(options),
                    std::string(device));
}

Diagnostic Files::diagnostic(Location at, std::string text, Diagnostic::Severity severity) const {
  return {severity, name(at.file), at.line, at.column, std::move(text)};
}

void Files::fail(Location at, const std::string& text) const {
  std::vector<Diagnostic> diagnostics = {diagnostic(at, text)};
  if (!shows_lines_) throw BuildError(text, std::move(diagnostics));
  const int whole = entries_[static_cast<std::size_t>(at.file)].inside;
  const int file = whole < 0 ? at.file : whole;
  const std::string what = format_diagnostics("", diagnostics, name(file), this->text(file));
  throw BuildError(what, std::move(diagnostics));
}

}  // namespace quern::frontend
