// SPDX-License-Identifier: MIT
// Barrier and broadcast in log2(ranks) rounds, gathering by doubling, direct exchanges.
#include "distributed/collectives.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "quern/distributed_error.hpp"

namespace quern::distributed {
namespace {

Message message_of(std::span<const std::byte> bytes) {
  Message message(bytes.size());
  if (!bytes.empty()) std::memcpy(message.payload().data(), bytes.data(), bytes.size());
  return message;
}

void copy(std::span<const std::byte> from, std::span<std::byte> to) {
  if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
}

}  // namespace

void barrier(CommunicatorState& communicator, const Call& call) {
  const int size = communicator.size(), rank = communicator.rank();
  Exchange exchange = communicator.begin(call);
  // After the round of distance d, each rank knows that the 2d ranks before it have arrived.
  for (int distance = 1; distance < size; distance *= 2) {
    exchange.receive((rank - distance + size) % size, 0);
    exchange.send((rank + distance) % size, Message(0));
    exchange.finish();
  }
}

void broadcast(CommunicatorState& communicator, const Call& call, std::span<std::byte> bytes, int root) {
  const int size = communicator.size();
  const int place = (communicator.rank() - root + size) % size;  // the root has place 0
  const auto rank_at = [&](int at) { return (at + root) % size; };
  Exchange exchange = communicator.begin(call);
  // The lowest bit that is set in a place tells where it receives from, the bits below where it sends to.
  int bit = 1;
  while (bit < size && (place & bit) == 0) bit *= 2;
  if (place != 0) {
    const std::size_t number = exchange.receive(rank_at(place - bit), bytes.size());
    exchange.finish();
    copy(exchange.received(number), bytes);
  }
  for (bit /= 2; bit > 0; bit /= 2) {
    if (place + bit < size) exchange.send(rank_at(place + bit), message_of(bytes));
  }
  exchange.finish();
}

Bytes all_gather(CommunicatorState& communicator, const Call& call, std::span<const std::byte> own) {
  const auto size = static_cast<std::size_t>(communicator.size());
  const auto rank = static_cast<std::size_t>(communicator.rank());
  Exchange exchange = communicator.begin(call);
  // Blocks in the order rank, rank + 1, ...: in each round a rank doubles the number of blocks that it has.
  Bytes blocks(size * own.size());
  copy(own, blocks);
  for (std::size_t have = 1; have < size; have *= 2) {
    const std::size_t more = std::min(have, size - have) * own.size();
    const std::size_t number = exchange.receive(static_cast<int>((rank + have) % size), more);
    exchange.send(static_cast<int>((rank + size - have) % size), message_of({blocks.data(), more}));
    exchange.finish();
    copy(exchange.received(number), std::span(blocks).subspan(have * own.size(), more));
  }
  std::rotate(blocks.begin(), blocks.end() - static_cast<std::ptrdiff_t>(rank * own.size()), blocks.end());
  return blocks;
}

void check_agreement(CommunicatorState& communicator, Call call) {
  const std::uint64_t own = std::exchange(call.digest, 0);
  const Bytes all = all_gather(communicator, call, std::as_bytes(std::span(&own, std::size_t{1})));
  std::vector<int> others;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    std::uint64_t digest = 0;
    std::memcpy(&digest, all.data() + static_cast<std::size_t>(rank) * sizeof digest, sizeof digest);
    if (digest != own) others.push_back(rank);
  }
  if (others.empty()) return;
  throw DistributedError(
      call.text() + ": " + rank_list(others) + " and rank " + std::to_string(communicator.rank()) +
          " have different shapes, dtypes, layouts or options: all ranks must give the same",
      others);
}

std::vector<Bytes> gather(CommunicatorState& communicator, const Call& call, std::span<const std::byte> own,
                          std::span<const std::size_t> lengths, int root) {
  Exchange exchange = communicator.begin(call);
  if (communicator.rank() != root) {
    exchange.send(root, message_of(own));
    exchange.finish();
    return {};
  }
  std::vector<std::size_t> numbers(lengths.size());
  for (std::size_t from = 0; from < lengths.size(); ++from) {
    if (static_cast<int>(from) != root)
      numbers[from] = exchange.receive(static_cast<int>(from), lengths[from]);
  }
  exchange.finish();
  std::vector<Bytes> parts(lengths.size());
  for (std::size_t from = 0; from < lengths.size(); ++from) {
    const auto part = static_cast<int>(from) == root ? own : exchange.received(numbers[from]);
    parts[from].assign(part.begin(), part.end());
  }
  return parts;
}

std::vector<Bytes> all_to_all(CommunicatorState& communicator, const Call& call,
                              std::span<const Bytes> outgoing, std::span<const std::size_t> lengths) {
  const auto size = static_cast<std::size_t>(communicator.size());
  const auto rank = static_cast<std::size_t>(communicator.rank());
  Exchange exchange = communicator.begin(call);
  std::vector<std::size_t> numbers(size);
  // Every rank starts with its own neighbour, so that not all send to rank 0 first.
  for (std::size_t step = 1; step < size; ++step) {
    const std::size_t from = (rank + size - step) % size;
    if (lengths[from] != 0) numbers[from] = exchange.receive(static_cast<int>(from), lengths[from]);
  }
  for (std::size_t step = 1; step < size; ++step) {
    const std::size_t to = (rank + step) % size;
    if (!outgoing[to].empty()) exchange.send(static_cast<int>(to), message_of(outgoing[to]));
  }
  exchange.finish();
  std::vector<Bytes> incoming(size);
  incoming[rank] = outgoing[rank];
  for (std::size_t from = 0; from < size; ++from) {
    if (from == rank || lengths[from] == 0) continue;
    const auto part = exchange.received(numbers[from]);
    incoming[from].assign(part.begin(), part.end());
  }
  return incoming;
}

}  // namespace quern::distributed
