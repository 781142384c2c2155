// SPDX-License-Identifier: MIT
// ElementwiseKernel. If all types are declared, it has one program; otherwise it has one for each set of
// types that it is called with.
#include "quern/elementwise.hpp"

#include <array>
#include <map>
#include <mutex>

#include "algorithms/elementwise_named.hpp"
#include "algorithms/elementwise_program.hpp"
#include "quern/error.hpp"

namespace quern {

std::int64_t IndexRange::count() const {
  if (step == 0) throw ArgumentError(ArgumentError::Kind::value, "range: step must not be 0");
  constexpr std::int64_t kFar = std::int64_t{1} << 61;  // beyond the size of any memory
  for (const std::int64_t value : {start, stop, step}) {
    if (value > kFar || value < -kFar)
      throw ArgumentError(ArgumentError::Kind::value,
                          "range: " + std::to_string(value) + " is outside of the possible indices");
  }
  const std::int64_t distance = step > 0 ? stop - start : start - stop;
  const std::int64_t stride = step > 0 ? step : -step;
  return distance <= 0 ? 0 : (distance - 1) / stride + 1;
}

namespace detail {

class ElementwiseState {
 public:
  virtual ~ElementwiseState() = default;
  // Returns the program for these arguments. Outputs that are not given are null.
  [[nodiscard]] virtual const algorithms::ElementwiseProgram& program(
      std::span<const KernelArgument> arguments) const = 0;
  [[nodiscard]] virtual bool is_output(std::size_t argument) const noexcept = 0;
  Signature signature;
};

namespace {

std::string name_of(const GeneratorOptions& options) {
  return options.name.empty() ? "elementwise_kernel" : options.name;
}

// A kernel with declared arguments, whose elements are x[i].
class IndexedState final : public ElementwiseState {
 public:
  IndexedState(const std::string& arguments, const std::string& operation, const GeneratorOptions& options)
      : program_(source_of(arguments, operation, options), options.options) {
    signature.name = name_of(options);
    for (const codegen::Operand& operand : program_.source().operands)
      signature.parameters.push_back(operand.argument.parameter);
  }
  [[nodiscard]] const algorithms::ElementwiseProgram& program(
      std::span<const KernelArgument>) const override {
    return program_;
  }
  [[nodiscard]] bool is_output(std::size_t argument) const noexcept override {
    return program_.is_output(argument);
  }

 private:
  static codegen::ElementwiseSource source_of(const std::string& arguments, const std::string& operation,
                                              const GeneratorOptions& options) {
    constexpr auto kForm = codegen::Snippet::Form::indexed;
    codegen::ElementwiseSource source{name_of(options),
                                      codegen::with_generic_forms(options.preamble, {operation}),
                                      {},
                                      {operation, kForm, "operation"}};
    constexpr std::array<std::string_view, 1> kReserved = {"i"};
    const codegen::Preamble preamble = algorithms::preamble_of(options);
    source.operands = codegen::operands_of(codegen::parse_arguments(arguments, preamble, kReserved),
                                           {&source.operation}, preamble, kForm);
    source.is_plain = source.operation.is_plain(preamble.macros().names);
    return source;
  }
  algorithms::ElementwiseProgram program_;
};

// A kernel with named inputs and outputs, whose elements are x and whose types may be open.
class NamedState final : public ElementwiseState {
 public:
  NamedState(const std::string& inputs, const std::string& outputs, const std::string& operation,
             GeneratorOptions options)
      : named_(algorithms::parse_named(inputs, outputs)),
        operation_(operation),
        options_(std::move(options)) {
    options_.name = name_of(options_);
    // Reports errors of the operation now, not at the first call.
    (void)codegen::Snippet(operation_, codegen::Snippet::Form::named, "operation");
    signature.name = options_.name;
    for (const algorithms::NamedParameter& parameter : named_) {
      Parameter shown;
      shown.name = parameter.name;
      shown.type_name = parameter.type;
      signature.parameters.push_back(std::move(shown));
    }
  }
  [[nodiscard]] const algorithms::ElementwiseProgram& program(
      std::span<const KernelArgument> arguments) const override {
    const algorithms::NamedTypes types = algorithms::resolve_types(options_.name, named_, arguments);
    const std::lock_guard lock(mutex_);
    const auto found = programs_.find(types.key);
    if (found != programs_.end()) return found->second;
    return programs_
        .try_emplace(types.key, algorithms::source_of(named_, types, operation_, options_), options_.options)
        .first->second;
  }
  [[nodiscard]] bool is_output(std::size_t argument) const noexcept override {
    return named_[argument].is_output && !named_[argument].is_raw;
  }

 private:
  std::vector<algorithms::NamedParameter> named_;
  std::string operation_;
  GeneratorOptions options_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, algorithms::ElementwiseProgram> programs_;
};

}  // namespace
}  // namespace detail

ElementwiseKernel::ElementwiseKernel(const std::string& arguments, const std::string& operation,
                                     GeneratorOptions options)
    : state_(std::make_shared<detail::IndexedState>(arguments, operation, std::move(options))) {}

ElementwiseKernel::ElementwiseKernel(const std::string& inputs, const std::string& outputs,
                                     const std::string& operation, GeneratorOptions options)
    : state_(std::make_shared<detail::NamedState>(inputs, outputs, operation, std::move(options))) {}

const std::string& ElementwiseKernel::name() const noexcept {
  return state_->signature.name;
}

const Signature& ElementwiseKernel::signature() const noexcept {
  return state_->signature;
}

bool ElementwiseKernel::is_output(std::size_t argument) const noexcept {
  return argument < state_->signature.parameters.size() && state_->is_output(argument);
}

Event ElementwiseKernel::launch(const Queue& queue, std::span<const KernelArgument> arguments,
                                const std::optional<IndexRange>& range, WaitList wait_for) const {
  return state_->program(arguments).launch(queue, arguments, range, wait_for);
}

std::string ElementwiseKernel::source(const Queue& queue, std::span<const KernelArgument> arguments,
                                      const std::optional<IndexRange>& range) const {
  return state_->program(arguments).text(queue, arguments, range);
}

std::vector<Array> ElementwiseKernel::allocate_outputs(const Queue& queue,
                                                       std::span<KernelArgument> arguments,
                                                       const std::optional<IndexRange>& range) const {
  return state_->program(arguments).allocate_outputs(queue, arguments, range);
}

}  // namespace quern
