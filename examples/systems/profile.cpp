// SPDX-License-Identifier: MIT
// A profile: the operations of a part of the program as a table and as a trace.
#include <iostream>
#include <quern/quern.hpp>
#include <vector>

namespace qn = quern;

int main() {
  qn::Queue queue{qn::default_device()};
  qn::Kernel twice =
      qn::Program{"kernel void twice(global float *a) { a[get_global_id(0)] *= 2; }"}.kernel("twice");
  twice.prepare(queue);

  qn::Profile profile;
  qn::Array a = qn::asarray(queue, std::vector<float>(1'000'000, 1));
  for (int turn = 0; turn < 10; ++turn) twice(queue, qn::range(a.size()), a);
  const std::vector<float> result = a.to_vector<float>(queue);
  profile.stop();

  std::cout << profile.table();
  profile.save("trace.json");  // for ui.perfetto.dev or chrome://tracing
  return result[0] == 1024 ? 0 : 1;
}
