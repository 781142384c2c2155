// SPDX-License-Identifier: MIT
// The notices by which ranks learn that the program of another one has ended.
#include "distributed/link.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <thread>

namespace quern::distributed {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kEndTag = 0;  // no communicator has it
constexpr auto kLongestEnd = std::chrono::milliseconds(200);

}  // namespace

// The last operations of some communicators. A rank with many of them sends several notices.
struct Link::Notice {
  struct Operation {
    std::int64_t tags = 0;
    std::uint64_t number = 0;
  };
  std::uint32_t count = 0;
  std::uint32_t is_last = 0;
  std::array<Operation, 100> operations = {};
};

Link::~Link() {
  for (Sending& sending : sending_)
    if (!sending.transfer->may_be_destroyed())
      static_cast<void>(new (std::nothrow) Sending(std::move(sending)));
}

Link::Counter Link::counter(int tags) {
  const std::lock_guard lock(mutex_);
  Counter& found = counters_[tags];
  if (!found) found = std::make_shared<std::atomic<std::uint64_t>>(0);
  return found;
}

std::vector<std::vector<std::byte>> Link::own_notices() const {
  std::vector<Notice> notices(1);
  for (const auto& [tags, counter] : counters_) {
    if (notices.back().count == notices.back().operations.size()) notices.emplace_back();
    Notice& last = notices.back();
    last.operations[last.count++] = {tags, counter->load()};
  }
  notices.back().is_last = 1;
  std::vector<std::vector<std::byte>> messages;
  for (const Notice& notice : notices) {
    messages.emplace_back(sizeof notice);
    std::memcpy(messages.back().data(), &notice, sizeof notice);
  }
  return messages;
}

void Link::announce_end() noexcept try {
  std::vector<std::vector<std::byte>> messages;
  {
    const std::lock_guard lock(mutex_);
    if (has_announced_ || transport_->size() == 1 || !transport_->is_open()) return;
    has_announced_ = true;
    messages = own_notices();
  }
  for (int to = 0; to < transport_->size(); ++to) {
    if (to == transport_->rank()) continue;
    for (const std::vector<std::byte>& message : messages) {
      sending_.push_back({message, nullptr});
      sending_.back().transfer = transport_->send(sending_.back().bytes, to, kEndTag);
    }
  }
  // MPI passes messages on in its calls.
  const Clock::time_point limit = Clock::now() + kLongestEnd;
  const auto is_sent = [](const Sending& sending) { return sending.transfer->done(); };
  while (!std::all_of(sending_.begin(), sending_.end(), is_sent) && Clock::now() < limit)
    transport_->pause(std::chrono::microseconds(100));
} catch (...) {
  // The other ranks find out by their time limits.
}

void Link::wait_for_endings(std::chrono::milliseconds longest) noexcept try {
  const Clock::time_point limit = Clock::now() + longest;
  const auto others = static_cast<std::size_t>(transport_->size() - 1);
  while (transport_->is_open() && Clock::now() < limit) {
    read_endings();
    {
      const std::lock_guard lock(mutex_);
      const auto is_complete = [](const auto& ended) { return ended.second.is_complete; };
      if (ended_.size() == others && std::all_of(ended_.begin(), ended_.end(), is_complete)) return;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
} catch (...) {
  // MPI_Finalize waits for the other ranks.
}

void Link::read_endings() {
  const std::lock_guard lock(mutex_);
  while (const auto waiting = transport_->probe(kEndTag)) {
    std::array<std::byte, sizeof(Notice)> bytes;
    const auto transfer = transport_->receive(bytes, waiting->from, kEndTag);
    while (!transfer->done()) transport_->pause(std::chrono::microseconds(100));
    Notice notice;
    std::memcpy(&notice, bytes.data(), sizeof notice);
    Ended& ended = ended_[waiting->from];
    for (std::uint32_t i = 0; i < notice.count; ++i)
      ended.operations[static_cast<int>(notice.operations[i].tags)] = notice.operations[i].number;
    ended.is_complete = notice.is_last != 0;
    ended.when = Clock::now();
  }
}

bool Link::has_endings() const {
  const std::lock_guard lock(mutex_);
  return !ended_.empty();
}

std::optional<Link::Ending> Link::ending_of(int rank, int tags) const {
  const std::lock_guard lock(mutex_);
  const auto ended = ended_.find(rank);
  if (ended == ended_.end() || !ended->second.is_complete) return std::nullopt;
  const auto operation = ended->second.operations.find(tags);
  return Ending{operation == ended->second.operations.end() ? 0 : operation->second, ended->second.when};
}

}  // namespace quern::distributed
