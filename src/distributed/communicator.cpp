// SPDX-License-Identifier: MIT
// Posting and completing the messages of an exchange, and what a rank does while it waits.
#include "distributed/communicator.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>
#include <numeric>
#include <thread>
#include <utility>

#include "base/environment.hpp"
#include "base/interruption.hpp"
#include "base/warning.hpp"
#include "distributed/backoff.hpp"
#include "distributed/collectives.hpp"
#include "distributed/mail.hpp"
#include "quern/distributed_error.hpp"

namespace quern::distributed {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// The tags of a communicator, from its first one.
constexpr int kExchangeTag = 0;
constexpr int kNoticeTag = 1;
constexpr int kEnvelopeTag = 2;  // of messages of the program
constexpr int kBodyTag = 3;
constexpr int kTags = 4;
constexpr auto kLookAround = milliseconds(5);  // time between looks at notices and interruptions
constexpr auto kLookAtProcesses = milliseconds(500);
// What a rank has sent arrives in this time after the notice that its program has ended.
constexpr auto kLastMessages = milliseconds(2000);

std::string seconds_text(milliseconds time) {
  return std::to_string(time.count() / 1000) + " s";
}

// The state letter of a process of this node: R, S, D, T (stopped), Z (ended)... 0 if there is none.
char process_state(std::int64_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::size_t name_end = text.rfind(')');  // the name may contain anything
  return name_end == std::string::npos || name_end + 2 >= text.size() ? '\0' : text[name_end + 2];
}

milliseconds seconds_setting(const char* name, milliseconds otherwise) {
  const auto set = environment_integer(name, 1, std::numeric_limits<int>::max() / 1000);
  return set ? milliseconds(*set * 1000) : otherwise;
}

}  // namespace

std::string rank_list(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == ranks.size() ? " and " : ", ") + std::to_string(ranks[i]);
  }
  return text;
}

WaitLimits WaitLimits::from_environment() {
  WaitLimits limits;
  limits.warn = seconds_setting("QUERN_DIST_WARN", limits.warn);
  limits.fail = seconds_setting("QUERN_DIST_TIMEOUT", limits.fail);
  return limits;
}

// ---- Exchange

Exchange::~Exchange() {
  if (!communicator_) return;
  for (Pending& pending : pending_) {
    if (!pending.is_done) communicator_->keep(std::move(pending));
  }
}

void Exchange::send(int to, Message message) {
  message.set_header(Header(sequence_, call_, message.payload().size()));
  communicator_->count(message.payload().size());
  pending_.push_back({to, false, std::move(message), nullptr});
  Pending& posted = pending_.back();
  posted.transfer = communicator_->post_send(posted.message.whole(), to, kExchangeTag);
}

std::size_t Exchange::receive(int from, std::size_t payload) {
  pending_.push_back({from, true, Message(payload), nullptr});
  Pending& posted = pending_.back();
  posted.transfer = communicator_->post_receive(posted.message.whole(), from, kExchangeTag);
  return pending_.size() - 1;
}

void Exchange::check(const Pending& pending) const {
  const Header header = pending.message.header();
  const std::size_t expected = pending.message.payload().size();
  const std::string other = "rank " + std::to_string(pending.peer);
  if (header.sequence == sequence_ && header.digest == call_.digest && header.length == expected) return;
  std::string text = "rank " + std::to_string(communicator_->rank()) + " is at operation " +
                     std::to_string(sequence_) + ", " + call_.text() + ", and " + other + " at operation " +
                     std::to_string(header.sequence) + ", " + std::string(header.text());
  if (header.sequence == sequence_ && header.text() == std::string_view(Header(0, call_, 0).text())) {
    text += ", with other shapes, dtypes, layouts or options (" + std::to_string(header.length) +
            " bytes instead of " + std::to_string(expected) + ")";
  }
  throw DistributedError(text + ": all ranks must call the same operations in the same order",
                         {pending.peer});
}

bool Exchange::poll() {
  bool all = true;
  for (Pending& pending : pending_) {
    if (pending.is_done) continue;
    if (!pending.transfer->done()) {
      all = false;
      continue;
    }
    pending.is_done = true;
    if (pending.is_receive) check(pending);
  }
  return all;
}

bool Exchange::done() {
  return poll();
}

void Exchange::finish() {
  if (!poll()) communicator_->wait(*this);
}

