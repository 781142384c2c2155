// SPDX-License-Identifier: MIT
// Code common to all operations, copies, fills and rectangles; launches are in launch.cpp.
#include "backend/host/operations.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "backend/host/queue.hpp"

namespace quern::backend::host {
namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10;
constexpr std::uint64_t kBlocksAtLeast = 8;  // half a MiB takes some 50 us
constexpr double kNsPerByte = 0.1;           // of one thread, roughly; decides only who helps for how long

bool ranges_overlap(const void* a, std::size_t a_size, const void* b, std::size_t b_size) noexcept {
  const auto x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
  return x < y + b_size && y < x + a_size;
}

std::uint64_t block_count(std::size_t nbytes, std::size_t block) noexcept {
  return (nbytes + block - 1) / block;
}

}  // namespace

std::int64_t now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

Times HostTiming::times() {
  Times times = times_;
  times.started = started_.load(std::memory_order_relaxed);
  return times;
}

void HostTiming::start(std::int64_t now) noexcept {
  std::int64_t none = 0;
  if (started_.load(std::memory_order_relaxed) == 0) started_.compare_exchange_strong(none, now);
}

void HostTiming::end(std::int64_t now) noexcept {
  start(now);  // for operations without work
  times_.ended = now;
}

void Operation::run(std::uint64_t first, std::uint64_t last) noexcept {
  if (timing) timing->start(now_ns());
  if (failed_.load(std::memory_order_relaxed)) return;  // the contents of its output are undefined
  try {
    perform(first, last);
  } catch (...) {
    if (!failed_.exchange(true)) failure_ = std::current_exception();
  }
}

std::exception_ptr Operation::report() noexcept {
  if (!observer) return failure_;
  observer->ended(failure_);
  return nullptr;
}

void Operation::finished() noexcept {
  QueueState::advance(queue, QueueState::By::worker);
}

CopyOperation::CopyOperation(void* to, const void* from, std::size_t nbytes)
    : Operation(nbytes == 0                                ? 0
                : ranges_overlap(to, nbytes, from, nbytes) ? 1
                                                           : block_count(nbytes, kBlock),
                kBlocksAtLeast),
      to_(static_cast<std::byte*>(to)),
      from_(static_cast<const std::byte*>(from)),
      nbytes_(nbytes) {}

double CopyOperation::expected_item_ns() const noexcept {
  return kNsPerByte * static_cast<double>(nbytes_) / static_cast<double>(std::max<std::uint64_t>(items(), 1));
}

void CopyOperation::perform(std::uint64_t first, std::uint64_t last) {
  if (items() == 1) {
    std::memmove(to_, from_, nbytes_);
    return;
  }
  const std::size_t begin = first * kBlock, end = std::min<std::size_t>(last * kBlock, nbytes_);
  std::memcpy(to_ + begin, from_ + begin, end - begin);
}

namespace {

// The pattern repeated to at least a cache line, so that memcpy is efficient; a single byte if all bytes are
// equal.
std::vector<std::byte> repeated(std::span<const std::byte> pattern) {
  if (std::all_of(pattern.begin(), pattern.end(), [&](std::byte b) { return b == pattern[0]; }))
    return {pattern[0]};
  const std::size_t times = std::max<std::size_t>(1, 1024 / pattern.size());
  std::vector<std::byte> result;
  result.reserve(times * pattern.size());
  for (std::size_t i = 0; i < times; ++i) result.insert(result.end(), pattern.begin(), pattern.end());
  return result;
}

void fill_range(std::byte* to, std::size_t nbytes, std::span<const std::byte> pattern) noexcept {
  if (pattern.size() == 1) {
    std::memset(to, static_cast<int>(pattern[0]), nbytes);
    return;
  }
  for (std::size_t at = 0; at < nbytes; at += pattern.size()) {
    std::memcpy(to + at, pattern.data(), std::min(pattern.size(), nbytes - at));
  }
}

std::size_t fill_block(std::size_t pattern) noexcept {
  return block_count(kBlock, pattern) * pattern;
}

}  // namespace

FillOperation::FillOperation(void* to, std::size_t nbytes, std::span<const std::byte> pattern)
    : Operation(block_count(nbytes, fill_block(pattern.size())), kBlocksAtLeast),
      to_(static_cast<std::byte*>(to)),
      nbytes_(nbytes),
      pattern_(repeated(pattern)),
      block_(fill_block(pattern.size())) {}

