// SPDX-License-Identifier: MIT
// Searches a source for words of CUDA C and for complex types.
#include "frontend/hints.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "frontend/frontend.hpp"
#include "frontend/preprocess/lexer.hpp"

namespace quern::frontend {
namespace {

constexpr std::array<std::string_view, 4> kComplexTypes = {"complex64", "complex128", "cfloat_t",
                                                           "cdouble_t"};

// CUDA C's words and OpenCL C's.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kCudaWords = {{
    {"__global__", "'__global__' is 'kernel', with 'global' in front of its pointers"},
    {"__device__", "'__device__' is left out"},
    {"__shared__", "'__shared__' is 'local'"},
    {"__constant__", "'__constant__' is 'constant'"},
    {"__syncthreads", "'__syncthreads()' is 'barrier(CLK_LOCAL_MEM_FENCE)'"},
    {"threadIdx", "'threadIdx.x' is 'get_local_id(0)'"},
    {"blockIdx", "'blockIdx.x' is 'get_group_id(0)'"},
    {"blockDim", "'blockDim.x' is 'get_local_size(0)'"},
    {"gridDim", "'gridDim.x' is 'get_num_groups(0)'"},
    {"atomicAdd", "'atomicAdd' is 'atomic_add'"},
}};

}  // namespace

std::string hint_for(std::string_view source, bool takes_cuda_c) {
  Files files;
  std::string complex;
  std::vector<std::string_view> cuda;  // sentences, each once
  try {
    Lexer lexer(files, files.add("source", std::string(source)));
    Token last;
    for (Token token = lexer.next(); token.kind != TokenKind::end; last = token, token = lexer.next()) {
      if (last.is_name("complex") && token.is(punct("<"))) complex = "complex<...>";
      if (token.kind != TokenKind::identifier || last.is_name("define")) continue;
      if (std::ranges::find(kComplexTypes, token.text) != kComplexTypes.end()) complex = token.text;
      const auto row =
          std::ranges::find(kCudaWords, token.text, &std::pair<std::string_view, std::string_view>::first);
      if (row != kCudaWords.end() && std::ranges::find(cuda, row->second) == cuda.end())
        cuda.push_back(row->second);
    }
  } catch (const BuildError&) {  // a comment that does not end
    return {};
  }
  if (!cuda.empty()) {
    std::string hint = "this is CUDA C; ";
    if (takes_cuda_c) return hint + "pass language=\"cuda\"";
    hint += "a CUDA device builds it with language=\"cuda\". In OpenCL C, which every device builds, ";
    for (std::size_t k = 0; k < cuda.size(); ++k) (hint += k == 0 ? "" : ", ") += cuda[k];
    return hint;
  }
  if (!complex.empty() && !has_complex(source))
    return "'" + complex + "' needs the line '" + std::string(kComplexPragma) + "' in the program";
  return {};
}

}  // namespace quern::frontend
