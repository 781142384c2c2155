// SPDX-License-Identifier: MIT
// Memory of all ranks, which any of them reads and writes without the help of the others: arrays, a counter,
// locks.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/distributed/communicator.hpp"
#include "quern/distributed/halo.hpp"
#include "quern/distributed/layout.hpp"

namespace quern {
namespace QUERN_API distributed {

// A part of an array: one interval of global indices for each axis.
using Patch = std::vector<Interval>;

// An array in memory that all ranks map, in the manner of Global Arrays. A handle: copies refer to the same
// array. The constructor, sync() and update_ghosts() are called by all ranks. Other methods wait for no rank
// and are done when they return. What one rank writes, others see after sync(), or after any other
// synchronisation between them. Elements of patches are in C order.
class GlobalArray {
 public:
  // Elements are 0 at first. Throws ArgumentError unless the layout has each element on one rank, and one
  // block for each rank; DistributedError if the ranks run on several nodes or have not enough memory.
  GlobalArray(const Communicator& communicator, const Layout& layout, const DType& dtype,
              const HaloOptions& ghosts = {});

  [[nodiscard]] const Communicator& communicator() const noexcept;
  [[nodiscard]] const Layout& layout() const noexcept;
  [[nodiscard]] Shape shape() const { return layout().shape(); }
  [[nodiscard]] const DType& dtype() const noexcept;

  void get(const Patch& patch, std::span<std::byte> to) const;
  void put(const Patch& patch, std::span<const std::byte> from) const;
  // Adds scale * from. Concurrent calls add up; put() and read_inc() of the same elements meanwhile do not.
  void accumulate(const Patch& patch, std::span<const std::byte> from, std::complex<double> scale = 1) const;
  // Adds to an element of an integer type of four or eight bytes, and returns what it was before.
  std::int64_t read_inc(std::span<const std::int64_t> index, std::int64_t amount = 1) const;
  // Single elements. `indices` has one number for each axis of the first element, then of the second...
  void gather(std::span<const std::int64_t> indices, std::span<std::byte> to) const;
  void scatter(std::span<const std::int64_t> indices, std::span<const std::byte> from) const;
  void scatter_accumulate(std::span<const std::int64_t> indices, std::span<const std::byte> from,
                          std::complex<double> scale = 1) const;

  // This rank's block on the host device, without a copy; without and with its ghost cells. Work that was
  // enqueued on it is done after fence().
  [[nodiscard]] const Array& local() const noexcept;
  [[nodiscard]] const Array& local_with_ghosts() const noexcept;
  [[nodiscard]] Patch block_of(int rank) const;
  [[nodiscard]] int owner(std::span<const std::int64_t> index) const;
  // The parts of a patch, by rank.
  [[nodiscard]] std::vector<std::pair<int, Patch>> ranks_of(const Patch& patch) const;

  // Waits for work that this rank has enqueued on its block.
  void fence() const;
  // fence() on all ranks, and all of them wait for each other.
  void sync() const;
  // Copies the elements of other blocks to the ghost cells of this rank's block, between two sync().
  void update_ghosts() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// A number that counts from 0. Made and reset by all ranks; each call of next() returns another number. A
// handle.
class Counter {
 public:
  explicit Counter(const Communicator& communicator);
  // The number before the step is added.
  std::int64_t next(std::int64_t step = 1) const noexcept;
  // All ranks wait for each other, before and after.
  void reset(std::int64_t value = 0) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Locks of all ranks. Made by all ranks. A handle.
class GlobalLocks {
 public:
  GlobalLocks(const Communicator& communicator, std::size_t count);
  // Throws ArgumentError for a lock that this rank has already, and DistributedError if the rank that has it
  // has died or does not release it in time.
  void lock(std::size_t number) const;
  // Throws ArgumentError for a lock that this rank does not have.
  void unlock(std::size_t number) const;
  [[nodiscard]] std::size_t count() const noexcept;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace distributed
}  // namespace quern
