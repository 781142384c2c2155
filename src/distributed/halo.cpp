// SPDX-License-Identifier: MIT
// Which ghost cells belong to which rank, and their exchange.
#include "distributed/halo.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "distributed/collectives.hpp"
#include "distributed/communicator.hpp"
#include "distributed/parts.hpp"
#include "quern/arithmetic.hpp"
#include "quern/error.hpp"

namespace quern::distributed {
namespace {

// A run of ghost cells along one axis that one coordinate of the grid owns.
struct Segment {
  int coordinate = 0;     // of the axis of the grid; 0 if the axis is not split
  std::int64_t from = 0;  // in the owner's block
  std::int64_t to = 0;    // in the receiver's block with ghost cells
  std::int64_t length = 0;
};

// The cells [start, stop) of an axis, which may lie outside the array, in the order of their indices. `to` is
// where the first of them is in the receiver's block.
std::vector<Segment> segments(const AxisLayout& axis, std::int64_t start, std::int64_t stop, std::int64_t to,
                              bool is_periodic) {
  std::vector<Segment> found;
  const std::int64_t length = axis.length();
  for (std::int64_t i = start; i < stop && length > 0;) {
    const std::int64_t inside = ((i % length) + length) % length;
    if (!is_periodic && inside != i) {
      ++i;  // outside the array
      continue;
    }
    const int owner = axis.is_split() ? axis.owner(inside) : 0;
    const std::int64_t own_length = axis.is_split() ? axis.local_length(owner) : length;
    const std::int64_t local = axis.is_split() ? axis.local_index(inside) : inside;
    const std::int64_t count = std::min(own_length - local, stop - i);
    found.push_back({owner, local, to + (i - start), count});
    i += count;
  }
  return found;
}

}  // namespace

HaloOptions checked_options(const Layout& layout, HaloOptions options) {
  const std::size_t axes = layout.axes().size();
  if (options.widths.size() != axes) {
    refuse("ghost cells of " + std::to_string(options.widths.size()) + " axes for an array of " +
           std::to_string(axes));
  }
  if (options.periodic.size() > axes) refuse("more periodic axes than the array has");
  options.periodic.resize(axes);
  for (const auto& [before, after] : options.widths) {
    if (before < 0 || after < 0) refuse("the number of ghost cells must not be negative");
  }
  if (layout.root() >= 0) refuse("an array that one rank owns has no ghost cells; give it a block layout");
  for (const AxisLayout& axis : layout.axes()) {
    if (axis.cyclic_block() != 0) refuse("a cyclic layout has no ghost cells; give the array a block layout");
  }
  return options;
}

std::string agreed(const HaloOptions& options) {
  std::string text;
  for (const auto& [before, after] : options.widths)
    text += "/" + std::to_string(before) + "+" + std::to_string(after);
  for (const bool is_periodic : options.periodic) text += is_periodic ? "p" : "-";
  return text + (options.corners ? "c" : "");
}

std::vector<GhostPiece> ghost_pieces(const Layout& layout, const HaloOptions& options, int rank) {
  const std::size_t axes = layout.axes().size();
  const std::vector<int> own = layout.grid().coordinates_of(rank);
  const auto own_intervals = layout.intervals(rank);
  std::vector<GhostPiece> pieces;
  for (const auto& intervals : own_intervals) {
    if (intervals.empty()) return pieces;  // without elements, nothing reads ghost cells
  }

  // Sides: before, inside and after the block, for each axis. All but "inside everywhere" are ghost cells.
  std::size_t sides = 1;
  for (std::size_t axis = 0; axis < axes; ++axis) sides *= 3;
  for (std::size_t side = 0; side < sides; ++side) {
    std::vector<int> which(axes);
    std::size_t rest = side;
    for (std::size_t axis = axes; axis-- > 0; rest /= 3) which[axis] = static_cast<int>(rest % 3) - 1;
    const auto outside = std::count_if(which.begin(), which.end(), [](int w) { return w != 0; });
    if (outside == 0 || (outside > 1 && !options.corners)) continue;

    std::vector<std::vector<Segment>> by_axis;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const Interval block = own_intervals[axis].front();
      const auto [before, after] = options.widths[axis];
      Interval cells = block;
      std::int64_t to = before;
      if (which[axis] < 0) cells = {block.start - before, block.start}, to = 0;
      if (which[axis] > 0) cells = {block.stop, block.stop + after}, to = before + block.length();
      by_axis.push_back(segments(layout.axes()[axis], cells.start, cells.stop, to,
                                 which[axis] != 0 && options.periodic[axis]));
    }
    // All combinations, the last axis running fastest.
    std::vector<std::size_t> at(axes);
    const bool is_empty =
        std::any_of(by_axis.begin(), by_axis.end(), [](const auto& s) { return s.empty(); });
    while (!is_empty) {
      GhostPiece piece;
      std::vector<int> owner = own;  // of replicas the one beside this rank
      for (std::size_t axis = 0; axis < axes; ++axis) {
        const Segment& segment = by_axis[axis][at[axis]];
        piece.from.push_back({segment.from, 1, segment.length});
        piece.to.push_back({segment.to, 1, segment.length});
        if (const AxisLayout& split = layout.axes()[axis]; split.is_split()) {
          owner[static_cast<std::size_t>(split.grid_axis())] = segment.coordinate;
        }
      }
      piece.owner = layout.grid().rank_at(owner);
      pieces.push_back(std::move(piece));
      std::size_t axis = axes;
      while (axis > 0 && ++at[axis - 1] == by_axis[axis - 1].size()) at[--axis] = 0;
      if (axis == 0) break;
    }
  }
  return pieces;
}

