// SPDX-License-Identifier: MIT
// Intersections of the blocks of two layouts, by the positions in the sections that are copied.
#include "distributed/movement.hpp"

#include <algorithm>
#include <utility>

namespace quern::distributed {
namespace {

// Positions first, first + 1, ... of a range that a rank has without a gap, and where it has the first one.
struct Run {
  std::int64_t first = 0, count = 0;
  std::int64_t at = 0, step = 1;  // local indices
};

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {  // b > 0
  return a >= 0 ? (a + b - 1) / b : -(-a / b);
}

// The positions of a range whose indices lie in the interval.
Interval positions_in(const Interval& interval, const Range& range) {
  Interval found{0, range.count};
  if (range.step == 0) {
    if (range.start < interval.start || range.start >= interval.stop) found.stop = 0;
    return found;
  }
  if (range.step > 0) {
    found = {ceil_div(interval.start - range.start, range.step),
             ceil_div(interval.stop - range.start, range.step)};
  } else {
    found = {ceil_div(range.start - interval.stop + 1, -range.step),
             ceil_div(range.start - interval.start + 1, -range.step)};
  }
  return {std::max<std::int64_t>(found.start, 0), std::min(found.stop, range.count)};
}

using AxisRuns = std::vector<Run>;

// For each axis, what a rank has of a section.
std::vector<AxisRuns> runs_of(const Layout& layout, const Section& section, int rank) {
  const auto intervals = layout.intervals(rank);
  std::vector<AxisRuns> result;
  for (std::size_t axis = 0; axis < section.size(); ++axis) {
    AxisRuns runs;
    const Range& range = section[axis];
    for (const Interval& interval : intervals[axis]) {
      const Interval found = positions_in(interval, range);
      if (found.empty()) continue;
      const std::int64_t at = layout.axes()[axis].local_index(range.start + range.step * found.start);
      runs.push_back({found.start, found.length(), at, range.step});
    }
    if (range.step < 0) std::reverse(runs.begin(), runs.end());
    result.push_back(std::move(runs));
  }
  return result;
}

// A range of each side.
struct Pair {
  Range from, to;
};

std::vector<Pair> common(const AxisRuns& a, const AxisRuns& b) {
  std::vector<Pair> found;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::int64_t first = std::max(a[i].first, b[j].first);
    const std::int64_t a_end = a[i].first + a[i].count, b_end = b[j].first + b[j].count;
    if (const std::int64_t count = std::min(a_end, b_end) - first; count > 0) {
      const auto range = [&](const Run& run) {
        const std::int64_t at = run.at + run.step * (first - run.first);
        return run.step == 0 ? Range{at, 1, 1} : Range{at, run.step, count};
      };
      found.push_back({range(a[i]), range(b[j])});
    }
    a_end < b_end ? ++i : ++j;
  }
  return found;
}

// Sections of both sides: the products of the pairs of all axes, the last axis running fastest.
struct Sections {
  std::vector<Section> from, to;
};

Sections sections_of(const std::vector<AxisRuns>& a, const std::vector<AxisRuns>& b) {
  Sections result{{{}}, {{}}};
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    const std::vector<Pair> pairs = common(a[axis], b[axis]);
    Sections longer;
    for (std::size_t i = 0; i < result.from.size(); ++i) {
      for (const Pair& pair : pairs) {
        longer.from.push_back(result.from[i]);
        longer.from.back().push_back(pair.from);
        longer.to.push_back(result.to[i]);
        longer.to.back().push_back(pair.to);
      }
    }
    result = std::move(longer);
  }
  return result;
}

void add(std::vector<Parcel>& parcels, int peer, const Sections& sections, bool is_sent) {
  if (sections.from.empty()) return;
  Parcel parcel{peer, is_sent ? sections.from : sections.to, {}, 0};
  for (const Section& section : sections.from) {
    parcel.shapes.push_back(shape_of(section));
    std::int64_t volume = 1;
    for (const Range& range : section) volume *= range.count;
    parcel.elements += volume;
  }
  parcels.push_back(std::move(parcel));
}

}  // namespace

Section whole_section(const Shape& shape) {
  Section section;
  for (const std::int64_t length : shape) section.push_back({0, 1, length});
  return section;
}

Shape shape_of(const Section& section) {
  Shape shape;
  for (const Range& range : section) shape.push_back(range.count);
  return shape;
}

std::vector<Section> local_sections(const Layout& layout, const Section& section, int rank) {
  if (!layout.holds(rank)) return {};
  std::vector<AxisRuns> runs = runs_of(layout, section, rank);
  for (AxisRuns& axis : runs) {
    AxisRuns joined;  // cyclic blocks that follow each other on the rank
    for (const Run& run : axis) {
      if (!joined.empty() && run.at == joined.back().at + joined.back().step * joined.back().count) {
        joined.back().count += run.count;
      } else {
        const std::int64_t first = joined.empty() ? 0 : joined.back().first + joined.back().count;
        joined.push_back({first, run.count, run.at, run.step});
      }
    }
    axis = std::move(joined);
  }
  return sections_of(runs, runs).to;
}

MovementPlan plan_movement(const Layout& from, const Section& from_section, const Layout& to,
                           const Section& to_section, int rank) {
  const int ranks = from.grid().size();
  MovementPlan plan;
  const auto own_intervals = from.intervals(rank);
  const auto own_from = runs_of(from, from_section, rank), own_to = runs_of(to, to_section, rank);
  if (from.holds(rank) && to.holds(rank)) {
    Sections kept = sections_of(own_from, own_to);
    plan.kept_from = std::move(kept.from);
    plan.kept_to = std::move(kept.to);
  }
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer == rank) continue;
    // Blocks of a layout are equal or disjoint, so a rank with the same block needs nothing of it.
    if (from.holds(rank) == from.holds(peer) && own_intervals == from.intervals(peer)) continue;
    if (from.is_first_replica(rank) && to.holds(peer)) {
      add(plan.sends, peer, sections_of(own_from, runs_of(to, to_section, peer)), true);
    }
    if (from.is_first_replica(peer) && to.holds(rank)) {
      add(plan.receives, peer, sections_of(runs_of(from, from_section, peer), own_to), false);
    }
  }
  return plan;
}

MovementPlan plan_redistribution(const Layout& from, const Layout& to, int rank) {
  const Section all = whole_section(from.shape());
  return plan_movement(from, all, to, all, rank);
}

}  // namespace quern::distributed
