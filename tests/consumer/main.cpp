// SPDX-License-Identifier: MIT
// A user's program against the installed package: runs a kernel and answers 0 when the result is right.
#include <cstdio>
#include <quern/quern.hpp>
#include <vector>

int main() {
  const quern::Queue queue{quern::device("host")};
  const quern::Array x = quern::asarray(queue, std::vector<int>{1, 2, 3, 4, 5});
  const quern::Kernel square =
      quern::Program{"kernel void square(global int *x) { int i = get_global_id(0); x[i] = x[i] * x[i]; }"}
          .kernel("square");
  square(queue, quern::range(x.size()), x);
  const bool right = x.to_vector<int>(queue) == std::vector<int>{1, 4, 9, 16, 25};
  std::printf("%s on %s\n", right ? "right" : "WRONG", queue.device().name().c_str());
  return right ? 0 : 1;
}
