// SPDX-License-Identifier: MIT
// libFuzzer entry: any text gives a result or a BuildError. Built with clang and -DQUERN_BUILD_FUZZERS=ON;
// seeds are in kernels/.
#include <cstddef>
#include <cstdint>
#include <string>

#include "frontend/frontend.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quern::frontend;
  Source source;
  source.text.assign(reinterpret_cast<const char*>(data), size);
  const auto survives = [&](auto translate) {
    try {
      (void)translate(source);
    } catch (const quern::BuildError&) {
    }
  };
  survives([](const Source& s) { return preprocess(s); });
  survives([](const Source& s) { return lower_to_c(s); });
  survives([](const Source& s) { return lower_to_cuda(s); });
  survives([](const Source& s) { return opencl_signatures(s); });
  survives([](const Source& s) { return cuda_signatures(s); });
  survives([](const Source& s) { return opencl_prelude(s.text); });
  // Known, as where a kernel is built for the local size of its launch.
  survives([](const Source& s) { return lower_to_c(s, {16, 4, 1}); });
  source.debug = true;  // fibers
  survives([](const Source& s) { return lower_to_c(s, {16, 4, 1}); });
  return 0;
}