std::vector<int> Exchange::absent() const {
  std::vector<int> ranks;
  for (const Pending& pending : pending_) {
    if (!pending.is_done) ranks.push_back(pending.peer);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

// ---- CommunicatorState

CommunicatorState::CommunicatorState(std::shared_ptr<Link> link, std::vector<int> members, int tags,
                                     WaitLimits limits)
    : link_(std::move(link)),
      members_(std::move(members)),
      tags_(tags),
      limits_(limits),
      sequence_(link_->counter(tags)),
      heard_(members_.size()) {
  const auto own = std::find(members_.begin(), members_.end(), link_->transport().rank());
  rank_ = static_cast<int>(own - members_.begin());
}

CommunicatorState::~CommunicatorState() {
  for (Exchange::Pending& pending : kept_)
    if (!pending.transfer->may_be_destroyed())
      static_cast<void>(new (std::nothrow) Exchange::Pending(std::move(pending)));
}

MessageCounts CommunicatorState::sent() const {
  const std::lock_guard lock(mutex_);
  return sent_;
}

void CommunicatorState::count(std::size_t payload) {
  const std::lock_guard lock(mutex_);
  ++sent_.messages;
  sent_.bytes += payload;
}

Exchange CommunicatorState::begin(Call call) {
  std::uint64_t sequence = 0;
  {
    const std::lock_guard lock(mutex_);
    sequence = ++*sequence_;
    std::erase_if(kept_, [](Exchange::Pending& kept) { return kept.transfer->done(); });
  }
  return {shared_from_this(), sequence, std::move(call)};
}

void CommunicatorState::keep(Exchange::Pending pending) noexcept try {
  if (!pending.transfer) {
    // The transport has thrown, and may have begun: it may read or write the memory until the process ends.
    static std::mutex mutex;
    static auto* const begun = new std::vector<Message>;
    const std::lock_guard lock(mutex);
    begun->push_back(std::move(pending.message));
    return;
  }
  const std::lock_guard lock(mutex_);
  kept_.push_back(std::move(pending));
} catch (...) {
  // No memory for the list. Better to lose the message's memory than to let the transport write to it later.
  new Exchange::Pending(std::move(pending));
}

std::unique_ptr<Transfer> CommunicatorState::post_send(std::span<const std::byte> bytes, int to, int tag) {
  return link_->transport().send(bytes, members_[static_cast<std::size_t>(to)], tags_ + tag);
}

std::unique_ptr<Transfer> CommunicatorState::post_receive(std::span<std::byte> bytes, int from, int tag) {
  return link_->transport().receive(bytes, members_[static_cast<std::size_t>(from)], tags_ + tag);
}

Mail& CommunicatorState::mail() {
  std::call_once(mail_once_, [&] { mail_ = std::make_unique<Mail>(*this); });
  return *mail_;
}

std::optional<int> CommunicatorState::probe_message() {
  const auto waiting = link_->transport().probe(tags_ + kEnvelopeTag);
  if (!waiting) return std::nullopt;
  return static_cast<int>(std::find(members_.begin(), members_.end(), waiting->from) - members_.begin());
}

std::unique_ptr<Transfer> CommunicatorState::post_message_send(std::span<const std::byte> bytes, int to,
                                                               bool is_body) {
  return post_send(bytes, to, is_body ? kBodyTag : kEnvelopeTag);
}

std::unique_ptr<Transfer> CommunicatorState::post_message_receive(std::span<std::byte> bytes, int from,
                                                                  bool is_body) {
  return post_receive(bytes, from, is_body ? kBodyTag : kEnvelopeTag);
}

std::shared_ptr<CommunicatorState> CommunicatorState::split(int color) {
  struct Wish {
    int color, next_tag;
  };
  std::vector<int> members;
  int tags = 0;
  {
    const std::lock_guard lock(link_->split_mutex);
    const Wish own{color, link_->next_tag};
    const Bytes all =
        all_gather(*this, {"split", "", sizeof own}, std::as_bytes(std::span(&own, std::size_t{1})));
    for (std::size_t other = 0; other < members_.size(); ++other) {
      Wish wish{};
      std::memcpy(&wish, all.data() + other * sizeof wish, sizeof wish);
      tags = std::max(tags, wish.next_tag);
      if (wish.color == color) members.push_back(members_[other]);
    }
    if (tags + kTags > kLargestMessageTag)
      throw DistributedError("too many communicators were split: " +
                                 std::to_string(kLargestMessageTag / kTags) + " are possible in one program",
                             {});
    link_->next_tag = tags + kTags;
  }
  if (color < 0) return nullptr;
  std::shared_ptr<CommunicatorState> part(new CommunicatorState(link_, std::move(members), tags, limits_));
  part->find_peers();
  return part;
}

void CommunicatorState::send_notice(Notice::Kind kind, std::uint64_t sequence, const std::string& text) {
  for (int to = 0; to < size(); ++to) {
    if (to == rank()) continue;
    Message message(sizeof(Notice));
    Notice notice;
    notice.kind = kind;
    notice.sequence = sequence;
    notice.length = static_cast<std::uint32_t>(text.copy(notice.text, sizeof notice.text));
    std::memcpy(message.payload().data(), &notice, sizeof notice);
    Exchange::Pending pending{to, false, std::move(message), nullptr};
    pending.transfer = post_send(pending.message.whole(), to, kNoticeTag);
    keep(std::move(pending));
  }
}

void CommunicatorState::announce_failure(const std::string& text) noexcept try {
  send_notice(Notice::Kind::failed, *sequence_, text);
} catch (...) {
  // The other ranks find out by their time limits.
}

void CommunicatorState::read_notices(const Call& call) {
  link_->read_endings();
  Transport& transport = link_->transport();
  const std::lock_guard lock(notices_);
  while (const auto waiting = transport.probe(tags_ + kNoticeTag)) {
    const auto from = static_cast<std::size_t>(std::find(members_.begin(), members_.end(), waiting->from) -
                                               members_.begin());
    Message message(sizeof(Notice));
    const auto transfer = post_receive(message.whole(), static_cast<int>(from), kNoticeTag);
    while (!transfer->done()) transport.pause(std::chrono::microseconds(100));
    Notice notice;
    std::memcpy(&notice, message.payload().data(), sizeof notice);
    if (notice.kind == Notice::Kind::waits) heard_[from] = {notice.sequence, Clock::now()};
    if (notice.kind == Notice::Kind::failed && !failed_)
      failed_.emplace(static_cast<int>(from), std::string(notice.text, notice.length));
  }
  if (failed_)
    throw DistributedError("rank " + std::to_string(failed_->first) + " failed while rank " +
                               std::to_string(rank()) + " waited in " + call.text() + ": " + failed_->second,
                           {failed_->first});
}

bool CommunicatorState::is_waiting(int other, std::uint64_t sequence, Clock::time_point start) const {
  const std::lock_guard lock(notices_);
  const Heard& last = heard_[static_cast<std::size_t>(other)];
  return last.when >= start || last.sequence >= sequence;
}

void CommunicatorState::find_peers() {
  Peer own;
  ::gethostname(own.node, sizeof own.node - 1);
  own.process = ::getpid();
  // Each rank tells every other one, so that a rank which goes on has nothing that another one waits for.
  Exchange exchange = begin({"init", "", sizeof(Peer)});
  std::vector<std::size_t> numbers(members_.size());
  for (int other = 0; other < size(); ++other) {
    if (other == rank()) continue;
    numbers[static_cast<std::size_t>(other)] = exchange.receive(other, sizeof(Peer));
    Message message(sizeof(Peer));
    std::memcpy(message.payload().data(), &own, sizeof own);
    exchange.send(other, std::move(message));
  }
  exchange.finish();
  std::vector<Peer> found(members_.size(), own);
  for (int other = 0; other < size(); ++other) {
    const auto index = static_cast<std::size_t>(other);
    if (other != rank()) std::memcpy(&found[index], exchange.received(numbers[index]).data(), sizeof(Peer));
  }
  peers_ = std::move(found);
}

bool CommunicatorState::is_one_node() const noexcept {
  return std::all_of(peers_.begin(), peers_.end(),
                     [&](const Peer& peer) { return std::strcmp(peer.node, peers_[0].node) == 0; });
}

void CommunicatorState::look_at_process(int other, const Call& call, milliseconds waited) const {
  const Peer& own = peers_[static_cast<std::size_t>(rank())];
  const Peer& peer = peers_[static_cast<std::size_t>(other)];
  if (peer.process == own.process || std::strcmp(peer.node, own.node) != 0) return;
  const char state = process_state(peer.process);
  const bool is_gone = state == '\0' || state == 'Z' || state == 'X';
  const bool is_stopped = (state == 'T' || state == 't') && waited >= limits_.stopped;
  if (!is_gone && !is_stopped) return;
  throw DistributedError("rank " + std::to_string(other) + " (process " + std::to_string(peer.process) +
                             ") " + (is_gone ? "has ended" : "is stopped") + " while rank " +
                             std::to_string(rank()) + " waits for it in " + call.text(),
                         {other});
}

void CommunicatorState::look_for_endings(const Exchange& exchange) const {
  if (!link_->has_endings()) return;
  const auto refuse = [&](int other, const std::string& when) {
    throw DistributedError("the program of rank " + std::to_string(other) + " has ended " + when +
                               ", and rank " + std::to_string(rank()) + " waits in operation " +
                               std::to_string(exchange.sequence_) + ", " + exchange.call_.text() +
                               ": all ranks must call the same operations in the same order",
                           {other});
  };
  const auto ending_of = [&](int other) {
    return link_->ending_of(members_[static_cast<std::size_t>(other)], tags_);
  };
  for (int other = 0; other < size(); ++other) {
    const auto ending = ending_of(other);
    if (ending && ending->last_operation < exchange.sequence_)
      refuse(other, "after operation " + std::to_string(ending->last_operation));
  }
  for (const int other : exchange.absent()) {
    const auto ending = ending_of(other);
    if (ending && Clock::now() - ending->when > kLastMessages) refuse(other, "within the same operation");
  }
}

void CommunicatorState::check_rank(int other, const Call& call, milliseconds waited) {
  read_notices(call);
  // What the rank has sent before may still be on its way.
  const auto ending = link_->ending_of(members_[static_cast<std::size_t>(other)], tags_);
  if (ending && Clock::now() - ending->when > milliseconds(1000))
    throw DistributedError("the program of rank " + std::to_string(other) + " has ended while rank " +
                               std::to_string(rank()) + " waits for it in " + call.text(),
                           {other});
  look_at_process(other, call, waited);
  if (waited < limits_.fail) return;
  throw DistributedError("rank " + std::to_string(rank()) + " has waited for " + seconds_text(waited) +
                             " in " + call.text() + " for " + rank_list({other}) +
                             " (QUERN_DIST_TIMEOUT sets the limit)",
                         {other});
}

void CommunicatorState::wait(Exchange& exchange) {
  const Clock::time_point start = Clock::now();
  Clock::time_point next_look = start + kLookAround, next_processes = start + kLookAtProcesses;
  bool has_said = false, has_warned = false;

  // The absent ranks that have not said that they wait, too; if all did, those that this rank waits for.
  const auto absent = [&] {
    std::vector<int> silent;
    for (int other = 0; other < size(); ++other) {
      if (other != rank() && !is_waiting(other, exchange.sequence_, start)) silent.push_back(other);
    }
    return silent.empty() ? exchange.absent() : silent;
  };

  for (Backoff backoff(link_->transport()); !exchange.poll();) {
    if (!backoff.pause()) continue;
    const Clock::time_point now = backoff.now();
    if (now < next_look) continue;
    next_look = now + kLookAround;
    check_interruption();
    read_notices(exchange.call_);
    look_for_endings(exchange);
    const auto waited = std::chrono::duration_cast<milliseconds>(now - start);
    if (now >= next_processes && !peers_.empty()) {
      next_processes = now + kLookAtProcesses;
      for (const int other : exchange.absent()) look_at_process(other, exchange.call_, waited);
    }
    if (!has_said && waited >= limits_.warn / 2) {
      has_said = true;
      send_notice(Notice::Kind::waits, exchange.sequence_, exchange.call_.text());
    }
    if (!has_warned && waited >= limits_.warn) {
      has_warned = true;
      warn_once("rank " + std::to_string(rank()) + " has waited for " + seconds_text(waited) + " in " +
                exchange.call_.text() + " for " + rank_list(absent()));
    }
    if (waited >= limits_.fail) {
      const std::vector<int> ranks = absent();
      throw DistributedError("rank " + std::to_string(rank()) + " has waited for " + seconds_text(waited) +
                                 " in " + exchange.call_.text() + " for " + rank_list(ranks) +
                                 " (QUERN_DIST_TIMEOUT sets the limit)",
                             ranks);
    }
  }
}

std::shared_ptr<CommunicatorState> CommunicatorState::make(std::unique_ptr<Transport> transport,
                                                           WaitLimits limits) {
  auto link = std::make_shared<Link>(std::move(transport));
  link->next_tag = 1 + kTags;
  std::vector<int> all(static_cast<std::size_t>(link->transport().size()));
  std::iota(all.begin(), all.end(), 0);
  std::shared_ptr<CommunicatorState> made(new CommunicatorState(std::move(link), std::move(all), 1, limits));
  made->find_peers();
  return made;
}

}  // namespace quern::distributed
