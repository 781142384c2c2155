// SPDX-License-Identifier: MIT
// Kernels from a line of C, the time of an event, and an error on purpose.
#include <cmath>
#include <iostream>
#include <quern/quern.hpp>
#include <vector>

namespace qn = quern;

int main() {
  qn::Queue queue{qn::default_device(), {.profiling = true}};
  const std::vector<float> values{3, 1, 4, 1, 5};
  const qn::Array x = qn::asarray(queue, values), z = qn::empty(queue, x.shape(), x.dtype());

  const qn::ElementwiseKernel scale("float a, const float *x, float *z", "z[i] = a * sqrt(x[i])");
  const qn::Times times = scale(queue, 2.0F, x, z).times();  // waits for the kernel
  std::cout << "scaled in " << times.ended - times.started << " ns\n";

  const qn::ReductionKernel largest(qn::dtype_of<float>(), "0", "fmax(a, b)", "fabs(x[i])", "const float *x");
  const float found = largest(queue, z).to_vector<float>(queue)[0];
  const float from_expression = qn::max(2 * qn::sqrt(x)).to_vector<float>(queue)[0];
  std::cout << "largest " << found << ", of the expression " << from_expression << '\n';

  try {
    scale(queue, 2.0F, x, qn::zeros(queue, {7}, x.dtype())).wait();  // seven elements are not five
    return 1;
  } catch (const qn::ArgumentError& error) {
    std::cout << "as expected: " << error.what() << '\n';
  }
  return std::abs(found - 2 * std::sqrt(5.0F)) < 1e-5F && found == from_expression ? 0 : 1;
}
