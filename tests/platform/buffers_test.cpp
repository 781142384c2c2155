// SPDX-License-Identifier: MIT
// Buffers, sub-buffers, transfers, rectangles and maps.
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "platform/loaded_platform.hpp"

namespace quern::platform {
namespace {

std::vector<int> counting(std::size_t n) {
  std::vector<int> values(n);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

template <class T>
T info(const Session& session, cl_mem memory, cl_mem_info query) {
  T value{};
  session.cl.clGetMemObjectInfo(memory, query, sizeof value, &value, nullptr);
  return value;
}

TEST(Buffers, refuse_bad_flags_sizes_and_pointers) {
  const Session s;
  int host = 0;
  const auto code_of = [&](cl_mem_flags flags, std::size_t size, void* pointer) {
    cl_int code = CL_SUCCESS;
    EXPECT_EQ(s.cl.clCreateBuffer(s.context, flags, size, pointer, &code), nullptr);
    return code;
  };
  EXPECT_EQ(code_of(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code_of(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 4, &host), CL_INVALID_VALUE);
  EXPECT_EQ(code_of(CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 4, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code_of(cl_mem_flags{1} << 60, 4, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code_of(0, 0, nullptr), CL_INVALID_BUFFER_SIZE);
  EXPECT_EQ(code_of(0, SIZE_MAX, nullptr), CL_INVALID_BUFFER_SIZE);
  EXPECT_EQ(code_of(0, 4, &host), CL_INVALID_HOST_PTR);
  EXPECT_EQ(code_of(CL_MEM_COPY_HOST_PTR, 4, nullptr), CL_INVALID_HOST_PTR);
}

TEST(Buffers, use_the_memory_of_the_program_itself) {
  const Session s;
  std::vector<int> values = counting(100);
  const cl_mem memory = s.cl.clCreateBuffer(s.context, CL_MEM_USE_HOST_PTR, 400, values.data(), nullptr);
  EXPECT_EQ(info<void*>(s, memory, CL_MEM_HOST_PTR), values.data());
  const int nine = 9;
  s.cl.clEnqueueFillBuffer(s.queue, memory, &nine, sizeof nine, 40, 80, 0, nullptr, nullptr);
  void* const mapped =
      s.cl.clEnqueueMapBuffer(s.queue, memory, CL_TRUE, CL_MAP_READ, 40, 80, 0, nullptr, nullptr, nullptr);
  EXPECT_EQ(mapped, values.data() + 10);
  EXPECT_EQ(values[9], 9);
  EXPECT_EQ(values[10], 9);
  EXPECT_EQ(values[29], 9);
  EXPECT_EQ(values[30], 30);
  EXPECT_EQ(s.cl.clEnqueueUnmapMemObject(s.queue, memory, mapped, 0, nullptr, nullptr), CL_SUCCESS);
  s.cl.clFinish(s.queue);
  s.cl.clReleaseMemObject(memory);
}

TEST(Buffers, count_their_maps) {
  const Session s;
  const cl_mem memory = s.buffer(counting(64));
  const auto map = [&](std::size_t offset) {
    return s.cl.clEnqueueMapBuffer(s.queue, memory, CL_TRUE, CL_MAP_WRITE, offset, 16, 0, nullptr, nullptr,
                                   nullptr);
  };
  auto* const first = static_cast<int*>(map(0));
  auto* const second = static_cast<int*>(map(128));
  EXPECT_EQ(info<cl_uint>(s, memory, CL_MEM_MAP_COUNT), 2U);
  first[0] = -1;
  second[3] = -2;
  int stranger = 0;
  EXPECT_EQ(s.cl.clEnqueueUnmapMemObject(s.queue, memory, &stranger, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(info<cl_uint>(s, memory, CL_MEM_MAP_COUNT), 2U);
  s.cl.clEnqueueUnmapMemObject(s.queue, memory, first, 0, nullptr, nullptr);
  s.cl.clEnqueueUnmapMemObject(s.queue, memory, second, 0, nullptr, nullptr);
  EXPECT_EQ(info<cl_uint>(s, memory, CL_MEM_MAP_COUNT), 0U);
  std::vector<int> expected = counting(64);
  expected[0] = -1;
  expected[35] = -2;
  EXPECT_EQ(s.read<int>(memory, 64), expected);
  s.cl.clReleaseMemObject(memory);
}

TEST(Buffers, refuse_ranges_beyond_their_end_and_change_nothing) {
  const Session s;
  const cl_mem memory = s.buffer(counting(16));
  int value = 7;
  EXPECT_EQ(s.cl.clEnqueueWriteBuffer(s.queue, memory, CL_TRUE, 62, 4, &value, 0, nullptr, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(s.cl.clEnqueueWriteBuffer(s.queue, memory, CL_TRUE, SIZE_MAX, 4, &value, 0, nullptr, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(s.cl.clEnqueueWriteBuffer(s.queue, memory, CL_TRUE, 0, 4, nullptr, 0, nullptr, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(s.cl.clEnqueueFillBuffer(s.queue, memory, &value, 3, 0, 6, 0, nullptr, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(s.cl.clEnqueueFillBuffer(s.queue, memory, &value, 4, 2, 8, 0, nullptr, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(s.cl.clEnqueueCopyBuffer(s.queue, memory, memory, 0, 8, 16, 0, nullptr, nullptr),
            CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(s.cl.clEnqueueReadBuffer(s.queue, memory, CL_TRUE, 0, 4, &value, 1, nullptr, nullptr),
            CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(value, 7);
  EXPECT_EQ(s.read<int>(memory, 16), counting(16));
  s.cl.clReleaseMemObject(memory);
}

TEST(Buffers, keep_the_host_out_where_their_flags_say_so) {
  const Session s;
  const cl_mem memory = s.buffer(counting(4), CL_MEM_HOST_NO_ACCESS);
  int value = 7;
  EXPECT_EQ(s.cl.clEnqueueReadBuffer(s.queue, memory, CL_TRUE, 0, 4, &value, 0, nullptr, nullptr),
            CL_INVALID_OPERATION);
  EXPECT_EQ(s.cl.clEnqueueWriteBuffer(s.queue, memory, CL_TRUE, 0, 4, &value, 0, nullptr, nullptr),
            CL_INVALID_OPERATION);
  cl_int code = 0;
  EXPECT_EQ(s.cl.clEnqueueMapBuffer(s.queue, memory, CL_TRUE, CL_MAP_READ, 0, 4, 0, nullptr, nullptr, &code),
            nullptr);
  EXPECT_EQ(code, CL_INVALID_OPERATION);
  s.cl.clReleaseMemObject(memory);
}

TEST(Buffers, have_parts) {
  const Session s;
  const cl_mem memory = s.buffer(counting(128), CL_MEM_READ_ONLY);
  cl_int code = 0;
  const auto part = [&](std::size_t origin, std::size_t size, cl_mem_flags flags = 0) {
    const cl_buffer_region region = {origin, size};
    return s.cl.clCreateSubBuffer(memory, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  };
  EXPECT_EQ(part(4, 16), nullptr);
  EXPECT_EQ(code, CL_MISALIGNED_SUB_BUFFER_OFFSET);
  EXPECT_EQ(part(128, 0), nullptr);
  EXPECT_EQ(code, CL_INVALID_BUFFER_SIZE);
  EXPECT_EQ(part(384, 256), nullptr);
  EXPECT_EQ(code, CL_INVALID_VALUE);
  EXPECT_EQ(part(128, 16, CL_MEM_WRITE_ONLY), nullptr);
  EXPECT_EQ(code, CL_INVALID_VALUE);
  const cl_mem good = part(128, 16);
  ASSERT_EQ(code, CL_SUCCESS);
  EXPECT_EQ(info<cl_mem>(s, good, CL_MEM_ASSOCIATED_MEMOBJECT), memory);
  EXPECT_EQ(info<std::size_t>(s, good, CL_MEM_OFFSET), 128U);
  s.cl.clReleaseMemObject(memory);  // the part keeps it
  EXPECT_EQ(s.read<int>(good, 4), (std::vector<int>{32, 33, 34, 35}));
  s.cl.clReleaseMemObject(good);
}

TEST(Buffers, call_destructor_callbacks_from_the_last_to_the_first) {
  const Session s;
  static std::vector<int> order;
  order.clear();
  const cl_mem memory = s.buffer(counting(4));
  s.cl.clSetMemObjectDestructorCallback(
      memory, [](cl_mem, void*) { order.push_back(1); }, nullptr);
  s.cl.clSetMemObjectDestructorCallback(
      memory, [](cl_mem, void*) { order.push_back(2); }, nullptr);
  s.cl.clFinish(s.queue);
  s.cl.clReleaseMemObject(memory);
  EXPECT_EQ(order, (std::vector<int>{2, 1}));
}

TEST(Buffers, copy_rectangles) {
  const Session s;
  constexpr std::size_t kWidth = 16, kHeight = 8;
  const cl_mem memory = s.buffer(counting(kWidth * kHeight));
  const std::array<std::size_t, 3> origin = {3 * sizeof(int), 2, 0}, zero = {},
                                   region = {4 * sizeof(int), 5, 1};
  std::vector<int> out(20, -1);
  ASSERT_EQ(s.cl.clEnqueueReadBufferRect(s.queue, memory, CL_TRUE, origin.data(), zero.data(), region.data(),
                                         kWidth * sizeof(int), 0, 0, 0, out.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 4; ++x) EXPECT_EQ(out[static_cast<std::size_t>(4 * y + x)], 16 * (y + 2) + x + 3);
  for (int& value : out) value += 1000;
  ASSERT_EQ(s.cl.clEnqueueWriteBufferRect(s.queue, memory, CL_TRUE, origin.data(), zero.data(), region.data(),
                                          kWidth * sizeof(int), 0, 0, 0, out.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  std::vector<int> expected = counting(kWidth * kHeight);
  for (std::size_t y = 2; y < 7; ++y)
    for (std::size_t x = 3; x < 7; ++x) expected[kWidth * y + x] += 1000;
  EXPECT_EQ(s.read<int>(memory, kWidth * kHeight), expected);
  // Pitches too small, regions without bytes, ends beyond the buffer.
  const std::array<std::size_t, 3> empty = {4, 0, 1}, large = {64, 9, 1};
  const auto read = [&](const std::size_t* size, std::size_t pitch) {
    return s.cl.clEnqueueReadBufferRect(s.queue, memory, CL_TRUE, zero.data(), zero.data(), size, pitch, 0, 0,
                                        0, out.data(), 0, nullptr, nullptr);
  };
  EXPECT_EQ(read(region.data(), 8), CL_INVALID_VALUE);
  EXPECT_EQ(read(empty.data(), 64), CL_INVALID_VALUE);
  EXPECT_EQ(read(large.data(), 64), CL_INVALID_VALUE);
  s.cl.clReleaseMemObject(memory);
}

TEST(Buffers, notice_overlapping_rectangles) {
  const Session s;
  const cl_mem memory = s.buffer(std::vector<unsigned char>(16 * 16));
  // Every pair of places of a rectangle of 4 x 3 bytes, against a count of common bytes.
  const std::array<std::size_t, 3> region = {4, 3, 1};
  for (const std::array<std::size_t, 3> a : {std::array<std::size_t, 3>{5, 5, 0}, {12, 4, 0}})
    for (std::size_t y = 0; y <= 13; ++y)
      for (std::size_t x = 0; x <= 12; ++x) {
        const std::array<std::size_t, 3> b = {x, y, 0};
        const bool meets = x < a[0] + 4 && a[0] < x + 4 && y < a[1] + 3 && a[1] < y + 3;
        EXPECT_EQ(s.cl.clEnqueueCopyBufferRect(s.queue, memory, memory, a.data(), b.data(), region.data(), 16,
                                               0, 16, 0, 0, nullptr, nullptr),
                  meets ? CL_MEM_COPY_OVERLAP : CL_SUCCESS)
            << x << ' ' << y;
      }
  s.cl.clFinish(s.queue);
  s.cl.clReleaseMemObject(memory);
}

}  // namespace
}  // namespace quern::platform
