// SPDX-License-Identifier: MIT
// OpenCL memory: allocation, copies, fills, rectangles, pinned and wrapped memory.
#include <algorithm>

#include "backend/opencl/support.hpp"

namespace quern::backend::opencl_test {
namespace {

using Bytes = std::vector<unsigned char>;

Bytes pattern_bytes(std::size_t n) {
  Bytes values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<unsigned char>(i * 7 + i / 251);
  return values;
}

TEST_F(OpenCL, what_is_written_is_read_back) {
  auto a = context->allocate(0, 1000);
  const Bytes values = pattern_bytes(1000);
  queue->write(*a, 0, values.data(), 1000);
  Bytes part(300);
  queue->read(*a, 500, part.data(), 300);
  finish();
  EXPECT_TRUE(std::equal(part.begin(), part.end(), values.begin() + 500));
  EXPECT_EQ(a->host_pointer(), nullptr);
}

TEST_F(OpenCL, memory_of_no_bytes_can_be_had_and_copied) {
  auto a = context->allocate(0, 0);
  EXPECT_EQ(a->size(), 0u);
  queue->write(*a, 0, nullptr, 0);
  queue->copy(*a, 0, *a, 0, 0);
  queue->fill(*a, 0, 0, {});
  queue->copy_rect({a.get(), nullptr, 0, 0, 0}, {a.get(), nullptr, 0, 0, 0}, {0, 1, 1});
  finish();
}

TEST_F(OpenCL, an_allocation_above_the_limit_names_the_limit) {
  const std::size_t limit = setup()->device->properties().max_allocation;
  try {
    (void)context->allocate(0, limit + 1);
    FAIL() << "it was allocated";
  } catch (const OutOfDeviceMemory& error) {
    EXPECT_EQ(error.figures().requested, limit + 1);
    EXPECT_EQ(error.figures().limit, limit);
    EXPECT_NE(std::string(error.what()).find(std::to_string(limit)), std::string::npos) << error.what();
  }
  EXPECT_THROW((void)context->allocate_pinned(limit + 1), OutOfDeviceMemory);
}

TEST_F(OpenCL, memory_in_use_is_counted) {
  const std::size_t before = context->memory_info(0).free;
  auto a = context->allocate(0, 1 << 20);
  EXPECT_EQ(context->memory_info(0).total, setup()->device->properties().global_memory);
  EXPECT_LE(context->memory_info(0).free, before - (1 << 20));
  a.reset();
  EXPECT_EQ(context->memory_info(0).free, before);
}

TEST_F(OpenCL, copies_within_one_buffer_may_overlap) {
  for (const auto& [from, to] : {std::pair<std::size_t, std::size_t>{0, 10}, {10, 0}, {5, 5}, {0, 200}}) {
    Bytes values = pattern_bytes(400);
    auto a = upload(values);
    queue->copy(*a, from, *a, to, 200);
    std::memmove(values.data() + to, values.data() + from, 200);
    EXPECT_EQ(download<unsigned char>(*a), values) << from << " to " << to;
  }
}

TEST_F(OpenCL, fills_take_patterns_of_any_size_at_any_offset) {
  for (const std::size_t size : {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 48, 128, 200, 256}) {
    for (const std::size_t offset : {std::size_t{0}, std::size_t{3}, size}) {
      const std::size_t nbytes = size * 611;
      Bytes expected(nbytes + 300, 0xee);
      auto a = upload(expected);
      const Bytes pattern = pattern_bytes(size);
      queue->fill(*a, offset, nbytes, bytes_of(pattern));
      for (std::size_t i = 0; i < nbytes; ++i) expected[offset + i] = pattern[i % size];
      ASSERT_EQ(download<unsigned char>(*a), expected) << "a pattern of " << size << " bytes at " << offset;
    }
  }
}

TEST_F(OpenCL, a_large_odd_fill_is_whole) {
  const Bytes pattern = {1, 2, 3};
  auto a = context->allocate(0, 3'000'001);
  queue->fill(*a, 1, 3'000'000, bytes_of(pattern));
  const Bytes got = download<unsigned char>(*a);
  for (std::size_t i = 0; i < 3'000'000; ++i) ASSERT_EQ(got[i + 1], pattern[i % 3]) << i;
}

struct RectCase {
  std::size_t from_offset, from_row, from_slice, to_offset, to_row, to_slice;
  std::array<std::size_t, 3> region;
};

// Pitches that OpenCL takes and pitches that it does not; 0 for packed.
const RectCase kRects[] = {
    {0, 32, 256, 0, 64, 512, {16, 5, 4}}, {1000, 32, 256, 7, 64, 512, {16, 5, 4}},
    {3, 32, 0, 5, 40, 0, {32, 6, 1}},     {0, 20, 130, 1, 16, 96, {16, 5, 4}},  // slices of odd distance
    {0, 256, 16, 0, 16, 64, {16, 4, 6}},                                        // slices within rows
    {9, 0, 0, 4, 0, 0, {10, 3, 2}},                                             // packed
    {2, 32, 50, 1, 32, 60, {30, 1, 5}},                                         // one row in each slice
    {0, 8, 0, 0, 16, 0, {16, 4, 1}},  // rows that overlap at the source
    {5, 1, 1, 6, 1, 1, {33, 1, 1}},   // a single row
};

std::size_t rect_index(std::size_t offset, std::size_t row, std::size_t slice,
                       const std::array<std::size_t, 3>& region, std::size_t x, std::size_t y,
                       std::size_t z) {
  if (row == 0) row = region[0];
  if (slice == 0) slice = row * region[1];
  return offset + z * slice + y * row + x;
}

// The oracle: three loops.
void copy_rect_by_loops(const Bytes& from, Bytes& to, const RectCase& c) {
  for (std::size_t z = 0; z < c.region[2]; ++z) {
    for (std::size_t y = 0; y < c.region[1]; ++y) {
      for (std::size_t x = 0; x < c.region[0]; ++x) {
        to[rect_index(c.to_offset, c.to_row, c.to_slice, c.region, x, y, z)] =
            from[rect_index(c.from_offset, c.from_row, c.from_slice, c.region, x, y, z)];
      }
    }
  }
}

TEST_F(OpenCL, rectangles_are_copied_between_all_kinds_of_memory) {
  constexpr std::size_t kSize = 4096;
  const Bytes source = pattern_bytes(kSize);
  for (const RectCase& c : kRects) {
    Bytes expected(kSize, 0xee);
    copy_rect_by_loops(source, expected, c);
    for (const bool from_device : {true, false}) {
      for (const bool to_device : {true, false}) {
        if (!from_device && !to_device) continue;
        Bytes host_source = source, host_target(kSize, 0xee);
        auto device_source = upload(host_source), device_target = upload(host_target);
        RectSide from = {nullptr, host_source.data(), c.from_offset, c.from_row, c.from_slice};
        RectSide to = {nullptr, host_target.data(), c.to_offset, c.to_row, c.to_slice};
        if (from_device) from.memory = device_source.get();
        if (to_device) to.memory = device_target.get();
        queue->copy_rect(from, to, c.region);
        finish();
        const Bytes got = to_device ? download<unsigned char>(*device_target) : host_target;
        ASSERT_EQ(got, expected) << "case " << (&c - kRects) << (from_device ? " device" : " host")
                                 << (to_device ? " to device" : " to host");
      }
    }
  }
}

TEST_F(OpenCL, rectangles_within_one_buffer_may_interleave_and_overlap) {
  const RectCase cases[] = {
      {0, 32, 0, 16, 32, 0, {16, 8, 1}},        // left half to right half
      {0, 32, 0, 8, 32, 0, {16, 8, 1}},         // overlapping
      {0, 32, 256, 2048, 32, 256, {16, 5, 4}},  // apart
      {0, 32, 256, 2048, 64, 512, {16, 5, 4}},  // apart, of other pitches
  };
  for (const RectCase& c : cases) {
    const Bytes source = pattern_bytes(4096);
    Bytes expected = source;
    copy_rect_by_loops(source, expected, c);
    auto a = upload(source);
    queue->copy_rect({a.get(), nullptr, c.from_offset, c.from_row, c.from_slice},
                     {a.get(), nullptr, c.to_offset, c.to_row, c.to_slice}, c.region);
    ASSERT_EQ(download<unsigned char>(*a), expected) << "case " << (&c - cases);
  }
}

TEST_F(OpenCL, pinned_memory_is_ordinary_host_memory_that_copies_can_use) {
  auto pinned = context->allocate_pinned(1000);
  EXPECT_EQ(pinned->size(), 1000u);
  const Bytes values = pattern_bytes(1000);
  std::memcpy(pinned->data(), values.data(), 1000);
  auto a = context->allocate(0, 1000);
  queue->write(*a, 0, pinned->data(), 1000);
  finish();
  std::memset(pinned->data(), 0, 1000);
  queue->read(*a, 0, pinned->data(), 1000);
  finish();
  EXPECT_EQ(std::memcmp(pinned->data(), values.data(), 1000), 0);
}

TEST_F(OpenCL, a_wrapped_cl_mem_is_the_same_memory_and_kept_alive) {
  auto a = upload(counting(64));
  auto wrapped = context->wrap_memory(a->native_handle(), 0);
  EXPECT_EQ(wrapped->size(), 64 * sizeof(int));
  EXPECT_EQ(wrapped->native_handle(), a->native_handle());
  EXPECT_EQ(context->wrap_memory(a->native_handle(), 16)->size(), 16u);
  EXPECT_THROW((void)context->wrap_memory(a->native_handle(), 64 * sizeof(int) + 1), ArgumentError);
  // Known as the same memory, so that an overlap is seen.
  queue->copy(*a, 0, *wrapped, 4, 63 * 4);
  a.reset();
  std::vector<int> expected = counting(64, -1);
  expected[0] = 0;
  EXPECT_EQ(download<int>(*wrapped), expected);
}

TEST_F(OpenCL, a_cl_mem_of_another_context_is_refused) {
  auto device = setup()->device;
  auto elsewhere = device->make_context({&device, 1});
  auto a = elsewhere->allocate(0, 64);
  EXPECT_THROW((void)context->wrap_memory(a->native_handle(), 0), ArgumentError);
}

}  // namespace
}  // namespace quern::backend::opencl_test
