// SPDX-License-Identifier: MIT
// Sums, products, maxima and minima along an axis, accumulated by columns. If there are too few columns, the
// axis is divided into chunks.
#include "algorithms/cumulative.hpp"

#include <algorithm>
#include <string_view>

#include "algorithms/launch/kernel_table.hpp"
#include "base/arithmetic.hpp"
#include "codegen/loop.hpp"
#include "runtime/queue_state.hpp"

namespace quern::algorithms {
namespace {

constexpr std::size_t kWorkItems = std::size_t{1} << 17;  // enough to keep a large GPU busy
constexpr std::size_t kColumnGroup = 256;
constexpr const char *kTotals = "totals", *kAccumulate = "accumulate";  // kernels of cumulative.cl
constexpr std::size_t kLeastColumnChunk = 32;  // the fewest elements of a chunk that are worth a total
constexpr std::size_t kLeastOfCore = std::size_t{1} << 14;

bool runs_in_chunks(const Queue& queue) {
  return codegen::loop_style(queue.state()->properties()) == codegen::LoopStyle::chunks;
}

// How the elements are divided among work-items.
struct Division {
  bool in_strips;
  std::size_t strips, chunk, chunks, work_items;

  Division(const Queue& queue, const AxisLayout& layout) : in_strips(runs_in_chunks(queue)) {
    const std::size_t strip = in_strips ? codegen::kCumulativeStrip : 1;
    strips = divided_up(layout.inner, strip);
    const std::size_t lanes = layout.outer * strips;
    const std::size_t wanted =
        in_strips ? std::size_t{4} * queue.state()->properties().compute_units : kWorkItems;
    const std::size_t least = in_strips
                                  ? std::max<std::size_t>(kLeastOfCore / std::min(strip, layout.inner), 1)
                                  : kLeastColumnChunk;
    const std::size_t parts = lanes * 2 > wanted ? 1 : std::min(wanted / lanes, layout.length / least);
    chunk = divided_up(layout.length, std::max<std::size_t>(parts, 1));
    chunks = divided_up(layout.length, chunk);
    work_items = lanes * chunks;
  }

  [[nodiscard]] Range launch_range() const {
    return in_strips ? range(work_items).with_local(1)
                     : range(divided_up(work_items, kColumnGroup) * kColumnGroup).with_local(kColumnGroup);
  }
};

LibraryKernel kernel_for(const char* name, const codegen::CumulativeForm& form, const CumulativeInput& input,
                         bool in_strips) {
  const auto make = [&](const std::string& definitions) {
    return kernel_of({"cumulative"}, name, form.defines(in_strips), definitions);
  };
  if (!input.definitions.empty()) return make(input.definitions);
  static auto* const stored = new KernelMemo;  // never destroyed: used until the process ends
  std::uint64_t code = std::string_view(name) == kTotals ? 1 : 0;
  for (const auto part :
       {static_cast<std::uint64_t>(form.item.scalar), static_cast<std::uint64_t>(form.result.scalar),
        static_cast<std::uint64_t>(form.operation), std::uint64_t{in_strips ? 1U : 0U}})
    code = code << 8 | part;
  return stored->get(code, [&] { return make(form.definitions()); });
}

}  // namespace

bool prefers_scan(const Queue& queue, const AxisLayout& layout) {
  return layout.inner == 1 && (layout.outer == 1 || !runs_in_chunks(queue));
}

void accumulate(const Queue& queue, const codegen::CumulativeForm& form, const CumulativeInput& input,
                const AxisLayout& layout, const Array& out) {
  const Division division(queue, layout);
  const auto launch = [&](const char* name, std::initializer_list<const Buffer*> buffers) {
    std::vector<KernelArgument> arguments = input.arguments;
    for (const Buffer* buffer : buffers) arguments.emplace_back(*buffer);
    for (const std::size_t length : {layout.length, layout.inner, division.chunk, division.chunks,
                                     division.in_strips ? division.strips : division.work_items})
      arguments.emplace_back(static_cast<std::uint64_t>(length));
    kernel_for(name, form, input, division.in_strips)
        .launch(queue, layout.size(), division.launch_range(), arguments);
  };
  Array before = empty(queue, {1}, form.item);  // the value before each chunk; not read if there is one chunk
  if (division.chunks > 1) {
    const Shape shape = {static_cast<std::int64_t>(layout.outer), static_cast<std::int64_t>(division.chunks),
                         static_cast<std::int64_t>(layout.inner)};
    const Array totals = empty(queue, shape, form.item);
    const Buffer to = totals.elements();
    launch(kTotals, {&to});
    before = empty(queue, shape, form.item);
    const codegen::CumulativeForm of_totals{form.item, form.item, form.operation};
    accumulate(queue, of_totals, {{}, {KernelArgument(totals)}},
               {layout.outer, division.chunks, layout.inner}, before);
  }
  const Buffer to = out.elements(), from = before.elements();
  launch(kAccumulate, {&to, &from});
}

}  // namespace quern::algorithms
