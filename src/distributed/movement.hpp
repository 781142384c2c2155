// SPDX-License-Identifier: MIT
// Which elements move between which ranks when a part of one array is copied to a part of another.
#pragma once

#include <cstdint>
#include <vector>

#include "quern/distributed/layout.hpp"

namespace quern::distributed {

// Indices along one axis: start, start + step, ... The step may be negative; a step of 0 repeats one index.
struct Range {
  std::int64_t start = 0, step = 1, count = 0;
  friend bool operator==(const Range&, const Range&) = default;
};
// A part of an array: one range for each axis.
using Section = std::vector<Range>;
Section whole_section(const Shape& shape);
Shape shape_of(const Section& section);

// What a rank has of a section, in its local indices.
std::vector<Section> local_sections(const Layout& layout, const Section& section, int rank);

// The elements that this rank sends to a peer, or receives from it.
struct Parcel {
  int peer = 0;
  // In local indices of this rank, in an order on which both sides agree.
  std::vector<Section> sections;
  std::vector<Shape> shapes;  // of the elements in the message, which broadcast to the sections
  std::int64_t elements = 0;
};

// What one rank does. Elements that it has and needs itself are in `kept_from` and `kept_to`.
struct MovementPlan {
  std::vector<Parcel> sends, receives;
  std::vector<Section> kept_from, kept_to;
};

// Both sections have the same counts, and both layouts the same ranks. Each element is sent to a rank at most
// once, by the lowest rank that has it, and never to a rank that has it already.
MovementPlan plan_movement(const Layout& from, const Section& from_section, const Layout& to,
                           const Section& to_section, int rank);
// The same for whole arrays of one shape.
MovementPlan plan_redistribution(const Layout& from, const Layout& to, int rank);

}  // namespace quern::distributed
