// SPDX-License-Identifier: MIT
// Reading and writing single elements of distributed arrays, whose places are distributed, too.
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "distributed/collectives.hpp"
#include "distributed/communicator.hpp"
#include "distributed/parts.hpp"
#include "quern/distributed/functions.hpp"
#include "quern/error.hpp"
#include "quern/indexing.hpp"
#include "quern/manipulation.hpp"

namespace quern::distributed {
namespace {

using Places = std::vector<std::int64_t>;

Bytes bytes_of(const Places& places) {
  Bytes bytes(places.size() * sizeof(std::int64_t));
  if (!places.empty()) std::memcpy(bytes.data(), places.data(), bytes.size());
  return bytes;
}

Places places_of(const Bytes& bytes) {
  Places places(bytes.size() / sizeof(std::int64_t));
  if (!places.empty()) std::memcpy(places.data(), bytes.data(), bytes.size());
  return places;
}

// Where elements are: the rank, and the place in its block.
class Locator {
 public:
  explicit Locator(const Layout& layout) : layout_(layout), shape_(layout.shape()) {
    for (int rank = 0; rank < layout.grid().size(); ++rank) blocks_.push_back(layout.local_shape(rank));
  }
  [[nodiscard]] std::pair<int, std::int64_t> find(std::int64_t place) {
    index_.resize(shape_.size());
    for (std::size_t axis = shape_.size(); axis-- > 0; place /= shape_[axis])
      index_[axis] = place % shape_[axis];
    const int rank = layout_.owner(index_);
    const Shape& block = blocks_[static_cast<std::size_t>(rank)];
    std::int64_t local = 0;
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      const AxisLayout& split = layout_.axes()[axis];
      local = local * block[axis] + (split.is_split() ? split.local_index(index_[axis]) : index_[axis]);
    }
    return {rank, local};
  }

 private:
  const Layout& layout_;
  Shape shape_;
  std::vector<Shape> blocks_;
  std::vector<std::int64_t> index_;
};

// What this rank asks each other one for, and what each other one asks it for.
struct Requests {
  std::vector<Places> own;       // for each rank the numbers of this rank's places that it has
  std::vector<Places> incoming;  // for each rank the places in this rank's block
};

// Called by all ranks. Throws an index error on all of them if one has a place out of bounds.
Requests exchange_requests(const DistributedArray& array, const DistributedArray& places, const char* name,
                           bool asks) {
  CommunicatorState& communicator = *array.communicator().state();
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const auto rank = static_cast<std::size_t>(communicator.rank());
  Places wanted(asks ? places.local().size() : 0);
  if (asks) read(places.local(), std::as_writable_bytes(std::span(wanted)));
  const std::int64_t size = elements_of(array.shape());
  const auto is_out = [&](std::int64_t place) { return place < 0 || place >= size; };
  const auto bad = std::find_if(wanted.begin(), wanted.end(), is_out);

  Requests requests{std::vector<Places>(ranks), std::vector<Places>(ranks)};
  std::vector<Places> outgoing(ranks);
  if (bad == wanted.end()) {
    Locator locator(array.layout());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto [owner, local] = locator.find(wanted[i]);
      requests.own[static_cast<std::size_t>(owner)].push_back(static_cast<std::int64_t>(i));
      outgoing[static_cast<std::size_t>(owner)].push_back(local);
    }
  }
  Places counts;
  for (const Places& list : outgoing) counts.push_back(static_cast<std::int64_t>(list.size()));
  counts.push_back(bad == wanted.end() ? 0 : 1);
  const std::string agreement = agreed(array) + agreed(places);
  const Places table = places_of(all_gather(communicator, call_of(name, agreement), bytes_of(counts)));
  std::vector<std::size_t> lengths;
  for (std::size_t from = 0; from < ranks; ++from) {
    const std::int64_t* const row = table.data() + from * counts.size();
    if (row[ranks] != 0)
      throw ArgumentError(ArgumentError::Kind::index,
                          std::string(name) + ": an index of rank " + std::to_string(from) +
                              " is out of bounds for an array of shape " + text_of(array.shape()));
    lengths.push_back(static_cast<std::size_t>(row[rank]) * sizeof(std::int64_t));
  }
  std::vector<Bytes> messages;
  for (const Places& list : outgoing) messages.push_back(bytes_of(list));
  const auto arrived =
      all_to_all(communicator, call_of(std::string(name) + " places", agreement), messages, lengths);
  for (std::size_t from = 0; from < ranks; ++from) requests.incoming[from] = places_of(arrived[from]);
  return requests;
}

