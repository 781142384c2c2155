// SPDX-License-Identifier: MIT
// Gathers and scatters on the host for indexing with arrays. Each block first computes the offsets of its
// elements, then moves them.
#include "algorithms/host/gather_nd_elements.hpp"

#include <array>
#include <atomic>
#include <limits>
#include <type_traits>
#include <vector>

#include "algorithms/host/element_access.hpp"
#include "algorithms/host/position_types.hpp"
#include "algorithms/host/strided_walk.hpp"

namespace quern::algorithms {
namespace {

constexpr std::size_t kPlace = 0, kOther = 1, kPositions = 2;  // operands
constexpr std::size_t kBlock = 512;
// An offset of elements out of bounds, so far below all others that further positions keep it below them.
constexpr std::int64_t kNowhere = std::numeric_limits<std::int64_t>::min() / 2;

// The words of one array of positions: its type, whether it is checked, how many steps, then these.
constexpr std::size_t kSelectorWords = 3;

// Part of a row of a block: positions, and the offsets that they lead to.
struct PositionRow {
  const std::byte* at;
  std::int64_t stride, count;
  std::int64_t* places;
};

template <class Position>
std::int64_t position_at(const PositionRow& row, std::int64_t i) {
  return static_cast<std::int64_t>(load<Position>(row.at + i * row.stride));
}

// Adds the offsets of positions. Returns true if one of them is out of bounds.
template <class Position>
bool add_checked(const PositionRow& row, std::int64_t length, std::int64_t step, std::int64_t* note) {
  const auto counted = [&](std::int64_t i) {
    const std::int64_t k = position_at<Position>(row, i);
    return std::is_signed_v<Position> && k < 0 ? k + length : k;
  };
  const auto is_outside = [&](std::int64_t k) {
    return static_cast<std::uint64_t>(k) >= static_cast<std::uint64_t>(length);
  };
  bool any_outside = false;
  for (std::int64_t i = 0; i < row.count; ++i) {
    const std::int64_t k = counted(i);
    any_outside |= is_outside(k);
    row.places[i] += is_outside(k) ? 0 : k * step;
  }
  if (!any_outside) return false;
  for (std::int64_t i = 0; i < row.count; ++i) {
    if (!is_outside(counted(i))) continue;
    row.places[i] = kNowhere;
    const std::int64_t position = position_at<Position>(row, i);
    std::atomic_ref(*note).store(position, std::memory_order_relaxed);
  }
  return true;
}

template <class Position>
void add_steps(const PositionRow& row, const std::int64_t* steps, std::int64_t count) {
  for (std::int64_t i = 0; i < row.count; ++i) {
    std::int64_t k = position_at<Position>(row, i);
    for (std::int64_t s = count; s-- > 1; k /= steps[2 * s])
      row.places[i] += k % steps[2 * s] * steps[2 * s + 1];
    row.places[i] += k * steps[1];
  }
}

// If two elements are written to one index, either may remain.
template <class W>
__attribute__((no_sanitize("thread"))) void move_row(std::byte* to, std::int64_t to_stride,
                                                     const std::byte* from, std::int64_t from_stride,
                                                     const std::int64_t* places, std::int64_t count,
                                                     bool writes, std::int64_t words) {
  for (std::int64_t i = 0; i < count; ++i, to += to_stride, from += from_stride) {
    auto* const out = reinterpret_cast<W*>(to + (writes ? places[i] : 0));
    const auto* const in = reinterpret_cast<const W*>(from + (writes ? 0 : places[i]));
    for (std::int64_t w = 0; w < words; ++w) out[w].value = in[w].value;
  }
}

// A block of elements and where they are.
class SelectedBlock {
 public:
  SelectedBlock(const quern_launch* launch, const StridedWalk& walk) : launch_(launch), walk_(walk) {
    const std::int64_t* const own = walk.own();
    word_ = static_cast<std::size_t>(own[0]);
    words_ = own[1];
    writes_ = own[2] != 0;
    selectors_ = static_cast<std::size_t>(own[3]);
    for (std::size_t j = 0; j < selectors_; ++j) is_row_ &= walk.stride(kPositions + j, 0) == 0;
  }

  void move(const StridedWalk::Block& block) {
    const std::int64_t columns = is_row_ ? 1 : block.columns;  // whole rows move together
    std::fill_n(places_.data(), static_cast<std::size_t>(block.rows * columns), 0);
    const bool has_gaps = find_places(block.rows, columns);
    for (std::int64_t r = 0; r < block.rows; ++r) {
      std::int64_t* const places = places_.data() + r * columns;
      for (std::int64_t i = 0; i < columns; ++i) {
        // Elements out of bounds are not written, and read as any value. Most rows have none.
        std::int64_t count = columns - i;
        if (has_gaps) {
          count = 1;
          if (places[i] < kNowhere / 2) {
            if (writes_) continue;
            places[i] = 0;
          }
        }
        with_word(word_, [&](auto* word) {
          move_part<std::remove_pointer_t<decltype(word)>>(r, i, places + i, count, block.columns);
        });
        i += count - 1;
      }
    }
  }

