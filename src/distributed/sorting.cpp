// SPDX-License-Identifier: MIT
// Sorting: axes that are whole on each rank, and vectors by samples of all blocks.
#include "quern/sorting.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "distributed/collectives.hpp"
#include "distributed/communicator.hpp"
#include "distributed/parts.hpp"
#include "quern/distributed/functions.hpp"
#include "quern/indexing.hpp"
#include "quern/manipulation.hpp"
#include "quern/search.hpp"

namespace quern::distributed {
namespace {

// The bytes that all ranks have sent to this one, in the order of the ranks.
Bytes exchanged(CommunicatorState& communicator, const Call& call, const Array& sorted,
                const std::vector<std::int64_t>& cuts, const std::vector<std::int64_t>& counts) {
  const std::size_t itemsize = sorted.dtype().itemsize;
  std::vector<Bytes> outgoing(counts.size());
  std::vector<std::size_t> lengths;
  for (const std::int64_t count : counts) lengths.push_back(static_cast<std::size_t>(count) * itemsize);
  for (std::size_t to = 0; to < outgoing.size(); ++to) {
    outgoing[to].resize(static_cast<std::size_t>(cuts[to + 1] - cuts[to]) * itemsize);
    read(part(sorted, {{cuts[to], 1, cuts[to + 1] - cuts[to]}}), outgoing[to]);
  }
  Bytes joined;
  for (const Bytes& bytes : all_to_all(communicator, call, outgoing, lengths)) {
    joined.insert(joined.end(), bytes.begin(), bytes.end());
  }
  return joined;
}

// A vector whose blocks are consecutive: its sorted elements, or the indices that sort it. The result has
// blocks of other lengths. Equal elements meet on one rank in the order of their indices.
DistributedArray sample_sort(const DistributedArray& vector, SortOptions options, bool wants_indices) {
  CommunicatorState& communicator = *vector.communicator().state();
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const auto rank = static_cast<std::size_t>(communicator.rank());
  const Queue queue = vector.local().queue();
  const DType& dtype = vector.dtype();
  const Array order = quern::argsort(vector.local(), -1, options);
  const Array own = as_contiguous(wants_indices ? quern::take(vector.local(), order, 0)
                                                : quern::sort(vector.local(), -1, options));
  const auto length = static_cast<std::int64_t>(own.size());

  // Samples at equal distances of each block that has elements; all ranks choose the same splitters.
  const auto samples = static_cast<std::int64_t>(ranks);
  Bytes mine(static_cast<std::size_t>(samples) * dtype.itemsize);
  if (length != 0) {
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < samples; ++i) places.push_back((2 * i + 1) * length / (2 * samples));
    read(quern::take(own, HostPositions{{samples}, places}, 0), mine);
  }
  const Bytes all = all_gather(communicator, call_of("sort", agreed(vector)), mine);
  std::vector<Array> parts;
  for (std::size_t from = 0; from < ranks; ++from) {
    if (elements_of(vector.layout().local_shape(static_cast<int>(from))) == 0) continue;
    parts.push_back(
        array_of(queue, std::span(all).subspan(from * mine.size(), mine.size()), {samples}, dtype));
  }
  const Array sorted = quern::sort(quern::concat(parts), -1, options);
  const auto sampled = static_cast<std::int64_t>(sorted.size());
  std::vector<std::int64_t> places;
  for (std::int64_t i = 1; i < samples; ++i) places.push_back(i * sampled / samples);
  const Array splitters = quern::take(sorted, HostPositions{{samples - 1}, places}, 0);
  std::vector<std::int64_t> cuts = {0};
  for (const std::int64_t cut :
       lower_bound(queue, own, as_contiguous(splitters), options).to_vector<std::int64_t>(queue)) {
    cuts.push_back(cut);
  }
  cuts.push_back(length);

  Bytes counts(ranks * sizeof(std::int64_t));
  for (std::size_t to = 0; to < ranks; ++to) {
    const std::int64_t count = cuts[to + 1] - cuts[to];
    std::memcpy(counts.data() + to * sizeof count, &count, sizeof count);
  }
  const Bytes table = all_gather(communicator, call_of("sort counts", agreed(vector)), counts);
  std::vector<std::int64_t> lengths(ranks), incoming(ranks);
  for (std::size_t from = 0; from < ranks; ++from) {
    for (std::size_t to = 0; to < ranks; ++to) {
      std::int64_t count = 0;
      std::memcpy(&count, table.data() + (from * ranks + to) * sizeof count, sizeof count);
      lengths[to] += count;
      if (to == rank) incoming[from] = count;
    }
  }
  const Layout after(ProcessGrid({static_cast<int>(ranks)}), {AxisLayout::irregular(lengths, 0)});
  const Shape shape = after.local_shape(communicator.rank());
  const Call call = call_of("sort elements", agreed(vector));
  const Array keys = array_of(queue, exchanged(communicator, call, own, cuts, incoming), shape, dtype);
  if (!wants_indices) {
    return {vector.communicator(), after, lengths[rank] == 0 ? keys : quern::sort(keys, -1, options)};
  }
  const Array own_indices = as_contiguous(quern::take(global_indices(vector, 0), order, 0));
  const Array numbers =
      array_of(queue, exchanged(communicator, call, own_indices, cuts, incoming), shape, own_indices.dtype());
  return {vector.communicator(), after,
          lengths[rank] == 0 ? numbers : quern::take(numbers, quern::argsort(keys, -1, options), 0)};
}

}  // namespace

namespace {

DistributedArray sorted(const DistributedArray& array, int axis, SortOptions options, bool wants_indices) {
  const Layout& layout = array.layout();
  const std::size_t along = checked_axis(axis, layout.axes().size());
  const int ranks = array.communicator().size();
  const Shape shape = array.shape();
  if (!layout.axes()[along].is_split() || ranks == 1 || elements_of(shape) == 0) {
    const Array& block = array.local();
    const int own_axis = static_cast<int>(along);
    if (wants_indices) return {array.communicator(), layout, quern::argsort(block, own_axis, options)};
    return {array.communicator(), layout, block.size() == 0 ? block : quern::sort(block, own_axis, options)};
  }
  if (shape.size() > 1) {
    // The axis becomes whole, and the longest of the others is split instead.
    std::size_t longest = along == 0 ? 1 : 0;
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (i != along && shape[i] > shape[longest]) longest = i;
    std::vector<AxisLayout> axes;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      axes.push_back(i == longest ? AxisLayout::block(shape[i], 0, ranks) : AxisLayout::whole(shape[i]));
    }
    const Layout whole(ProcessGrid({ranks}), std::move(axes));
    return redistribute(sorted(redistribute(array, whole), axis, options, wants_indices), layout);
  }
  const DistributedArray blocks = redistribute(array, Layout::block(ProcessGrid({ranks}), shape));
  return redistribute(sample_sort(blocks, options, wants_indices), layout);
}

}  // namespace

DistributedArray sort(const DistributedArray& array, int axis, SortOptions options) {
  return sorted(array, axis, options, false);
}

DistributedArray argsort(const DistributedArray& array, int axis, SortOptions options) {
  return sorted(array, axis, options, true);
}

}  // namespace quern::distributed
