// SPDX-License-Identifier: MIT
// Envelopes and bodies of messages, and the thread that completes them.
#include "distributed/mail.hpp"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <new>
#include <set>
#include <thread>
#include <utility>

#include "base/interruption.hpp"
#include "base/signals.hpp"
#include "base/warning.hpp"
#include "distributed/backoff.hpp"
#include "quern/error.hpp"

namespace quern::distributed {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Transports deliver messages of at most this size whole, whatever the receiver's memory is. Elements that
// fit are in the envelope, others in a second message with a tag of its own.
constexpr std::size_t kEnvelopeBytes = 4096;

struct Envelope {
  std::uint64_t nbytes = 0, itemsize = 0;
  std::int32_t tag = 0;
  std::uint32_t axes = 0;
  std::uint32_t has_elements = 0;
  char dtype[52] = {};
  char call[104] = {};
};

void copy_text(const std::string& text, std::span<char> to) {
  // Of a long text the end is kept, which has the file's name and the line.
  const std::size_t kept = std::min(text.size(), to.size() - 1);
  text.copy(to.data(), kept, text.size() - kept);
}

std::vector<std::byte> envelope_of(int tag, const Contents& contents) {
  Envelope envelope{contents.nbytes, contents.itemsize, tag,
                    static_cast<std::uint32_t>(contents.shape.size())};
  const std::size_t fixed = sizeof envelope + contents.shape.size() * sizeof(std::int64_t);
  if (fixed > kEnvelopeBytes) {
    throw ArgumentError(ArgumentError::Kind::value, "a message takes an array of fewer axes");
  }
  envelope.has_elements = fixed + contents.nbytes <= kEnvelopeBytes ? 1 : 0;
  copy_text(contents.dtype, envelope.dtype);
  copy_text(contents.call, envelope.call);
  std::vector<std::byte> bytes(fixed + (envelope.has_elements != 0 ? contents.nbytes : 0));
  std::memcpy(bytes.data(), &envelope, sizeof envelope);
  if (fixed > sizeof envelope) {
    std::memcpy(bytes.data() + sizeof envelope, contents.shape.data(), fixed - sizeof envelope);
  }
  return bytes;
}

std::size_t elements_at(const Contents& contents) {
  return sizeof(Envelope) + contents.shape.size() * sizeof(std::int64_t);
}

}  // namespace

Contents Contents::of(const Array& array, const Call& call) {
  return {array.dtype().name(), array.dtype().itemsize, array.shape(), array.nbytes(), call.text()};
}

Mail::~Mail() {
  // Nothing may be written to memory that is gone.
  for (auto& message : arriving_) {
    if (!message->body->may_be_destroyed()) {
      static_cast<void>(new (std::nothrow) std::shared_ptr<Incoming>(std::move(message)));
    }
  }
  for (auto& message : outgoing_) {
    const auto& transfers = message->transfers;
    if (std::any_of(transfers.begin(), transfers.end(),
                    [](const auto& transfer) { return !transfer->may_be_destroyed(); })) {
      static_cast<void>(new (std::nothrow) std::shared_ptr<Outgoing>(std::move(message)));
    }
  }
}

std::shared_ptr<Outgoing> Mail::send(int dest, int tag, const Contents& contents,
                                     std::shared_ptr<std::byte[]> memory, const Call& call,
                                     std::function<void(std::exception_ptr)> end) {
  auto message = std::make_shared<Outgoing>(Outgoing{
      dest, call, envelope_of(tag, contents), std::move(memory), contents.nbytes, false, std::move(end)});
  const std::lock_guard lock(mutex_);
  outgoing_.push_back(message);
  return message;
}

void Mail::set_ready(const std::shared_ptr<Outgoing>& message) {
  const std::lock_guard lock(mutex_);
  Envelope envelope;
  std::memcpy(&envelope, message->envelope.data(), sizeof envelope);
  if (envelope.has_elements != 0) {
    if (message->nbytes != 0) {
      std::memcpy(message->envelope.data() + message->envelope.size() - message->nbytes,
                  message->memory.get(), message->nbytes);
    }
    message->memory.reset();
  }
  message->is_ready = true;
}

