// SPDX-License-Identifier: MIT
// Prints how long the front end takes for a kernel of 500 lines. Not a test: run it by hand.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "frontend/translation.hpp"

int main() {
  using namespace quern::frontend;
  Source source;
  source.text =
      "#define STEP(k) (k * 2 + 1)\nkernel void f(global float *a, global const float4 *b, int n) {\n  int i "
      "= get_global_id(0);\n";
  for (int k = 0; k < 248; ++k) {
    source.text += "  float v" + std::to_string(k) + " = a[i + STEP(" + std::to_string(k) +
                   ")] * sin(b[i].x) + fmax(b[i].y, 0.5f);\n";
    source.text += "  if (v" + std::to_string(k) + " > 1.0f && i < n) a[i] += v" + std::to_string(k) +
                   " * (float)(i & 3);\n";
  }
  source.text += "}\n";
  for (const auto& [name, target] : {std::pair{"C", Target::host}, std::pair{"CUDA", Target::cuda}}) {
    double best = 1e9;
    for (int run = 0; run < 50; ++run) {
      const auto start = std::chrono::steady_clock::now();
      (void)Translation(source, target).lower(target);
      best = std::min(
          best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    std::printf("500 lines to %s: %.2f ms\n", name, best);
  }
}
