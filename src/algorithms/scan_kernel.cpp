// SPDX-License-Identifier: MIT
// ScanKernel: chooses how to scan on a device, and runs the kernels that it takes.
#include "quern/scan_kernel.hpp"

#include "algorithms/launch/generated_kernels.hpp"
#include "algorithms/scan_run.hpp"
#include "codegen/scan_form.hpp"
#include "codegen/type_text.hpp"
#include "quern/error.hpp"

namespace quern {
namespace {

using codegen::ScanOperand;
using codegen::ScanSource;
using codegen::ScanVariant;

constexpr unsigned kMostTunedItems = 32;

[[noreturn]] void reject(const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::value, text);
}

const ScanSnippets& checked(const ScanSnippets& snippets) {
  const auto need = [](const std::string& text, const char* what) {
    if (text.empty()) reject(std::string(what) + " is empty");
  };
  need(snippets.input_expr, "input_expr");
  need(snippets.scan_expr, "scan_expr");
  need(snippets.output_statement, "output_statement");
  return snippets;
}

}  // namespace

namespace detail {

class ScanState {
 public:
  ScanState(const DType& dtype, const std::string& item_type, const ScanSnippets& snippets,
            const GeneratorOptions& options, ScanTuning tuning);

  [[nodiscard]] algorithms::LibraryKernel kernel(const ScanVariant& variant, const char* suffix) const {
    return kernels.get_library(variant.key() + suffix, codegen::symbol_of(source.name) + suffix,
                               [&] { return codegen::emit_scan(source, variant); });
  }

  ScanSource source;
  ScanTuning tuning;
  algorithms::GeneratedKernels kernels;
  std::optional<algorithms::ScanRun> run;
  Signature signature;
};

ScanState::ScanState(const DType& dtype, const std::string& item_type, const ScanSnippets& snippets,
                     const GeneratorOptions& options, ScanTuning tuned)
    : source(codegen::scan_source(options.name.empty() ? "scan_kernel" : options.name, dtype, item_type,
                                  checked(snippets), algorithms::preamble_of(options))),
      tuning(tuned),
      kernels(source.name, options.options) {
  if (source.uses_previous() && source.neutral.empty())
    reject("output_statement uses prev_item, which is the neutral element before the first; give neutral");
  if (tuning.items > kMostTunedItems)
    reject("items: " + std::to_string(tuning.items) + " is more than " + std::to_string(kMostTunedItems));
  signature.name = source.name;
  for (const ScanOperand& operand : source.operands)
    signature.parameters.push_back(operand.argument.parameter);
  run.emplace(source, tuning, 0,
              [this](const ScanVariant& variant, const char* suffix) { return kernel(variant, suffix); });
}

}  // namespace detail

ScanKernel::ScanKernel(const DType& dtype, ScanSnippets snippets, GeneratorOptions options, ScanTuning tuning,
                       const std::string& type_name) {
  const std::string type = type_name.empty() ? codegen::item_type(dtype, options.preamble) : type_name;
  options.preamble = codegen::scan_preamble(std::move(options.preamble), snippets);
  state_ = std::make_shared<detail::ScanState>(dtype, type, snippets, options, tuning);
}

ScanKernel::ScanKernel(const std::string& type_name, ScanSnippets snippets, GeneratorOptions options,
                       ScanTuning tuning)
    : ScanKernel(codegen::type_called(type_name, algorithms::preamble_of(options)), std::move(snippets),
                 options, tuning, type_name) {}

const DType& ScanKernel::dtype() const noexcept {
  return state_->source.item_dtype;
}

const std::string& ScanKernel::name() const noexcept {
  return state_->source.name;
}

const Signature& ScanKernel::signature() const noexcept {
  return state_->signature;
}

std::string ScanKernel::source(const Queue& queue, std::span<const KernelArgument> arguments,
                               std::optional<std::int64_t> size) const {
  return state_->kernels.program_text(
      codegen::emit_scan(state_->source, state_->run->plan(queue, arguments, size).variant));
}

Event ScanKernel::launch(const Queue& queue, std::span<const KernelArgument> arguments,
                         std::optional<std::int64_t> size, WaitList wait_for) const {
  const algorithms::ScanPlan plan = state_->run->plan(queue, arguments, size);
  if (plan.size == 0) return wait_for.empty() ? Event() : queue.barrier(wait_for);
  return state_->run->launch(plan, queue, arguments, {}, wait_for);
}

}  // namespace quern
