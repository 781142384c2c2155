// SPDX-License-Identifier: MIT
// Blocks with ghost cells: copies of the elements of neighbouring blocks, which stencils read.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/distributed/communicator.hpp"
#include "quern/distributed/layout.hpp"

namespace quern {
namespace QUERN_API distributed {

struct HaloOptions {
  // Ghost cells before and after the block, for each axis. They may be wider than a block.
  std::vector<std::pair<std::int64_t, std::int64_t>> widths = {};
  std::vector<bool> periodic = {};  // axes whose ends are neighbours; missing entries are false
  bool corners = true;              // also the ghost cells beyond two or more faces
};

class HaloExchange;

// A distributed array whose blocks have ghost cells. Ghost cells outside the array are left to the program.
// A handle: copies refer to the same array.
class HaloArray {
 public:
  // Blocks of zeros. Called by all ranks, with the same arguments; otherwise all throw DistributedError.
  HaloArray(const Communicator& communicator, const Layout& layout, const HaloOptions& options,
            const DType& dtype, const Queue& queue);

  [[nodiscard]] const Communicator& communicator() const noexcept;
  [[nodiscard]] const Layout& layout() const noexcept;
  [[nodiscard]] const HaloOptions& options() const noexcept;
  [[nodiscard]] const Array& local() const noexcept;     // with ghost cells
  [[nodiscard]] const Array& interior() const noexcept;  // a view without them

  // Sends the elements that other ranks need, one message for each neighbour. Elements that they read must
  // not be written until exchange_end().
  void exchange_begin() const;
  // Waits for the messages of the neighbours and writes the ghost cells.
  void exchange_end() const;
  void exchange() const {
    exchange_begin();
    exchange_end();
  }

 private:
  friend class HaloExchange;
  struct State;
  std::shared_ptr<State> state_;
};

// An exchange of the ghost cells of several arrays, with one message for each neighbour.
class HaloExchange {
 public:
  // Sends the elements that other ranks need. All ranks give the same arrays in the same order. Elements that
  // other ranks read must not be written until finish().
  explicit HaloExchange(const std::vector<HaloArray>& fields);
  HaloExchange(HaloExchange&&) noexcept;
  HaloExchange& operator=(HaloExchange&&) = delete;
  ~HaloExchange();

  // Waits for the messages of the neighbours and writes the ghost cells.
  void finish();
  // The block of the first array, with ghost cells. Throws ArgumentError after finish().
  [[nodiscard]] const Array& first_block() const;

 private:
  friend class HaloArray;
  using Fields = std::vector<std::shared_ptr<HaloArray::State>>;
  explicit HaloExchange(Fields fields);
  struct State;
  std::unique_ptr<State> state_;
};

// Updates the ghost cells of several arrays.
inline void exchange(const std::vector<HaloArray>& fields) {
  HaloExchange(fields).finish();
}

}  // namespace distributed
}  // namespace quern
