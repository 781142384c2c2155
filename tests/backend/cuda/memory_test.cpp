// SPDX-License-Identifier: MIT
// CUDA memory operations against loops on the host: transfers, fills, copies and rectangles.
#include <thread>

#include "backend/cuda/test_device.hpp"
#include "quern/error.hpp"

namespace quern::backend::cuda {
namespace {

using Bytes = std::vector<unsigned char>;

void expect_same(const Bytes& got, const Bytes& expected, const std::string& what) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  const std::size_t at = first_difference(got, expected);
  EXPECT_EQ(at, expected.size()) << what << ": byte " << at << " is "
                                 << int(got[std::min(at, got.size() - 1)]) << ", not "
                                 << int(expected[std::min(at, expected.size() - 1)]);
}

TEST_F(Cuda, transfers_of_all_sizes_arrive_byte_for_byte) {
  const std::size_t mib = 1 << 20;
  std::vector<std::size_t> sizes = {1,           3,       4095,        64 << 10,     (64 << 10) + 1,
                                    4 * mib - 1, 4 * mib, 4 * mib + 1, 37 * mib + 13};
  if (!kFake) sizes.push_back(300 * mib + 7);
  for (const std::size_t size : sizes) {
    const Bytes data = noise(size);
    expect_same(download<unsigned char>(upload(data)), data, std::to_string(size) + " bytes");
  }
}

TEST_F(Cuda, parts_of_a_buffer_are_written_and_read_at_their_offsets) {
  Bytes expected = noise(20 << 20);
  const auto memory = upload(expected);
  const Bytes part = noise(9 << 20, 5);
  queue->write(*memory, 12345, part.data(), part.size());
  std::copy(part.begin(), part.end(), expected.begin() + 12345);
  Bytes got(7 << 20);
  queue->read(*memory, 777, got.data(), got.size());
  finish(*queue);
  expect_same(got, Bytes(expected.begin() + 777, expected.begin() + 777 + (7 << 20)), "read at an offset");
}

TEST_F(Cuda, threads_share_the_staging_memory) {
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (unsigned t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      const auto own = context->make_queue(0, {});
      const Bytes data = noise((17 << 20) + t * 1001, t + 1);
      const auto memory = context->allocate(0, data.size());
      own->write(*memory, 0, data.data(), data.size());
      good += download<unsigned char>(*memory, *own) == data ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 6);
}

TEST_F(Cuda, pinned_memory_is_copied_directly) {
  const Bytes data = noise((5 << 20) + 1);
  const auto source = context->allocate_pinned(data.size());
  const auto target = context->allocate_pinned(data.size());
  ASSERT_EQ(source->size(), data.size());
  std::memcpy(source->data(), data.data(), data.size());
  std::memset(target->data(), 0, data.size());
  const auto memory = context->allocate(0, data.size());
  queue->write(*memory, 0, source->data(), data.size());
  queue->read(*memory, 0, target->data(), data.size());
  finish(*queue);
  const auto* bytes = static_cast<const unsigned char*>(target->data());
  expect_same(Bytes(bytes, bytes + data.size()), data, "pinned to pinned");
}

TEST_F(Cuda, fills_repeat_patterns_of_every_length) {
  for (const std::size_t period : {1, 2, 3, 4, 5, 8, 12, 16, 24, 128}) {
    for (const std::size_t offset : {std::size_t{0}, std::size_t{1}, 7 * period}) {
      const std::size_t count = (period == 3 ? 9000001 : 100003) / period;
      const Bytes pattern = noise(period, 3);
      Bytes expected = noise(offset + count * period + 11, 9);
      const auto memory = upload(expected);
      for (std::size_t i = 0; i < count * period; ++i) expected[offset + i] = pattern[i % period];
      queue->fill(*memory, offset, count * period, std::as_bytes(std::span(pattern)));
      expect_same(download<unsigned char>(memory), expected,
                  "period " + std::to_string(period) + ", offset " + std::to_string(offset));
    }
  }
}

TEST_F(Cuda, a_fill_with_a_pattern_that_repeats_itself_is_right) {
  const Bytes pattern = {7, 7, 7, 7, 7, 7, 7, 7};
  const auto memory = context->allocate(0, 8003 * 8);
  queue->fill(*memory, 0, memory->size(), std::as_bytes(std::span(pattern)));
  expect_same(download<unsigned char>(memory), Bytes(8003 * 8, 7), "eight equal bytes");
}

TEST_F(Cuda, a_fill_that_is_no_multiple_of_its_pattern_is_refused) {
  const auto memory = context->allocate(0, 64);
  const Bytes pattern(4);
  EXPECT_THROW(queue->fill(*memory, 0, 10, std::as_bytes(std::span(pattern))), ArgumentError);
  EXPECT_THROW(queue->fill(*memory, 0, 64, {}), ArgumentError);
  EXPECT_THROW(queue->fill(*memory, 8, 64, std::as_bytes(std::span(pattern))), ArgumentError);
}

TEST_F(Cuda, copies_between_buffers_and_within_one_are_right_even_where_they_overlap) {
  const std::size_t size = 3 << 20;
  const Bytes data = noise(size);
  const auto memory = upload(data);
  const auto other = context->allocate(0, size);
  queue->copy(*memory, 0, *other, 0, size);
  expect_same(download<unsigned char>(other), data, "a copy");

  for (const auto& [from, to, count] : std::vector<std::array<std::size_t, 3>>{{0, 1, size - 1},
                                                                               {1, 0, size - 1},
                                                                               {100, 5000, size - 6000},
                                                                               {5000, 100, size - 6000},
                                                                               {0, size / 2, size / 2},
                                                                               {77, 77, 1000}}) {
    Bytes expected = download<unsigned char>(memory);
    std::memmove(expected.data() + to, expected.data() + from, count);
    queue->copy(*memory, from, *memory, to, count);
    expect_same(download<unsigned char>(memory), expected,
                std::to_string(from) + " to " + std::to_string(to));
  }
}

TEST_F(Cuda, ranges_outside_of_a_buffer_are_refused_and_empty_ones_do_nothing) {
  const Bytes data = noise(100);
  const auto memory = upload(data);
  Bytes host(200);
  EXPECT_THROW(queue->read(*memory, 1, host.data(), 100), ArgumentError);
  EXPECT_THROW(queue->write(*memory, 101, host.data(), 0), ArgumentError);
  EXPECT_THROW(queue->copy(*memory, 50, *memory, 0, 51), ArgumentError);
  EXPECT_THROW(queue->read(*memory, SIZE_MAX, host.data(), 2), ArgumentError);
  EXPECT_NO_THROW(queue->write(*memory, 100, host.data(), 0));
  EXPECT_NO_THROW(queue->read(*memory, 0, nullptr, 0));
  EXPECT_NO_THROW(queue->copy(*memory, 100, *memory, 0, 0));
  const auto nothing = context->allocate(0, 0);
  EXPECT_EQ(nothing->size(), 0U);
  expect_same(download<unsigned char>(memory), data, "after nothing");
}

// The oracle of rectangle copies.
void copy_rect_on_host(const Bytes& from, const RectSide& f, Bytes& to, const RectSide& t,
                       std::array<std::size_t, 3> region) {
  const Bytes before = from;  // as if read completely first
  for (std::size_t z = 0; z < region[2]; ++z)
    for (std::size_t y = 0; y < region[1]; ++y)
      for (std::size_t x = 0; x < region[0]; ++x)
        to[t.offset + z * t.slice_pitch + y * t.row_pitch + x] =
            before[f.offset + z * f.slice_pitch + y * f.row_pitch + x];
}

struct RectCase {
  std::array<std::size_t, 3> region;
  std::size_t from_offset, from_row, from_slice, to_offset, to_row, to_slice;
};
const RectCase kRectangles[] = {
    {{13, 7, 1}, 5, 31, 31 * 7, 9, 17, 17 * 7},          // two dimensions
    {{13, 7, 5}, 5, 31, 31 * 9, 9, 17, 17 * 8},          // three
    {{13, 7, 5}, 5, 31, 31 * 9 + 4, 9, 17, 17 * 8 + 3},  // slices no whole number of rows apart
    {{13, 1, 5}, 5, 31, 40, 9, 13, 13},                  // one row a slice
    {{300, 1, 1}, 3, 300, 300, 1, 300, 300},             // one row
    {{16, 4, 3}, 0, 16, 64, 0, 16, 64},                  // contiguous
};

TEST_F(Cuda, rectangles_are_copied_in_every_direction_as_loops_would) {
  for (const RectCase& c : kRectangles) {
    const Bytes source = noise(4096, 2), background = noise(4096, 4);
    RectSide from{nullptr, nullptr, c.from_offset, c.from_row, c.from_slice};
    RectSide to{nullptr, nullptr, c.to_offset, c.to_row, c.to_slice};
    Bytes expected = background;
    copy_rect_on_host(source, from, expected, to, c.region);
    const std::string what = "region " + std::to_string(c.region[0]) + "x" + std::to_string(c.region[1]) +
                             "x" + std::to_string(c.region[2]) + " slice " + std::to_string(c.from_slice);

    const auto device_source = upload(source);
    const auto device_target = upload(background);
    Bytes host_source = source, host_target = background;

    from.memory = device_source.get(), to.memory = device_target.get();
    queue->copy_rect(from, to, c.region);
    expect_same(download<unsigned char>(device_target), expected, "device to device, " + what);

    queue->write(*device_target, 0, background.data(), background.size());
    from.memory = nullptr, from.host = host_source.data();
    queue->copy_rect(from, to, c.region);
    expect_same(download<unsigned char>(device_target), expected, "host to device, " + what);

    from.memory = device_source.get(), from.host = nullptr;
    to.memory = nullptr, to.host = host_target.data();
    queue->copy_rect(from, to, c.region);
    finish(*queue);
    expect_same(host_target, expected, "device to host, " + what);
  }
}

TEST_F(Cuda, pitches_of_zero_mean_packed_rows) {
  const Bytes source = noise(60);
  const auto memory = upload(Bytes(100, 0));
  Bytes host = source;
  queue->copy_rect({nullptr, host.data(), 0, 0, 0}, {memory.get(), nullptr, 10, 10, 0}, {5, 4, 2});
  Bytes expected(100, 0);
  for (std::size_t z = 0; z < 2; ++z)
    for (std::size_t y = 0; y < 4; ++y)
      for (std::size_t x = 0; x < 5; ++x) expected[10 + z * 40 + y * 10 + x] = source[z * 20 + y * 5 + x];
  expect_same(download<unsigned char>(memory), expected, "packed to pitched");
}

TEST_F(Cuda, rectangles_within_one_buffer_may_overlap_or_lie_side_by_side) {
  struct Within {
    std::array<std::size_t, 3> region;
    std::size_t from, to, from_row, to_row;
  };
  for (const Within& c : {Within{{20, 10, 1}, 0, 33, 40, 40}, Within{{20, 10, 1}, 33, 0, 40, 40},
                          Within{{20, 10, 1}, 0, 20, 40, 40}, Within{{20, 10, 1}, 0, 5, 40, 40},
                          Within{{20, 10, 1}, 7, 3, 40, 25}, Within{{20, 4, 2}, 0, 41, 40, 40}}) {
    Bytes expected = noise(1000);
    const auto memory = upload(expected);
    const RectSide from{memory.get(), nullptr, c.from, c.from_row, c.from_row * c.region[1]};
    const RectSide to{memory.get(), nullptr, c.to, c.to_row, c.to_row * c.region[1]};
    copy_rect_on_host(Bytes(expected), from, expected, to, c.region);
    queue->copy_rect(from, to, c.region);
    expect_same(download<unsigned char>(memory), expected,
                std::to_string(c.from) + " to " + std::to_string(c.to));
  }
}

TEST_F(Cuda, rectangles_that_cannot_be_are_refused_before_anything_is_written) {
  const Bytes data = noise(1000);
  const auto memory = upload(data);
  const auto other = upload(data);
  const auto attempt = [&](RectSide from, RectSide to, std::array<std::size_t, 3> region) {
    queue->copy_rect(from, to, region);
  };
  EXPECT_THROW(attempt({memory.get(), nullptr, 0, 5, 100}, {other.get(), nullptr, 0, 20, 200}, {10, 4, 1}),
               ArgumentError);
  EXPECT_THROW(attempt({memory.get(), nullptr, 0, 10, 20}, {other.get(), nullptr, 0, 10, 40}, {10, 4, 2}),
               ArgumentError);
  EXPECT_THROW(attempt({memory.get(), nullptr, 0, 100, 0}, {other.get(), nullptr, 901, 100, 0}, {100, 1, 1}),
               ArgumentError);
  EXPECT_THROW(attempt({memory.get(), nullptr, 0, 100, 0}, {other.get(), nullptr, 0, 100, 0}, {100, 11, 1}),
               ArgumentError);
  EXPECT_THROW(attempt({}, {}, {1, 1, 1}), ArgumentError);
  EXPECT_NO_THROW(attempt({memory.get(), nullptr, 0, 10, 0}, {other.get(), nullptr, 0, 10, 0}, {10, 0, 1}));
  expect_same(download<unsigned char>(other), data, "afterwards");
}

TEST_F(Cuda, too_large_an_allocation_says_how_much_and_leaves_the_rest_intact) {
  const Bytes data = noise(1000);
  const auto memory = upload(data);
  const std::size_t wanted = device->properties().global_memory + (std::size_t{1} << 30);
  try {
    context->allocate(0, wanted);
    FAIL() << "it was allocated";
  } catch (const OutOfDeviceMemory& error) {
    EXPECT_EQ(error.figures().requested, wanted);
    EXPECT_GE(error.figures().limit, device->properties().global_memory / 2);
    EXPECT_NE(std::string(error.what()).find(std::to_string(wanted)), std::string::npos) << error.what();
  }
  expect_same(download<unsigned char>(memory), data, "afterwards");
  EXPECT_NE(context->allocate(0, 1 << 20), nullptr);
}

TEST_F(Cuda, memory_and_streams_of_others_are_used_without_owning_them) {
  const Bytes data = noise(5000);
  const auto memory = upload(data);
  {
    const auto view = context->wrap_memory(memory->native_handle() + 100, 900);
    EXPECT_EQ(view->native_handle(), memory->native_handle() + 100);
    const auto same_stream = context->wrap_queue(0, queue->native_handle());
    EXPECT_EQ(same_stream->native_handle(), queue->native_handle());
    EXPECT_FALSE(same_stream->idle());
    expect_same(download<unsigned char>(*view, *same_stream), Bytes(data.begin() + 100, data.begin() + 1000),
                "the view");
  }
  (void)context->memory_info(0);  // gives back what is to be given back
  expect_same(download<unsigned char>(memory), data, "the owner's");
  EXPECT_NE(context->native_handle(0), 0U);
}

}  // namespace
}  // namespace quern::backend::cuda
