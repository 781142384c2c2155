// SPDX-License-Identifier: MIT
// gather and scatter on the host. Each block first computes the indices of its elements, then moves them.
#include "algorithms/host/gather_elements.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <type_traits>

#include "algorithms/host/element_access.hpp"
#include "algorithms/host/position_types.hpp"
#include "algorithms/host/strided_walk.hpp"

namespace quern::algorithms {
namespace {

constexpr std::size_t kGatherBlock = 512, kGatherGroup = 4 * kGatherBlock;

struct GatherCall {
  Scalar position_type, type;  // the type of what is combined
  OutOfRange rule;
  Combine combine;
  std::uint64_t n;
  std::uint64_t word, words;  // bytes, and how many are an element
  std::uint64_t has_previous;
};

GatherCall call_for(const PositionList& positions, const DType& dtype, Combine combine = Combine::set,
                    bool has_previous = false) {
  const std::size_t word = word_size(std::max<std::size_t>(dtype.itemsize, 1));
  return {positions.dtype.scalar,
          dtype.scalar,
          positions.rule,
          combine,
          positions.n,
          word,
          dtype.itemsize / word,
          has_previous ? std::uint64_t{1} : 0};
}

// The index among n elements, or n if the element is omitted.
template <class Position>
std::uint64_t place_of(Position index, OutOfRange rule, std::uint64_t n) {
  const auto far = static_cast<std::uint64_t>(index);  // negative positions become large
  if (rule == OutOfRange::clip) {
    if (std::is_signed_v<Position> && index < Position{0}) return 0;
    return std::min(far, n - 1);
  }
  if (rule == OutOfRange::wrap) {
    if (!std::is_signed_v<Position>) return far % n;
    const std::int64_t rest = static_cast<std::int64_t>(index) % static_cast<std::int64_t>(n);
    return static_cast<std::uint64_t>(rest < 0 ? rest + static_cast<std::int64_t>(n) : rest);
  }
  return std::min(far, n);
}

using Places = std::array<std::uint64_t, kGatherBlock>;

// For each block, computes the indices and calls the function with the number of the first element, the
// number of elements, and the indices. The positions are the first memory.
template <class Function>
void for_blocks(const quern_launch* launch, const Elements& elements, const Function& function) {
  const auto& call = call_of<GatherCall>(launch);
  const std::byte* const positions = memory_of(launch, 0);
  Places places;
  for (std::uint64_t first = elements.begin; first < elements.end; first += kGatherBlock) {
    const std::uint64_t count = std::min<std::uint64_t>(kGatherBlock, elements.end - first);
    with_position(call.position_type, [&](auto zero) {
      using Position = decltype(zero);
      for (std::uint64_t i = 0; i < count; ++i)
        places[i] = place_of(load<Position>(positions + (first + i) * sizeof(Position)), call.rule, call.n);
    });
    function(first, count, places);
  }
}

void gather(const quern_launch* launch, unsigned long long first_group, unsigned long long last_group) {
  const auto& call = call_of<GatherCall>(launch);
  for_blocks(launch, {launch, first_group, last_group},
             [&](std::uint64_t first, std::uint64_t count, const Places& places) {
               with_word(call.word, [&](auto* word) {
                 using W = std::remove_pointer_t<decltype(word)>;
                 const auto* const from = memory_of<const W>(launch, 1);
                 auto* out = memory_of<W>(launch, 2) + first * call.words;
                 for (std::uint64_t i = 0; i < count; ++i, out += call.words)
                   for (std::uint64_t w = 0; w < call.words; ++w)
                     out[w].value = (places[i] < call.n ? from[places[i] * call.words + w] : W{}).value;
               });
             });
}

// If two elements are written to one index, either may remain.
template <class W>
__attribute__((no_sanitize("thread"))) void put_words(W* out, const W* values, std::uint64_t count,
                                                      const GatherCall& call, const Places& places) {
  for (std::uint64_t i = 0; i < count; ++i, values += call.words)
    for (std::uint64_t w = 0; places[i] < call.n && w < call.words; ++w)
      out[places[i] * call.words + w].value = values[w].value;
}

void scatter(const quern_launch* launch, unsigned long long first_group, unsigned long long last_group) {
  const auto& call = call_of<GatherCall>(launch);
  for_blocks(launch, {launch, first_group, last_group},
             [&](std::uint64_t first, std::uint64_t count, const Places& places) {
               with_word(call.word, [&](auto* word) {
                 using W = std::remove_pointer_t<decltype(word)>;
                 put_words<W>(memory_of<W>(launch, 2), memory_of<const W>(launch, 1) + first * call.words,
                              count, call, places);
               });
             });
}

template <class T>
T combined(Combine combine, T old, T value) {
  // Overflow of integers wraps.
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  if (combine == Combine::add) {
    if constexpr (std::is_floating_point_v<T>) {
      return old + value;
    } else {
      return static_cast<T>(static_cast<Bits>(old) + static_cast<Bits>(value));
    }
  }
  // A NaN on either side is the result.
  if (combine == Combine::min) return old <= value || old != old ? old : value;
  if (combine == Combine::max) return old >= value || old != old ? old : value;
  if constexpr (std::is_integral_v<T>) {
    if (combine == Combine::bit_and) return old & value;
    if (combine == Combine::bit_or) return old | value;
    if (combine == Combine::bit_xor) return old ^ value;
  }
  return value;
}

template <class Function>
void with_number(Scalar scalar, const Function& function) {
  switch (scalar) {
    case Scalar::int32:
      return function(std::int32_t{0});
    case Scalar::uint32:
      return function(std::uint32_t{0});
    case Scalar::int64:
      return function(std::int64_t{0});
    case Scalar::uint64:
      return function(std::uint64_t{0});
    case Scalar::float32:
      return function(0.0F);
    default:
      return function(0.0);
  }
}

void combine(const quern_launch* launch, unsigned long long first_group, unsigned long long last_group) {
  const auto& call = call_of<GatherCall>(launch);
  for_blocks(launch, {launch, first_group, last_group},
             [&](std::uint64_t first, std::uint64_t count, const Places& places) {
               with_number(call.type, [&](auto zero) {
                 using Number = decltype(zero);
                 auto* const out = memory_of<Number>(launch, 2);
                 const std::byte* const values = memory_of(launch, 1) + first * sizeof(Number);
                 for (std::uint64_t i = 0; i < count; ++i) {
                   if (places[i] >= call.n) continue;
                   const std::atomic_ref target(out[places[i]]);
                   const auto value = load<Number>(values + i * sizeof(Number));
                   Number old = target.load(std::memory_order_relaxed);
                   while (!target.compare_exchange_weak(old, combined(call.combine, old, value),
                                                        std::memory_order_relaxed)) {
                   }
                   if (call.has_previous != 0)
                     std::memcpy(memory_of(launch, 3) + (first + i) * sizeof(Number), &old, sizeof old);
                 }
               });
             });
}

void count(const quern_launch* launch, unsigned long long first_group, unsigned long long last_group) {
  const auto& call = call_of<GatherCall>(launch);
  std::uint64_t outside = 0;
  for_blocks(launch, {launch, first_group, last_group},
             [&](std::uint64_t, std::uint64_t count, const Places& places) {
               for (std::uint64_t i = 0; i < count; ++i) outside += places[i] == call.n ? 1 : 0;
             });
  std::atomic_ref(*memory_of<std::uint64_t>(launch, 1)).fetch_add(outside, std::memory_order_relaxed);
}

constexpr HandWrittenKernel kGatherKernel = {"gather", &gather}, kScatterKernel = {"scatter", &scatter},
                            kCombine = {"scatter_combine", &combine}, kCount = {"count_outside", &count};

}  // namespace

Event gather_by_function(const Queue& queue, const PositionList& positions, const DType& dtype,
                         const Buffer& from, const Buffer& out) {
  return kGatherKernel.launch(queue, positions.count, kGatherGroup, call_for(positions, dtype),
                              {HandWrittenKernel::reads(positions.buffer), HandWrittenKernel::reads(from),
                               HandWrittenKernel::writes(out)});
}

Event scatter_by_function(const Queue& queue, const PositionList& positions, const DType& dtype,
                          const Buffer& values, const Buffer& out, Combine combine, const Buffer* previous) {
  const HandWrittenKernel& function = combine == Combine::set ? kScatterKernel : kCombine;
  std::vector<HandWrittenKernel::Memory> memory = {HandWrittenKernel::reads(positions.buffer),
                                                   HandWrittenKernel::reads(values),
                                                   HandWrittenKernel::writes(out)};
  if (previous != nullptr) memory.push_back(HandWrittenKernel::writes(*previous));
  return function.launch(queue, positions.count, kGatherGroup,
                         call_for(positions, dtype, combine, previous != nullptr), std::span(memory));
}

std::uint64_t count_outside_by_function(const Queue& queue, const PositionList& positions) {
  const Array result = zeros(queue, {1}, DType::of(Scalar::uint64));
  const PositionList plain = {positions.buffer, positions.dtype, positions.count, positions.n,
                              OutOfRange::drop};
  kCount.launch(queue, positions.count, kGatherGroup, call_for(plain, result.dtype()),
                {HandWrittenKernel::reads(positions.buffer), HandWrittenKernel::writes(result.buffer())});
  return result.to_vector<std::uint64_t>(queue)[0];
}

}  // namespace quern::algorithms
