// SPDX-License-Identifier: MIT
// Events: user events, failures, callbacks, times, markers and barriers.
#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "platform/loaded_platform.hpp"

namespace quern::platform {
namespace {

TEST(Events, hold_commands_back_until_the_program_sets_them) {
  const Session s;
  const cl_event user = s.cl.clCreateUserEvent(s.context, nullptr);
  const cl_mem memory = s.buffer(std::vector<int>{1, 2, 3});
  const int value = 5;
  cl_event written = nullptr;
  ASSERT_EQ(s.cl.clEnqueueWriteBuffer(s.queue, memory, CL_FALSE, 0, 4, &value, 1, &user, &written),
            CL_SUCCESS);
  EXPECT_EQ(s.status(user), CL_SUBMITTED);
  EXPECT_GT(s.status(written), CL_COMPLETE);
  EXPECT_EQ(s.cl.clSetUserEventStatus(user, CL_QUEUED), CL_INVALID_VALUE);
  EXPECT_EQ(s.cl.clSetUserEventStatus(written, CL_COMPLETE), CL_INVALID_EVENT);
  EXPECT_EQ(s.cl.clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(s.cl.clSetUserEventStatus(user, CL_COMPLETE), CL_INVALID_OPERATION);
  EXPECT_EQ(s.cl.clWaitForEvents(1, &written), CL_SUCCESS);
  EXPECT_EQ(s.status(written), CL_COMPLETE);
  EXPECT_EQ(s.read<int>(memory, 3), (std::vector<int>{5, 2, 3}));
  s.cl.clReleaseEvent(user);
  s.cl.clReleaseEvent(written);
  s.cl.clReleaseMemObject(memory);
}

// A program may order two commands on one buffer against the order of their enqueues, by a user event.
TEST(Events, do_not_deadlock_on_shared_memory) {
  const Session s;
  const cl_command_queue other = s.cl.clCreateCommandQueue(s.context, s.device, 0, nullptr);
  const cl_mem memory = s.buffer(std::vector<int>{1, 2, 3});
  const cl_event user = s.cl.clCreateUserEvent(s.context, nullptr);
  const int first = 5, second = 6;
  s.cl.clEnqueueWriteBuffer(s.queue, memory, CL_FALSE, 0, 4, &first, 1, &user, nullptr);
  EXPECT_EQ(s.cl.clEnqueueWriteBuffer(other, memory, CL_TRUE, 0, 4, &second, 0, nullptr, nullptr),
            CL_SUCCESS);
  s.cl.clSetUserEventStatus(user, CL_COMPLETE);
  EXPECT_EQ(s.read<int>(memory, 1), std::vector<int>{5});
  s.cl.clReleaseEvent(user);
  s.cl.clReleaseMemObject(memory);
  s.cl.clReleaseCommandQueue(other);
}

TEST(Events, that_fail_make_the_commands_fail_that_wait_for_them) {
  const Session s;
  const cl_mem memory = s.buffer(std::vector<int>{1});
  const int value = 5;
  for (const bool is_set_first : {false, true}) {
    const cl_event user = s.cl.clCreateUserEvent(s.context, nullptr);
    if (is_set_first) s.cl.clSetUserEventStatus(user, -42);
    cl_event written = nullptr;
    ASSERT_EQ(s.cl.clEnqueueWriteBuffer(s.queue, memory, CL_FALSE, 0, 4, &value, 1, &user, &written),
              CL_SUCCESS);
    if (!is_set_first) s.cl.clSetUserEventStatus(user, -42);
    EXPECT_EQ(s.cl.clWaitForEvents(1, &written), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    EXPECT_EQ(s.status(user), -42);
    EXPECT_LT(s.status(written), 0);
    EXPECT_EQ(s.cl.clFinish(s.queue), CL_SUCCESS);
    int unread = 0;
    EXPECT_EQ(s.cl.clEnqueueReadBuffer(s.queue, memory, CL_TRUE, 0, 4, &unread, 1, &user, nullptr),
              CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    EXPECT_EQ(unread, 0);
    s.cl.clReleaseEvent(user);
    s.cl.clReleaseEvent(written);
  }
  EXPECT_EQ(s.read<int>(memory, 1), std::vector<int>{1});
  s.cl.clReleaseMemObject(memory);
}

TEST(Events, call_back_with_their_status) {
  const Session s;
  for (const cl_int status : {CL_COMPLETE, -7}) {
    std::promise<cl_int> promise;
    const cl_event user = s.cl.clCreateUserEvent(s.context, nullptr);
    EXPECT_EQ(s.cl.clSetEventCallback(
                  user, CL_QUEUED, [](cl_event, cl_int, void*) {}, nullptr),
              CL_INVALID_VALUE);
    EXPECT_EQ(s.cl.clSetEventCallback(user, CL_COMPLETE, nullptr, nullptr), CL_INVALID_VALUE);
    EXPECT_EQ(s.cl.clSetEventCallback(
                  user, CL_COMPLETE,
                  [](cl_event, cl_int got, void* data) {
                    static_cast<std::promise<cl_int>*>(data)->set_value(got);
                  },
                  &promise),
              CL_SUCCESS);
    s.cl.clSetUserEventStatus(user, status);
    EXPECT_EQ(promise.get_future().get(), status);
    s.cl.clReleaseEvent(user);
  }
}

TEST(Events, have_times_in_order_on_profiling_queues) {
  const Session s;
  const cl_command_queue plain = s.cl.clCreateCommandQueue(s.context, s.device, 0, nullptr);
  const cl_mem memory = s.buffer(std::vector<int>(1 << 16));
  const int value = 3;
  for (const int kind : {0, 1, 2}) {
    cl_event event = nullptr;
    if (kind == 0) s.cl.clEnqueueFillBuffer(s.queue, memory, &value, 4, 0, 4 << 16, 0, nullptr, &event);
    if (kind == 1) s.cl.clEnqueueMarkerWithWaitList(s.queue, 0, nullptr, &event);
    if (kind == 2) s.cl.clEnqueueFillBuffer(plain, memory, &value, 4, 0, 4, 0, nullptr, &event);
    s.cl.clWaitForEvents(1, &event);
    cl_ulong before = 0;
    for (cl_profiling_info query = CL_PROFILING_COMMAND_QUEUED; query <= CL_PROFILING_COMMAND_COMPLETE;
         ++query) {
      cl_ulong time = 0;
      const cl_int code = s.cl.clGetEventProfilingInfo(event, query, sizeof time, &time, nullptr);
      EXPECT_EQ(code, kind == 2 ? CL_PROFILING_INFO_NOT_AVAILABLE : CL_SUCCESS);
      EXPECT_GE(time, kind == 2 ? 0 : before);
      before = time;
    }
    EXPECT_EQ(s.cl.clGetEventProfilingInfo(event, 0x1200, 8, &before, nullptr), CL_INVALID_VALUE);
    s.cl.clReleaseEvent(event);
  }
  s.cl.clReleaseMemObject(memory);
  s.cl.clReleaseCommandQueue(plain);
}

TEST(Events, order_an_out_of_order_queue) {
  const Session s;
  const cl_command_queue queue =
      s.cl.clCreateCommandQueue(s.context, s.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, nullptr);
  const cl_event user = s.cl.clCreateUserEvent(s.context, nullptr);
  const cl_mem memory = s.buffer(std::vector<int>{1, 2});
  const int value = 5;
  cl_event held = nullptr, free = nullptr, all = nullptr;
  s.cl.clEnqueueWriteBuffer(queue, memory, CL_FALSE, 0, 4, &value, 1, &user, &held);
  s.cl.clEnqueueWriteBuffer(queue, memory, CL_FALSE, 4, 4, &value, 0, nullptr, &free);
  EXPECT_EQ(s.cl.clWaitForEvents(1, &free), CL_SUCCESS);
  EXPECT_GT(s.status(held), CL_COMPLETE);
  s.cl.clEnqueueBarrierWithWaitList(queue, 0, nullptr, &all);
  EXPECT_GT(s.status(all), CL_COMPLETE);
  s.cl.clSetUserEventStatus(user, CL_COMPLETE);
  EXPECT_EQ(s.cl.clWaitForEvents(1, &all), CL_SUCCESS);
  EXPECT_EQ(s.status(held), CL_COMPLETE);
  EXPECT_EQ(s.read<int>(memory, 2), (std::vector<int>{5, 5}));
  for (const cl_event event : {user, held, free, all}) s.cl.clReleaseEvent(event);
  s.cl.clReleaseMemObject(memory);
  s.cl.clReleaseCommandQueue(queue);
}

TEST(Events, of_other_contexts_are_refused) {
  const Session a, b;
  const cl_event event = a.cl.clCreateUserEvent(a.context, nullptr);
  EXPECT_EQ(b.cl.clEnqueueMarkerWithWaitList(b.queue, 1, &event, nullptr), CL_INVALID_CONTEXT);
  EXPECT_EQ(b.cl.clWaitForEvents(0, nullptr), CL_INVALID_VALUE);
  a.cl.clSetUserEventStatus(event, CL_COMPLETE);
  a.cl.clReleaseEvent(event);
}

}  // namespace
}  // namespace quern::platform
