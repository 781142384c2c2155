// SPDX-License-Identifier: MIT
// The front end's passes in their order: preprocess, parse and check, lower.
#include "frontend/frontend.hpp"

#include <algorithm>

#include "frontend/builtins/builtins.hpp"
#include "frontend/lower/lower.hpp"
#include "frontend/parse/parser.hpp"
#include "frontend/preprocess/preprocessor.hpp"
#include "frontend/signature.hpp"
#include "kernels/kernels.hpp"

namespace quern::frontend {
namespace {

Lowered lower_plain(const Source& source, Target target) {
  Files files;
  Program program;
  Preprocessor preprocessor(files, source, target);
  program.single_precision_constants = source.single_precision_constants;
  Parser parser(files, preprocessor.run(), program, target);
  parser.declarations();
  for (Function* function : program.functions)
    if (function->is_kernel && function->required_local[0] == 0)
      std::ranges::copy(source.local_size, function->required_local.begin());
  parser.bodies();
  program.for_debugging = source.debug;
  program.wants_fibers |= source.debug;
  program.flushes_denormals = source.flushes_denormals;
  Lowered lowered;
  lowered.text =
      target == Target::host ? lower::to_c(files, program, lowered.forms) : lower::to_cuda(files, program);
  lowered.kernels = signatures_of(program);
  lowered.contracts = program.contracts;
  lowered.warnings = preprocessor.warnings();
  lowered.warnings.insert(lowered.warnings.end(), program.warnings.begin(), program.warnings.end());
  return lowered;
}

Lowered lower_for(const Source& source, Target target) {
  if (!has_complex(source.text)) return lower_plain(source, target);
  Source plain = source;
  plain.text = without_complex(source, target);
  Lowered lowered = lower_plain(plain, target);
  // Callers see the types that the author wrote.
  for (const Signature& written : opencl_signatures(source, target))
    for (Signature& kernel : lowered.kernels)
      if (kernel.name == written.name) kernel.parameters = written.parameters;
  return lowered;
}

}  // namespace

Lowered lower_to_c(const Source& source) {
  return lower_for(source, Target::host);
}

Lowered lower_to_cuda(const Source& source) {
  return lower_for(source, Target::cuda);
}

Macros macros_of(const Source& source) {
  Files files;
  Preprocessor preprocessor(files, source, Target::opencl);
  preprocessor.run();
  Macros result = preprocessor.definitions();
  // Directives of the text itself, whichever device they are for.
  Lexer lexer(files, files.add(source.file, source.text));
  int since_hash = -1;
  for (Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next()) {
    if (token.starts_line) since_hash = token.is(punct("#")) ? 0 : -1;
    if (since_hash < 0) continue;
    if (since_hash == 1 && !token.is_name("define")) since_hash = -1;
    if (since_hash == 2) result.names.emplace_back(token.text);
    if (since_hash >= 2 && token.kind == TokenKind::identifier) result.mentioned.emplace_back(token.text);
    if (since_hash >= 0) ++since_hash;
  }
  return result;
}

void check_declarations(const Source& source, Target target) {
  Files files;
  Program program;
  Preprocessor preprocessor(files, source, target);
  Parser(files, preprocessor.run(), program, target).declarations();
}

OpenclSupport opencl_support(const Source& source) {
  OpenclSupport support;
  try {
    Files files;
    Program program;
    std::vector<Token> tokens = Preprocessor(files, source, Target::opencl).run();
    bool has_newer_atomics = false, has_real_atomics = false;
    for (const Token& token : tokens) {
      has_newer_atomics |= token.kind == TokenKind::identifier && is_newer_atomic(token.text);
      has_real_atomics |= token.is_name("atomic_float") || token.is_name("atomic_double");
    }
    if (has_real_atomics) support.text = "#define QUERN_REAL_ATOMICS 1\n";
    if (has_newer_atomics) support.text += kernels::text("opencl_atomics");
    Parser parser(files, std::move(tokens), program, Target::opencl);
    parser.declarations(true);
    for (const std::string_view name : parser.program_scope_names()) {
      if (!is_builtin_name(name) && name != "main") continue;
      support.renamed.emplace_back(std::string(name), "quern_own_" + std::string(name));
      const auto& [old, renamed] = support.renamed.back();
      support.text += "#undef " + old + "\n#define " + old + " " + renamed + "\n";
    }
  } catch (const BuildError&) {
    return {};
  }
  return support;
}

std::vector<Signature> opencl_signatures(const Source& source, Target target) {
  Files files;
  Program program;
  Preprocessor preprocessor(files, source, target);
  Parser parser(files, preprocessor.run(), program, target);
  parser.declarations(true);
  return signatures_of(program);
}

}  // namespace quern::frontend
