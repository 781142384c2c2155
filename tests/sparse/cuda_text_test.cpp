// SPDX-License-Identifier: MIT
// The kernels of sparse matrices as CUDA C++: lowered here, and compiled where NVRTC is installed, without a
// GPU.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codegen/sparse_form.hpp"
#include "frontend/frontend.hpp"
#include "frontend/nvrtc.hpp"
#include "kernels/kernels.hpp"

namespace quern::test {
namespace {

void expect_compiles(const std::vector<std::string>& files, const codegen::Defines& defines) {
  frontend::Source source;
  source.defines = defines;
  for (const std::string& file : files) source.text += kernels::text(file);
  source.file = files.back() + ".cl";
  const std::string text = frontend::lower_to_cuda(source).text;
  EXPECT_FALSE(text.empty());
  if (!frontend::test::nvrtc().present()) return;
  const auto [ok, ptx] = frontend::test::nvrtc().compile(text);
  ASSERT_TRUE(ok) << ptx;
}

TEST(SparseCudaTexts, compile) {
  for (const Scalar value : {Scalar::boolean, Scalar::int8, Scalar::int64, Scalar::float32, Scalar::float64,
                             Scalar::complex64, Scalar::complex128}) {
    for (const Scalar index : {Scalar::int32, Scalar::int64}) {
      for (const char* const size : {"1", "8"}) {
        codegen::Defines defines = codegen::sparse_defines(DType::of(value), DType::of(index));
        defines.insert(defines.end(), {{"GROUPS", "1"},
                                       {"THREADS", "256"},
                                       {"CAPACITY", "2048"},
                                       {"PER_ROW", size},
                                       {"LONGEST", size},
                                       {"PER_ITEM", size},
                                       {"DOT", "1"}});
        defines.emplace_back("DIRECTION", "0");
        for (const char* const file : {"sparse_tiles", "sparse_patterns", "sparse_shares"})
          expect_compiles({"sparse_values", file}, defines);
        defines.back().second = "1";
        if (value >= Scalar::float32)
          for (const char* const file : {"sparse_patterns", "sparse_constants"})
            expect_compiles({"sparse_values", "sparse_cg", file}, defines);
      }
      expect_compiles({"sparse_search", "sparse_structure"},
                      codegen::sparse_structure_defines(DType::of(index)));
    }
    if (value >= Scalar::float32)
      expect_compiles({"sparse_values", "sparse_cg"}, codegen::sparse_cg_defines(DType::of(value), true));
  }
}

}  // namespace
}  // namespace quern::test
