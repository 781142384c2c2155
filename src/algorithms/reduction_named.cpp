// SPDX-License-Identifier: MIT
// Reductions as CuPy declares them. For each set of types there is a reduction kernel, and an elementwise
// kernel if an operation follows.
#include "algorithms/reduction_named.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "codegen/snippet.hpp"
#include "codegen/type_text.hpp"
#include "quern/error.hpp"

namespace quern::detail {
namespace {

using codegen::Snippet;

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == ';'; });
  return text;
}

}  // namespace

NamedReductionState::NamedReductionState(NamedReduction text, GeneratorOptions options)
    : text_(std::move(text)),
      options_(std::move(options)),
      parameters_(algorithms::parse_named(text_.inputs, text_.outputs)) {
  if (options_.name.empty()) options_.name = "reduction_kernel";
  const auto outputs = std::ranges::count_if(parameters_, [](const auto& p) { return p.is_output; });
  if (outputs != 1 || parameters_.back().is_raw) {
    throw ArgumentError(ArgumentError::Kind::value,
                        "out_params: '" + text_.outputs + "' declares " + std::to_string(outputs) +
                            (parameters_.back().is_raw ? " raw" : "") +
                            " outputs, but a reduction has one; reduce a structure for several");
  }
  if (text_.post_map_expr.empty()) text_.post_map_expr = parameters_.back().name + " = a";
  // Reports errors of the expressions now, not at the first call.
  (void)Snippet(text_.map_expr, Snippet::Form::named, "map_expr");
  (void)Snippet(text_.reduce_expr, Snippet::Form::named, "reduce_expr");
  (void)Snippet(text_.identity, Snippet::Form::named, "identity");
  if (!Snippet(text_.post_map_expr, Snippet::Form::named, "post_map_expr")
           .use_of(parameters_.back().name)
           .writes) {
    throw ArgumentError(ArgumentError::Kind::value, "post_map_expr: '" + text_.post_map_expr +
                                                        "' does not assign to the output, as in '" +
                                                        parameters_.back().name + " = a'");
  }
  signature.name = options_.name;
  for (const algorithms::NamedParameter& parameter : parameters_) {
    if (parameter.is_output) continue;
    Parameter shown;
    shown.name = parameter.name;
    shown.type_name = parameter.type;
    signature.parameters.push_back(std::move(shown));
  }
  result = algorithms::known_type(parameters_.back().type);
}

const NamedReductionState::Typed& NamedReductionState::typed(std::span<const KernelArgument> inputs,
                                                             const Array* out) const {
  std::vector<KernelArgument> all(inputs.begin(), inputs.end());
  all.push_back(out != nullptr ? KernelArgument(*out) : KernelArgument(nullptr));
  const algorithms::NamedTypes types = algorithms::resolve_types(options_.name, parameters_, all);
  const std::lock_guard lock(mutex_);
  const auto found = typed_.find(types.key);
  if (found != typed_.end()) return found->second;
  return typed_.emplace(types.key, make(types)).first->second;
}

NamedReductionState::Typed NamedReductionState::make(const algorithms::NamedTypes& types) const {
  const algorithms::NamedDeclarations declarations = algorithms::declarations_of(parameters_, types);
  const std::vector<codegen::Argument>& arguments = declarations.arguments;
  GeneratorOptions options = options_;
  options.preamble = declarations.preamble + options_.preamble;
  const codegen::Argument& output = arguments.back();

  // The type that is reduced: a known type or one of the preamble; by default the output's type.
  std::optional<DType> item =
      text_.reduce_type.empty() ? types.dtypes.back() : algorithms::known_type(text_.reduce_type);
  std::string item_name = text_.reduce_type.empty() ? output.type : text_.reduce_type;
  for (std::size_t a = 0; !item && a < parameters_.size(); ++a)
    if (parameters_[a].type == text_.reduce_type) item = types.dtypes[a], item_name = arguments[a].type;
  if (item && item->scalar != Scalar::structure) item_name = codegen::snippet_type(*item);

  std::string declared;
  for (std::size_t a = 0; a + 1 < arguments.size(); ++a)
    declared += (a == 0 ? "" : ", ") + arguments[a].declaration;
  std::string map = Snippet(text_.map_expr, Snippet::Form::named, "map_expr")
                        .rewritten([&](std::string_view name) -> std::string {
                          for (std::size_t a = 0; a + 1 < arguments.size(); ++a)
                            if (name == parameters_[a].name && !parameters_[a].is_raw && !types.is_number[a])
                              return parameters_[a].name + "[i]";
                          return {};
                        });
  std::string reduce = text_.reduce_expr;
  if (item && item->scalar == Scalar::boolean) {  // stored as a byte of value 0 or 1
    map = "(" + map + ") != 0";
    reduce = "(" + reduce + ") != 0";
  }
  Typed made{item ? ReductionKernel(*item, text_.identity, reduce, map, declared, options,
                                    item->scalar == Scalar::structure ? item_name : std::string())
                  : ReductionKernel(item_name, text_.identity, reduce, map, declared, options),
             {},
             types.dtypes.back()};
  const std::string& out_name = parameters_.back().name;
  if (made.reduce.dtype() == made.result && without_blanks(text_.post_map_expr) == out_name + "=a")
    return made;
  const Snippet post_map(text_.post_map_expr, Snippet::Form::named, "post_map_expr");
  std::string reduced = "reduced";  // the array whose elements are called `a`
  while (reduced == out_name || post_map.mentions(reduced)) reduced += "_";
  std::string finish = post_map.rewritten([&](std::string_view name) -> std::string {
    if (name == "a") return reduced + "[i]";
    return name == out_name ? out_name + "[i]" : std::string();
  });
  if (made.result.scalar == Scalar::boolean) finish += ";\n" + out_name + "[i] = " + out_name + "[i] != 0;";
  options.name += "_post_map";
  made.finish.emplace("const " + item_name + " *" + reduced + ", " + output.declaration, finish, options);
  return made;
}

Event NamedReductionState::finish(const Typed& typed, const Queue& queue, const Array& reduced,
                                  const Array& out) {
  const std::array<KernelArgument, 2> arguments = {KernelArgument(reduced), KernelArgument(out)};
  return typed.finish->launch(queue, arguments);
}

}  // namespace quern::detail