namespace {

std::vector<Neighbour> by_rank(const std::vector<std::pair<int, GhostPiece>>& pieces, std::size_t itemsize) {
  std::vector<Neighbour> neighbours;
  for (const auto& [owner, piece] : pieces) {
    auto found = std::find_if(neighbours.begin(), neighbours.end(),
                              [rank = owner](const Neighbour& neighbour) { return neighbour.rank == rank; });
    if (found == neighbours.end()) found = neighbours.insert(found, Neighbour{owner, {}, 0});
    found->pieces.push_back(piece);
    found->nbytes += static_cast<std::size_t>(elements_of(shape_of(piece.from))) * itemsize;
  }
  return neighbours;
}

Array block_with_ghosts(const Layout& layout, const HaloOptions& options, int rank, const DType& dtype,
                        const Queue& queue) {
  Shape shape = layout.local_shape(rank);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    shape[axis] += options.widths[axis].first + options.widths[axis].second;
  }
  return zeros(queue, shape, dtype);
}

}  // namespace

struct HaloArray::State {
  State(const Communicator& communicator_of, const Layout& layout_of, const HaloOptions& options_of,
        const DType& dtype, const Queue& queue)
      : communicator(communicator_of),
        layout(layout_of),
        options(checked_options(layout_of, options_of)),
        local(block_with_ghosts(layout, options, communicator.rank(), dtype, queue)),
        interior(local),
        agreement(text_of(layout.shape()) + dtype.name() + agreed(layout) + agreed(options)) {
    // Ranks that disagree may have no ghost cells of each other, so that exchanges do not find them.
    check_agreement(*communicator.state(), call_of("HaloArray", agreement));
    const int rank = communicator.rank();
    const Shape shape = layout.local_shape(rank);
    Section inside;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      inside.push_back({options.widths[axis].first, 1, shape[axis]});
    }
    interior = part(local, inside);
    std::vector<std::pair<int, GhostPiece>> to, from;
    for (int peer = 0; peer < communicator.size(); ++peer) {
      for (const GhostPiece& piece : ghost_pieces(layout, options, peer)) {
        if (peer == rank && piece.owner == rank) own.push_back(piece);
        if (peer == rank && piece.owner != rank) from.emplace_back(piece.owner, piece);
        if (peer != rank && piece.owner == rank) to.emplace_back(peer, piece);
      }
    }
    sends = by_rank(to, dtype.itemsize);
    receives = by_rank(from, dtype.itemsize);
  }

  Communicator communicator;
  Layout layout;
  HaloOptions options;
  Array local, interior;
  std::string agreement;  // of the ranks about the layout and the ghost cells
  std::vector<Neighbour> sends, receives;
  std::vector<GhostPiece> own;  // of periodic axes: ghost cells that are copies of this block's elements
  bool is_exchanging = false;
  std::optional<HaloExchange> exchange;  // of exchange_begin()

  [[nodiscard]] std::size_t nbytes_of(const GhostPiece& piece) const {
    return static_cast<std::size_t>(elements_of(shape_of(piece.to))) * local.dtype().itemsize;
  }
};

HaloArray::HaloArray(const Communicator& communicator, const Layout& layout, const HaloOptions& options,
                     const DType& dtype, const Queue& queue)
    : state_(std::make_shared<State>(communicator, layout, options, dtype, queue)) {}

const Communicator& HaloArray::communicator() const noexcept {
  return state_->communicator;
}

const Layout& HaloArray::layout() const noexcept {
  return state_->layout;
}

const HaloOptions& HaloArray::options() const noexcept {
  return state_->options;
}

