// SPDX-License-Identifier: MIT
// Messages between ranks: arrays of any device from one rank to another, and operations of all ranks on them.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string_view>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/distributed/communicator.hpp"
#include "quern/event.hpp"

namespace quern {
namespace QUERN_API distributed {

inline constexpr int kAnySource = -1;
inline constexpr int kAnyTag = -1;

// Where a received message came from. A handle: copies see the same message.
class MessageStatus {
 public:
  MessageStatus() : state_(std::make_shared<State>()) {}
  // kAnySource and kAnyTag until the message has arrived.
  [[nodiscard]] int source() const noexcept { return state_->source; }
  [[nodiscard]] int tag() const noexcept { return state_->tag; }

  // Internal.
  void set(int source, int tag) const noexcept {
    state_->source = source;
    state_->tag = tag;
  }

 private:
  struct State {
    std::atomic<int> source = kAnySource, tag = kAnyTag;
  };
  std::shared_ptr<State> state_;
};

// Messages from one rank to another with the same tag arrive in the order in which they were sent. Messages
// carry the dtype and the shape of their array. Tags are the program's own, from 0; the library's messages
// never match them. A rank may send to itself. Functions throw ArgumentError for a rank or tag that does not
// exist, and DistributedError if the other rank fails, dies or does not answer.

// Waits for the elements, and until the message has left. The array may be changed afterwards. Meanwhile
// messages that arrive are accepted, so two ranks may send to each other first and receive afterwards.
void send(const Communicator& communicator, const Array& array, int dest, int tag = 0);
// Waits for the message, and enqueues the copy to the array. Throws ArgumentError if the message has another
// dtype or shape; the array keeps its elements then.
void recv(const Communicator& communicator, const Array& out, int source = kAnySource, int tag = kAnyTag,
          const MessageStatus& status = {});
// A new array with the dtype and the shape of the message.
[[nodiscard]] Array recv(const Communicator& communicator, const Queue& queue, int source = kAnySource,
                         int tag = kAnyTag, const MessageStatus& status = {});

// The message leaves once the elements are computed. They are copied in the order of the queue, so the array
// may be changed at once. The event is done when the message has left.
[[nodiscard]] Event isend(const Communicator& communicator, const Array& array, int dest, int tag = 0);
// Writes the message to the array, which must be contiguous. The event is done when the array has it.
// Operations that were enqueued earlier on the array see its old elements. Later ones wait for the message,
// with or without the event, and fail with DependencyError if the message fails.
[[nodiscard]] Event irecv(const Communicator& communicator, const Array& out, int source = kAnySource,
                          int tag = kAnyTag, const MessageStatus& status = {});

// Operations of all ranks. All ranks call them in the same order, with arrays of one shape and dtype. Ranks
// that disagree get a DistributedError.

// Copies the array of the root to the arrays of the others. Throws ArgumentError before anything is sent if
// the array cannot be written, also on the root.
void bcast(const Communicator& communicator, const Array& array, int root = 0);
// Combines elements at the same place, in the order of the ranks, so all ranks get the same bits. Operations:
// sum, prod, min, max, logical_and, logical_or, bitwise_and, bitwise_or, bitwise_xor. Ranks other than the
// root get nothing.
[[nodiscard]] std::optional<Array> reduce(const Communicator& communicator, const Array& array,
                                          std::string_view operation = "sum", int root = 0);
[[nodiscard]] Array allreduce(const Communicator& communicator, const Array& array,
                              std::string_view operation = "sum");
// Stacks the arrays of all ranks along a new first axis; ranks other than the root get nothing.
[[nodiscard]] std::optional<Array> gather(const Communicator& communicator, const Array& array, int root);
[[nodiscard]] Array allgather(const Communicator& communicator, const Array& array);
// Row r of the root's array goes to rank r, whose array has the shape of a row. Other ranks give no rows.
void scatter(const Communicator& communicator, const std::optional<Array>& rows, const Array& out,
             int root = 0);
// Row r goes to rank r; row r of the result is from rank r.
[[nodiscard]] Array alltoall(const Communicator& communicator, const Array& rows);

// Ends the thread that completes isend() and irecv(). Called before MPI is finalised.
void stop_messages() noexcept;

}  // namespace distributed
}  // namespace quern
