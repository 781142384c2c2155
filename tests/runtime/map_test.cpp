// SPDX-License-Identifier: MIT
// Maps of buffers and arrays: what the host sees, what is written back, and conflicts with other work.
#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "quern/map.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

class Maps : public EachDevice {
 protected:
  Buffer ints(std::size_t count) {
    Buffer buffer(device_, count * sizeof(int));
    const std::vector<int> values = iota(count);
    queue_.write(buffer, values.data(), buffer.size()).wait();
    return buffer;
  }
  std::vector<int> values_of(const Buffer& buffer) {
    std::vector<int> values(buffer.size() / sizeof(int));
    queue_.read(buffer, values.data(), buffer.size()).wait();
    return values;
  }
};

TEST_P(Maps, the_host_reads_and_writes_the_memory) {
  const Buffer buffer = ints(100);
  const MemoryMap map = map_buffer(queue_, buffer);
  map.wait();
  const std::span<int> values = map.as<int>();
  ASSERT_EQ(values.size(), 100U);
  EXPECT_TRUE(std::ranges::equal(values, iota(100)));
  for (int& value : values) value += 5;
  map.unmap();
  kernels().kernel("add_one")(queue_, range(100), buffer);
  std::vector<int> expected = iota(100);
  for (int& value : expected) value += 6;
  EXPECT_EQ(values_of(buffer), expected);
}

TEST_P(Maps, a_map_for_reading_writes_nothing_back) {
  const Buffer buffer = ints(10);
  const MemoryMap map = map_buffer(queue_, buffer, MapAccess::read);
  map.wait();
  EXPECT_EQ(map.as<const int>()[9], 9);
  map.unmap().wait();
  EXPECT_EQ(values_of(buffer), iota(10));
}

TEST_P(Maps, a_range_is_written_back_alone) {
  const Buffer buffer = ints(64);
  const MemoryMap map = map_buffer(queue_, buffer.sub_buffer(64, 64), MapAccess::discard);
  map.wait();
  std::ranges::fill(map.as<int>(), -1);
  map.unmap();
  std::vector<int> expected = iota(64);
  std::fill_n(expected.begin() + 16, 16, -1);
  EXPECT_EQ(values_of(buffer), expected);
}

TEST_P(Maps, use_of_mapped_memory_names_the_line) {
  const Buffer buffer = ints(10);
  const MemoryMap map = map_buffer(queue_, buffer);
  const int line = __LINE__ - 1;
  try {
    kernels().kernel("add_one")(queue_, range(10), buffer);
    FAIL();
  } catch (const MapError& error) {
    EXPECT_NE(std::string(error.what()).find("map_test.cpp:" + std::to_string(line)), std::string::npos);
  }
  EXPECT_THROW((void)map_buffer(queue_, buffer, MapAccess::read), MapError);
  map.unmap();
  EXPECT_THROW(map.unmap(), MapError);
  EXPECT_THROW((void)map.data(), MapError);
  EXPECT_EQ(values_of(buffer), iota(10));
}

TEST_P(Maps, the_last_reference_unmaps_and_writes_back) {
  const Buffer buffer = ints(10);
  {
    std::optional<MemoryMap> map = map_buffer(queue_, buffer);
    const MemoryMap other = *map;
    map->wait();
    map->as<int>()[0] = 42;
    map.reset();
    EXPECT_TRUE(other.is_open());
  }
  EXPECT_EQ(values_of(buffer)[0], 42);
}

TEST_P(Maps, an_abandoned_map_is_closed) {
  const Buffer buffer = ints(10);
  const MemoryMap map = map_buffer(queue_, buffer);
  map.abandon();
  EXPECT_FALSE(map.is_open());
  EXPECT_EQ(values_of(buffer), iota(10));
}

TEST_P(Maps, the_memory_stays_allocated_for_its_pointer) {
  std::shared_ptr<void> keep;
  int* values = nullptr;
  {
    const Buffer buffer = ints(1000);
    const MemoryMap map = map_buffer(queue_, buffer);
    map.wait();
    values = map.as<int>().data();
    keep = map.keep();
    map.unmap().wait();
  }
  const Buffer other(device_, 4000);
  const int pattern = 7;
  queue_.fill(other, std::as_bytes(std::span(&pattern, 1))).wait();
  EXPECT_EQ(values[999], 999);
}

TEST_P(Maps, only_one_of_two_threads_unmaps) {
  for (int round = 0; round < 20; ++round) {
    const Buffer buffer = ints(16);
    const MemoryMap map = map_buffer(queue_, buffer);
    std::atomic<int> errors{0};
    const auto close = [&] {
      try {
        map.unmap();
      } catch (const MapError&) {
        ++errors;
      }
    };
    std::thread other(close);
    close();
    other.join();
    EXPECT_EQ(errors.load(), 1);
  }
}

TEST_P(Maps, arrays_are_mapped_with_their_strides) {
  const Array array = asarray(queue_, iota(12));
  const Array every_third(array.buffer(), array.dtype(), {4}, {-12}, 36);
  const ArrayMap mapped = map_array(queue_, every_third);
  mapped.map.wait();
  EXPECT_EQ(mapped.map.size(), 40U);
  const auto* first = static_cast<const std::byte*>(mapped.map.data()) + mapped.offset;
  EXPECT_EQ(*reinterpret_cast<const int*>(first), 9);
  EXPECT_EQ(*reinterpret_cast<const int*>(first - 36), 0);
  mapped.map.unmap();
}

TEST_P(Maps, memory_migrates_without_a_change) {
  const std::vector<Buffer> buffers = {ints(10), ints(20)};
  const Event there = migrate(queue_, buffers, MigrateTo::host);
  migrate(queue_, buffers, MigrateTo::device, {&there, 1});
  EXPECT_EQ(values_of(buffers[1]), iota(20));
}

QUERN_EACH_DEVICE(Maps);

}  // namespace
}  // namespace quern::test
