// SPDX-License-Identifier: MIT
// Gathers and scatters elements at positions that arrays hold: by a function on the host, by a generated
// kernel on other devices.
#include "algorithms/gather_nd.hpp"

#include <string>
#include <vector>

#include "algorithms/host/gather_nd_elements.hpp"
#include "algorithms/launch/operation.hpp"
#include "algorithms/raw_element.hpp"
#include "algorithms/sort_keys.hpp"
#include "codegen/type_text.hpp"
#include "quern/error.hpp"

namespace quern::algorithms {
namespace {

std::string name(const char* what, std::size_t j, std::size_t d = 0) {
  return std::string("quern_") + what + std::to_string(j) + "_" + std::to_string(d);
}

std::string key_of(const RawElement& raw, std::span<const Positions> positions, bool writes) {
  std::string key = (writes ? "scatter_nd/" : "gather_nd/") + raw.definition + raw.type;
  for (const Positions& each : positions)
    key +=
        "/" + each.array->dtype().name() + (each.is_checked ? "?" : "!") + std::to_string(each.steps.size());
  return key;
}

// Returns C code that adds to quern_at the offset of one position.
std::string steps_of(const Positions& each, std::size_t j, std::size_t& checked) {
  const std::string position = name("p", j);
  if (!each.is_checked) {
    // From the last axis to the first.
    std::string text = "{ long quern_k = (long)" + position + ";\n";
    for (std::size_t d = each.steps.size(); d-- > 1;)
      text += "quern_at += quern_k % " + name("n", j, d) + " * " + name("s", j, d) +
              "; quern_k /= " + name("n", j, d) + ";\n";
    return text + "quern_at += quern_k * " + name("s", j, 0) + "; }\n";
  }
  std::string text = "{ long quern_k = (long)" + position + ";\n";
  if (is_signed_integer(each.array->dtype())) text += "if (quern_k < 0) quern_k += " + name("n", j) + ";\n";
  text += "if ((ulong)quern_k < (ulong)" + name("n", j) + ") quern_at += quern_k * " + name("s", j) +
          ";\nelse { quern_is_there = 0; quern_slots[" + std::to_string(checked++) + "] = (long)" + position +
          "; } }\n";
  return text;
}

codegen::ElementwiseSource source_of(const RawElement& raw, std::span<const Positions> positions,
                                     bool writes) {
  std::vector<codegen::Argument> arguments = {codegen::declare("quern_x", raw.dtype, raw.type, true, !writes),
                                              codegen::declare("quern_y", raw.dtype, raw.type, true, writes)};
  const DType whole = DType::of(Scalar::int64);
  std::string steps;
  std::size_t checked = 0;
  for (std::size_t j = 0; j < positions.size(); ++j) {
    const DType& dtype = positions[j].array->dtype();
    arguments.push_back(codegen::declare(name("p", j), dtype, codegen::type_name(dtype), true, true));
    for (std::size_t d = 0; d < positions[j].steps.size(); ++d) {
      arguments.push_back(codegen::declare(name("n", j, d), whole, "long", false, true));
      arguments.push_back(codegen::declare(name("s", j, d), whole, "long", false, true));
    }
    steps += steps_of(positions[j], j, checked);
  }
  std::string text = "long quern_at = 0;\n";
  if (checked != 0) {
    arguments.push_back(codegen::declare("quern_slots", whole, "long", true, false));
    text += "int quern_is_there = 1;\n";
  }
  text += steps;
  if (writes) {
    text += std::string(checked != 0 ? "if (quern_is_there) " : "") + "quern_x[quern_at] = quern_y;\n";
  } else {
    text += std::string("quern_y = quern_x[") +
            (checked != 0 ? "quern_is_there ? quern_at : 0" : "quern_at") + "];\n";
  }
  constexpr auto kForm = codegen::Snippet::Form::named;
  codegen::ElementwiseSource source{
      writes ? "scatter_nd" : "gather_nd", raw.definition, {}, {text, kForm, "operation"}};
  source.operands = codegen::operands_of(arguments, {&source.operation}, codegen::Preamble(), kForm);
  source.operands[0].is_base = true;
  if (checked != 0) source.operands.back().is_element = false;
  return source;
}

Event gather_nd_by_kernel(const Queue& queue, const Array& base, std::span<const Positions> positions,
                          const Array& other, bool writes, const Buffer* slots) {
  const RawElement raw = raw_element_of(base.dtype());
  const auto program =
      known_program(key_of(raw, positions, writes), [&] { return source_of(raw, positions, writes); });
  const auto itemsize = static_cast<std::int64_t>(base.dtype().itemsize);
  const Array x = as_raw(base, raw), y = as_raw(other, raw);
  std::vector<KernelArgument> arguments = {x, y};
  for (const Positions& each : positions) {
    arguments.emplace_back(*each.array);
    for (const PositionStep& step : each.steps) {
      if (step.stride % itemsize != 0)
        throw ArgumentError(ArgumentError::Kind::value,
                            "indexing: a stride of " + std::to_string(step.stride) +
                                " bytes is not a multiple of the item size, " + std::to_string(itemsize));
      arguments.emplace_back(step.length);
      arguments.emplace_back(step.stride / itemsize);
    }
  }
  if (slots != nullptr) arguments.emplace_back(*slots);
  return program->launch(queue, arguments, {}, {});
}

}  // namespace

Event gather_nd(const Queue& queue, const Array& base, std::span<const Positions> positions,
                const Array& other, bool writes, const Buffer* slots) {
  constexpr Operation kGather(&gather_nd_by_function, &gather_nd_by_kernel, FunctionUse::always);
  return kGather(queue, base, positions, other, writes, slots);
}

}  // namespace quern::algorithms
