// SPDX-License-Identifier: MIT
// Sorting, searching and merging keys by functions of the library.
#include "algorithms/host/sort_loops.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>
#include <utility>

#include "algorithms/host/element_access.hpp"
#include "algorithms/host/precompiled_kernel.hpp"
#include "base/arithmetic.hpp"

namespace quern::algorithms {
namespace {

// radix_keys.cl, of unsigned integers K.
template <class K>
class KeyMap {
 public:
  KeyMap(const KeyOrder& order, bool ties)
      : flip_(static_cast<K>(order.flip)), is_float_(order.is_float), ties_(order.is_float && ties) {}

  [[nodiscard]] K in(K x) const {
    x = static_cast<K>(x ^ flip_);
    if (!is_float_) return x;
    x = static_cast<K>(x ^ ((x & kSign) != 0 ? kAll : kSign));
    return static_cast<K>(x - kNans);
  }
  [[nodiscard]] K out(K x) const {
    if (is_float_) {
      x = static_cast<K>(x + kNans);
      x = static_cast<K>(x ^ ((x & kSign) != 0 ? kSign : kAll));
    }
    return static_cast<K>(x ^ flip_);
  }
  // What decides the order: the same for all that are equal, where ties matter.
  [[nodiscard]] K rank(K x) const {
    if (!ties_) return x;
    if (x == kMinusZero) return static_cast<K>(kMinusZero + 1);
    return x >= kFirstNan ? kAll : x;
  }
  [[nodiscard]] K rank_at(const std::byte* keys, std::size_t i) const { return rank(in(load<K>(keys, i))); }

 private:
  static constexpr K kAll = std::numeric_limits<K>::max(), kSign = static_cast<K>(kAll ^ (kAll >> 1));
  static constexpr K kNans = static_cast<K>(sizeof(K) == 8   ? 0xfffffffffffff
                                            : sizeof(K) == 4 ? 0x7fffff
                                            : sizeof(K) == 2 ? 0x3ff
                                                             : 0);
  static constexpr K kMinusZero = static_cast<K>(kSign - 1 - kNans);
  static constexpr K kFirstNan = static_cast<K>(kAll - 2 * kNans + 1);

