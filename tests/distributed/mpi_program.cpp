// SPDX-License-Identifier: MIT
// A program for mpiexec: exchanges between processes, each compared with what a loop over the ranks gives.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "distributed/collectives.hpp"
#include "distributed/mpi_transport.hpp"
#include "quern/distributed/global_array.hpp"
#include "quern/distributed/messages.hpp"
#include "quern/distributed_error.hpp"

namespace {

using namespace quern::distributed;

void expect(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(std::string("wrong: ") + what);
}

Bytes block_of(int rank, std::size_t length) {
  Bytes block(length);
  for (std::size_t i = 0; i < length; ++i)
    block[i] = static_cast<std::byte>(7 * i + 31 * static_cast<std::size_t>(rank));
  return block;
}

void exchange(CommunicatorState& communicator) {
  const int ranks = communicator.size();
  for (const std::size_t length : {std::size_t{0}, std::size_t{8}, std::size_t{3'000'000}}) {
    Bytes expected;
    for (int rank = 0; rank < ranks; ++rank) {
      const Bytes block = block_of(rank, length);
      expected.insert(expected.end(), block.begin(), block.end());
    }
    expect(all_gather(communicator, {"all_gather", "", length}, block_of(communicator.rank(), length)) ==
               expected,
           "all_gather");
    for (int root = 0; root < ranks; ++root) {
      Bytes bytes = communicator.rank() == root ? block_of(root, length) : Bytes(length);
      broadcast(communicator, {"broadcast", "", length}, bytes, root);
      expect(bytes == block_of(root, length), "broadcast");
    }
  }
  std::vector<Bytes> outgoing, incoming;
  std::vector<std::size_t> lengths;
  const auto length = [&](int from, int to) { return static_cast<std::size_t>(1000 * from + 10 * to); };
  for (int other = 0; other < ranks; ++other) {
    outgoing.push_back(block_of(other, length(communicator.rank(), other)));
    incoming.push_back(block_of(communicator.rank(), length(other, communicator.rank())));
    lengths.push_back(incoming.back().size());
  }
  expect(all_to_all(communicator, {"all_to_all", "", 0}, outgoing, lengths) == incoming, "all_to_all");
}

// Each rank adds its number to all elements, then to one of each rank; all read the sums.
void one_sided(const Communicator& communicator) {
  const int ranks = communicator.size();
  constexpr std::int64_t kLength = 10'000;
  const GlobalArray array(communicator, Layout::for_shape(ranks, {kLength}), quern::dtype_of<double>());
  std::vector<double> values(kLength, communicator.rank() + 1);
  const Patch all = {{0, kLength}};
  for (int i = 0; i < 10; ++i) array.accumulate(all, std::as_bytes(std::span(values)));
  array.sync();
  array.get(all, std::as_writable_bytes(std::span(values)));
  for (const double value : values) expect(value == 10.0 * ranks * (ranks + 1) / 2, "accumulate");
  Counter counter(communicator);
  std::int64_t last = -1;
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t next = counter.next();
    expect(next > last, "the order of a counter");
    last = next;
  }
  counter.reset();
  static_cast<void>(counter.next());
  communicator.barrier();
  expect(counter.next(0) == ranks, "the count of all ranks");
  communicator.barrier();
}

// Each rank sends to the next one and to itself, small and large, before it receives.
void messages(const Communicator& communicator) {
  const int ranks = communicator.size(), rank = communicator.rank();
  const quern::Queue queue = quern::Queue::of(quern::device("host"));
  for (const std::int64_t length : {std::int64_t{3}, std::int64_t{200'000}}) {
    const quern::Array own =
        quern::asarray(queue, std::vector<double>(static_cast<std::size_t>(length), rank));
    const quern::Array to_itself = quern::zeros(queue, {length}, quern::dtype_of<double>());
    const quern::Event arrived = irecv(communicator, to_itself, rank, 5);
    const quern::Event sent = isend(communicator, own, rank, 5);
    send(communicator, own, (rank + 1) % ranks, 7);
    const quern::Array got = recv(communicator, queue, kAnySource, 7);
    expect(got.to_vector<double>(queue) ==
               std::vector<double>(static_cast<std::size_t>(length), (rank + ranks - 1) % ranks),
           "a message");
    sent.wait();
    arrived.wait();
    expect(to_itself.to_vector<double>(queue) == own.to_vector<double>(queue), "a message to oneself");
    const double sum = allreduce(communicator, own).to_vector<double>(queue).back();
    expect(sum == ranks * (ranks - 1) / 2.0, "allreduce");
  }
}

// Rank 1 dies with a lock that the others want.
void die_with_a_lock(const Communicator& communicator) {
  GlobalLocks locks(communicator, 1);
  if (communicator.rank() == 1) locks.lock(0);
  communicator.barrier();
  if (communicator.rank() == 1) std::_Exit(0);
  locks.lock(0);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  std::shared_ptr<CommunicatorState> communicator;
  try {
    communicator = world().state();
    if (argc > 2) expect(communicator->size() == std::stoi(argv[2]), "the number of ranks");
    exchange(*communicator);
    if (const auto part = communicator->split(communicator->rank() % 2)) exchange(*part);
    one_sided(Communicator(communicator));
    messages(Communicator(communicator));
    if (mode == "lock") die_with_a_lock(Communicator(communicator));
    if (mode == "end" && communicator->rank() == 1) return 0;
    if (mode == "raise" && communicator->rank() == 1) throw std::runtime_error("no mesh");
    if (mode == "die" && communicator->rank() == 1) std::_Exit(0);
    if (mode == "disagree") {
      const bool is_first = communicator->rank() == 0;
      barrier(*communicator, {is_first ? "sum" : "max", is_first ? "a:1" : "b:2", is_first ? 1u : 2u});
    }
    if (mode == "longer" || mode == "much_longer") {  // than what the other ranks have memory for
      Bytes bytes(communicator->rank() != 0 ? 8 : mode == "longer" ? 64 : 3'000'000);
      broadcast(*communicator, {"broadcast", "a:1", bytes.size()}, bytes, 0);
    }
    if (mode == "split") {
      if (communicator->rank() == 1) std::this_thread::sleep_for(std::chrono::seconds(60));
      (void)communicator->split(0);
    }
    barrier(*communicator, {"barrier", "end", 0});
    std::printf("rank %d of %d: right (%s)\n", communicator->rank(), communicator->size(),
                communicator->transport().description().c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", communicator ? communicator->rank() : -1, error.what());
    if (!communicator) return 1;
    communicator->announce_failure(error.what());
    if (mode == "raise" && communicator->rank() != 1) return 3;   // learnt from rank 1, which aborts last
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // the launcher forwards the text meanwhile
    communicator->transport().abort(3);
  }
}
