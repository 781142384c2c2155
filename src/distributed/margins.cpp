// SPDX-License-Identifier: MIT
// Blocks with space for rows of their neighbours.
#include "distributed/margins.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "distributed/parts.hpp"
#include "quern/arithmetic.hpp"
#include "runtime/allocation.hpp"

namespace quern::distributed {
namespace {

constexpr std::size_t kAlignment = 256;   // of the block in its memory
constexpr std::size_t kSmall = 1 << 16;   // margins of so many bytes are always accepted
constexpr std::int64_t kMostPieces = 16;  // of a message that are copied one by one

// Margins take at most an eighth of the block's memory, unless they are small.
std::int64_t margin_rows(std::size_t row_bytes, std::size_t nbytes) {
  const std::size_t most = std::max(kSmall, nbytes / 8);
  for (const std::int64_t rows : {std::int64_t{8}, std::int64_t{2}, std::int64_t{1}}) {
    if (2 * static_cast<std::size_t>(rows) * row_bytes <= (rows > 2 ? kSmall / 64 : most)) return rows;
  }
  return 0;
}

}  // namespace

DistributedArray DistributedArray::empty(const Communicator& communicator, const Layout& layout,
                                         const DType& dtype, const Queue& queue) {
  const Shape shape = layout.local_shape(communicator.rank());
  const std::size_t nbytes = static_cast<std::size_t>(elements_of(shape)) * dtype.itemsize;
  const bool is_split = layout.root() < 0 && !shape.empty() && layout.axes()[0].parts() > 1 &&
                        layout.axes()[0].cyclic_block() == 0 && nbytes != 0;
  const std::size_t row = is_split ? nbytes / static_cast<std::size_t>(shape[0]) : 0;
  const std::int64_t rows = is_split ? margin_rows(row, nbytes) : 0;
  if (rows == 0) return {communicator, layout, quern::empty(queue, shape, dtype)};
  const std::size_t margin = static_cast<std::size_t>(rows) * row;
  const std::size_t before = (margin + kAlignment - 1) / kAlignment * kAlignment;
  const Array memory =
      quern::empty(queue, {static_cast<std::int64_t>(before + nbytes + margin)}, DType::of(Scalar::uint8));
  Shape padded = shape;
  padded[0] += 2 * rows;
  auto margins = std::make_shared<Margins>(
      Array(memory.buffer(), dtype, padded, contiguous_strides(padded, dtype.itemsize), before - margin),
      rows, shape[0]);
  DistributedArray made(communicator, layout, margins->block());
  made.margins_ = std::move(margins);
  return made;
}

Array Margins::block() const {
  const Index rows[] = {Index::slice(rows_, rows_ + own_rows_)};
  return view(padded_, rows);
}

std::optional<Array> Margins::shifted(const Layout& before, const Selection& selection, const Layout& after,
                                      int rank) const {
  const auto own = before.intervals(rank), wanted = after.intervals(rank);
  if (selection.is_dropped[0] || selection.section[0].step != 1) return std::nullopt;
  if (own[0].size() != 1 || wanted[0].size() != 1) return std::nullopt;
  const std::int64_t first = selection.section[0].start + wanted[0].front().start - own[0].front().start;
  const std::int64_t count = wanted[0].front().length();
  if (count == 0 || first < -rows_ || first + count > own_rows_ + rows_) return std::nullopt;
  Section others = selection.section;
  others[0] = {0, 1, before.axes()[0].length()};
  for (std::size_t axis = 1; axis < others.size(); ++axis) {
    if (selection.is_dropped[axis]) {
      if (before.axes()[axis].is_split()) return std::nullopt;
    } else if (!selected_axis(before.axes()[axis], others[axis]).is_local) {
      return std::nullopt;
    }
  }
  std::vector<Section> local = local_sections(before, others, rank);
  if (local.size() != 1) return std::nullopt;
  local.front()[0] = {rows_ + first, 1, count};
  return part(padded_, local.front());
}

Margins::Sides Margins::sides_of(const Array& rows) const {
  const ArrayMemory& all = padded_.evaluate();
  const ArrayMemory& some = rows.evaluate();
  const auto row = static_cast<std::size_t>(all.strides[0]);
  const std::size_t start = (some.offset - all.offset) / row;
  const std::size_t stop = start + static_cast<std::size_t>(rows.shape()[0]);
  return {start<static_cast<std::size_t>(rows_), stop> static_cast<std::size_t>(rows_ + own_rows_)};
}

void Margins::add_reader(const Array& reader, const Array& rows) {
  const Sides sides = sides_of(rows);
  const std::lock_guard lock(mutex_);
  for (auto* const readers : {sides.before ? &before_ : nullptr, sides.after ? &after_ : nullptr}) {
    if (readers == nullptr) continue;
    std::erase_if(*readers, [](const auto& one) { return one.expired(); });
    readers->push_back(reader.value());
  }
}

void Margins::write(const Array& rows, std::span<const std::byte> bytes) {
  const Sides sides = sides_of(rows);
  Readers readers;
  {
    const std::lock_guard lock(mutex_);
    if (sides.before) std::swap(readers, before_);
    if (sides.after) {
      readers.insert(readers.end(), after_.begin(), after_.end());
      after_.clear();
    }
  }
  for (const auto& reader : readers) {
    if (const auto alive = reader.lock()) alive->evaluate();
  }
  // Copies of the runtime, since a write to the array would evaluate all expressions that read the block.
  const Queue queue = padded_.queue();
  std::vector<Array> pieces = {rows};
  while (!pieces.front().contiguous() && pieces.size() <= kMostPieces) {
    std::vector<Array> smaller;
    for (const Array& piece : pieces) {
      for (std::int64_t i = 0; i < piece.shape()[0]; ++i) smaller.push_back(view(piece, {Index(i)}));
    }
    pieces = std::move(smaller);
  }
  if (pieces.size() > kMostPieces) {
    assign(rows, array_of(queue, bytes, rows.shape(), rows.dtype()));
    return;
  }
  // The other pending expressions read none of these rows. Functions of one distributed array are called in
  // one order, so no other thread records expressions of it meanwhile.
  std::atomic<bool>& is_read = padded_.buffer().allocation()->uses().laziness().is_read;
  const bool was_read = is_read.exchange(false);
  try {
    for (const Array& piece : pieces) {
      queue.write(piece.elements(), bytes.data(), piece.nbytes()).wait();
      bytes = bytes.subspan(piece.nbytes());
    }
  } catch (...) {
    if (was_read) is_read.store(true);
    throw;
  }
  if (was_read) is_read.store(true);
}

}  // namespace quern::distributed
