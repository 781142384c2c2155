// SPDX-License-Identifier: MIT
// Finds loops by what they compute.
#include "algorithms/host_loop_table.hpp"

#include <array>

namespace quern::algorithms {
namespace {

using codegen::HostLoop;
using codegen::kHostLoopTypes;

std::size_t best_set() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 ? 0 : 1;
#else
  return 0;
#endif
}

struct Table {
  std::array<std::vector<HostLoop>, kHostLoopTypes> loops;
  quern_kernel_function* const* const* functions = kHostLoopSets[best_set()];

  Table() {
    for (std::size_t type = 0; type < kHostLoopTypes; ++type)
      loops[type] = codegen::host_loops(static_cast<Scalar>(type));
  }
};

template <class Matches>
quern_kernel_function* find(Scalar operand, const Matches& matches) {
  static const auto* const table = new Table;
  const auto type = static_cast<std::size_t>(operand);
  if (type >= kHostLoopTypes) return nullptr;
  const std::vector<HostLoop>& loops = table->loops[type];
  for (std::size_t place = 0; place < loops.size(); ++place)
    if (matches(loops[place])) return table->functions[type][place];
  return nullptr;
}

}  // namespace

quern_kernel_function* host_loop(const codegen::Op* op, Scalar operand, Scalar result) {
  const auto kind = op != nullptr ? HostLoop::Kind::apply : HostLoop::Kind::cast;
  return find(operand, [&](const HostLoop& loop) {
    return loop.kind == kind && loop.op == op && loop.result.scalar == result;
  });
}

quern_kernel_function* choosing_loop(std::size_t itemsize) {
  return find(codegen::chooser_of(itemsize),
              [](const HostLoop& loop) { return loop.kind == HostLoop::Kind::where; });
}

}  // namespace quern::algorithms
