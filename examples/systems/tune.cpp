// SPDX-License-Identifier: MIT
// Tunes the tile of a matrix transposition, keeps the result, and runs with it.
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include <quern/quern.hpp>

namespace qn = quern;

constexpr const char* kSource = R"(
kernel void turn(global const float *x, global float *y, int side) {
  int first_row = get_global_id(0) * TILE, first_column = get_global_id(1) * TILE;
  for (int row = first_row; row < first_row + TILE; ++row)
    for (int column = first_column; column < first_column + TILE; ++column)
      y[column * side + row] = x[row * side + column];
})";

int main() {
  constexpr int kSide = 512;
  const qn::Device device = qn::default_device();
  const qn::Queue queue(device, {.profiling = true});
  std::vector<float> values(kSide * kSide), turned(kSide * kSide);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const qn::Buffer x(queue, values.size() * sizeof(float)), y(queue, values.size() * sizeof(float));
  queue.write(x, values.data(), values.size() * sizeof(float)).wait();

  qn::TuneKernel kernel;
  kernel.source = kSource;
  kernel.name = "turn";
  kernel.arguments = {x, y, kSide};
  kernel.range = [](const qn::TuneConfiguration& c) {
    const auto tiles = static_cast<std::size_t>(kSide / c.integer("TILE"));
    return qn::range(tiles, tiles);
  };
  kernel.verify = [&](const qn::TuneConfiguration&) -> std::string {
    queue.read(y, turned.data(), turned.size() * sizeof(float)).wait();
    for (std::size_t row = 0; row < kSide; ++row)
      for (std::size_t column = 0; column < kSide; ++column)
        if (turned[column * kSide + row] != values[row * kSide + column]) return "an element is wrong";
    return "";
  };
  // Other configurations have run before: elements that one leaves out would be right.
  kernel.reset = [&] { queue.fill(y, std::vector<std::byte>(sizeof(float))).wait(); };
  qn::KernelTarget target(queue, kernel);
  const qn::TuneSpace space(
      {{"TILE", {std::int64_t{1}, std::int64_t{4}, std::int64_t{16}, std::int64_t{64}}}});
  const qn::TuneResult result = qn::tune(target, space);
  std::printf("%s", result.table().c_str());
  qn::keep_tuned(result.result({"turn", "512", target.version()}, device));

  // In this program or another one: never measures, and falls back to the default.
  const qn::Tuned tuned("turn", {{"TILE", std::int64_t{1}}}, target.version());
  const qn::TuneConfiguration best = tuned(device, "512");
  target.kernel(best).launch(queue, kernel.range(best), kernel.arguments).wait();
  std::printf("runs with %s\n", best.text().c_str());
  return kernel.verify(best).empty() && best == result.winner().configuration ? 0 : 1;
}
