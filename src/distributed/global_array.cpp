// SPDX-License-Identifier: MIT
// Copies between patches and the blocks of ranks; sums under locks.
#include "quern/distributed/global_array.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string>

#include "distributed/addition.hpp"
#include "distributed/block_map.hpp"
#include "distributed/collectives.hpp"
#include "distributed/communicator.hpp"
#include "distributed/halo.hpp"
#include "distributed/parts.hpp"
#include "distributed/shared_lock.hpp"
#include "distributed/shared_memory.hpp"
#include "quern/arithmetic.hpp"
#include "quern/buffer.hpp"
#include "quern/context.hpp"
#include "quern/error.hpp"
#include "quern/queue.hpp"

namespace quern::distributed {
namespace {

// Each rank's part of the memory begins with locks. One lock guards every kLocks-th stripe of its block.
constexpr std::size_t kLocks = 64;
constexpr std::size_t kStripe = std::size_t{16} << 10;

Call call_for(const char* name, const Layout& layout, const DType& dtype, const std::string& more = "") {
  return call_of(name, agreed(layout) + text_of(layout.shape()) + dtype.name() + more);
}

// Ranks agree about all lengths, because each of them computes where the elements of the others are.
Call call_of_constructor(const Layout& layout, const DType& dtype, const HaloOptions& ghosts) {
  return call_for("GlobalArray", layout, dtype, agreed(ghosts));
}

std::size_t padded_bytes(const BlockMap& map, int rank) {
  return static_cast<std::size_t>(elements_of(map.padded_shape(rank))) * map.itemsize();
}

std::shared_ptr<SharedMemory> memory_for(CommunicatorState& communicator, const Call& call,
                                         const BlockMap& map) {
  std::vector<std::size_t> lengths;
  for (int rank = 0; rank < communicator.size(); ++rank)
    lengths.push_back(kLocks * sizeof(SharedLock) + padded_bytes(map, rank));
  return std::make_shared<SharedMemory>(communicator, call, lengths);
}

Array array_at(std::byte* memory, const Shape& shape, const DType& dtype, std::size_t nbytes,
               std::shared_ptr<void> owner) {
  const Queue queue = Queue::of(device("host"));
  if (nbytes == 0) return empty(queue, shape, dtype);
  const Buffer buffer = Buffer::wrap(queue.context(), queue.device(),
                                     reinterpret_cast<std::uintptr_t>(memory), nbytes, std::move(owner));
  return {buffer, dtype, shape};
}

Section interior(const Shape& padded, const HaloOptions& ghosts) {
  Section section = whole_section(padded);
  for (std::size_t i = 0; i < ghosts.widths.size(); ++i) {
    section[i].start = ghosts.widths[i].first;
    section[i].count = padded[i] - ghosts.widths[i].first - ghosts.widths[i].second;
  }
  return section;
}

std::size_t bytes_in(const Patch& patch, std::size_t itemsize) {
  return static_cast<std::size_t>(elements_of(shape_of(patch))) * itemsize;
}

}  // namespace

struct GlobalArray::State {
  // A sum that is to be added to elements of one stripe.
  struct Piece {
    std::byte* to;
    const std::byte* from;
    std::size_t nbytes;
    int rank;
  };

  State(const Communicator& ranks, const Layout& of, const DType& type, const HaloOptions& options)
      : communicator(ranks),
        layout(of),
        dtype(type),
        ghosts(options.widths.empty() ? HaloOptions{} : checked_options(of, options)),
        map(of, ghosts.widths, type.itemsize),
        memory(memory_for(*ranks.state(), call_of_constructor(of, type, ghosts), map)),
        padded(array_at(block(ranks.rank()), map.padded_shape(ranks.rank()), type,
                        padded_bytes(map, ranks.rank()), memory)),
        local(part(padded, interior(padded.shape(), options))) {}

  [[nodiscard]] std::byte* block(int rank) const noexcept {
    return memory->part(rank) + kLocks * sizeof(SharedLock);
  }
  void check(const Patch& patch, std::size_t nbytes, const char* operation) const;
  void check(std::span<const std::int64_t> indices, std::size_t nbytes, const char* operation) const;
  void add(std::span<Piece> pieces, std::complex<double> scale, const Call& call) const;

