// SPDX-License-Identifier: MIT
// The messages of a program between two ranks: which arrived message belongs to which receive, and the order
// of sends.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "distributed/communicator.hpp"
#include "quern/array.hpp"
#include "quern/distributed/messages.hpp"
#include "quern/queue.hpp"

namespace quern::distributed {

// What a message says about its array.
struct Contents {
  std::string dtype;  // its name
  std::size_t itemsize = 0;
  Shape shape;
  std::size_t nbytes = 0;
  std::string call;  // of the sender

  static Contents of(const Array& array, const Call& call);
};

// A message that is arriving, or that no receive has asked for yet.
struct Incoming {
  int source = 0, tag = 0;
  Contents contents;
  std::shared_ptr<std::byte[]> memory;
  std::unique_ptr<Transfer> body;  // null if all has arrived

  [[nodiscard]] std::span<const std::byte> bytes() const { return {memory.get(), contents.nbytes}; }
};

// Calls `end` once, with the message or with an error, on the thread that makes progress.
struct Receive {
  int source = kAnySource, tag = kAnyTag;
  Call call;
  std::function<void(std::shared_ptr<Incoming>, std::exception_ptr)> end;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::shared_ptr<Incoming> message;  // the one that matches, once it is known
};

struct Outgoing {
  int dest = 0;
  Call call;
  std::vector<std::byte> envelope;
  std::shared_ptr<std::byte[]> memory;  // of the elements; they follow the envelope if it has no space
  std::size_t nbytes = 0;
  bool is_ready = false;  // the elements are in memory
  std::function<void(std::exception_ptr)> end;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::vector<std::unique_ptr<Transfer>> transfers = {};
};

class Mail {
 public:
  explicit Mail(CommunicatorState& communicator) : communicator_(communicator) {}
  Mail(const Mail&) = delete;
  Mail& operator=(const Mail&) = delete;
  ~Mail();  // leaks memory that MPI may still write to

  // Sends to one rank leave in the order of these calls. `memory` has space for the elements, and they are
  // there when set_ready() is called.
  std::shared_ptr<Outgoing> send(int dest, int tag, const Contents& contents,
                                 std::shared_ptr<std::byte[]> memory, const Call& call,
                                 std::function<void(std::exception_ptr)> end);
  void set_ready(const std::shared_ptr<Outgoing>& message);
  // The elements could not be computed.
  void drop(const std::shared_ptr<Outgoing>& message, const std::exception_ptr& error);
  // Receives match messages in the order of these calls.
  void receive(const std::shared_ptr<Receive>& receive);
  // The receive gets no message any more.
  void withdraw(const std::shared_ptr<Receive>& receive);

  // Accepts and sends what can be without waiting. Returns whether anything is left to do.
  bool progress();
  // Progress until done() is true. Throws DistributedError if a peer fails, dies or does not come in time.
  void wait(const std::function<bool()>& done, std::span<const int> peers, const Call& call);
  // Ends messages whose peers have failed or do not come in time, with their errors.
  void check_peers();
  [[nodiscard]] std::vector<int> peers_of(int source) const;

  // For copies between arrays and messages: out of order, since messages are ready in any order. Copies that
  // wait hold back only work that uses their memory.
  Queue message_queue(const Array& array);

 private:
  using Ends = std::vector<std::function<void()>>;
  void accept(Ends& ends);
  void take(std::shared_ptr<Incoming> message, Ends& ends);
  void poll_bodies(Ends& ends);
  void post_sends(Ends& ends);
  // Of a receive whose message is complete.
  static void end(const std::shared_ptr<Receive>& receive, Ends& ends);

  CommunicatorState& communicator_;
  std::mutex mutex_;
  std::list<std::shared_ptr<Receive>> receives_;     // in the order of their calls
  std::list<std::shared_ptr<Incoming>> unexpected_;  // in the order in which they arrived
  std::list<std::shared_ptr<Incoming>> arriving_;    // with a body that is under way
  std::list<std::shared_ptr<Outgoing>> outgoing_;
  std::vector<std::pair<Context, Queue>> queues_;
};

// The thread that makes progress while messages of isend() and irecv() are under way.
void make_progress(const std::shared_ptr<CommunicatorState>& communicator);
// It looks at once.
void wake_progress();

}  // namespace quern::distributed
