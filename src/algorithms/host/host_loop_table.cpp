// SPDX-License-Identifier: MIT
// Finds precompiled loops by operation and type.
#include "algorithms/host/host_loop_table.hpp"

#include <array>
#include <mutex>
#include <vector>

#include "algorithms/launch/precompiled_programs.hpp"
#include "codegen/random_loops.hpp"

namespace quern::algorithms {
namespace {

using codegen::HostLoop;
using codegen::kHostLoopTypes;

// The loops of one type. They are listed when the type is first used.
struct LoopTable {
  std::vector<HostLoop> loops;
  quern_kernel_function* const* functions = nullptr;
  // For conversions and then for each operation: the function for each result type, or null.
  std::vector<std::array<quern_kernel_function*, kHostLoopTypes>> by_operation;
  // For loops without an operation and then for each operation: the function of each other kind, or null.
  std::vector<std::array<quern_kernel_function*, HostLoop::kKinds>> by_kind;
};

std::size_t row_of(const codegen::Op* op) {
  return op == nullptr ? 0 : static_cast<std::size_t>(op - codegen::ops().data()) + 1;
}

LoopTable make_table(Scalar operand) {
  LoopTable table{codegen::host_loops(operand),
                  kHostLoopSets[best_instruction_set()][static_cast<std::size_t>(operand)],
                  {},
                  {}};
  table.by_operation.resize(codegen::ops().size() + 1);
  table.by_kind.resize(codegen::ops().size() + 1);
  for (std::size_t place = 0; place < table.loops.size(); ++place) {
    const HostLoop& loop = table.loops[place];
    if (loop.kind == HostLoop::Kind::apply || loop.kind == HostLoop::Kind::cast) {
      table.by_operation[row_of(loop.op)][static_cast<std::size_t>(loop.result.scalar)] =
          table.functions[place];
    } else {
      table.by_kind[row_of(loop.op)][static_cast<std::size_t>(loop.kind)] = table.functions[place];
    }
  }
  return table;
}

const LoopTable& table_of(std::size_t type) {
  static auto* const once = new std::array<std::once_flag, kHostLoopTypes>;
  static auto* const tables = new std::array<LoopTable, kHostLoopTypes>;
  std::call_once((*once)[type], [&] { (*tables)[type] = make_table(static_cast<Scalar>(type)); });
  return (*tables)[type];
}

quern_kernel_function* loop_of(HostLoop::Kind kind, const codegen::Op* op, Scalar operand) {
  const auto type = static_cast<std::size_t>(operand);
  if (type >= kHostLoopTypes) return nullptr;
  return table_of(type).by_kind[row_of(op)][static_cast<std::size_t>(kind)];
}

}  // namespace

quern_kernel_function* host_loop(const codegen::Op* op, Scalar operand, Scalar result) {
  const auto type = static_cast<std::size_t>(operand), of = static_cast<std::size_t>(result);
  if (type >= kHostLoopTypes || of >= kHostLoopTypes) return nullptr;
  return table_of(type).by_operation[row_of(op)][of];
}

quern_kernel_function* reducing_loop(HostLoop::Kind kind, const codegen::Op* op, Scalar operand) {
  return loop_of(kind, op, operand);
}

quern_kernel_function* choosing_loop(std::size_t itemsize) {
  return loop_of(HostLoop::Kind::where, nullptr, codegen::chooser_of(itemsize));
}

quern_kernel_function* random_loop(const std::string& name) {
  static const auto* const loops = new std::vector<codegen::RandomLoop>(codegen::random_loops());
  for (std::size_t place = 0; place < loops->size(); ++place)
    if ((*loops)[place].name == name) return kRandomLoopSets[best_instruction_set()][place][0];
  return nullptr;
}

}  // namespace quern::algorithms
