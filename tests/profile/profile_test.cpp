// SPDX-License-Identifier: MIT
// Profiles from C++: what is recorded, in which order, and what stays apart.
#include "quern/profile.hpp"

#include <algorithm>
#include <fstream>
#include <thread>

#include "profile/collection.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

std::vector<ProfileRecord> of_kind(const std::vector<ProfileRecord>& records, ProfileKind kind) {
  std::vector<ProfileRecord> result;
  std::copy_if(records.begin(), records.end(), std::back_inserter(result),
               [&](const ProfileRecord& record) { return record.kind == kind; });
  return result;
}

class Profiles : public EachDevice {
 protected:
  static constexpr std::size_t kItems = 4096;
  static constexpr std::size_t kBytes = kItems * sizeof(int);

  Event add_one(const Queue& queue, const Buffer& buffer) const {
    return kernels().kernel("add_one")(queue, range(kItems), buffer);
  }
  void SetUp() override {  // builds the kernel outside of the profiles
    add_one(queue_, Buffer(queue_, kBytes)).wait();
  }
};

TEST_P(Profiles, each_operation_has_its_kind_name_and_bytes) {
  const Buffer a(queue_, kBytes), b(queue_, kBytes);
  std::vector<int> values = iota(kItems);
  Profile profile;
  queue_.write(a, values.data(), kBytes);
  add_one(queue_, a);
  queue_.copy(a, b);
  const std::array<std::byte, 1> zero{};
  queue_.fill(a, zero);
  queue_.read(b, values.data(), kBytes).wait();
  profile.stop();
  EXPECT_EQ(values[5], 6);
  const std::vector<ProfileRecord> records = profile.records();
  std::vector<ProfileKind> kinds;
  for (const ProfileRecord& record : records)
    if (record.kind != ProfileKind::host_wait) kinds.push_back(record.kind);
  EXPECT_EQ(kinds, (std::vector{ProfileKind::upload, ProfileKind::kernel, ProfileKind::copy,
                                ProfileKind::fill, ProfileKind::download}));
  const ProfileRecord& kernel = records[1];
  EXPECT_EQ(kernel.name, "add_one");
  EXPECT_EQ(kernel.device, device_.spec());
  EXPECT_EQ(kernel.global, (std::vector<std::size_t>{kItems}));
  ASSERT_EQ(kernel.local.size(), 1U);
  EXPECT_EQ(kernel.bytes_written, kBytes);
  EXPECT_EQ(kernel.bytes_read, 0U);
  EXPECT_EQ(records[0].bytes(), kBytes);
  EXPECT_EQ(records[2].bytes(), 2 * kBytes);  // read and written
  EXPECT_EQ(records[3].bytes(), kBytes);
  EXPECT_EQ(records[4].bytes(), kBytes);
}

TEST_P(Profiles, times_of_a_plain_queue_are_in_order) {
  const Buffer buffer(queue_, kBytes);
  Profile profile;
  for (int k = 0; k < 20; ++k) add_one(queue_, buffer);
  profile.stop();
  const std::vector<ProfileRecord> records = of_kind(profile.records(), ProfileKind::kernel);
  ASSERT_EQ(records.size(), 20U);
  std::int64_t last = 0;
  for (const ProfileRecord& record : records) {
    ASSERT_TRUE(record.has_times);
    EXPECT_LE(record.times.queued, record.times.started);
    EXPECT_LE(record.times.started, record.times.ended);
    EXPECT_LE(last, record.times.started);
    last = record.times.ended;
  }
}

TEST_P(Profiles, times_of_a_profiling_queue_are_those_of_its_events) {
  const Queue queue(device_, {.profiling = true});
  const Buffer buffer(queue, kBytes);
  Profile profile;
  std::vector<Event> events;
  for (int k = 0; k < 5; ++k) events.push_back(add_one(queue, buffer));
  profile.stop();
  const std::vector<ProfileRecord> records = of_kind(profile.records(), ProfileKind::kernel);
  ASSERT_EQ(records.size(), events.size());
  for (std::size_t k = 0; k < events.size(); ++k) {
    EXPECT_EQ(records[k].times.started, events[k].times().started);
    EXPECT_EQ(records[k].times.ended, events[k].times().ended);
  }
}

TEST_P(Profiles, results_are_the_same_on_both_sides_of_a_profile) {
  // A backend may continue on another native queue while a profile is open.
  const Buffer buffer(queue_, kBytes);
  const std::vector<int> zeros(kItems, 0);
  queue_.write(buffer, zeros.data(), kBytes);
  const Kernel slow = kernels().kernel("slow_set");
  for (int turn = 0; turn < 10; ++turn) {
    slow(queue_, range(kItems), buffer, turn, 2000);
    {
      const Profile profile;
      add_one(queue_, buffer);
    }
    add_one(queue_, buffer);
    std::vector<int> values(kItems);
    queue_.read(buffer, values.data(), kBytes).wait();
    EXPECT_EQ(values, std::vector<int>(kItems, turn + 2));
  }
}

