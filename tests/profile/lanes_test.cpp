// SPDX-License-Identifier: MIT
// Lanes of records that overlap, and of those that have no times.
#include "profile/lanes.hpp"

#include <gtest/gtest.h>

namespace quern::test {
namespace {

ProfileRecord record(std::size_t queue, std::int64_t started, std::int64_t ended) {
  ProfileRecord made;
  made.device = "host:0";
  made.queue = queue;
  made.times = {started, started, started, ended};
  made.has_times = true;
  return made;
}

TEST(Lanes, operations_in_order_share_one) {
  const std::vector<ProfileRecord> records = {record(0, 30'000, 40'000), record(0, 10'000, 20'000),
                                              record(1, 10'000, 20'000)};
  const std::vector<ProfileLane> lanes = profile::lanes_of(records);
  ASSERT_EQ(lanes.size(), 2U);
  EXPECT_EQ(lanes[0].records, (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(lanes[0].label, "queue 0");
  EXPECT_EQ(lanes[1].records, (std::vector<std::size_t>{2}));
}

TEST(Lanes, are_called_by_the_names_of_their_queues) {
  std::vector<ProfileRecord> records = {record(0, 10'000, 20'000), record(1, 10'000, 30'000),
                                        record(1, 15'000, 20'000)};
  records[1].queue_name = records[2].queue_name = "upload";
  const std::vector<ProfileLane> lanes = profile::lanes_of(records);
  ASSERT_EQ(lanes.size(), 3U);
  EXPECT_EQ(lanes[0].label, "queue 0");
  EXPECT_EQ(lanes[1].label, "queue 1: upload");
  EXPECT_EQ(lanes[2].label, "queue 1: upload (2)");
}

TEST(Lanes, operations_of_one_queue_that_overlap_get_several) {
  const std::vector<ProfileRecord> records = {record(0, 10'000, 50'000), record(0, 20'000, 30'000),
                                              record(0, 35'000, 60'000)};
  const std::vector<ProfileLane> lanes = profile::lanes_of(records);
  ASSERT_EQ(lanes.size(), 2U);
  EXPECT_EQ(lanes[0].records, (std::vector<std::size_t>{0}));
  EXPECT_EQ(lanes[1].records, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(lanes[1].label, "queue 0 (2)");
}

TEST(Lanes, records_without_times_are_not_drawn) {
  ProfileRecord untimed = record(0, 0, 0);
  untimed.has_times = false;
  const std::vector<ProfileRecord> records = {untimed};
  EXPECT_TRUE(profile::lanes_of(records).empty());
  EXPECT_EQ(profile::span_of(records).begin, profile::span_of(records).end);
}

TEST(Lanes, waits_of_threads_come_last) {
  ProfileRecord wait = record(0, 10'000, 90'000);
  wait.kind = ProfileKind::host_wait;
  wait.thread = 3;
  const std::vector<ProfileRecord> records = {wait, record(0, 20'000, 80'000)};
  const std::vector<ProfileLane> lanes = profile::lanes_of(records);
  ASSERT_EQ(lanes.size(), 2U);
  EXPECT_EQ(lanes[0].label, "queue 0");
  EXPECT_EQ(lanes[1].label, "thread 3");
  EXPECT_EQ(lanes[1].device, "program");
}

}  // namespace
}  // namespace quern::test
