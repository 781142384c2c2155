// SPDX-License-Identifier: MIT
// The kernels of all distributions as CUDA C++, where NVRTC is installed: it needs no GPU.
#include <gtest/gtest.h>

#include "codegen/random_loops.hpp"
#include "frontend/frontend.hpp"
#include "frontend/nvrtc.hpp"
#include "kernels/kernels.hpp"

namespace quern::test {
namespace {

void expect_compiles(const std::vector<std::string>& files, frontend::Source source,
                     const std::string& kernel) {
  for (const std::string& file : files) source.text += kernels::text(file);
  source.file = kernel + ".cl";
  const auto [ok, ptx] = frontend::test::nvrtc().compile(frontend::lower_to_cuda(source).text);
  ASSERT_TRUE(ok) << ptx;
  EXPECT_NE(ptx.find(kernel), std::string::npos);
}

TEST(CudaTexts, of_every_family_compile) {
  if (!frontend::test::nvrtc().present()) GTEST_SKIP() << "no NVRTC";
  for (const codegen::RandomLoop& loop : codegen::random_loops()) {
    const bool is_sampler = loop.kernel == "sample_reals" || loop.kernel == "sample_counts";
    if (!is_sampler || loop.name.ends_with("_threefry")) continue;
    frontend::Source source;
    source.defines = loop.defines;
    expect_compiles(loop.files, source, loop.kernel);
    if (loop.kernel == "sample_reals") continue;
    std::vector<std::string> files = loop.files;
    files.back() = "random_rows";
    expect_compiles(files, source, "multinomial_rows");
  }
}

}  // namespace
}  // namespace quern::test
