// SPDX-License-Identifier: MIT
// The front end's passes in their order: preprocess, parse and check, lower.
#include "frontend/frontend.hpp"

#include <algorithm>

#include "frontend/lower/lower.hpp"
#include "frontend/parser.hpp"
#include "frontend/preprocessor.hpp"
#include "frontend/signature.hpp"

namespace quern::frontend {
namespace {

Lowered lower_for(const Source& source, Target target) {
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

}  // namespace

Lowered lower_to_c(const Source& source) {
  return lower_for(source, Target::host);
}

Lowered lower_to_cuda(const Source& source) {
  return lower_for(source, Target::cuda);
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
