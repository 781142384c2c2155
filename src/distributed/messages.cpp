// SPDX-License-Identifier: MIT
// Sending and receiving arrays: copies between devices and messages, in the order of queues.
#include "quern/distributed/messages.hpp"

#include <atomic>
#include <cstring>
#include <string>
#include <utility>

#include "distributed/mail.hpp"
#include "distributed/parts.hpp"
#include "quern/arithmetic.hpp"
#include "quern/error.hpp"
#include "quern/user_event.hpp"

namespace quern::distributed {
namespace {

std::string text_of_rank(int source) {
  return source == kAnySource ? "any rank" : "rank " + std::to_string(source);
}

void check_peer(const Communicator& communicator, const char* function, int rank, bool may_be_any) {
  if ((may_be_any && rank == kAnySource) || (rank >= 0 && rank < communicator.size())) return;
  throw ArgumentError(ArgumentError::Kind::value, std::string(function) + ": rank " + std::to_string(rank) +
                                                      " does not exist among " +
                                                      std::to_string(communicator.size()));
}

void check_tag(const char* function, int tag, bool may_be_any) {
  if ((may_be_any && tag == kAnyTag) || tag >= 0) return;
  throw ArgumentError(ArgumentError::Kind::value,
                      std::string(function) + ": the tag must not be negative, got " + std::to_string(tag));
}

// The operation as errors and warnings name it. Ranks do not compare it.
Call message_call(const char* function, const char* direction, int peer, int tag) {
  return call_of(std::string(function) + direction + text_of_rank(peer) +
                     (tag == kAnyTag ? "" : ", tag " + std::to_string(tag)),
                 "");
}

std::string contents_text(const std::string& dtype, const Shape& shape) {
  return dtype + " of shape " + text_of(shape);
}

// Throws ArgumentError unless the message is what the array takes.
void check_contents(const Incoming& message, const Call& call, const DType& dtype, const Shape& shape) {
  const Contents& got = message.contents;
  if (got.dtype == dtype.name() && got.itemsize == dtype.itemsize && got.shape == shape) return;
  std::string text = call.text() + ": the message of rank " + std::to_string(message.source) + " with tag " +
                     std::to_string(message.tag) + " has " + contents_text(got.dtype, got.shape) +
                     ", and the array is " + contents_text(dtype.name(), shape);
  if (got.nbytes > static_cast<std::size_t>(elements_of(shape)) * dtype.itemsize) {
    text += "; the message is longer";
  }
  throw ArgumentError(ArgumentError::Kind::value, text + "; it was sent by " + got.call);
}

void check_writable(const Array& out) {
  out.evaluate();
  if (out.buffer().is_frozen()) {
    throw ArgumentError(ArgumentError::Kind::value, "a message cannot be received into a read-only array");
  }
}

// Waits for a message.
std::shared_ptr<Incoming> awaited(const Communicator& communicator, int source, int tag, const Call& call,
                                  const MessageStatus& status) {
  Mail& mail = communicator.state()->mail();
  const auto receive = std::make_shared<Receive>();
  receive->source = source, receive->tag = tag, receive->call = call;
  // Another thread may make the progress.
  struct Result {
    std::shared_ptr<Incoming> message;
    std::exception_ptr error;
    std::atomic<bool> is_there{false};
  };
  const auto result = std::make_shared<Result>();
  receive->end = [result](std::shared_ptr<Incoming> message, std::exception_ptr error) {
    result->message = std::move(message);
    result->error = std::move(error);
    result->is_there.store(true, std::memory_order_release);
  };
  mail.receive(receive);
  try {
    mail.wait([&] { return result->is_there.load(std::memory_order_acquire); }, mail.peers_of(source), call);
  } catch (...) {
    mail.withdraw(receive);
    throw;
  }
  if (result->error) std::rethrow_exception(result->error);
  status.set(result->message->source, result->message->tag);
  return result->message;
}

std::shared_ptr<std::byte[]> staging_of(std::size_t nbytes) {
  return std::make_shared_for_overwrite<std::byte[]>(nbytes);
}

}  // namespace

void send(const Communicator& communicator, const Array& array, int dest, int tag) {
  check_peer(communicator, "send", dest, false);
  check_tag("send", tag, false);
  const Call call = message_call("send", " to ", dest, tag);
  const auto memory = staging_of(array.nbytes());
  read(array, {memory.get(), array.nbytes()});
  Mail& mail = communicator.state()->mail();
  struct Result {
    std::exception_ptr error;
    std::atomic<bool> is_there{false};
  };
  const auto result = std::make_shared<Result>();
  const auto message =
      mail.send(dest, tag, Contents::of(array, call), memory, call, [result](std::exception_ptr error) {
        result->error = std::move(error);
        result->is_there.store(true, std::memory_order_release);
      });
  mail.set_ready(message);
  mail.wait([&] { return result->is_there.load(std::memory_order_acquire); }, std::span(&dest, 1), call);
  if (result->error) std::rethrow_exception(result->error);
}

void recv(const Communicator& communicator, const Array& out, int source, int tag,
          const MessageStatus& status) {
  check_peer(communicator, "recv", source, true);
  check_tag("recv", tag, true);
  check_writable(out);
  const Call call = message_call("recv", " from ", source, tag);
  const auto message = awaited(communicator, source, tag, call, status);
  check_contents(*message, call, out.dtype(), out.shape());
  if (out.size() == 0) return;
  const Queue queue = out.queue();
  if (out.contiguous()) {
    out.set(queue, message->memory.get(), {}, message->memory).wait();
  } else {
    assign(out, array_of(queue, message->bytes(), out.shape(), out.dtype()));
  }
}

Array recv(const Communicator& communicator, const Queue& queue, int source, int tag,
           const MessageStatus& status) {
  check_peer(communicator, "recv", source, true);
  check_tag("recv", tag, true);
  const Call call = message_call("recv", " from ", source, tag);
  const auto message = awaited(communicator, source, tag, call, status);
  DType dtype;
  try {
    dtype = DType::parse(message->contents.dtype);
  } catch (const ArgumentError&) {
    throw ArgumentError(ArgumentError::Kind::type, call.text() + ": the message has elements of type " +
                                                       message->contents.dtype +
                                                       "; give the array that it is received into");
  }
  return array_of(queue, message->bytes(), message->contents.shape, dtype);
}

Event isend(const Communicator& communicator, const Array& array, int dest, int tag) {
  check_peer(communicator, "isend", dest, false);
  check_tag("isend", tag, false);
  const Call call = message_call("isend", " to ", dest, tag);
  const std::shared_ptr<CommunicatorState> state = communicator.state();
  Mail& mail = state->mail();
  const UserEvent event(array.context(), call.text());
  const auto memory = staging_of(array.nbytes());
  // The order of messages is that of the calls, whatever is computed first.
  const auto message = mail.send(
      dest, tag, Contents::of(array, call), memory, call,
      [event](const std::exception_ptr& error) { error ? event.set_error(error) : event.set_done(); });
  Event copied;
  try {
    // On a queue of its own: the copy waits for the elements, and later work of this queue does not.
    if (array.size() != 0) {
      copied = as_contiguous(array).get(mail.message_queue(array), memory.get(), {}, memory);
    }
  } catch (...) {
    mail.drop(message, std::current_exception());
    throw;
  }
  if (copied.status() == EventStatus::complete) {
    mail.set_ready(message);
    if (mail.progress()) make_progress(state);
    return event;
  }
  copied.on_done([state, message](const Event& done) {
    if (const std::exception_ptr error = done.error()) {
      state->mail().drop(message, error);
    } else {
      state->mail().set_ready(message);
    }
    make_progress(state);
  });
  return event;
}

Event irecv(const Communicator& communicator, const Array& out, int source, int tag,
            const MessageStatus& status) {
  check_peer(communicator, "irecv", source, true);
  check_tag("irecv", tag, true);
  check_writable(out);
  if (!out.contiguous()) {
    throw ArgumentError(ArgumentError::Kind::value,
                        "irecv: the array must be contiguous; receive into a new one and assign it");
  }
  const Call call = message_call("irecv", " from ", source, tag);
  const std::shared_ptr<CommunicatorState> state = communicator.state();
  Mail& mail = state->mail();
  const UserEvent arrived(out.context(), call.text());
  const auto memory = staging_of(out.nbytes());
  const auto receive = std::make_shared<Receive>();
  receive->source = source, receive->tag = tag, receive->call = call;
  receive->end = [arrived, call, status, memory, dtype = out.dtype(), shape = out.shape()](
                     const std::shared_ptr<Incoming>& message, const std::exception_ptr& error) {
    if (error) return arrived.set_error(error);
    try {
      status.set(message->source, message->tag);
      check_contents(*message, call, dtype, shape);
      if (message->contents.nbytes != 0)
        std::memcpy(memory.get(), message->memory.get(), message->contents.nbytes);
    } catch (...) {
      return arrived.set_error(std::current_exception());
    }
    arrived.set_done();
  };
  Event written = arrived;
  if (out.size() != 0) {
    const Queue queue = mail.message_queue(out);
    const Event wait_for[] = {arrived};
    written = out.set(queue, memory.get(), wait_for, memory);
  }
  mail.receive(receive);
  if (mail.progress()) make_progress(state);
  return written;
}

}  // namespace quern::distributed
