// SPDX-License-Identifier: MIT
// Exchanges between ranks that are threads: results against sequential loops, counts of messages, and ranks
// that disagree, fail or are absent.
#include "distributed/collectives.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>

#include "distributed/ranks.hpp"
#include "quern/distributed_error.hpp"

namespace quern::distributed {
namespace {

using std::chrono::milliseconds;

// The bytes that rank `from` sends to rank `to` in these tests: a length and contents that depend on both.
Bytes sample(int from, int to, std::size_t longest = 300) {
  std::mt19937 random(static_cast<unsigned>(1000 * from + to));
  Bytes bytes(random() % longest);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

class Ranks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(, Ranks, testing::Values(1, 2, 3, 4, 5, 8, 13, 16));

TEST_P(Ranks, all_gather_concatenates_in_the_order_of_the_ranks) {
  const int ranks = GetParam();
  on_ranks(ranks, [&](const std::shared_ptr<CommunicatorState>& shared) {
    CommunicatorState& communicator = *shared;
    for (const std::size_t length : {0, 1, 8, 5000}) {
      const auto block = [&](int rank) { return Bytes(length, static_cast<std::byte>(rank + 1)); };
      Bytes expected;
      for (int rank = 0; rank < ranks; ++rank) {
        const Bytes part = block(rank);
        expected.insert(expected.end(), part.begin(), part.end());
      }
      EXPECT_EQ(all_gather(communicator, {"all_gather", "", length}, block(communicator.rank())), expected);
    }
  });
}

TEST_P(Ranks, broadcast_copies_the_bytes_of_every_root) {
  const int ranks = GetParam();
  on_ranks(ranks, [&](const std::shared_ptr<CommunicatorState>& shared) {
    CommunicatorState& communicator = *shared;
    for (int root = 0; root < ranks; ++root) {
      const Bytes expected = sample(root, 0);
      Bytes bytes = communicator.rank() == root ? expected : Bytes(expected.size());
      broadcast(communicator, {"broadcast", "", expected.size()}, bytes, root);
      EXPECT_EQ(bytes, expected);
    }
  });
}

TEST_P(Ranks, gather_and_all_to_all_move_parts_of_different_lengths) {
  const int ranks = GetParam();
  on_ranks(ranks, [&](const std::shared_ptr<CommunicatorState>& shared) {
    CommunicatorState& communicator = *shared;
    std::vector<Bytes> outgoing, expected;
    std::vector<std::size_t> lengths;
    for (int other = 0; other < ranks; ++other) {
      outgoing.push_back(sample(communicator.rank(), other));
      expected.push_back(sample(other, communicator.rank()));
      lengths.push_back(expected.back().size());
    }
    EXPECT_EQ(all_to_all(communicator, {"all_to_all", "", 1}, outgoing, lengths), expected);

    std::vector<Bytes> parts;
    std::vector<std::size_t> part_lengths;
    for (int from = 0; from < ranks; ++from) {
      parts.push_back(sample(from, 77));
      part_lengths.push_back(parts.back().size());
    }
    const int root = ranks / 2;
    const auto gathered =
        gather(communicator, {"gather", "", 2}, sample(communicator.rank(), 77), part_lengths, root);
    EXPECT_EQ(gathered, communicator.rank() == root ? parts : std::vector<Bytes>{});
  });
}

TEST_P(Ranks, no_rank_leaves_a_barrier_before_all_have_reached_it) {
  const int ranks = GetParam();
  std::atomic<int> arrived{0};
  on_ranks(ranks, [&](const std::shared_ptr<CommunicatorState>& shared) {
    CommunicatorState& communicator = *shared;
    for (int round = 1; round <= 5; ++round) {
      ++arrived;
      barrier(communicator, {"barrier", "", 0});
      EXPECT_GE(arrived.load(), round * ranks);
      barrier(communicator, {"barrier", "", 0});
    }
  });
}

TEST_P(Ranks, messages_are_as_many_as_the_algorithms_say) {
  const int ranks = GetParam();
  int rounds = 0;
  while ((1 << rounds) < ranks) ++rounds;
  std::atomic<std::uint64_t> broadcasts{0};
  on_ranks(ranks, [&](const std::shared_ptr<CommunicatorState>& shared) {
    CommunicatorState& communicator = *shared;
    const auto count = [&](const auto& function) {
      const MessageCounts before = communicator.sent();
      function();
      const MessageCounts after = communicator.sent();
      return MessageCounts{after.messages - before.messages, after.bytes - before.bytes};
    };
    const auto in_barrier = count([&] { barrier(communicator, {"barrier", "", 0}); });
    EXPECT_EQ(in_barrier.messages, static_cast<std::uint64_t>(rounds));
    EXPECT_EQ(in_barrier.bytes, 0u);
    const Bytes own(24);
    const auto in_gather = count([&] { (void)all_gather(communicator, {"all_gather", "", 0}, own); });
    EXPECT_EQ(in_gather.messages, static_cast<std::uint64_t>(rounds));
    EXPECT_EQ(in_gather.bytes, 24u * static_cast<std::uint64_t>(ranks - 1));
    Bytes bytes(100);
    broadcasts += count([&] { broadcast(communicator, {"broadcast", "", 0}, bytes, 0); }).messages;
  });
  EXPECT_EQ(broadcasts.load(), static_cast<std::uint64_t>(ranks - 1));
}

// A transport that fails in the middle of a message.
class FailingTransport : public Transport {
 public:
  FailingTransport(std::unique_ptr<Transport> transport, const bool& fails)
      : transport_(std::move(transport)), fails_(fails) {}
  [[nodiscard]] int rank() const noexcept override { return transport_->rank(); }
  [[nodiscard]] int size() const noexcept override { return transport_->size(); }
  [[nodiscard]] std::string description() const override { return transport_->description(); }
  std::unique_ptr<Transfer> send(std::span<const std::byte> bytes, int to, int tag) override {
    if (fails_) throw DistributedError("no network", {});
    return transport_->send(bytes, to, tag);
  }
  std::unique_ptr<Transfer> receive(std::span<std::byte> bytes, int from, int tag) override {
    return transport_->receive(bytes, from, tag);
  }
  std::optional<Waiting> probe(int tag) override { return transport_->probe(tag); }
  void pause(std::chrono::microseconds longest) override { transport_->pause(longest); }
  [[nodiscard]] bool is_open() const noexcept override { return transport_->is_open(); }
  [[noreturn]] void abort(int exit_status) override { std::_Exit(exit_status); }

 private:
  std::unique_ptr<Transport> transport_;
  const bool& fails_;
};

TEST(MessageMemory, stays_if_the_transport_fails_while_it_sends) {
  bool fails = false;
  run_ranks(1, [&](std::unique_ptr<Transport> transport) {
    const auto state =
        CommunicatorState::make(std::make_unique<FailingTransport>(std::move(transport), fails), {});
    Message message(100);
    const std::weak_ptr<void> memory = message.memory();
    {
      Exchange exchange = state->begin({"sum", "", 0});
      fails = true;
      EXPECT_THROW(exchange.send(0, std::move(message)), DistributedError);
    }
    EXPECT_FALSE(memory.expired());
    fails = false;
  });
}

TEST(MessageMemory, is_kept_for_messages_of_about_the_same_size) {
  // Larger than what the allocator keeps itself, so that fresh memory is zero.
  constexpr std::size_t kBytes = std::size_t{40} << 20;
  const auto fill = [](Message& message) {
    for (std::size_t i = 0; i < message.payload().size(); i += 4096) message.payload()[i] = std::byte{7};
  };
  const auto is_used = [](Message& message) { return message.payload()[4096] == std::byte{7}; };
  {
    Message larger(kBytes + kBytes / 2), same(kBytes);
    fill(larger), fill(same);
  }
  const std::size_t kept = kept_message_memory();
  Message best(kBytes);
  EXPECT_TRUE(is_used(best));
  EXPECT_EQ(kept - kept_message_memory(), std::size_t{42} << 20);  // not the larger one
  Message second(kBytes);
  EXPECT_TRUE(is_used(second));
}

TEST(MessageMemory, that_is_kept_is_bounded) {
  {
    std::vector<Message> messages;
    for (std::size_t i = 1; i < 10; ++i) messages.emplace_back(i << 23);
    messages.emplace_back(std::size_t{300} << 20);
  }
  const std::size_t kept = kept_message_memory();
  EXPECT_LE(kept, kMostKept);
  EXPECT_GT(kept, kMostKept / 2);
  { const Message small(1000); }
  EXPECT_EQ(kept_message_memory(), kept);
}

TEST(Exchanges, may_be_completed_later_and_in_another_order) {
  on_ranks(3, [](const std::shared_ptr<CommunicatorState>& shared) {
    CommunicatorState& communicator = *shared;
    const int rank = communicator.rank(), next = (rank + 1) % 3, before = (rank + 2) % 3;
    const auto start = [&](int number) {
      Exchange exchange = communicator.begin({"shift", "", 0});
      exchange.receive(before, sizeof(int));
      Message message(sizeof(int));
      const int value = 10 * rank + number;
      std::memcpy(message.payload().data(), &value, sizeof value);
      exchange.send(next, std::move(message));
      return exchange;
    };
    Exchange first = start(1), second = start(2);
    const auto value_of = [](Exchange& exchange) {
      exchange.finish();
      int value = 0;
      std::memcpy(&value, exchange.received(0).data(), sizeof value);
      return value;
    };
    EXPECT_EQ(value_of(second), 10 * before + 2);
    EXPECT_EQ(value_of(first), 10 * before + 1);
  });
}

TEST(Exchanges, parts_of_the_ranks_have_communicators_of_their_own) {
  on_ranks(7, [](const std::shared_ptr<CommunicatorState>& shared) {
    CommunicatorState& communicator = *shared;
    const int color = communicator.rank() % 3 == 2 ? -1 : communicator.rank() % 3;
    const auto part = communicator.split(color);
    if (color < 0) {
      EXPECT_EQ(part, nullptr);
      return;
    }
    EXPECT_EQ(part->size(), color == 0 ? 3 : 2);
    EXPECT_EQ(part->rank(), communicator.rank() / 3);
    const Bytes own(1, static_cast<std::byte>(communicator.rank()));
    const Bytes all = all_gather(*part, {"all_gather", "", 1}, own);
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(static_cast<std::size_t>(all[i]), 3 * i + static_cast<std::size_t>(color));
    }
  });
}

TEST(Exchanges, of_parts_of_parts_do_not_mix) {
  on_ranks(6, [](const std::shared_ptr<CommunicatorState>& whole) {
    const auto half = whole->split(whole->rank() % 2);
    const auto pair = whole->rank() == 4 ? half->split(-1) : half->split(0);
    const auto again = whole->split(whole->rank() / 3);
    const auto gathered = [&](const std::shared_ptr<CommunicatorState>& part) {
      Exchange exchange = part->begin({"number", "", 1});
      std::vector<std::size_t> numbers;
      for (int other = 0; other < part->size(); ++other) {
        if (other == part->rank()) continue;
        numbers.push_back(exchange.receive(other, 1));
        Message message(1);
        message.payload()[0] = static_cast<std::byte>(whole->rank());
        exchange.send(other, std::move(message));
      }
      return [exchange = std::make_shared<Exchange>(std::move(exchange)), numbers, part, whole] {
        exchange->finish();
        std::vector<int> ranks = {whole->rank()};
        for (const std::size_t number : numbers)
          ranks.push_back(static_cast<int>(exchange->received(number)[0]));
        std::sort(ranks.begin(), ranks.end());
        return ranks;
      };
    };
    // Messages of all communicators are under way at once.
    const auto of_again = gathered(again), of_whole = gathered(whole), of_half = gathered(half);
    if (pair) {
      const auto expected = whole->rank() % 2 == 0 ? std::vector{0, 2} : std::vector{1, 3, 5};
      EXPECT_EQ(gathered(pair)(), expected);
    }
    EXPECT_EQ(of_half(), whole->rank() % 2 == 0 ? (std::vector{0, 2, 4}) : (std::vector{1, 3, 5}));
    EXPECT_EQ(of_whole(), (std::vector{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(of_again(), whole->rank() < 3 ? (std::vector{0, 1, 2}) : (std::vector{3, 4, 5}));
  });
}

// Runs the function on all ranks. Returns the texts of the errors, in the order of the ranks; a rank that
// fails announces it.
template <class Function>
std::vector<std::string> errors_on(int ranks, const Function& function, WaitLimits limits = {}) {
  std::vector<std::string> errors(static_cast<std::size_t>(ranks));
  on_ranks(
      ranks,
      [&](const std::shared_ptr<CommunicatorState>& shared) {
        CommunicatorState& communicator = *shared;
        try {
          function(shared);
        } catch (const std::exception& error) {
          errors[static_cast<std::size_t>(communicator.rank())] = error.what();
          communicator.announce_failure(error.what());
        }
      },
      limits);
  return errors;
}

TEST(RanksThatDisagree, are_named_with_both_operations_and_lines) {
  const auto errors = errors_on(2, [](const std::shared_ptr<CommunicatorState>& shared) {
    CommunicatorState& communicator = *shared;
    barrier(communicator, {"barrier", "start.py:1", 0});
    if (communicator.rank() == 0) {
      (void)all_gather(communicator, {"sum", "prog.py:10", 8}, Bytes(8));
    } else {
      (void)all_gather(communicator, {"max", "prog.py:12", 8}, Bytes(8));
    }
  });
  // The texts differ, and so do the digests of real calls; here the digests are equal, so nothing is found.
  EXPECT_EQ(errors[0], "");

  const auto found = errors_on(2, [](const std::shared_ptr<CommunicatorState>& shared) {
    CommunicatorState& communicator = *shared;
    const bool is_first = communicator.rank() == 0;
    (void)all_gather(communicator,
                     {is_first ? "sum" : "max", is_first ? "prog.py:10" : "prog.py:12", is_first ? 1u : 2u},
                     Bytes(8));
  });
  for (const std::string& text : found) {
    EXPECT_NE(text.find("sum (prog.py:10)"), std::string::npos) << text;
    EXPECT_NE(text.find("max (prog.py:12)"), std::string::npos) << text;
  }
  EXPECT_NE(found[0].find("rank 1"), std::string::npos) << found[0];
}

TEST(RanksThatDisagree, about_lengths_or_order_are_found) {
  const auto lengths = errors_on(3, [](const std::shared_ptr<CommunicatorState>& shared) {
    CommunicatorState& communicator = *shared;
    const std::size_t length = communicator.rank() == 2 ? 16 : 8;
    (void)all_gather(communicator, {"sum", "prog.py:3", length}, Bytes(length));
  });
  EXPECT_NE(lengths[0] + lengths[1] + lengths[2], "");
  for (const std::string& text : lengths) {
    if (text.find("failed while") != std::string::npos) continue;
    EXPECT_NE(text.find("other shapes, dtypes, layouts or options"), std::string::npos) << text;
  }
  const auto order = errors_on(2, [](const std::shared_ptr<CommunicatorState>& shared) {
    CommunicatorState& communicator = *shared;
    if (communicator.rank() == 1) barrier(communicator, {"barrier", "prog.py:9", 0});
    (void)all_gather(communicator, {"sum", "prog.py:10", 1}, Bytes(8));
    if (communicator.rank() == 0) barrier(communicator, {"barrier", "prog.py:11", 0});
  });
  for (const std::string& text : order) {
    EXPECT_NE(text.find("sum (prog.py:10)"), std::string::npos) << text;
    EXPECT_NE(text.find("barrier (prog.py:9)"), std::string::npos) << text;
  }
}

TEST(RanksThatFail, end_the_waits_of_the_others) {
  const auto errors = errors_on(4, [](const std::shared_ptr<CommunicatorState>& shared) {
    CommunicatorState& communicator = *shared;
    if (communicator.rank() == 2) throw std::runtime_error("file not found: mesh.npy");
    barrier(communicator, {"barrier", "prog.py:5", 0});
  });
  for (const int rank : {0, 1, 3}) {
    const std::string& text = errors[static_cast<std::size_t>(rank)];
    EXPECT_NE(text.find("failed while"), std::string::npos) << text;
    EXPECT_NE(text.find("mesh.npy"), std::string::npos) << text;
  }
}

TEST(RanksThatFail, end_the_waits_of_all_threads) {
  WaitLimits limits;
  limits.fail = milliseconds(5000);
  std::atomic<int> ended{0};
  on_ranks(
      2,
      [&](const std::shared_ptr<CommunicatorState>& communicator) {
        barrier(*communicator, {"barrier", "", 0});
        if (communicator->rank() == 1) {
          std::this_thread::sleep_for(milliseconds(50));
          communicator->announce_failure("no mesh");
          const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
          while (ended.load() < 4 && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
          return;
        }
        std::vector<Exchange> exchanges;
        for (int k = 0; k < 4; ++k) {
          exchanges.push_back(communicator->begin({"shift", "", 0}));
          exchanges.back().receive(1, 8);
        }
        std::vector<std::string> texts(exchanges.size());
        std::vector<std::thread> threads;
        for (std::size_t k = 0; k < exchanges.size(); ++k) {
          threads.emplace_back([&, k] {
            try {
              exchanges[k].finish();
            } catch (const DistributedError& error) {
              texts[k] = error.what();
            }
            ++ended;
          });
        }
        for (std::thread& thread : threads) thread.join();
        for (const std::string& text : texts) EXPECT_NE(text.find("no mesh"), std::string::npos) << text;
      },
      limits);
}

TEST(RanksThatAreAbsent, from_a_split_are_named) {
  WaitLimits limits;
  limits.warn = milliseconds(200);
  limits.fail = milliseconds(400);
  std::atomic<int> failed{0};
  const auto errors = errors_on(
      3,
      [&](const std::shared_ptr<CommunicatorState>& communicator) {
        if (communicator->rank() == 1) {
          const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
          while (failed.load() < 2 && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
          return;
        }
        try {
          (void)communicator->split(0);
        } catch (const DistributedError&) {
          ++failed;
          throw;
        }
      },
      limits);
  EXPECT_NE(errors[0].find("in split for rank 1"), std::string::npos) << errors[0];
  EXPECT_NE(errors[2].find("in split for rank 1"), std::string::npos) << errors[2];
}

TEST(RanksThatAreAbsent, are_named_when_the_time_limit_has_passed) {
  WaitLimits limits;
  limits.warn = milliseconds(200);
  limits.fail = milliseconds(400);
  std::atomic<int> failed{0};
  const auto errors = errors_on(
      3,
      [&](const std::shared_ptr<CommunicatorState>& shared) {
        CommunicatorState& communicator = *shared;
        if (communicator.rank() == 1) {  // absent until the others have given up
          while (failed.load() < 2) std::this_thread::yield();
          return;
        }
        try {
          barrier(communicator, {"barrier", "prog.py:5", 0});
        } catch (const DistributedError&) {
          ++failed;
          throw;
        }
        ++failed;
      },
      limits);
  // One of them may learn it from the other, whose text it then repeats.
  EXPECT_NE(errors[0].find("for rank 1"), std::string::npos) << errors[0];
  EXPECT_NE(errors[2].find("for rank 1"), std::string::npos) << errors[2];
}

}  // namespace
}  // namespace quern::distributed