Array flat(const Array& block) {
  return quern::reshape(as_contiguous(block), {static_cast<std::int64_t>(block.size())});
}

HostPositions positions(const Places& places) {
  return {{static_cast<std::int64_t>(places.size())}, places};
}

bool has_replicas(const Layout& layout) {
  for (int rank = 0; rank < layout.grid().size(); ++rank)
    if (!layout.is_first_replica(rank)) return true;
  return false;
}

void check_places(const DistributedArray& array, const DistributedArray& places, const char* name) {
  if (array.communicator() != places.communicator())
    refuse(std::string(name) + ": the places belong to another communicator");
  if (places.dtype() != DType::of(Scalar::int64))
    refuse(std::string(name) + ": expected places of int64, got " + places.dtype().name());
}

}  // namespace

DistributedArray gather_at(const DistributedArray& array, const DistributedArray& places) {
  check_places(array, places, "gather_at");
  const Communicator& communicator = array.communicator();
  const std::size_t itemsize = array.dtype().itemsize;
  const Requests requests = exchange_requests(array, places, "gather_at", true);
  std::vector<Bytes> replies;
  std::vector<std::size_t> lengths;
  const Array block = flat(array.local());
  for (std::size_t rank = 0; rank < requests.own.size(); ++rank) {
    replies.emplace_back(requests.incoming[rank].size() * itemsize);
    if (!replies.back().empty())
      read(quern::take(block, positions(requests.incoming[rank]), 0), replies.back());
    lengths.push_back(requests.own[rank].size() * itemsize);
  }
  const auto arrived =
      all_to_all(*communicator.state(), call_of("gather_at elements", agreed(array)), replies, lengths);
  Bytes result(places.local().size() * itemsize);
  for (std::size_t rank = 0; rank < arrived.size(); ++rank) {
    for (std::size_t i = 0; i < requests.own[rank].size(); ++i) {
      std::memcpy(result.data() + static_cast<std::size_t>(requests.own[rank][i]) * itemsize,
                  arrived[rank].data() + i * itemsize, itemsize);
    }
  }
  return {communicator, places.layout(),
          array_of(array.local().queue(), result, places.local().shape(), array.dtype())};
}

void scatter_at(const DistributedArray& array, const DistributedArray& places,
                const DistributedArray& values) {
  check_places(array, places, "scatter_at");
  if (values.shape() != places.shape())
    refuse("scatter_at: values of shape " + text_of(values.shape()) + " for places of shape " +
           text_of(places.shape()));
  const Communicator& communicator = array.communicator();
  const int ranks = communicator.size(), rank = communicator.rank();
  if (array.layout().root() < 0 && has_replicas(array.layout())) {  // which get all elements afterwards
    const Shape shape = array.shape();
    const Layout single =
        shape.size() == 0 ? Layout::owned(ranks, shape, 0) : Layout::for_shape(ranks, shape);
    const DistributedArray once = redistribute(array, single);
    scatter_at(once, places, values);
    assign(array.local(), redistribute(once, array.layout()).local());
    return;
  }
  const DistributedArray given = redistribute(values, places.layout());
  const Array converted = as_contiguous(quern::astype(given.local(), array.dtype()));
  const std::size_t itemsize = array.dtype().itemsize;
  const Requests requests =
      exchange_requests(array, places, "scatter_at", places.layout().is_first_replica(rank));
  std::vector<Bytes> outgoing;
  std::vector<std::size_t> lengths;
  Bytes own(converted.nbytes());
  read(converted, own);
  for (std::size_t to = 0; to < requests.own.size(); ++to) {
    outgoing.emplace_back(requests.own[to].size() * itemsize);
    for (std::size_t i = 0; i < requests.own[to].size(); ++i) {
      std::memcpy(outgoing.back().data() + i * itemsize,
                  own.data() + static_cast<std::size_t>(requests.own[to][i]) * itemsize, itemsize);
    }
    lengths.push_back(requests.incoming[to].size() * itemsize);
  }
  const auto arrived =
      all_to_all(*communicator.state(), call_of("scatter_at elements", agreed(array)), outgoing, lengths);
  if (array.local().size() == 0) return;
  const Array block = flat(copy(array.local()));
  for (std::size_t from = 0; from < arrived.size(); ++from) {
    if (requests.incoming[from].empty()) continue;
    const std::vector<ItemIndex> index = {ItemIndex(positions(requests.incoming[from]))};
    quern::set_item(block, index,
                    array_of(block.queue(), arrived[from],
                             {static_cast<std::int64_t>(requests.incoming[from].size())}, array.dtype()));
  }
  assign(array.local(), quern::reshape(block, array.local().shape()));
}

}  // namespace quern::distributed