TEST_P(Profiles, nothing_is_recorded_before_or_after) {
  const Buffer buffer(queue_, kBytes);
  add_one(queue_, buffer);
  Profile profile;
  profile.stop();
  add_one(queue_, buffer).wait();
  EXPECT_TRUE(profile.records().empty());
  EXPECT_TRUE(profile.rows().empty());
  EXPECT_EQ(profile.table(), "nothing was recorded\n");
  EXPECT_NE(profile.svg().find("nothing was recorded"), std::string::npos);
  EXPECT_NE(profile.trace().find("\"traceEvents\":["), std::string::npos);
  EXPECT_FALSE(profile.is_open());
}

TEST_P(Profiles, an_inner_profile_has_a_part_of_the_outer) {
  const Buffer buffer(queue_, kBytes);
  Profile outer;
  add_one(queue_, buffer);
  std::vector<ProfileRecord> inner_records;
  {
    Profile inner;
    add_one(queue_, buffer);
    add_one(queue_, buffer);
    inner.stop();
    inner_records = inner.records();
  }
  add_one(queue_, buffer);
  outer.stop();
  EXPECT_EQ(of_kind(inner_records, ProfileKind::kernel).size(), 2U);
  EXPECT_EQ(of_kind(outer.records(), ProfileKind::kernel).size(), 4U);
  EXPECT_FALSE(Profile::is_any_open());
}

TEST_P(Profiles, overlapping_profiles_may_end_in_any_order) {
  const Buffer buffer(queue_, kBytes);
  auto first = std::make_unique<Profile>();
  add_one(queue_, buffer);
  Profile second;
  add_one(queue_, buffer);
  first->stop();
  EXPECT_EQ(of_kind(first->records(), ProfileKind::kernel).size(), 2U);
  first.reset();
  add_one(queue_, buffer);
  second.stop();
  EXPECT_EQ(of_kind(second.records(), ProfileKind::kernel).size(), 2U);
}

TEST_P(Profiles, operations_of_all_threads_are_recorded) {
  constexpr int kThreads = 4, kLaunches = 50;
  Profile profile;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      const Queue queue(device_);
      const Buffer buffer(queue, kBytes);
      for (int k = 0; k < kLaunches; ++k) {
        add_one(queue, buffer);
        const Profile other;  // profiles of other threads
      }
      queue.finish();
    });
  }
  for (int k = 0; k < 5; ++k) EXPECT_NO_THROW((void)profile.table());  // while it is open
  for (std::thread& thread : threads) thread.join();
  profile.stop();
  const std::vector<ProfileRecord> records = of_kind(profile.records(), ProfileKind::kernel);
  EXPECT_EQ(records.size(), std::size_t{kThreads * kLaunches});
  std::vector<std::size_t> queues, submitters;
  for (const ProfileRecord& record : records) {
    queues.push_back(record.queue);
    submitters.push_back(record.thread);
  }
  for (auto* const list : {&queues, &submitters}) {
    std::sort(list->begin(), list->end());
    EXPECT_EQ(std::unique(list->begin(), list->end()) - list->begin(), kThreads);
  }
}

TEST_P(Profiles, waits_between_queues_lead_to_the_operation_that_was_awaited) {
  const Queue other(device_);
  const Buffer buffer(queue_, kBytes);
  // On a busy machine this thread may sleep until short work is over, and nothing waits.
  for (int rounds = 20'000; rounds < 10'000'000; rounds *= 5) {
    Profile profile;
    kernels().kernel("slow_set")(queue_, range(kItems), buffer, 1, rounds);
    add_one(other, buffer);  // the same memory
    other.finish();
    profile.stop();
    const std::vector<ProfileRecord> records = profile.records();
    const auto waiting = std::find_if(records.begin(), records.end(),
                                      [](const ProfileRecord& record) { return record.name == "add_one"; });
    ASSERT_NE(waiting, records.end());
    const std::vector<ProfileRecord> waits = of_kind(records, ProfileKind::host_wait);
    if (waiting->waits_for.empty() || waits.empty()) continue;
    ASSERT_EQ(waiting->waits_for.size(), 1U);
    const ProfileRecord& awaited = records[waiting->waits_for[0]];
    EXPECT_EQ(awaited.name, "slow_set");
    EXPECT_NE(awaited.queue, waiting->queue);
    EXPECT_LT(awaited.times.started, waiting->times.ended);
    EXPECT_LE(waits[0].times.started, waits[0].times.ended);
    EXPECT_NE(profile.trace().find("\"ph\":\"f\""), std::string::npos);
    return;
  }
  FAIL() << "the kernel was never awaited";
}

TEST_P(Profiles, a_barrier_that_waits_for_another_queue_is_a_wait) {
  const Queue other(device_);
  const Buffer buffer(queue_, kBytes);
  Profile profile;
  const Event slow = kernels().kernel("slow_set")(queue_, range(kItems), buffer, 1, 20000);
  other.barrier({&slow, 1}).wait();
  queue_.barrier().wait();  // delays nothing
  profile.stop();
  const std::vector<ProfileRecord> waits = of_kind(profile.records(), ProfileKind::queue_wait);
  ASSERT_LE(waits.size(), 1U);  // none if the kernel had ended already
  if (!waits.empty()) {
    EXPECT_TRUE(waits[0].has_times);
    EXPECT_LE(waits[0].times.started, waits[0].times.ended);
  }
}