double FillOperation::expected_item_ns() const noexcept {
  return kNsPerByte * static_cast<double>(block_);
}

void FillOperation::perform(std::uint64_t first, std::uint64_t last) {
  const std::size_t begin = first * block_, end = std::min<std::size_t>(last * block_, nbytes_);
  fill_range(to_ + begin, end - begin, pattern_);
}

void fill_now(void* to, std::size_t nbytes, std::span<const std::byte> pattern) {
  auto* bytes = static_cast<std::byte*>(to);
  if (pattern.size() >= 64 || nbytes <= 64) {
    fill_range(bytes, nbytes, pattern);
  } else {
    fill_range(bytes, nbytes, repeated(pattern));
  }
}

namespace {

std::byte* address(const RectSide& side) {
  if (side.memory != nullptr) return static_cast<std::byte*>(side.memory->host_pointer()) + side.offset;
  return static_cast<std::byte*>(side.host) + side.offset;
}

}  // namespace

Rect rectangle(const RectSide& from, const RectSide& to, std::array<std::size_t, 3> region) {
  const std::size_t width = region[0], rows = region[1], slices = region[2];
  // A pitch of zero means contiguous rows or slices.
  const auto row_pitch = [&](const RectSide& side) { return side.row_pitch != 0 ? side.row_pitch : width; };
  const auto slice_pitch = [&](const RectSide& side) {
    return side.slice_pitch != 0 ? side.slice_pitch : row_pitch(side) * rows;
  };
  Rect rect{address(to),     address(from),    width, rows, slices, row_pitch(to), slice_pitch(to),
            row_pitch(from), slice_pitch(from)};
  if (width != 0 && rows != 0 && slices != 0) rect.merge();
  return rect;
}

void Rect::merge() noexcept {
  if (rows == 1) to_row = to_slice, from_row = from_slice, rows = slices, slices = 1;
  if (to_row == width && from_row == width) {
    width *= rows;
    to_row = to_slice, from_row = from_slice, rows = slices, slices = 1;
    if (to_row == width && from_row == width) width *= rows, rows = 1;
  }
}

bool Rect::overlaps() const noexcept {
  const auto extent = [&](std::size_t row, std::size_t slice) {
    return (slices - 1) * slice + (rows - 1) * row + width;
  };
  if (!ranges_overlap(to, extent(to_row, to_slice), from, extent(from_row, from_slice))) return false;
  // Side by side in the same rows, like the two halves of an image.
  if (to_row == from_row && to_row != 0 &&
      (slices == 1 || (to_slice == from_slice && to_slice % to_row == 0))) {
    const auto a = reinterpret_cast<std::uintptr_t>(to), b = reinterpret_cast<std::uintptr_t>(from);
    const std::size_t shift = (a > b ? a - b : b - a) % to_row;
    if (shift >= width && to_row - shift >= width) return false;
  }
  return true;
}

void Rect::copy_rows(std::size_t first, std::size_t last) const noexcept {
  for (std::size_t i = first; i < last; ++i) {
    const std::size_t slice = i / rows, row = i % rows;
    std::memcpy(to + slice * to_slice + row * to_row, from + slice * from_slice + row * from_row, width);
  }
}

void Rect::copy_overlapping() const {
  std::vector<std::byte> between(width * rows * slices);
  Rect out = *this, in = *this;
  out.to = between.data(), out.to_row = width, out.to_slice = width * rows;
  in.from = between.data(), in.from_row = width, in.from_slice = width * rows;
  out.copy_rows(0, rows * slices);
  in.copy_rows(0, rows * slices);
}

RectOperation::RectOperation(const Rect& rect)
    : Operation(rect.width == 0   ? 0
                : rect.overlaps() ? std::min<std::size_t>(rect.rows * rect.slices, 1)
                                  : rect.rows * rect.slices,
                block_count(kBlocksAtLeast * kBlock, std::max<std::size_t>(rect.width, 16))),
      rect_(rect),
      overlaps_(rect.overlaps()) {}

double RectOperation::expected_item_ns() const noexcept {
  const double row = 5 + kNsPerByte * static_cast<double>(rect_.width);
  return overlaps_ ? 2 * row * static_cast<double>(rect_.rows * rect_.slices) : row;
}

void RectOperation::perform(std::uint64_t first, std::uint64_t last) {
  if (overlaps_) {
    rect_.copy_overlapping();
  } else {
    rect_.copy_rows(first, last);
  }
}

}  // namespace quern::backend::host
