// SPDX-License-Identifier: MIT
// Which ghost cells of a rank belong to which other rank.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "distributed/movement.hpp"
#include "quern/distributed/halo.hpp"
#include "quern/distributed/layout.hpp"

namespace quern::distributed {

// Ghost cells of one rank that one rank owns.
struct GhostPiece {
  int owner = 0;
  Section from;  // in the block of the owner, without its ghost cells
  Section to;    // in the block of the receiver, with its ghost cells
};
// All ghost cells of a rank that lie inside the array, in an order on which all ranks agree. The layout has
// one interval for each rank along each axis.
std::vector<GhostPiece> ghost_pieces(const Layout& layout, const HaloOptions& options, int rank);

// The options, with a value for each axis. Throws ArgumentError if the layout cannot have them.
HaloOptions checked_options(const Layout& layout, HaloOptions options);

// What ranks must agree on about them, for call_of().
std::string agreed(const HaloOptions& options);

// The ghost cells that pass between this rank and another one, in one message.
struct Neighbour {
  int rank = 0;
  std::vector<GhostPiece> pieces;
  std::size_t nbytes = 0;
};

}  // namespace quern::distributed
