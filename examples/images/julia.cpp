// SPDX-License-Identifier: MIT
// A Julia set: a kernel over the pixels, beside a plain loop; drawn as a picture: example_julia julia.ppm
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <quern/quern.hpp>
#include <vector>

namespace qn = quern;

constexpr int kWidth = 600, kHeight = 400, kMost = 200;
constexpr float kReal = -0.79F, kImaginary = 0.15F;

constexpr const char* kSource = R"(
kernel void julia(global int *steps, float re, float im, int most) {
  const int column = get_global_id(0), row = get_global_id(1);
  const int width = get_global_size(0), height = get_global_size(1);
  float x = 3.0f * (column - width / 2) / width, y = 2.0f * (row - height / 2) / height;
  int n = 0;
  for (; n < most && x * x + y * y <= 4; n++) {
    const float next = x * x - y * y + re;
    y = 2 * x * y + im;
    x = next;
  }
  steps[row * width + column] = n;
})";

int steps_of(int column, int row) {
  float x = 3.0F * static_cast<float>(column - kWidth / 2) / kWidth;
  float y = 2.0F * static_cast<float>(row - kHeight / 2) / kHeight;
  int n = 0;
  for (; n < kMost && x * x + y * y <= 4; ++n) {
    const float next = x * x - y * y + kReal;
    y = 2 * x * y + kImaginary;
    x = next;
  }
  return n;
}

// The format PPM: a line with the size, then red, green and blue of each pixel.
void save(const char* path, const std::vector<std::int32_t>& steps) {
  std::ofstream file(path, std::ios::binary);
  file << "P6\n" << kWidth << ' ' << kHeight << "\n255\n";
  for (const std::int32_t n : steps) {
    const double part = std::sqrt(static_cast<double>(n) / kMost);
    for (const double power : {0.8, 1.6, 3.2})
      file << static_cast<char>(n == kMost ? 0 : static_cast<int>(255 * std::pow(part, power)));
  }
}

int main(int argc, char** argv) {
  const qn::Queue queue{qn::default_device()};
  const qn::Kernel julia = qn::Program{kSource}.kernel("julia");
  qn::Array image = qn::zeros(queue, {kHeight, kWidth}, qn::dtype_of<std::int32_t>());
  julia(queue, qn::range(kWidth, kHeight), image, kReal, kImaginary, kMost);
  const std::vector<std::int32_t> steps = image.to_vector<std::int32_t>(queue);

  // A device may round a product and a sum together, which changes points near the edge of the set.
  int differing = 0;
  for (int row = 0; row < kHeight; ++row)
    for (int column = 0; column < kWidth; ++column)
      differing += steps[row * kWidth + column] != steps_of(column, row) ? 1 : 0;
  std::cout << queue.device().name() << ": " << differing << " of " << steps.size()
            << " points differ from the plain loop\n";
  if (argc > 1) save(argv[1], steps);
  return differing < kWidth * kHeight / 50 ? 0 : 1;
}
