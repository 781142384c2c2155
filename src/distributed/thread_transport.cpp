// SPDX-License-Identifier: MIT
// Mailboxes, through which threads send each other messages.
#include "distributed/thread_transport.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace quern::distributed {
namespace {

struct Letter {
  int from = 0, tag = 0;
  std::vector<std::byte> bytes;
};

// The memory of a posted receive, and what arrived in it.
struct Slot {
  int from = 0, tag = 0;
  std::span<std::byte> memory;
  bool filled = false;
  std::size_t length = 0;

  void fill(std::span<const std::byte> bytes) {
    length = bytes.size();
    if (const std::size_t fits = std::min(length, memory.size()); fits != 0) {
      std::memcpy(memory.data(), bytes.data(), fits);
    }
    filled = true;
  }
};

// The messages of one rank that have arrived, and the receives that wait for one.
class Mailbox {
 public:
  void deliver(int from, int tag, std::span<const std::byte> bytes) {
    {
      const std::lock_guard lock(mutex_);
      const auto slot = std::find_if(slots_.begin(), slots_.end(), [&](const auto& posted) {
        return posted->from == from && posted->tag == tag;
      });
      if (slot != slots_.end()) {
        (*slot)->fill(bytes);
        slots_.erase(slot);
      } else {
        letters_.push_back({from, tag, {bytes.begin(), bytes.end()}});
      }
    }
    arrived_.notify_all();
  }

  std::shared_ptr<Slot> post(std::span<std::byte> memory, int from, int tag) {
    auto slot = std::make_shared<Slot>();
    slot->from = from, slot->tag = tag, slot->memory = memory;
    const std::lock_guard lock(mutex_);
    const auto letter = std::find_if(letters_.begin(), letters_.end(), [&](const Letter& waiting) {
      return waiting.from == from && waiting.tag == tag;
    });
    if (letter != letters_.end()) {
      slot->fill(letter->bytes);
      letters_.erase(letter);
    } else {
      slots_.push_back(slot);
    }
    return slot;
  }

  bool is_filled(const Slot& slot) {
    const std::lock_guard lock(mutex_);
    return slot.filled;
  }
  void withdraw(const Slot& slot) {
    const std::lock_guard lock(mutex_);
    std::erase_if(slots_, [&](const auto& posted) { return posted.get() == &slot; });
  }

  std::optional<Transport::Waiting> probe(int tag) {
    const std::lock_guard lock(mutex_);
    for (const Letter& letter : letters_) {
      if (letter.tag == tag) return Transport::Waiting{letter.from};
    }
    return std::nullopt;
  }

  // Waits for a delivery; one just before this call may be missed, so callers limit the time.
  void pause(std::chrono::microseconds longest) {
    std::unique_lock lock(mutex_);
    arrived_.wait_for(lock, longest);
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Letter> letters_;
  std::deque<std::shared_ptr<Slot>> slots_;
};

// What the ranks of one transport share.
struct World {
  World(int ranks, std::string description)
      : mailboxes(static_cast<std::size_t>(ranks)), name(std::move(description)) {}
  [[nodiscard]] int size() const { return static_cast<int>(mailboxes.size()); }

  std::vector<Mailbox> mailboxes;
  std::string name;
};

class ThreadSend : public Transfer {
 public:
  explicit ThreadSend(std::size_t length) : length_(length) {}
  bool done() override { return true; }  // the mailbox has copied it
  [[nodiscard]] std::size_t length() const noexcept override { return length_; }

 private:
  std::size_t length_;
};

class ThreadReceive : public Transfer {
 public:
  ThreadReceive(std::shared_ptr<World> world, Mailbox& mailbox, std::shared_ptr<Slot> slot)
      : world_(std::move(world)), mailbox_(mailbox), slot_(std::move(slot)) {}
  ThreadReceive(const ThreadReceive&) = delete;
  ThreadReceive& operator=(const ThreadReceive&) = delete;
  ~ThreadReceive() override { mailbox_.withdraw(*slot_); }
  bool done() override { return mailbox_.is_filled(*slot_); }
  [[nodiscard]] std::size_t length() const noexcept override { return slot_->length; }

 private:
  std::shared_ptr<World> world_;
  Mailbox& mailbox_;
  std::shared_ptr<Slot> slot_;
};

class ThreadTransport : public Transport {
 public:
  ThreadTransport(std::shared_ptr<World> world, int rank) : world_(std::move(world)), rank_(rank) {}

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return world_->size(); }
  [[nodiscard]] std::string description() const override { return world_->name; }

  std::unique_ptr<Transfer> send(std::span<const std::byte> bytes, int to, int tag) override {
    mailbox_of(to).deliver(rank_, tag, bytes);
    return std::make_unique<ThreadSend>(bytes.size());
  }
  std::unique_ptr<Transfer> receive(std::span<std::byte> bytes, int from, int tag) override {
    Mailbox& own = mailbox_of(rank_);
    return std::make_unique<ThreadReceive>(world_, own, own.post(bytes, from, tag));
  }
  std::optional<Waiting> probe(int tag) override { return mailbox_of(rank_).probe(tag); }
  void pause(std::chrono::microseconds longest) override { mailbox_of(rank_).pause(longest); }

  [[noreturn]] void abort(int exit_status) override { std::_Exit(exit_status); }

 private:
  Mailbox& mailbox_of(int rank) { return world_->mailboxes[static_cast<std::size_t>(rank)]; }

  std::shared_ptr<World> world_;
  int rank_;
};

}  // namespace

std::vector<std::unique_ptr<Transport>> make_thread_transports(int ranks, const std::string& description) {
  const auto world = std::make_shared<World>(ranks, description);
  std::vector<std::unique_ptr<Transport>> transports;
  for (int rank = 0; rank < ranks; ++rank) {
    transports.push_back(std::make_unique<ThreadTransport>(world, rank));
  }
  return transports;
}

void run_ranks(int ranks, const std::function<void(std::unique_ptr<Transport>)>& function) {
  std::vector<std::unique_ptr<Transport>> transports = make_thread_transports(ranks);
  std::vector<std::exception_ptr> errors(transports.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < transports.size(); ++rank) {
    threads.emplace_back([&, rank] {
      try {
        function(std::move(transports[rank]));
      } catch (...) {
        errors[rank] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace quern::distributed
