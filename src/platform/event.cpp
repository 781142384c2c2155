// SPDX-License-Identifier: MIT
// Events: status, times, callbacks, and those that the program sets itself.
#include "quern/event.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "platform/commands.hpp"
#include "platform/info.hpp"
#include "platform/objects.hpp"
#include "platform/tables.hpp"
#include "runtime/memory_operation.hpp"

cl_int _cl_event::status() const {
  if (user) return user_status.load();
  switch (event.status()) {
    case quern::EventStatus::queued:
      return CL_QUEUED;
    case quern::EventStatus::submitted:
      return CL_SUBMITTED;
    case quern::EventStatus::complete:
      return CL_COMPLETE;
    case quern::EventStatus::failed:
      break;
  }
  return quern::platform::code_of(event.error());
}

namespace quern::platform {
namespace {

std::int64_t now() noexcept {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

cl_event CL_API_CALL create_user_event(cl_context context, cl_int* code) {
  return guarded(code, [&] {
    _cl_context& owner = checked(context, CL_INVALID_CONTEXT);
    UserEvent user(owner.context);
    const cl_event event = make_handle<_cl_event>(&owner, nullptr, CL_COMMAND_USER, user);
    event->user.emplace(std::move(user));
    return event;
  });
}

cl_int CL_API_CALL set_user_event_status(cl_event event, cl_int status) {
  return guarded([&] {
    _cl_event& self = checked(event, CL_INVALID_EVENT);
    require(self.user.has_value(), CL_INVALID_EVENT);
    require(status == CL_COMPLETE || status < 0, CL_INVALID_VALUE);
    cl_int expected = CL_SUBMITTED;
    require(self.user_status.compare_exchange_strong(expected, status), CL_INVALID_OPERATION);
    if (status == CL_COMPLETE) {
      self.user->set_done();
    } else {
      self.user->set_error(
          std::make_exception_ptr(Error("the program set the status " + std::to_string(status))));
    }
  });
}

cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event* events) {
  return guarded([&] {
    require(count != 0 && events != nullptr, CL_INVALID_VALUE);
    const _cl_context* context = nullptr;
    for (cl_uint k = 0; k < count; ++k) {
      const _cl_event& event = checked(events[k], CL_INVALID_EVENT);
      require(context == nullptr || event.context.get() == context, CL_INVALID_CONTEXT);
      context = event.context.get();
    }
    bool has_failed = false;
    for (cl_uint k = 0; k < count; ++k) {
      const Ref<_cl_event> event(events[k]);
      try {
        event->event.wait();
      } catch (...) {
        has_failed = true;
      }
    }
    require(!has_failed, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  });
}

cl_int CL_API_CALL event_info(cl_event event, cl_event_info query, size_t space, void* value, size_t* size) {
  return guarded([&] {
    const _cl_event& self = checked(event, CL_INVALID_EVENT);
    const Answer answer(space, value, size);
    switch (query) {
      case CL_EVENT_COMMAND_QUEUE:
        return answer.value(self.queue.get());
      case CL_EVENT_CONTEXT:
        return answer.value(self.context.get());
      case CL_EVENT_COMMAND_TYPE:
        return answer.value(self.type);
      case CL_EVENT_COMMAND_EXECUTION_STATUS:
        return answer.value(self.status());
      case CL_EVENT_REFERENCE_COUNT:
        return answer.value(self.retained());
      default:
        fail(CL_INVALID_VALUE);
    }
  });
}

// The times of a command that is complete.
Times times_of(const _cl_event& event) {
  if (event.event.has_times()) {
    const Times times = event.event.times();
    if (times.ended != 0) return times;
  }
  const std::int64_t ended = event.ended.load() != 0 ? event.ended.load() : now();
  return {event.queued, event.queued, std::max(event.queued, ended), std::max(event.queued, ended)};
}

cl_int CL_API_CALL profiling_info(cl_event event, cl_profiling_info query, size_t space, void* value,
                                  size_t* size) {
  return guarded([&] {
    const _cl_event& self = checked(event, CL_INVALID_EVENT);
    require(query >= CL_PROFILING_COMMAND_QUEUED && query <= CL_PROFILING_COMMAND_COMPLETE, CL_INVALID_VALUE);
    require(self.queue && self.queue->profiles() && self.status() == CL_COMPLETE,
            CL_PROFILING_INFO_NOT_AVAILABLE);
    const Times times = times_of(self);
    const std::int64_t all[] = {times.queued, times.submitted, times.started, times.ended, times.ended};
    Answer(space, value, size).value(static_cast<cl_ulong>(all[query - CL_PROFILING_COMMAND_QUEUED]));
  });
}

cl_int CL_API_CALL retain_event(cl_event event) {
  return retain_handle(event, CL_INVALID_EVENT);
}
cl_int CL_API_CALL release_event(cl_event event) {
  return release_handle(event, CL_INVALID_EVENT);
}

// The specification lets a callback for a status run any time after that status: those for earlier ones run
// when the command has ended, too.
cl_int CL_API_CALL set_event_callback(cl_event event, cl_int type,
                                      void(CL_CALLBACK* function)(cl_event, cl_int, void*), void* data) {
  return guarded([&] {
    _cl_event& self = checked(event, CL_INVALID_EVENT);
    require(function != nullptr, CL_INVALID_VALUE);
    require(type == CL_SUBMITTED || type == CL_RUNNING || type == CL_COMPLETE, CL_INVALID_VALUE);
    self.event.on_done([kept = Ref<_cl_event>(event), type, function, data](const Event&) {
      const cl_int status = kept->status();
      function(kept.get(), status < 0 ? status : type, data);
    });
  });
}

}  // namespace

std::vector<Event> wait_list_of(const _cl_context& context, cl_uint count, const cl_event* events) {
  require((count == 0) == (events == nullptr), CL_INVALID_EVENT_WAIT_LIST);
  std::vector<Event> list;
  list.reserve(count);
  for (cl_uint k = 0; k < count; ++k) {
    const _cl_event& event = checked(events[k], CL_INVALID_EVENT_WAIT_LIST);
    require(event.context.get() == &context, CL_INVALID_CONTEXT);
    list.push_back(event.event);
  }
  return list;
}

void return_event(_cl_command_queue& queue, cl_command_type type, Event event, cl_event* result) {
  if (result == nullptr) return;
  const cl_event made = make_handle<_cl_event>(queue.context.get(), &queue, type, std::move(event));
  if (queue.profiles()) {
    made->queued = now();
    if (!made->event.has_times())
      made->event.on_done([kept = Ref<_cl_event>(made)](const Event&) { kept->ended.store(now()); });
  }
  *result = made;
}

Event failed_event(const _cl_context& context) {
  const UserEvent event(context.context);
  event.set_error(std::make_exception_ptr(DependencyError("an event of the wait list has failed", nullptr)));
  return event;
}

Event enqueue_nothing(const Queue& queue, WaitList waits) {
  return detail::submit_nothing(*queue.state(), waits);
}

void add_events(cl_icd_dispatch& table) noexcept {
  table.clCreateUserEvent = create_user_event;
  table.clSetUserEventStatus = set_user_event_status;
  table.clWaitForEvents = wait_for_events;
  table.clGetEventInfo = event_info;
  table.clGetEventProfilingInfo = profiling_info;
  table.clRetainEvent = retain_event;
  table.clReleaseEvent = release_event;
  table.clSetEventCallback = set_event_callback;
}

}  // namespace quern::platform
