// SPDX-License-Identifier: MIT
// A captured graph: a time step of the heat equation is recorded once and then enqueued by one call.
#include <cmath>
#include <iostream>
#include <quern/quern.hpp>
#include <vector>

namespace qn = quern;

int main() {
  qn::Queue queue{qn::default_device()};
  qn::Kernel step = qn::Program{R"(
    kernel void step(global const float *u, global float *v, int n, float r) {
      const int i = get_global_id(0);
      v[i] = i == 0 || i == n - 1 ? u[i] : u[i] + r * (u[i - 1] - 2 * u[i] + u[i + 1]);
    })"}
                        .kernel("step");

  const int n = 1000;
  std::vector<float> bar(n, 0);
  bar[0] = 100;
  qn::Array u = qn::asarray(queue, bar), v = qn::asarray(queue, bar);

  qn::Capture capture(queue);  // from here on, operations of this thread are recorded
  for (int k = 0; k < 50; ++k) {
    step(queue, qn::range(n), u, v, n, 0.4f);
    step(queue, qn::range(n), v, u, n, 0.4f);
  }
  const qn::Graph graph = capture.end();

  for (int k = 0; k < 20; ++k) graph.launch(queue);  // 2000 time steps

  for (int k = 0; k < 2000; ++k) {
    const std::vector<float> old = bar;
    for (int i = 1; i < n - 1; ++i) bar[i] = old[i] + 0.4f * (old[i - 1] - 2 * old[i] + old[i + 1]);
  }
  const std::vector<float> result = u.to_vector<float>(queue);
  std::cout << graph.size() << " operations; the temperature at 20 is " << result[20] << "\n";
  return std::abs(result[20] - bar[20]) < 1e-2f ? 0 : 1;
}