void Mail::drop(const std::shared_ptr<Outgoing>& message, const std::exception_ptr& error) {
  std::function<void(std::exception_ptr)> end;
  {
    const std::lock_guard lock(mutex_);
    outgoing_.remove(message);
    std::swap(end, message->end);
  }
  if (end) end(error);
}

void Mail::receive(const std::shared_ptr<Receive>& receive) {
  Ends ends;
  {
    const std::lock_guard lock(mutex_);
    receives_.push_back(receive);
    const auto found = std::find_if(unexpected_.begin(), unexpected_.end(), [&](const auto& message) {
      return (receive->source == kAnySource || receive->source == message->source) &&
             (receive->tag == kAnyTag || receive->tag == message->tag);
    });
    if (found != unexpected_.end()) {
      receive->message = std::move(*found);
      unexpected_.erase(found);
      if (!receive->message->body) end(receive, ends), receives_.remove(receive);
    }
  }
  for (const auto& call : ends) call();
}

void Mail::withdraw(const std::shared_ptr<Receive>& receive) {
  const std::lock_guard lock(mutex_);
  receives_.remove(receive);
}

void Mail::end(const std::shared_ptr<Receive>& receive, Ends& ends) {
  ends.emplace_back([receive] { receive->end(receive->message, nullptr); });
}

// The body must be received before the body of a later message of the same rank, also if no receive asks for
// it yet.
void Mail::accept(Ends& ends) {
  while (const auto from = communicator_.probe_message()) {
    std::byte bytes[kEnvelopeBytes];
    const auto transfer = communicator_.post_message_receive(bytes, *from, false);
    while (!transfer->done()) std::this_thread::yield();  // it has arrived
    Envelope envelope;
    std::memcpy(&envelope, bytes, sizeof envelope);
    auto message = std::make_shared<Incoming>();
    message->source = *from;
    message->tag = envelope.tag;
    message->contents = {envelope.dtype, envelope.itemsize, {}, envelope.nbytes, envelope.call};
    for (std::uint32_t axis = 0; axis < envelope.axes; ++axis) {
      std::int64_t length = 0;
      std::memcpy(&length, bytes + sizeof envelope + axis * sizeof length, sizeof length);
      message->contents.shape.push_back(length);
    }
    // A message that does not fit into memory ends the rank, as it would in any receive.
    message->memory = std::make_shared_for_overwrite<std::byte[]>(envelope.nbytes);
    if (envelope.has_elements != 0) {
      if (envelope.nbytes != 0)
        std::memcpy(message->memory.get(), bytes + elements_at(message->contents), envelope.nbytes);
    } else {
      message->body =
          communicator_.post_message_receive({message->memory.get(), envelope.nbytes}, *from, true);
      arriving_.push_back(message);
    }
    take(std::move(message), ends);
  }
}

void Mail::take(std::shared_ptr<Incoming> message, Ends& ends) {
  const auto found = std::find_if(receives_.begin(), receives_.end(), [&](const auto& receive) {
    return !receive->message && (receive->source == kAnySource || receive->source == message->source) &&
           (receive->tag == kAnyTag || receive->tag == message->tag);
  });
  if (found == receives_.end()) {
    unexpected_.push_back(std::move(message));
    return;
  }
  (*found)->message = std::move(message);
  if ((*found)->message->body) return;
  end(*found, ends);
  receives_.erase(found);
}

void Mail::poll_bodies(Ends& ends) {
  for (auto at = arriving_.begin(); at != arriving_.end();) {
    if (!(*at)->body->done()) {
      ++at;
      continue;
    }
    (*at)->body.reset();
    const auto found = std::find_if(receives_.begin(), receives_.end(),
                                    [&](const auto& receive) { return receive->message == *at; });
    if (found != receives_.end()) {
      end(*found, ends);
      receives_.erase(found);
    }
    at = arriving_.erase(at);
  }
}

