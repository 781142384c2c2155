// SPDX-License-Identifier: MIT
// A first kernel: its text, a queue, an array, one call.
#include <iostream>
#include <quern/quern.hpp>
#include <vector>

namespace qn = quern;

int main() {
  qn::Device device = qn::default_device();
  qn::Queue queue{device};
  qn::Array a = qn::asarray(queue, std::vector<float>{1, 2, 3, 4});

  qn::Kernel twice =
      qn::Program{"kernel void twice(global float *a) { a[get_global_id(0)] *= 2; }"}.kernel("twice");
  twice(queue, qn::range(a.size()), a);

  std::cout << device.name() << ":";
  for (float value : a.to_vector<float>(queue)) std::cout << ' ' << value;
  std::cout << '\n';
}