TEST_P(Profiles, pending_expressions_belong_to_the_profile_that_stops) {
  const Array x = zeros(queue_, {100'000}, DType::of(Scalar::float32));
  x.evaluate();
  Profile stopped;
  const Array y = x * 2.F + x;
  stopped.stop();
  EXPECT_EQ(of_kind(stopped.records(), ProfileKind::kernel).size(), 1U);
  Profile cancelled;
  const Array z = x * 3.F + x;
  cancelled.cancel();
  EXPECT_TRUE(cancelled.records().empty());
  EXPECT_FALSE(z.in_memory());
}

TEST_P(Profiles, a_trace_is_saved_or_an_error_names_the_file) {
  const Buffer buffer(queue_, kBytes);
  Profile profile;
  add_one(queue_, buffer);
  profile.stop();
  const std::string path = ::testing::TempDir() + "quern_trace.json";
  profile.save(path);
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(text, profile.trace());
  try {
    profile.save("/no such folder/trace.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("/no such folder/trace.json"), std::string::npos);
  }
}

TEST_P(Profiles, rows_compare_kernels_with_the_copy_bandwidth) {
  const Buffer buffer(queue_, kBytes);
  Profile profile;
  for (int k = 0; k < 3; ++k) add_one(queue_, buffer);
  profile.stop();
  const std::vector<ProfileRow> rows = profile.rows();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].count, 3U);
  EXPECT_EQ(rows[0].bytes, 3 * kBytes);
  EXPECT_DOUBLE_EQ(rows[0].share, 1);
  EXPECT_DOUBLE_EQ(rows[0].mean * 3, static_cast<double>(rows[0].total));
  EXPECT_DOUBLE_EQ(rows[0].fraction_of_limit, rows[0].bytes_per_second / copy_bandwidth(device_));
  EXPECT_EQ(copy_bandwidth(device_), copy_bandwidth(device_));
}

TEST_P(Profiles, the_copy_bandwidth_is_measured_outside_of_open_profiles) {
  Profile profile;
  (void)copy_bandwidth(device_);
  EXPECT_TRUE(profile.records().empty());
}

TEST_P(Profiles, work_of_which_only_a_wait_is_recorded_is_not_waited_for) {
  const Buffer buffer(queue_, kBytes);
  const Event slow = kernels().kernel("slow_set")(queue_, range(kItems), buffer, 1, 20000);
  Profile profile;
  (void)slow.wait_until(std::chrono::steady_clock::now() + std::chrono::microseconds(100));
  profile.stop();
  EXPECT_TRUE(profile.wait_until(Deadline::min()));
  slow.wait();
}

TEST_P(Profiles, many_operations_have_times) {
  // More than a profile leaves unresolved while it is open.
  const Buffer buffer(queue_, kBytes);
  constexpr std::size_t kMany = 6000;
  Profile profile;
  for (std::size_t k = 0; k < kMany; ++k) add_one(queue_, buffer);
  profile.stop();
  const std::vector<ProfileRecord> records = of_kind(profile.records(), ProfileKind::kernel);
  EXPECT_EQ(records.size(), kMany);
  EXPECT_TRUE(
      std::all_of(records.begin(), records.end(), [](const ProfileRecord& r) { return r.has_times; }));
  EXPECT_EQ(profile.dropped(), 0U);
}

TEST_P(Profiles, a_full_profile_counts_what_it_drops) {
  Profile::Collection collection;
  auto entry = std::make_shared<profile::Entry>();
  entry->queue = queue_.state().get();
  entry->is_resolved = true;
  collection.add(entry, queue_.state());
  collection.entries.assign(Profile::Collection::kMost, entry);
  collection.add(entry, queue_.state());
  EXPECT_EQ(collection.dropped, 1U);
  EXPECT_EQ(collection.entries.size(), Profile::Collection::kMost);
}

TEST_P(Profiles, a_destroyed_profile_is_not_written_to) {
  const Buffer buffer(queue_, kBytes);
  {
    const Profile profile;
    EXPECT_TRUE(Profile::is_any_open());
    add_one(queue_, buffer);
  }
  EXPECT_FALSE(Profile::is_any_open());
  add_one(queue_, buffer).wait();
}

TEST_P(Profiles, a_queue_may_end_before_its_profile) {
  Profile profile;
  {
    const Queue queue(device_);
    const Buffer buffer(queue, kBytes);
    add_one(queue, buffer);
  }
  profile.stop();
  const std::vector<ProfileRecord> records = of_kind(profile.records(), ProfileKind::kernel);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_TRUE(records[0].has_times);
  EXPECT_EQ(of_kind(profile.records(), ProfileKind::kernel).size(), 1U);  // again
}

QUERN_EACH_DEVICE(Profiles);

}  // namespace
}  // namespace quern::test