void Mail::post_sends(Ends& ends) {
  std::set<int> waiting;  // ranks for which an earlier message is not ready
  for (auto at = outgoing_.begin(); at != outgoing_.end();) {
    const std::shared_ptr<Outgoing>& message = *at;
    if (message->transfers.empty()) {
      if (!message->is_ready || waiting.contains(message->dest)) {
        waiting.insert(message->dest);
        ++at;
        continue;
      }
      communicator_.count(message->nbytes);
      message->transfers.push_back(communicator_.post_message_send(message->envelope, message->dest, false));
      if (message->memory) {
        message->transfers.push_back(
            communicator_.post_message_send({message->memory.get(), message->nbytes}, message->dest, true));
      }
    }
    std::erase_if(message->transfers, [](const auto& transfer) { return transfer->done(); });
    if (!message->transfers.empty()) {
      ++at;
      continue;
    }
    // Taken with the lock held, as in check_peers(), so that one of the two calls it.
    if (auto end = std::exchange(message->end, nullptr))
      ends.emplace_back([end = std::move(end)] { end(nullptr); });
    at = outgoing_.erase(at);
  }
}

bool Mail::progress() {
  Ends ends;
  bool is_left = false;
  {
    const std::lock_guard lock(mutex_);
    post_sends(ends);
    accept(ends);
    poll_bodies(ends);
    is_left = !outgoing_.empty() || !receives_.empty();
  }
  for (const auto& call : ends) call();
  return is_left;
}

std::vector<int> Mail::peers_of(int source) const {
  if (source != kAnySource) return {source};
  std::vector<int> all;
  for (int rank = 0; rank < communicator_.size(); ++rank)
    if (rank != communicator_.rank()) all.push_back(rank);
  return all.empty() ? std::vector{communicator_.rank()} : all;
}

void Mail::wait(const std::function<bool()>& done, std::span<const int> peers, const Call& call) {
  const Clock::time_point start = Clock::now();
  Clock::time_point next_look = start + milliseconds(5);
  bool has_warned = false;
  for (Backoff backoff(communicator_.transport()); !done();) {
    progress();
    if (done()) return;
    if (!backoff.pause()) continue;
    const Clock::time_point now = backoff.now();
    if (now < next_look) continue;
    next_look = now + milliseconds(20);
    check_interruption();
    const auto waited = std::chrono::duration_cast<milliseconds>(now - start);
    for (const int peer : peers) {
      // A message that has arrived is received, also if its sender has ended since.
      try {
        communicator_.check_rank(peer, call, waited);
      } catch (...) {
        progress();
        if (done()) return;
        throw;
      }
    }
    if (!has_warned && waited >= communicator_.limits().warn) {
      has_warned = true;
      warn_once("rank " + std::to_string(communicator_.rank()) + " has waited for " +
                std::to_string(waited.count() / 1000) + " s in " + call.text());
    }
  }
}

void Mail::check_peers() {
  struct Watched {
    std::vector<int> peers;
    Call call;
    Clock::time_point start;
    std::function<void(std::exception_ptr)> fail;
  };
  std::vector<Watched> watched;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& receive : receives_) {
      watched.push_back({peers_of(receive->message ? receive->message->source : receive->source),
                         receive->call, receive->start, [this, receive](const std::exception_ptr& error) {
                           {
                             const std::lock_guard again(mutex_);
                             const auto found = std::find(receives_.begin(), receives_.end(), receive);
                             if (found == receives_.end()) return;  // the message has arrived
                             receives_.erase(found);
                           }
                           receive->end(nullptr, error);
                         }});
    }
    for (const auto& message : outgoing_) {
      if (!message->end) continue;  // a thread waits for it
      watched.push_back(
          {{message->dest}, message->call, message->start, [this, message](const std::exception_ptr& error) {
             std::function<void(std::exception_ptr)> end;
             {
               const std::lock_guard again(mutex_);
               std::swap(end, message->end);
               if (message->transfers.empty()) outgoing_.remove(message);
             }
             if (end) end(error);
           }});
    }
  }
  for (const Watched& one : watched) {
    const auto waited = std::chrono::duration_cast<milliseconds>(Clock::now() - one.start);
    try {
      for (const int peer : one.peers) communicator_.check_rank(peer, one.call, waited);
    } catch (const Error&) {
      one.fail(std::current_exception());
    }
  }
}