  K flip_;
  bool is_float_, ties_;
};

using Place = std::uint64_t;

// Keys that are being sorted, with the places that they came from where these are wanted.
template <class K>
struct Sorted {
  K* keys;
  Place* places;
};

constexpr std::size_t kFew = 40;  // are sorted sooner by insertion than their digits are counted

template <class K, bool kHasPlaces>
void sort_few(const KeyMap<K>& map, std::size_t n, const Sorted<K>& row) {
  for (std::size_t i = 1; i < n; ++i) {
    const K key = row.keys[i], rank = map.rank(key);
    std::size_t at = i;
    for (; at > 0 && map.rank(row.keys[at - 1]) > rank; --at) {
      row.keys[at] = row.keys[at - 1];
      if constexpr (kHasPlaces) row.places[at] = row.places[at - 1];
    }
    row.keys[at] = key;
    if constexpr (kHasPlaces) row.places[at] = i;
  }
}

// By digits, the last first; those that all keys have in common are left out. Returns where the result is.
template <class K, bool kHasPlaces>
Sorted<K> sort_digits(const KeyMap<K>& map, std::size_t n, Sorted<K> from, Sorted<K> to) {
  constexpr std::size_t kDigits = 256;
  std::array<std::array<std::size_t, kDigits>, sizeof(K)> counts{};
  for (std::size_t i = 0; i < n; ++i) {
    const K rank = map.rank(from.keys[i]);
    for (unsigned d = 0; d < sizeof(K); ++d) ++counts[d][rank >> (8 * d) & 0xff];
  }
  for (unsigned d = 0; d < sizeof(K); ++d) {
    const auto digit = [&](K key) { return static_cast<std::size_t>(map.rank(key) >> (8 * d) & 0xff); };
    auto& next = counts[d];
    if (next[digit(from.keys[0])] == n) continue;
    std::size_t sum = 0;
    for (std::size_t& place : next) place = std::exchange(sum, sum + place);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t place = next[digit(from.keys[i])]++;
      to.keys[place] = from.keys[i];
      if constexpr (kHasPlaces) to.places[place] = from.places[i];
    }
    std::swap(from, to);
  }
  return from;
}

struct SortCall {
  std::size_t n, pitch;  // keys of a row, and bytes of its room
  KeyOrder order;
  bool wants_keys, are_positions;
  unsigned value_size, value_out_size;
};
enum SortMemory : std::size_t { kKeys, kRoom, kKeysOut, kValues, kValuesOut };

// A row is a group. Its room has two lists of places, where there are values, then two of keys.
template <class K, bool kHasPlaces>
void run_sort(const quern_launch* launch, unsigned long long first, unsigned long long last) {
  const auto& call = call_of<SortCall>(launch);
  const KeyMap<K> map(call.order, kHasPlaces);
  const std::size_t n = call.n;
  for (std::size_t row = first; row < last; ++row) {
    auto* const room = memory_of(launch, kRoom) + row * call.pitch;
    auto* const places = reinterpret_cast<Place*>(room);
    auto* const keys = reinterpret_cast<K*>(room + (kHasPlaces ? 2 * n * sizeof(Place) : 0));
    const Sorted<K> all = {keys, places}, spare = {keys + n, kHasPlaces ? places + n : nullptr};
    const std::byte* const given = memory_of(launch, kKeys) + row * n * sizeof(K);
    for (std::size_t i = 0; i < n; ++i) {
      all.keys[i] = map.in(load<K>(given, i));
      if constexpr (kHasPlaces) all.places[i] = i;
    }
    Sorted<K> result = all;
    if (n <= kFew)
      sort_few<K, kHasPlaces>(map, n, all);
    else
      result = sort_digits<K, kHasPlaces>(map, n, all, spare);

    if (call.wants_keys) {
      std::byte* const out = memory_of(launch, kKeysOut) + row * n * sizeof(K);
      for (std::size_t i = 0; i < n; ++i) store(out, i, map.out(result.keys[i]));
    }
    if constexpr (kHasPlaces) {
      std::byte* const out = memory_of(launch, kValuesOut) + row * n * call.value_out_size;
      const std::byte* const values = memory_of(launch, kValues) + row * n * call.value_size;
      for (std::size_t i = 0; i < n; ++i) {
        if (!call.are_positions)
          copy_element(call.value_size, out, i, values, result.places[i]);
        else if (call.value_out_size == 4)
          store(out, i, static_cast<std::uint32_t>(result.places[i]));
        else
          store(out, i, result.places[i]);
      }
    }
  }
}

struct FindCall {
  std::size_t n;
  KeyOrder order;
  bool upper;
};

template <class K>
void run_find(const quern_launch* launch, unsigned long long first, unsigned long long last) {
  const auto& call = call_of<FindCall>(launch);
  const KeyMap<K> map(call.order, true);
  const std::byte *const keys = memory_of(launch, 0), *const values = memory_of(launch, 1);
  const Elements elements(launch, first, last);
  for (std::size_t i = elements.begin; i < elements.end; ++i) {
    const K value = map.rank_at(values, i);
    // Without branches, of which every second one would be foretold wrongly.
    std::size_t place = 0;
    for (std::size_t size = call.n; size > 0; size /= 2) {
      const std::size_t half = (size + 1) / 2;
      const K key = map.rank_at(keys, place + half - 1);
      const bool is_below = key < value || (call.upper && key == value);
      place += is_below ? half : 0;
    }
    store(memory_of(launch, 2), i, static_cast<std::int64_t>(place));
  }
}

struct MergeCall {
  std::size_t a, b, value_size;  // 0: there are no values
  KeyOrder order;
};

// Memory: keys of a, of b and merged, then values.
template <class K>
void run_merge(const quern_launch* launch, unsigned long long, unsigned long long) {
  const auto& call = call_of<MergeCall>(launch);
  const KeyMap<K> map(call.order, true);
  const std::byte *const a = memory_of(launch, 0), *const b = memory_of(launch, 1);
  std::size_t i = 0, j = 0;
  for (std::size_t k = 0; k < call.a + call.b; ++k) {
    const bool is_a = j == call.b || (i < call.a && map.rank_at(a, i) <= map.rank_at(b, j));
    const std::size_t from = is_a ? i++ : j++;
    store(memory_of(launch, 2), k, load<K>(is_a ? a : b, from));
    if (call.value_size != 0)
      copy_element(call.value_size, memory_of(launch, 5), k, memory_of(launch, is_a ? 3 : 4), from);
  }
}

// f(an unsigned integer of so many bytes).
template <class F>
auto with_key(unsigned size, const F& f) {
  switch (size) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    default:
      return f(std::uint64_t{});
  }
}

}  // namespace

