// SPDX-License-Identifier: MIT
// Gathers and scatters elements at positions that arrays hold, and reports those out of bounds.
#include "array/gather_nd.hpp"

#include <utility>

#include "algorithms/gather_nd.hpp"
#include "array/index_errors.hpp"
#include "array/node.hpp"
#include "runtime/allocation.hpp"

namespace quern::array {
namespace {

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
  IndexErrors::instance().run_checked(
      queue,
      [bounds = std::move(bounds), is_assignment, origin = current_origin] {
        return std::make_shared<DeferredIndexError>(bounds, is_assignment, origin);
      },
      {&written, 1}, [&](const Buffer& slot) { return launch(&slot); });
}

void run(const Array& base, const std::vector<Selector>& selectors, const Array& other, const Queue& queue,
         bool writes) {
  run_checked(queue, selectors, (writes ? base : other).buffer(), writes, [&](const Buffer* slots) {
    std::vector<algorithms::Positions> positions;
    positions.reserve(selectors.size());
    for (const Selector& selector : selectors)
      positions.push_back({&selector.positions, selector.steps, selector.is_checked});
    return algorithms::gather_nd(queue, base, positions, other, writes, slots);
  });
}

}  // namespace

void gather_nd(const Array& base, const std::vector<Selector>& selectors, const Array& out,
               const Queue& queue) {
  run(base, selectors, out, queue, false);
}

void scatter_nd(const Array& base, const std::vector<Selector>& selectors, const Array& values,
                const Queue& queue) {
  run(base, selectors, values, queue, true);
}

}  // namespace quern::array
