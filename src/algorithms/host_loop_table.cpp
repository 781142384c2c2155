// SPDX-License-Identifier: MIT
// Finds loops by what they compute.
#include "algorithms/host_loop_table.hpp"

#include <array>
#include <mutex>
#include <vector>

#include "codegen/random_loops.hpp"

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

// The loops of one type; they are listed when the type is first used.
struct LoopTable {
  std::vector<HostLoop> loops;
  quern_kernel_function* const* functions = nullptr;
};

const LoopTable& table_of(std::size_t type) {
  static auto* const once = new std::array<std::once_flag, kHostLoopTypes>;
  static auto* const tables = new std::array<LoopTable, kHostLoopTypes>;
  std::call_once((*once)[type], [&] {
    (*tables)[type] = {codegen::host_loops(static_cast<Scalar>(type)), kHostLoopSets[best_set()][type]};
  });
  return (*tables)[type];
}

template <class Matches>
quern_kernel_function* find(Scalar operand, const Matches& matches) {
  const auto type = static_cast<std::size_t>(operand);
  if (type >= kHostLoopTypes) return nullptr;
  const LoopTable& table = table_of(type);
  for (std::size_t place = 0; place < table.loops.size(); ++place)
    if (matches(table.loops[place])) return table.functions[place];
  return nullptr;
}

}  // namespace

quern_kernel_function* host_loop(const codegen::Op* op, Scalar operand, Scalar result) {
  const auto kind = op != nullptr ? HostLoop::Kind::apply : HostLoop::Kind::cast;
  return find(operand, [&](const HostLoop& loop) {
    return loop.kind == kind && loop.op == op && loop.result.scalar == result;
  });
}

quern_kernel_function* reducing_loop(HostLoop::Kind kind, const codegen::Op* op, Scalar operand) {
  return find(operand, [&](const HostLoop& loop) { return loop.kind == kind && loop.op == op; });
}

quern_kernel_function* choosing_loop(std::size_t itemsize) {
  return find(codegen::chooser_of(itemsize),
              [](const HostLoop& loop) { return loop.kind == HostLoop::Kind::where; });
}

quern_kernel_function* random_loop(const std::string& name) {
  static const auto* const loops = new std::vector<codegen::RandomLoop>(codegen::random_loops());
  for (std::size_t place = 0; place < loops->size(); ++place)
    if ((*loops)[place].name == name) return kRandomLoopSets[best_set()][place][0];
  return nullptr;
}

}  // namespace quern::algorithms
