// SPDX-License-Identifier: MIT
// Space around the block of a rank for rows of its neighbours, and slices that read both.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "distributed/selection.hpp"
#include "quern/array.hpp"
#include "quern/distributed/array.hpp"

namespace quern::distributed {

class Margins {
 public:
  Margins(Array padded, std::int64_t rows, std::int64_t own_rows)
      : padded_(std::move(padded)), rows_(rows), own_rows_(own_rows) {}

  // Rows before and after the block.
  [[nodiscard]] std::int64_t rows() const noexcept { return rows_; }
  [[nodiscard]] Array block() const;

  // The elements of a slice that is shifted along the first axis: own rows and rows in the margins, which the
  // messages of other ranks fill. Nothing if they are not all here, or would not be after these messages.
  [[nodiscard]] std::optional<Array> shifted(const Layout& before, const Selection& selection,
                                             const Layout& after, int rank) const;
  // An expression reads rows of this view of the margins; they keep their elements for it.
  void add_reader(const Array& reader, const Array& view);
  // Writes rows of neighbours. Pending expressions that read the old ones are evaluated first, and no others:
  // those that read the block need not be.
  void write(const Array& rows, std::span<const std::byte> bytes);

 private:
  // Whether a view has rows of the margin before and after the block.
  struct Sides {
    bool before = false, after = false;
  };
  [[nodiscard]] Sides sides_of(const Array& view) const;

  Array padded_;
  std::int64_t rows_, own_rows_;
  using Readers = std::vector<std::weak_ptr<detail::ArrayValue>>;
  std::mutex mutex_;
  Readers before_, after_;
};

}  // namespace quern::distributed
