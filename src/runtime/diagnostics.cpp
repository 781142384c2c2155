// SPDX-License-Identifier: MIT
// Diagnostics of programs without a device.
#include "quern/diagnostics.hpp"

#include <algorithm>
#include <utility>

#include "frontend/hints.hpp"
#include "runtime/builder.hpp"
#include "runtime/program_state.hpp"

namespace quern {

std::vector<Diagnostic> diagnostics(const Program& program, Dialect dialect) {
  if (program.state()->from_binary())
    throw ArgumentError(ArgumentError::Kind::value, "a program made from a binary has no source");
  detail::ProgramSource& source = program.state()->source();
  const bool is_cuda_c = source.options().language == Language::cuda_c;
  const auto target = is_cuda_c ? frontend::Target::cuda_c : detail::target_of(dialect);
  std::vector<Diagnostic> found = source.translation(target)->diagnostics(target);
  const bool has_errors = std::ranges::any_of(
      found, [](const Diagnostic& one) { return one.severity == Diagnostic::Severity::error; });
  if (!has_errors || is_cuda_c) return found;
  std::string hint = frontend::hint_for(source.text(), dialect == Dialect::cuda_cpp);
  if (!hint.empty()) {
    const Diagnostic& first = found.front();
    found.push_back({Diagnostic::Severity::note, first.file, first.line, first.column, std::move(hint)});
  }
  return found;
}

}  // namespace quern
