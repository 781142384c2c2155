// SPDX-License-Identifier: MIT
// Exchanges of messages that all ranks take part in: order, agreement, time limits, failures of other ranks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "distributed/link.hpp"
#include "distributed/message.hpp"
#include "distributed/transport.hpp"
#include "quern/distributed/communicator.hpp"

namespace quern::distributed {

// The messages of one operation. All ranks begin the same exchanges in the same order, and each rank posts
// its messages when it begins. Completing them may come later.
class Exchange {
 public:
  Exchange(Exchange&&) noexcept = default;
  Exchange& operator=(Exchange&&) = delete;
  ~Exchange();  // hands transfers under way to the communicator, which keeps their memory

  void send(int to, Message message);
  // Returns the number by which received() knows the message.
  std::size_t receive(int from, std::size_t payload);
  // Waits for all messages posted so far. Throws DistributedError if a rank disagrees, fails or is absent.
  void finish();
  [[nodiscard]] bool done();
  [[nodiscard]] const Message& message(std::size_t number) const { return pending_[number].message; }
  [[nodiscard]] std::span<const std::byte> received(std::size_t number) const {
    return message(number).payload();
  }

 private:
  friend class CommunicatorState;
  struct Pending {
    int peer;
    bool is_receive;
    Message message;
    std::unique_ptr<Transfer> transfer;
    bool is_done = false;
  };
  Exchange(std::shared_ptr<CommunicatorState> communicator, std::uint64_t sequence, Call call)
      : communicator_(std::move(communicator)), sequence_(sequence), call_(std::move(call)) {}
  bool poll();  // true if all are done
  void check(const Pending& pending) const;
  [[nodiscard]] std::vector<int> absent() const;

  std::shared_ptr<CommunicatorState> communicator_;
  std::uint64_t sequence_;
  Call call_;
  std::vector<Pending> pending_;
};

class Mail;

// "rank 3", "ranks 0, 1 and 3".
std::string rank_list(const std::vector<int>& ranks);

class CommunicatorState : public std::enable_shared_from_this<CommunicatorState> {
 public:
  // Called by all ranks.
  static std::shared_ptr<CommunicatorState> make(std::unique_ptr<Transport> transport,
                                                 WaitLimits limits = WaitLimits::from_environment());
  CommunicatorState(const CommunicatorState&) = delete;
  CommunicatorState& operator=(const CommunicatorState&) = delete;
  ~CommunicatorState();  // leaks memory that MPI may still write to

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(members_.size()); }
  // Of all ranks of the program; the ranks of a part have other numbers there.
  [[nodiscard]] Transport& transport() noexcept { return link_->transport(); }
  [[nodiscard]] const std::shared_ptr<Link>& link() const noexcept { return link_; }
  [[nodiscard]] MessageCounts sent() const;

  [[nodiscard]] Exchange begin(Call call);
  // Called by all ranks. Those with the same color become a communicator of their own, in the order of their
  // ranks; null for a negative color. Threads that split communicators at the same time do so in the same
  // order on all ranks.
  [[nodiscard]] std::shared_ptr<CommunicatorState> split(int color);
  [[nodiscard]] bool is_one_node() const noexcept;
  // For waits without messages. Throws DistributedError if a rank has failed, if this one has ended, is
  // stopped for too long, or if this rank has waited for it longer than the limit.
  void check_rank(int rank, const Call& call, std::chrono::milliseconds waited);
  // Tells all other ranks that this one cannot go on. They throw where they wait for it next.
  void announce_failure(const std::string& text) noexcept;

  [[nodiscard]] const WaitLimits& limits() const noexcept { return limits_; }
  // Messages of the program between two ranks.
  [[nodiscard]] Mail& mail();

 private:
  friend class Exchange;
  friend class Mail;
  // `members` are the ranks of the transport.
  CommunicatorState(std::shared_ptr<Link> link, std::vector<int> members, int tags, WaitLimits limits);
  // What a rank says about itself when it waits for long, or when it fails.
  struct Notice {
    enum class Kind : std::uint32_t { waits, failed };
    Kind kind = Kind::waits;
    std::uint32_t length = 0;
    std::uint64_t sequence = 0;
    char text[1024] = {};
  };
  // Where a rank runs.
  struct Peer {
    char node[64] = {};
    std::int64_t process = 0;
  };
  void wait(Exchange& exchange);
  void send_notice(Notice::Kind kind, std::uint64_t sequence, const std::string& text);
  // Reads what other ranks said, for all threads that wait. Throws if a rank has failed.
  void read_notices(const Call& call);
  // Whether a rank has said, since `start` or for this operation, that it waits.
  [[nodiscard]] bool is_waiting(int other, std::uint64_t sequence,
                                std::chrono::steady_clock::time_point start) const;
  // Throws if the process of this rank has ended, or is stopped for too long.
  void look_at_process(int rank, const Call& call, std::chrono::milliseconds waited) const;
  // Throws if the program of a rank has ended before this operation, or before it sent what the exchange
  // needs of it.
  void look_for_endings(const Exchange& exchange) const;
  void count(std::size_t payload);
  void keep(Exchange::Pending pending) noexcept;
  void find_peers();
  std::unique_ptr<Transfer> post_send(std::span<const std::byte> bytes, int to, int tag);
  std::unique_ptr<Transfer> post_receive(std::span<std::byte> bytes, int from, int tag);
  // For Mail: the rank of an envelope that has arrived; envelopes and bodies.
  std::optional<int> probe_message();
  std::unique_ptr<Transfer> post_message_send(std::span<const std::byte> bytes, int to, bool is_body);
  std::unique_ptr<Transfer> post_message_receive(std::span<std::byte> bytes, int from, bool is_body);

  std::shared_ptr<Link> link_;
  const std::vector<int> members_;
  const int tags_;  // the first of its tags
  int rank_ = 0;
  const WaitLimits limits_;
  mutable std::mutex mutex_;
  const Link::Counter sequence_;  // of the last operation
  MessageCounts sent_;
  std::vector<Peer> peers_;              // by rank
  std::vector<Exchange::Pending> kept_;  // transfers whose exchange is gone
  std::once_flag mail_once_;
  std::unique_ptr<Mail> mail_;

  // The notices of other ranks. One thread reads them, and all that wait need them.
  struct Heard {
    std::uint64_t sequence = 0;
    std::chrono::steady_clock::time_point when = std::chrono::steady_clock::time_point::min();
  };
  mutable std::mutex notices_;
  std::vector<Heard> heard_;                           // by rank: its last notice that it waits
  std::optional<std::pair<int, std::string>> failed_;  // the first rank that failed, and why
};

}  // namespace quern::distributed
