// SPDX-License-Identifier: MIT
// The front end's functions for callers that need one result of a source.
#include "frontend/frontend.hpp"

#include "frontend/preprocess/preprocessor.hpp"
#include "frontend/translation.hpp"

namespace quern::frontend {

Lowered lower_to_c(const Source& source, const LocalSize& local) {
  return *Translation(source, Target::host).lower(Target::host, local);
}

Lowered lower_to_cuda(const Source& source) {
  return *Translation(source, Target::cuda).lower(Target::cuda);
}

std::vector<Signature> opencl_signatures(const Source& source) {
  return Translation(source, Target::opencl).signatures();
}

std::vector<Signature> cuda_signatures(const Source& source) {
  return Translation(source, Target::cuda_c).signatures();
}

std::string preprocess(const Source& source, Target target) {
  return Translation(source, target).preprocessed();
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

}  // namespace quern::frontend
