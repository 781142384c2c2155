// SPDX-License-Identifier: MIT
// lower_bound and upper_bound; merge and merge_by_key.
#include "quern/search.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "algorithms/launch/checks.hpp"
#include "algorithms/launch/kernel_table.hpp"
#include "algorithms/sort_keys.hpp"
#include "base/arithmetic.hpp"
#include "codegen/loop.hpp"
#include "codegen/type_text.hpp"

namespace quern {
namespace {

using namespace algorithms;

Event find(const char* what, bool upper, const Queue& queue, const Array& keys, const Array& values,
           const Array& out, SortOptions options, WaitList wait_for) {
  check_vector(what, "keys", keys, queue);
  const KeyOrder order = key_order(what, "keys", keys.dtype(), options);
  check_vector(what, "values", values, queue);
  check_dtype(what, "values", values, keys.dtype());
  check_vector(what, "out", out, queue);
  check_dtype(what, "out", out, DType::of(Scalar::int64));
  check_size(what, "out", out, values.size());
  check_apart(what, "out", out, "keys", keys);
  check_apart(what, "out", out, "values", values);
  if (!wait_for.empty()) queue.barrier(wait_for);
  if (values.size() == 0) return {};
  if (keys.size() == 0) {
    const std::byte zero{0};
    return queue.fill(out.elements(), {&zero, 1});
  }
  static auto* const known = new KernelMemo;  // never destroyed
  const LibraryKernel kernel = known->get(order.code() | (upper ? 32 : 0), [&] {
    return kernel_of({"radix_keys", "bounds"}, "bounds", codegen::bounds_defines(order, upper));
  });
  return kernel(queue, values.size(), range(values.size()), keys.elements(), values.elements(),
                out.elements(), keys.size(), values.size(), order.flip);
}

Array places_for(const Queue& queue, const Array& values) {
  return empty(queue, values.shape(), DType::of(Scalar::int64));
}

struct Side {
  const Array &keys, *values;
};

// The buffers that the arguments of merge.cl's kernels refer to.
std::vector<Buffer> buffers_of(const Side& a, const Side& b, const Side& out) {
  std::vector<Buffer> buffers = {a.keys.elements(), b.keys.elements(), out.keys.elements()};
  if (a.values != nullptr)
    for (const Array* const values : {a.values, b.values, out.values}) buffers.push_back(values->elements());
  return buffers;
}

// Each work-item merges a chunk of the output.
Event merge_in_chunks(const Queue& queue, const KeyOrder& order, const Side& a, const Side& b,
                      const Side& out) {
  codegen::ValueForm value;
  std::size_t value_size = 0;
  if (a.values != nullptr) {
    const DType& dtype = a.values->dtype();
    value_size = dtype.itemsize;
    value.is_long = !std::has_single_bit(value_size) || value_size > 8 || dtype.alignment() < value_size;
    value.word = !value.is_long                                      ? static_cast<unsigned>(value_size)
                 : value_size % 4 == 0 && dtype.alignment() % 4 == 0 ? 4
                                                                     : 1;
  }
  const std::size_t n = out.keys.size();
  const std::size_t wanted = std::size_t{queue.device().properties().compute_units} * 4;
  const std::size_t chunk = std::max<std::size_t>(divided_up(n, wanted), 4096);
  const std::vector<Buffer> buffers = buffers_of(a, b, out);
  std::vector<KernelArgument> arguments(buffers.begin(), buffers.end());
  arguments.insert(arguments.end(), {chunk, a.keys.size(), b.keys.size(), order.flip,
                                     value.is_long ? value_size / value.word : std::size_t{1}});
  static auto* const known = new KernelMemo;  // never destroyed
  return known
      ->get(order.code() | (value.is_long ? 32 : 0) | value.word << 8,
            [&] {
              return kernel_of({"radix_keys", "merge"}, "merge_chunks", codegen::merge_defines(order, value));
            })
      .launch(queue, n, range(divided_up(n, chunk)).with_local(1), arguments);
}

// Each work-group merges a tile of the output.
Event merge_in_groups(const Queue& queue, const KeyOrder& order, const Side& a, const Side& b,
                      const Side& out) {
  const codegen::RawElementType value = a.values != nullptr
                                            ? codegen::raw_element_type(a.values->dtype(), "value_t")
                                            : codegen::RawElementType{"uint", {}};
  const std::size_t threads =
      std::bit_floor(std::min<std::size_t>(256, queue.device().properties().max_work_group_size));
  const std::size_t items = order.size == 8 ? 8 : 12, tile = threads * items;
  Defines defines = order.defines(true);
  defines.insert(defines.end(), {{"VALUES", a.values != nullptr ? "1" : "0"},
                                 {"VALUE", value.name},
                                 {"THREADS", std::to_string(threads)},
                                 {"ITEMS", std::to_string(items)},
                                 {"GROUPS", "1"}});
  const auto kernel = [&](const char* name) {
    return kernel_of({"radix_keys", "merge"}, name, defines, value.definition);
  };
  const std::size_t n = out.keys.size(), a_size = a.keys.size(), b_size = b.keys.size();
  const std::size_t tiles = divided_up(n, tile);
  const std::vector<Buffer> buffers = buffers_of(a, b, out);
  const Buffer splits(queue, (tiles + 1) * sizeof(std::uint64_t));
  kernel("merge_splits")(queue, n, range(tiles + 1), buffers[0], buffers[1], splits, a_size, b_size,
                         tiles + 1, order.flip);
  std::vector<KernelArgument> arguments(buffers.begin(), buffers.end());
  arguments.insert(arguments.end(), {splits, a_size, b_size, order.flip});
  return kernel("merge_groups").launch(queue, n, range(tiles * threads).with_local(threads), arguments);
}

Event merge_sides(const char* what, const Queue& queue, const Side& a, const Side& b, const Side& out,
                  SortOptions options, WaitList wait_for) {
  const char* const names[] = {"a", "b", "out"};
  const Side* const sides[] = {&a, &b, &out};
  const std::size_t n = a.keys.size() + b.keys.size();
  const KeyOrder order = key_order(what, "a", a.keys.dtype(), options);
  for (int i = 0; i < 3; ++i) {
    const Side& side = *sides[i];
    check_vector(what, names[i], side.keys, queue);
    check_dtype(what, names[i], side.keys, a.keys.dtype());
    if (i == 2) check_size(what, names[i], side.keys, n);
    if (side.values == nullptr) continue;
    const std::string name = std::string(names[i]) + "'s values";
    check_vector(what, name, *side.values, queue);
    check_dtype(what, name, *side.values, a.values->dtype());
    check_size(what, name, *side.values, side.keys.size());
  }
  for (int i = 0; i < 2; ++i) {
    for (const Array* const to : {&out.keys, out.values}) {
      if (to == nullptr) continue;
      check_apart(what, "out", *to, names[i], sides[i]->keys);
      if (sides[i]->values != nullptr) check_apart(what, "out", *to, names[i], *sides[i]->values);
    }
  }
  if (out.values != nullptr) check_apart(what, "out", out.keys, "out's values", *out.values);
  if (!wait_for.empty()) queue.barrier(wait_for);
  if (n == 0) return {};

  const bool in_groups = codegen::loop_style(queue.device().properties()) == codegen::LoopStyle::grid;
  return in_groups ? merge_in_groups(queue, order, a, b, out) : merge_in_chunks(queue, order, a, b, out);
}

Array empty_for_merge(const Queue& queue, const Array& a, const Array& b) {
  return empty(queue, {static_cast<std::int64_t>(a.size() + b.size())}, a.dtype());
}

}  // namespace

Event lower_bound(const Queue& queue, const Array& keys, const Array& values, const Array& out,
                  SortOptions options, WaitList wait_for) {
  return find("lower_bound", false, queue, keys, values, out, options, wait_for);
}

Event upper_bound(const Queue& queue, const Array& keys, const Array& values, const Array& out,
                  SortOptions options, WaitList wait_for) {
  return find("upper_bound", true, queue, keys, values, out, options, wait_for);
}

Array lower_bound(const Queue& queue, const Array& keys, const Array& values, SortOptions options) {
  Array out = places_for(queue, values);
  lower_bound(queue, keys, values, out, options);
  return out;
}

Array upper_bound(const Queue& queue, const Array& keys, const Array& values, SortOptions options) {
  Array out = places_for(queue, values);
  upper_bound(queue, keys, values, out, options);
  return out;
}

Event merge(const Queue& queue, const Array& a, const Array& b, const Array& out, SortOptions options,
            WaitList wait_for) {
  return merge_sides("merge", queue, {a, nullptr}, {b, nullptr}, {out, nullptr}, options, wait_for);
}

Array merge(const Queue& queue, const Array& a, const Array& b, SortOptions options) {
  Array out = empty_for_merge(queue, a, b);
  merge(queue, a, b, out, options);
  return out;
}

Event merge_by_key(const Queue& queue, const KeysAndValues& a, const KeysAndValues& b,
                   const KeysAndValues& out, SortOptions options, WaitList wait_for) {
  return merge_sides("merge_by_key", queue, {a.keys, &a.values}, {b.keys, &b.values}, {out.keys, &out.values},
                     options, wait_for);
}

KeysAndValues merge_by_key(const Queue& queue, const KeysAndValues& a, const KeysAndValues& b,
                           SortOptions options) {
  KeysAndValues out = {empty_for_merge(queue, a.keys, b.keys), empty_for_merge(queue, a.values, b.values)};
  merge_by_key(queue, a, b, out, options);
  return out;
}

}  // namespace quern