  Communicator communicator;
  Layout layout;
  DType dtype;
  HaloOptions ghosts;
  BlockMap map;
  std::shared_ptr<SharedMemory> memory;
  Array padded, local;
};

GlobalArray::GlobalArray(const Communicator& communicator, const Layout& layout, const DType& dtype,
                         const HaloOptions& ghosts)
    : state_(std::make_shared<State>(communicator, layout, dtype, ghosts)) {}

const Communicator& GlobalArray::communicator() const noexcept {
  return state_->communicator;
}
const Layout& GlobalArray::layout() const noexcept {
  return state_->layout;
}
const DType& GlobalArray::dtype() const noexcept {
  return state_->dtype;
}
const Array& GlobalArray::local() const noexcept {
  return state_->local;
}
const Array& GlobalArray::local_with_ghosts() const noexcept {
  return state_->padded;
}
Patch GlobalArray::block_of(int rank) const {
  if (rank < 0 || rank >= state_->communicator.size())
    refuse("rank " + std::to_string(rank) + " does not exist");
  return state_->map.block_of(rank);
}
int GlobalArray::owner(std::span<const std::int64_t> index) const {
  return state_->map.place_of(index).rank;
}

void GlobalArray::State::check(const Patch& patch, std::size_t nbytes, const char* operation) const {
  map.check(patch, operation);
  const std::size_t expected = bytes_in(patch, dtype.itemsize);
  if (nbytes != expected)
    refuse(std::string(operation) + ": a patch of shape " + text_of(shape_of(patch)) + " has " +
           std::to_string(expected) + " bytes, not " + std::to_string(nbytes));
}

void GlobalArray::get(const Patch& patch, std::span<std::byte> to) const {
  state_->check(patch, to.size(), "get");
  state_->map.for_each_run(patch, [&](const Run& run) {
    std::memcpy(to.data() + run.in_patch, state_->block(run.rank) + run.in_block, run.nbytes);
  });
}

void GlobalArray::put(const Patch& patch, std::span<const std::byte> from) const {
  state_->check(patch, from.size(), "put");
  state_->map.for_each_run(patch, [&](const Run& run) {
    std::memcpy(state_->block(run.rank) + run.in_block, from.data() + run.in_patch, run.nbytes);
  });
}

void GlobalArray::State::add(std::span<Piece> pieces, std::complex<double> scale, const Call& call) const {
  const auto addition = addition_of(dtype);
  LockWait wait(*communicator.state(), call);
  // A rank that finds a stripe locked goes on with another one, so that ranks do not queue up behind each
  // other.
  while (!pieces.empty()) {
    const SharedLock* locked = nullptr;
    for (std::size_t i = 0; i < pieces.size();) {
      const Piece piece = pieces[i];
      const auto stripe = static_cast<std::size_t>(piece.to - block(piece.rank)) / kStripe;
      SharedLock& lock = reinterpret_cast<SharedLock*>(memory->part(piece.rank))[stripe % kLocks];
      if (!lock.try_lock(communicator.rank())) {
        locked = &lock;
        ++i;
        continue;
      }
      addition(piece.to, piece.from, piece.nbytes / dtype.itemsize, scale);
      lock.unlock();
      pieces[i] = pieces.back();
      pieces = pieces.first(pieces.size() - 1);
    }
    if (locked != nullptr) wait.pause(*locked);
  }
}

void GlobalArray::accumulate(const Patch& patch, std::span<const std::byte> from,
                             std::complex<double> scale) const {
  state_->check(patch, from.size(), "accumulate");
  check_addition(state_->dtype, scale, "accumulate");
  const Call call = call_of("accumulate", "");
  std::array<State::Piece, 256> pieces;
  std::size_t count = 0;
  const auto flush = [&] {
    // Ranks begin at different pieces.
    const auto first =
        static_cast<std::size_t>(state_->communicator.rank()) * 37 % std::max<std::size_t>(count, 1);
    std::rotate(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(first),
                pieces.begin() + static_cast<std::ptrdiff_t>(count));
    state_->add(std::span(pieces).first(count), scale, call);
    count = 0;
  };
  state_->map.for_each_run(patch, [&](const Run& run) {
    for (std::size_t done = 0; done < run.nbytes;) {
      const std::size_t at = run.in_block + done;
      const std::size_t nbytes = std::min(run.nbytes - done, kStripe - at % kStripe);
      pieces[count++] = {state_->block(run.rank) + at, from.data() + run.in_patch + done, nbytes, run.rank};
      done += nbytes;
      if (count == pieces.size()) flush();
    }
  });
  flush();
}

std::int64_t GlobalArray::read_inc(std::span<const std::int64_t> index, std::int64_t amount) const {
  const BlockMap::Place place = state_->map.place_of(index);
  std::byte* const at = state_->block(place.rank) + place.offset;
  switch (state_->dtype.lanes == 1 ? state_->dtype.scalar : Scalar::unknown) {
    case Scalar::int32:
      return std::atomic_ref(*reinterpret_cast<std::int32_t*>(at))
          .fetch_add(static_cast<std::int32_t>(amount));
    case Scalar::uint32:
      return std::atomic_ref(*reinterpret_cast<std::uint32_t*>(at))
          .fetch_add(static_cast<std::uint32_t>(amount));
    case Scalar::int64:
      return std::atomic_ref(*reinterpret_cast<std::int64_t*>(at)).fetch_add(amount);
    case Scalar::uint64:
      return static_cast<std::int64_t>(std::atomic_ref(*reinterpret_cast<std::uint64_t*>(at))
                                           .fetch_add(static_cast<std::uint64_t>(amount)));
    default:
      throw ArgumentError(
          ArgumentError::Kind::type,
          "read_inc: expected elements of an integer type of 4 or 8 bytes, not " + state_->dtype.name());
  }
}

void GlobalArray::State::check(std::span<const std::int64_t> indices, std::size_t nbytes,
                               const char* operation) const {
  const std::size_t elements = nbytes / dtype.itemsize;
  if (nbytes % dtype.itemsize != 0 || indices.size() != elements * map.axes())
    refuse(std::string(operation) + ": " + std::to_string(indices.size()) + " index numbers and " +
           std::to_string(elements) + " elements for an array of " + std::to_string(map.axes()) + " axes");
}

void GlobalArray::gather(std::span<const std::int64_t> indices, std::span<std::byte> to) const {
  state_->check(indices, to.size(), "gather");
  for (std::size_t at = 0; at < to.size();
       at += state_->dtype.itemsize, indices = indices.subspan(state_->map.axes())) {
    const BlockMap::Place place = state_->map.place_of(indices.first(state_->map.axes()));
    std::memcpy(to.data() + at, state_->block(place.rank) + place.offset, state_->dtype.itemsize);
  }
}

void GlobalArray::scatter(std::span<const std::int64_t> indices, std::span<const std::byte> from) const {
  state_->check(indices, from.size(), "scatter");
  for (std::size_t i = 0; i < indices.size(); i += state_->map.axes())
    static_cast<void>(
        state_->map.place_of(indices.subspan(i, state_->map.axes())));  // throws before anything is written
  for (std::size_t at = 0; at < from.size();
       at += state_->dtype.itemsize, indices = indices.subspan(state_->map.axes())) {
    const BlockMap::Place place = state_->map.place_of(indices.first(state_->map.axes()));
    std::memcpy(state_->block(place.rank) + place.offset, from.data() + at, state_->dtype.itemsize);
  }
}

void GlobalArray::scatter_accumulate(std::span<const std::int64_t> indices, std::span<const std::byte> from,
                                     std::complex<double> scale) const {
  state_->check(indices, from.size(), "scatter_accumulate");
  check_addition(state_->dtype, scale, "scatter_accumulate");
  const Call call = call_of("scatter_accumulate", "");
  std::vector<State::Piece> pieces;
  for (std::size_t at = 0; at < from.size();
       at += state_->dtype.itemsize, indices = indices.subspan(state_->map.axes())) {
    const BlockMap::Place place = state_->map.place_of(indices.first(state_->map.axes()));
    pieces.push_back(
        {state_->block(place.rank) + place.offset, from.data() + at, state_->dtype.itemsize, place.rank});
  }
  state_->add(pieces, scale, call);
}

std::vector<std::pair<int, Patch>> GlobalArray::ranks_of(const Patch& patch) const {
  state_->map.check(patch, "ranks_of");
  return state_->map.ranks_of(patch);
}

void GlobalArray::fence() const {
  state_->padded.evaluate();
  if (state_->padded.size() != 0) static_cast<void>(state_->padded.buffer().wait_until(Deadline::max()));
}

void GlobalArray::sync() const {
  fence();
  barrier(*state_->communicator.state(), call_for("sync", state_->layout, state_->dtype));
}

void GlobalArray::update_ghosts() const {
  sync();
  if (!state_->ghosts.widths.empty()) {
    for (const GhostPiece& piece :
         ghost_pieces(state_->layout, state_->ghosts, state_->communicator.rank())) {
      Patch patch = state_->map.block_of(piece.owner);
      for (std::size_t i = 0; i < patch.size(); ++i) {
        patch[i].start += piece.from[i].start;
        patch[i].stop = patch[i].start + piece.from[i].count;
      }
      const Shape shape = shape_of(patch);
      std::vector<std::byte> elements(bytes_in(patch, state_->dtype.itemsize));
      get(patch, elements);
      assign(part(state_->padded, piece.to),
             array_of(state_->padded.queue(), elements, shape, state_->dtype));
    }
  }
  sync();
}

}  // namespace quern::distributed