 private:
  bool find_places(std::int64_t rows, std::int64_t columns) {
    const std::int64_t* selector = walk_.own() + 4;
    bool has_gaps = false;
    std::size_t notes = 0;
    for (std::size_t j = 0; j < selectors_;
         ++j, selector += std::ptrdiff_t{kSelectorWords} + 2 * selector[2]) {
      const std::size_t operand = kPositions + j;
      std::int64_t* const note =
          selector[1] != 0 ? memory_of<std::int64_t>(launch_, kPositions + selectors_) + notes++ : nullptr;
      const std::int64_t* const steps = selector + kSelectorWords;
      with_position(static_cast<Scalar>(selector[0]), [&](auto zero) {
        for (std::int64_t r = 0; r < rows; ++r) {
          const PositionRow row = {walk_.at(operand) + r * walk_.row_stride(operand),
                                   walk_.stride(operand, 0), columns, places_.data() + r * columns};
          if (note != nullptr) {
            has_gaps |= add_checked<decltype(zero)>(row, steps[0], steps[1], note);
          } else {
            add_steps<decltype(zero)>(row, steps, selector[2]);
          }
        }
      });
    }
    return has_gaps;
  }

  // Moves `count` elements of row r from column i on.
  template <class W>
  void move_part(std::int64_t r, std::int64_t i, const std::int64_t* places, std::int64_t count,
                 std::int64_t columns) {
    const std::size_t target = writes_ ? kPlace : kOther, source = writes_ ? kOther : kPlace;
    const std::int64_t to_stride = walk_.stride(target, 0), from_stride = walk_.stride(source, 0);
    std::byte* const to = walk_.at(target) + r * walk_.row_stride(target) + i * to_stride;
    const std::byte* const from = walk_.at(source) + r * walk_.row_stride(source) + i * from_stride;
    if (is_row_ && words_ == 1) {
      copy_row<W>(to + (writes_ ? *places : 0), to_stride, from + (writes_ ? 0 : *places), from_stride,
                  columns);
    } else if (is_row_) {
      for (std::int64_t c = 0; c < columns; ++c)
        move_row<W>(to + c * to_stride, 0, from + c * from_stride, 0, places, 1, writes_, words_);
    } else if (words_ == 1) {
      move_row<W>(to, to_stride, from, from_stride, places, count, writes_, 1);
    } else {
      move_row<W>(to, to_stride, from, from_stride, places, count, writes_, words_);
    }
  }

  const quern_launch* launch_;
  const StridedWalk& walk_;
  std::size_t word_, selectors_;
  std::int64_t words_;
  bool writes_, is_row_ = true;
  std::array<std::int64_t, kBlock> places_;
};

// Own words: bytes of a word, words of an element, whether it writes, arrays of positions, and theirs.
void move_elements(const quern_launch* launch, unsigned long long first_group,
                   unsigned long long last_group) {
  const Elements elements(launch, first_group, last_group);
  StridedWalk walk(launch);
  walk.seek(elements.begin);
  SelectedBlock selected(launch, walk);
  for (std::uint64_t left = elements.end - elements.begin; left != 0;) {
    const StridedWalk::Block block = walk.block(std::min<std::uint64_t>(left, kBlock));
    selected.move(block);
    walk.skip(block);
    left -= static_cast<std::uint64_t>(block.rows * block.columns);
  }
}

constexpr HandWrittenKernel kGatherNdKernel = {"gather_nd", &move_elements},
                            kScatterNdKernel = {"scatter_nd", &move_elements};

}  // namespace

Event gather_nd_by_function(const Queue& queue, const Array& base, std::span<const Positions> positions,
                            const Array& other, bool writes, const Buffer* slots) {
  const std::size_t itemsize = base.dtype().itemsize, word = word_size(itemsize);
  std::vector<std::int64_t> own = {static_cast<std::int64_t>(word),
                                   static_cast<std::int64_t>(itemsize / word), writes ? 1 : 0,
                                   static_cast<std::int64_t>(positions.size())};
  std::vector<StridedOperand> operands = {{&base, writes, true}, {&other, !writes}};
  for (const Positions& each : positions) {
    operands.push_back({each.array});
    own.insert(own.end(), {static_cast<std::int64_t>(each.array->dtype().scalar), each.is_checked ? 1 : 0,
                           static_cast<std::int64_t>(each.steps.size())});
    for (const PositionStep& step : each.steps) own.insert(own.end(), {step.length, step.stride});
  }
  StridedCall call(own, bytewise_space(other.shape(), operands), operands);
  if (slots != nullptr) call.memory.push_back(HandWrittenKernel::writes(*slots));
  constexpr std::size_t kGroup = 4 * kBlock;
  return call.launch(writes ? kScatterNdKernel : kGatherNdKernel, queue, other.size(), kGroup);
}

}  // namespace quern::algorithms