Queue Mail::message_queue(const Array& array) {
  const std::lock_guard lock(mutex_);
  for (const auto& [context, queue] : queues_)
    if (context == array.context() && queue.device() == array.device()) return queue;
  const Queue made(array.context(), array.device(), {.out_of_order = true});
  queues_.emplace_back(array.context(), made);
  return made;
}

// ---- The thread

namespace {

class Progress {
 public:
  static Progress& instance() {
    static auto* const progress = new Progress;  // never destroyed: its thread runs until the process ends
    return *progress;
  }

  void watch(const std::shared_ptr<CommunicatorState>& communicator) {
    {
      const std::lock_guard lock(mutex_);
      if (std::find(communicators_.begin(), communicators_.end(), communicator) == communicators_.end())
        communicators_.push_back(communicator);
      is_woken_ = true;
      if (!started_) {
        // Before MPI is finalised, whose function was registered earlier.
        std::atexit([] { stop_messages(); });
        const ThreadSignals signals;
        std::thread([this] { run(); }).detach();
        started_ = true;
      }
    }
    woken_.notify_one();
  }

  void wake() {
    {
      const std::lock_guard lock(mutex_);
      is_woken_ = true;
    }
    woken_.notify_one();
  }

  void stop() noexcept {
    // In a child that fork() has made there is no thread, and it may have held the lock.
    if (process_ != ::getpid()) return;
    const std::lock_guard working(working_);  // for at most one round
    is_stopped_ = true;
  }

 private:
  void run() noexcept {
    using namespace std::chrono_literals;
    constexpr auto kCheck = 100ms;
    constexpr unsigned kYields = 200;  // rounds without a pause, after something new
    unsigned rounds = 0;
    auto next_check = Clock::now() + kCheck;
    for (;;) {
      std::vector<std::shared_ptr<CommunicatorState>> active;
      {
        std::unique_lock lock(mutex_);
        if (communicators_.empty()) {
          woken_.wait(lock, [&] { return is_woken_; });
        } else if (rounds >= kYields) {
          woken_.wait_for(lock, rounds < 10 * kYields ? 20us : 200us, [&] { return is_woken_; });
        }
        if (is_woken_) rounds = 0;
        is_woken_ = false;
        active = communicators_;
      }
      const bool checks = Clock::now() >= next_check;
      if (checks) next_check = Clock::now() + kCheck;
      ++rounds;
      {
        const std::lock_guard working(working_);
        if (is_stopped_) return;
        for (const auto& communicator : active) step(communicator, checks);
      }
      active.clear();
      if (rounds < kYields) std::this_thread::yield();
    }
  }

  void step(const std::shared_ptr<CommunicatorState>& communicator, bool checks) noexcept try {
    Mail& mail = communicator->mail();
    if (mail.progress()) {
      if (checks) mail.check_peers();
      return;
    }
    const std::lock_guard lock(mutex_);
    // A message that was begun meanwhile has woken the thread and is seen again by watch().
    if (!is_woken_) std::erase(communicators_, communicator);
  } catch (const std::exception& error) {
    warn_once(std::string("messages between ranks: ") + error.what());
  }

  std::mutex mutex_, working_;
  std::condition_variable woken_;
  std::vector<std::shared_ptr<CommunicatorState>> communicators_;
  const pid_t process_ = ::getpid();
  bool started_ = false, is_woken_ = false, is_stopped_ = false;
};

}  // namespace

void make_progress(const std::shared_ptr<CommunicatorState>& communicator) {
  Progress::instance().watch(communicator);
}

void wake_progress() {
  Progress::instance().wake();
}

void stop_messages() noexcept {
  Progress::instance().stop();
}

}  // namespace quern::distributed
