// SPDX-License-Identifier: MIT
// What one profile has collected, and the recorder that passes the runtime's reports to all open profiles.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "array/node.hpp"
#include "quern/profile.hpp"
#include "runtime/queue_state.hpp"
#include "runtime/submission.hpp"

namespace quern::profile {

// An operation of another queue, or of another lane of an out-of-order queue, that an entry waits for.
struct Awaited {
  const detail::QueueState* queue;
  std::uint64_t ticket;
};

// A report of the runtime. All profiles that were open then share it.
struct Entry {
  ProfileKind kind = ProfileKind::kernel;
  std::string name;
  const detail::QueueState* queue = nullptr;  // each profile that holds the entry keeps it alive
  std::uint64_t ticket = 0;
  std::size_t thread = 0;
  unsigned dims = 0;
  std::array<std::size_t, 3> global{}, local{};
  std::uint64_t bytes_read = 0, bytes_written = 0;
  Origin origin = 0;
  std::int64_t submitted = 0;  // nanoseconds
  std::vector<Awaited> waits_for;
  // Guarded by the recorder's lock, like all that follows: the times once the operation is done.
  backend::TimingPtr timing;  // null after that
  Times times;
  bool has_times = false, failed = false, is_resolved = false;
};

using EntryPtr = std::shared_ptr<Entry>;

// While it lives, nothing that its thread does is recorded.
class Unrecorded {
 public:
  Unrecorded() noexcept;
  ~Unrecorded();
  Unrecorded(const Unrecorded&) = delete;
  Unrecorded& operator=(const Unrecorded&) = delete;
};

[[nodiscard]] std::int64_t now_ns() noexcept;

}  // namespace quern::profile

namespace quern {

class Profile::Collection {
 public:
  static constexpr std::size_t kMost = 1'000'000;  // entries

  struct SeenQueue {
    std::shared_ptr<detail::QueueState> queue;  // null once all its entries are resolved after the end
    Device device;
    std::string name;
    const void* identity;    // the same for the lanes of an out-of-order queue
    std::uint64_t last = 0;  // ticket of the last operation; 0 if there are only waits
  };

  // All is guarded by the recorder's lock.
  std::vector<profile::EntryPtr> entries;
  std::size_t first_unresolved = 0;
  std::vector<SeenQueue> queues;
  std::unordered_map<const detail::QueueState*, std::size_t> numbers;
  std::uint64_t at_once = 0, dropped = 0;
  std::int64_t begin = 0, end = 0;
  bool is_open = false;

  void add(const profile::EntryPtr& entry, const std::shared_ptr<detail::QueueState>& queue);
  // Reads the times of operations that are known to be done.
  void resolve();
};

}  // namespace quern

namespace quern::profile {

// The only observer. It is never destroyed.
class Recorder final : public detail::SubmissionObserver {
 public:
  static Recorder& instance();

  void open(const std::shared_ptr<Profile::Collection>& collection);
  void close(Profile::Collection& collection) noexcept;

  void submitted(const detail::Submission& submission) noexcept override;
  void waited(detail::QueueState& queue, std::uint64_t ticket, Time begin, Time end) noexcept override;
  void computed_at_once() noexcept override;

  // Guards all collections. Under it only a queue's state_mutex_ and the locks of backends are taken.
  std::mutex mutex;

 private:
  void add(const EntryPtr& entry, const std::shared_ptr<detail::QueueState>& queue);

  std::vector<std::shared_ptr<Profile::Collection>> open_;
};

}  // namespace quern::profile
