// SPDX-License-Identifier: MIT
// The front end's functions for callers that need one result of a source.
#include "frontend/frontend.hpp"

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

}  // namespace quern::frontend
