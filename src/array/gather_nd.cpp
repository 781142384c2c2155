// SPDX-License-Identifier: MIT
// Gathers and scatters elements at positions that arrays hold.
#include "array/gather_nd.hpp"

#include <string>
#include <utility>

#include "algorithms/host/precompiled_kernel.hpp"
#include "array/node.hpp"
#include "array/raw_element.hpp"
#include "codegen/type_text.hpp"
#include "quern/error.hpp"
#include "runtime/allocation.hpp"

namespace quern::array {
namespace {

bool is_signed(const DType& dtype) {
  return dtype.scalar <= Scalar::int64;
}

std::string name(const char* what, std::size_t j, std::size_t d = 0) {
  return std::string("quern_") + what + std::to_string(j) + "_" + std::to_string(d);
}

std::string key_of(const RawElement& raw, const std::vector<Selector>& selectors, bool writes) {
  std::string key = (writes ? "put/" : "pick/") + raw.definition + raw.type;
  for (const Selector& selector : selectors)
    key += "/" + selector.positions.dtype().name() + (selector.is_checked ? "?" : "!") +
           std::to_string(selector.steps.size());
  return key;
}

// Returns C code that adds to quern_at the offset for the position of one selector.
std::string steps_of(const Selector& selector, std::size_t j, std::size_t& checked) {
  const std::string position = name("p", j);
  if (!selector.is_checked) {
    // From the last axis to the first.
    std::string text = "{ long quern_k = (long)" + position + ";\n";
    for (std::size_t d = selector.steps.size(); d-- > 1;)
      text += "quern_at += quern_k % " + name("n", j, d) + " * " + name("s", j, d) +
              "; quern_k /= " + name("n", j, d) + ";\n";
    return text + "quern_at += quern_k * " + name("s", j, 0) + "; }\n";
  }
  std::string text = "{ long quern_k = (long)" + position + ";\n";
  if (is_signed(selector.positions.dtype())) text += "if (quern_k < 0) quern_k += " + name("n", j) + ";\n";
  text += "if ((ulong)quern_k < (ulong)" + name("n", j) + ") quern_at += quern_k * " + name("s", j) +
          ";\nelse { quern_is_there = 0; quern_slots[" + std::to_string(checked++) + "] = (long)" + position +
          "; } }\n";
  return text;
}

codegen::ElementwiseSource source_of(const RawElement& raw, const std::vector<Selector>& selectors,
                                     bool writes) {
  std::vector<codegen::Argument> arguments = {codegen::declare("quern_x", raw.dtype, raw.type, true, !writes),
                                              codegen::declare("quern_y", raw.dtype, raw.type, true, writes)};
  const DType whole = DType::of(Scalar::int64);
  std::string steps;
  std::size_t checked = 0;
  for (std::size_t j = 0; j < selectors.size(); ++j) {
    const DType& dtype = selectors[j].positions.dtype();
    arguments.push_back(codegen::declare(name("p", j), dtype, codegen::type_name(dtype), true, true));
    for (std::size_t d = 0; d < selectors[j].steps.size(); ++d) {
      arguments.push_back(codegen::declare(name("n", j, d), whole, "long", false, true));
      arguments.push_back(codegen::declare(name("s", j, d), whole, "long", false, true));
    }
    steps += steps_of(selectors[j], j, checked);
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
  codegen::ElementwiseSource source{writes ? "put" : "pick", raw.definition, {}, {text, kForm, "operation"}};
  source.operands = codegen::operands_of(arguments, {&source.operation}, codegen::Preamble(), kForm);
  source.operands[0].is_place = true;
  if (checked != 0) source.operands.back().is_element = false;
  return source;
}

// Launches with slots for indices that are out of bounds, if any indices are checked. The memory that the
// launch writes gets a deferred error.
template <class Launch>
void run_checked(const Queue& queue, const std::vector<Selector>& selectors, const Buffer& written,
                 bool is_assignment, const Launch& launch) {
  std::vector<IndexBound> bounds;
  for (const Selector& selector : selectors)
    if (selector.is_checked) bounds.push_back({selector.axis, selector.steps[0].length});
  if (bounds.empty()) {
    launch(nullptr);
    return;
  }
  const auto error = std::make_shared<DeferredIndexError>(std::move(bounds), is_assignment);
  const std::shared_ptr<IndexErrorSlots> slots = IndexErrors::instance().slots_of(queue);
  const Buffer memory = slots->reserve(queue, error);
  try {
    slots->launched(*error, launch(&memory));
  } catch (...) {
    slots->give_back(error);
    throw;
  }
  if (eager_depth != 0) return error->check();
  written.allocation()->uses().deferred_errors().add({written.offset(), written.offset() + written.size()},
                                                     {error});
}

Event run_kernel(const Array& place, const std::vector<Selector>& selectors, const Array& other,
                 const Queue& queue, bool writes, const Buffer* slots) {
  const RawElement raw = raw_element_of(place.dtype());
  const auto program =
      known_program(key_of(raw, selectors, writes), [&] { return source_of(raw, selectors, writes); });
  const auto itemsize = static_cast<std::int64_t>(place.dtype().itemsize);
  const Array x = as_raw(place, raw), y = as_raw(other, raw);
  std::vector<KernelArgument> arguments = {x, y};
  for (const Selector& selector : selectors) {
    arguments.emplace_back(selector.positions);
    for (const Selector::Step& step : selector.steps) {
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

void run(const Array& place, const std::vector<Selector>& selectors, const Array& other, const Queue& queue,
         bool writes) {
  run_checked(queue, selectors, (writes ? place : other).buffer(), writes, [&](const Buffer* slots) {
    if (!algorithms::calls_precompiled(queue))
      return run_kernel(place, selectors, other, queue, writes, slots);
    std::vector<algorithms::Positions> positions;
    positions.reserve(selectors.size());
    for (const Selector& selector : selectors)
      positions.push_back({&selector.positions, selector.steps, selector.is_checked});
    return algorithms::gather_nd(queue, place, positions, other, writes, slots);
  });
}

}  // namespace

void pick(const Array& place, const std::vector<Selector>& selectors, const Array& out, const Queue& queue) {
  run(place, selectors, out, queue, false);
}

void put(const Array& place, const std::vector<Selector>& selectors, const Array& values,
         const Queue& queue) {
  run(place, selectors, values, queue, true);
}

}  // namespace quern::array