Event sort_by_loops(const Queue& queue, const RadixSort& sort) {
  const std::size_t key_bytes = sort.n * sort.order.size, place_bytes = sort.n * sizeof(Place);
  const std::size_t pitch = rounded_up(2 * (key_bytes + (sort.has_values ? place_bytes : 0)), sizeof(Place));
  const Buffer room(queue, sort.rows * pitch);
  Buffer values = sort.values;
  if (!values.empty() && values.allocation() == sort.values_out.allocation() &&
      values.offset() == sort.values_out.offset()) {
    values = Buffer(queue, sort.values.size());
    queue.copy(sort.values, values);
  }
  const auto function = with_key(sort.order.size, [&](auto key) -> quern_kernel_function* {
    using K = decltype(key);
    return sort.has_values ? &run_sort<K, true> : &run_sort<K, false>;
  });
  const SortCall call{sort.n,
                      pitch,
                      sort.order,
                      !sort.keys_out.empty(),
                      sort.are_positions,
                      sort.value_size,
                      sort.value_out_size};
  // What is not there is not used.
  const auto or_room = [&](const Buffer& buffer, bool writes) {
    return buffer.empty() ? PrecompiledKernel::writes(room)
           : writes       ? PrecompiledKernel::writes(buffer)
                          : PrecompiledKernel::reads(buffer);
  };
  return PrecompiledKernel{"sort", function}.launch(
      queue, sort.rows, 1, call,
      {PrecompiledKernel::reads(sort.keys), PrecompiledKernel::writes(room), or_room(sort.keys_out, true),
       or_room(values, false), or_room(sort.values_out, true)});
}

Event find_by_loops(const Queue& queue, const KeyOrder& order, bool upper, const Array& keys,
                    const Array& values, const Array& out) {
  constexpr std::size_t kGroup = 256;
  const auto function =
      with_key(order.size, [](auto key) -> quern_kernel_function* { return &run_find<decltype(key)>; });
  const Buffer from = keys.elements(), wanted = values.elements(), to = out.elements();
  return PrecompiledKernel{"bounds", function}.launch(
      queue, values.size(), kGroup, FindCall{keys.size(), order, upper},
      {PrecompiledKernel::reads(from), PrecompiledKernel::reads(wanted), PrecompiledKernel::writes(to)});
}

Event merge_by_loops(const Queue& queue, const KeyOrder& order, const MergeSide& a, const MergeSide& b,
                     const MergeSide& out, std::size_t value_size) {
  const auto function =
      with_key(order.size, [](auto key) -> quern_kernel_function* { return &run_merge<decltype(key)>; });
  std::vector<PrecompiledKernel::Memory> memory = {PrecompiledKernel::reads(a.keys),
                                                   PrecompiledKernel::reads(b.keys),
                                                   PrecompiledKernel::writes(out.keys)};
  if (value_size != 0)
    memory.insert(memory.end(), {PrecompiledKernel::reads(a.values), PrecompiledKernel::reads(b.values),
                                 PrecompiledKernel::writes(out.values)});
  return PrecompiledKernel{"merge", function}.launch(queue, 1, 1,
                                                     MergeCall{a.size, b.size, value_size, order}, memory);
}

}  // namespace quern::algorithms
