// SPDX-License-Identifier: MIT
// Finds the library's own kernels by their programs' keys.
#include "algorithms/launch/precompiled_programs.hpp"

#include <span>
#include <unordered_map>

#include "base/instruction_sets.hpp"

namespace quern::algorithms {
namespace {

const PrecompiledProgram* find(std::string_view key) {
  static const auto* const by_key = [] {
    auto* const table = new std::unordered_map<std::string_view, const PrecompiledProgram*>;
    for (const PrecompiledProgram& program : std::span(kPrecompiledPrograms, kPrecompiledProgramCount))
      table->emplace(program.key, &program);
    return table;
  }();
  const auto found = by_key->find(key);
  return found == by_key->end() ? nullptr : found->second;
}

Signature signature_of(const PrecompiledSignature& row) {
  Signature signature;
  signature.name = row.name;
  for (const PrecompiledParameter& each : std::span(row.parameters, row.parameter_count)) {
    Parameter& parameter = signature.parameters.emplace_back();
    parameter.name = each.name;
    parameter.type_name = each.type_name;
    if (each.scalar != Scalar::unknown) parameter.dtype = DType::of(each.scalar, each.lanes);
    parameter.is_pointer = each.is_pointer;
    parameter.space = each.space;
    parameter.is_const = each.is_const;
  }
  if (row.required_local != 0) signature.required_local = {row.required_local, 1, 1};
  signature.local_memory = row.local_memory;
  signature.exchanges_values = row.exchanges_values;
  return signature;
}

}  // namespace

std::size_t best_instruction_set() {
#if defined(__x86_64__)
  return has_avx2() ? 0 : 1;
#else
  return 0;
#endif
}

std::optional<PrecompiledKernelSource> precompiled_kernel(const std::string& key, std::string_view name) {
  const PrecompiledProgram* const program = find(key);
  if (program == nullptr) return std::nullopt;
  for (std::size_t k = 0; k < program->kernel_count; ++k)
    if (program->kernels[k].name == name)
      return PrecompiledKernelSource{program->functions[best_instruction_set()][k],
                                     signature_of(program->kernels[k])};
  return std::nullopt;
}

}  // namespace quern::algorithms
