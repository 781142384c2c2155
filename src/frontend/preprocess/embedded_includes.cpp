// SPDX-License-Identifier: MIT
// Include files that are part of the library.
#include "frontend/preprocess/embedded_includes.hpp"

#include <algorithm>
#include <array>

#include "frontend/frontend.hpp"
#include "kernels/kernels.hpp"

namespace quern::frontend {
namespace {

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\f\v");
  return first == text.npos ? std::string_view() : text.substr(first);
}

// Returns the text of the embedded file that a line includes; empty for any other line.
std::string_view included_by(std::string_view line) {
  line = without_blanks(line);
  if (!line.starts_with('#')) return {};
  line = without_blanks(line.substr(1));
  if (!line.starts_with("include")) return {};
  line = without_blanks(line.substr(7));
  const std::size_t end = line.find('>');
  return line.starts_with('<') && end != line.npos ? embedded_include(line.substr(1, end - 1))
                                                   : std::string_view();
}

// Calls visit(line, included text) for each line, without its newline.
template <class Visit>
void each_line(std::string_view source, Visit visit) {
  for (std::size_t begin = 0; begin < source.size();) {
    const std::size_t end = std::min(source.find('\n', begin), source.size());
    const std::string_view line = source.substr(begin, end - begin);
    visit(line, included_by(line));
    begin = end + 1;
  }
}

constexpr std::array<std::string_view, 4> kComplexHeaders = {"pyopencl-complex.h", "pycuda-complex.hpp",
                                                             "cupy/complex.cuh", "thrust/complex.h"};

}  // namespace

bool has_complex(std::string_view source) {
  const auto has = [&](std::string_view text) { return source.find(text) != source.npos; };
  return has(kComplexPragma) || std::ranges::any_of(kComplexHeaders, has);
}

std::string_view embedded_include(std::string_view name) {
  if (std::ranges::find(kComplexHeaders, name) != kComplexHeaders.end()) return kComplexPragma;
  if (name == "quern/random.cl") return kernels::text("random");
  return name == "quern/random_values.cl" ? kernels::text("random_values") : std::string_view();
}

std::string embedded_texts(std::string_view source) {
  std::string texts;
  if (source.find("<quern/") == source.npos) return texts;
  each_line(source, [&](std::string_view, std::string_view text) {
    if (!text.empty() && texts.find(text) == texts.npos) texts += text;
  });
  return texts;
}

std::string without_embedded_includes(std::string_view source) {
  if (source.find("<quern/") == source.npos) return std::string(source);
  std::string result;
  each_line(source, [&](std::string_view line, std::string_view text) {
    if (text.empty()) result += line;
    result += '\n';
  });
  return result;
}

}  // namespace quern::frontend