const Array& HaloArray::local() const noexcept {
  return state_->local;
}

const Array& HaloArray::interior() const noexcept {
  return state_->interior;
}

void HaloArray::exchange_begin() const {
  // Without ownership: the state has the exchange.
  const std::shared_ptr<State> self(std::shared_ptr<void>(), state_.get());
  HaloExchange begun(HaloExchange::Fields{self});
  state_->exchange.emplace(std::move(begun));
}

void HaloArray::exchange_end() const {
  if (!state_->exchange) {
    throw ArgumentError(ArgumentError::Kind::value, "exchange_end() without exchange_begin()");
  }
  // The exchange ends here, also if a rank has failed.
  HaloExchange exchange = std::move(*state_->exchange);
  state_->exchange.reset();
  exchange.finish();
}

// ---- HaloExchange

struct HaloExchange::State {
  State(Fields fields_of, Exchange exchange_of)
      : fields(std::move(fields_of)), exchange(std::move(exchange_of)) {}

  Fields fields;
  Exchange exchange;
  std::map<int, std::size_t> received;  // number of the message of each neighbour
};

HaloExchange::HaloExchange(Fields fields) {
  std::string agreement;
  std::map<int, std::size_t> incoming, outgoing;  // bytes by rank
  for (const auto& field : fields) {
    if (field->communicator != fields.front()->communicator) {
      refuse("exchange: the arrays belong to different communicators");
    }
    if (field->is_exchanging || std::count(fields.begin(), fields.end(), field) > 1) {
      refuse("an exchange of this array has begun; end it before the next one");
    }
    agreement += field->agreement;
    for (const Neighbour& neighbour : field->receives) incoming[neighbour.rank] += neighbour.nbytes;
    for (const Neighbour& neighbour : field->sends) outgoing[neighbour.rank] += neighbour.nbytes;
  }
  if (fields.empty()) refuse("exchange: no arrays");
  // Reading may fail. Nothing has begun then.
  std::vector<std::pair<int, Message>> messages;
  for (const auto& [rank, nbytes] : outgoing) {
    Message message(nbytes);
    std::size_t at = 0;
    for (const auto& field : fields) {
      for (const Neighbour& neighbour : field->sends) {
        if (neighbour.rank != rank) continue;
        for (const GhostPiece& piece : neighbour.pieces) {
          const std::size_t length = field->nbytes_of(piece);
          read(part(field->interior, piece.from), message.payload().subspan(at, length));
          at += length;
        }
      }
    }
    messages.emplace_back(rank, std::move(message));
  }
  for (const auto& field : fields) {
    for (const GhostPiece& piece : field->own) {
      assign(part(field->local, piece.to), part(field->interior, piece.from));
    }
  }
  const std::shared_ptr<CommunicatorState>& communicator = fields.front()->communicator.state();
  state_ = std::make_unique<State>(std::move(fields), communicator->begin(call_of("exchange", agreement)));
  for (const auto& [rank, nbytes] : incoming) state_->received[rank] = state_->exchange.receive(rank, nbytes);
  for (auto& [rank, message] : messages) state_->exchange.send(rank, std::move(message));
  for (const auto& field : state_->fields) field->is_exchanging = true;
}

HaloExchange::HaloExchange(const std::vector<HaloArray>& fields)
    : HaloExchange([&] {
        Fields states;
        for (const HaloArray& field : fields) states.push_back(field.state_);
        return states;
      }()) {}

HaloExchange::HaloExchange(HaloExchange&&) noexcept = default;

HaloExchange::~HaloExchange() {
  if (!state_) return;
  for (const auto& field : state_->fields) field->is_exchanging = false;
}

const Array& HaloExchange::first_block() const {
  if (!state_) refuse("finish() was called twice");
  return state_->fields.front()->local;
}

void HaloExchange::finish() {
  if (!state_) refuse("finish() was called twice");
  // The exchange ends here, also if a rank has failed.
  const HaloExchange ending = std::move(*this);
  State& state = *ending.state_;
  state.exchange.finish();
  std::map<int, std::size_t> taken;  // bytes of each message
  for (const auto& field : state.fields) {
    const Queue queue = field->local.queue();
    for (const Neighbour& neighbour : field->receives) {
      const auto bytes = state.exchange.received(state.received[neighbour.rank]);
      std::size_t& at = taken[neighbour.rank];
      for (const GhostPiece& piece : neighbour.pieces) {
        const std::size_t length = field->nbytes_of(piece);
        assign(part(field->local, piece.to),
               array_of(queue, bytes.subspan(at, length), shape_of(piece.to), field->local.dtype()));
        at += length;
      }
    }
  }
}

}  // namespace quern::distributed
