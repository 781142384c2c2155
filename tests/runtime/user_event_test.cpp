// SPDX-License-Identifier: MIT
// User events, work that they hold back, and failures that reach what depends on them.
#include "quern/user_event.hpp"

#include <chrono>
#include <stdexcept>
#include <thread>

#include "quern/completion.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

using namespace std::chrono_literals;

class UserEvents : public EachDevice {
 protected:
  static constexpr std::size_t kItems = 64;
  UserEvents() {
    const std::vector<int> zeros(kItems);
    queue_.write(buffer_, zeros.data(), kItems * 4).wait();
  }
  Event add_one(const Queue& queue, const std::vector<Event>& wait_for = {}) {
    const KernelArgument argument = buffer_;
    return kernels().kernel("add_one").launch(queue, range(kItems), {&argument, 1}, wait_for);
  }
  int first() {
    int value = 0;
    queue_.read(buffer_, &value, 4).wait();
    return value;
  }
  Buffer buffer_{device_, kItems * 4};
};

TEST_P(UserEvents, work_is_held_back_until_the_event_is_set) {
  const UserEvent go(Context::of(device_));
  EXPECT_EQ(go.status(), EventStatus::queued);
  const Event held = add_one(queue_, {go});
  EXPECT_EQ(held.status(), EventStatus::queued);
  EXPECT_FALSE(held.wait_until(std::chrono::steady_clock::now() + 5ms));
  EXPECT_FALSE(go.wait_until(std::chrono::steady_clock::now() + 1ms));
  // Other queues go on.
  const Queue other(device_);
  const Buffer free(device_, 4);
  kernels().kernel("add_one")(other, range(1), free).wait();
  EXPECT_FALSE(held.done());
  go.set_done();
  held.wait();
  go.wait();
  EXPECT_EQ(go.status(), EventStatus::complete);
  EXPECT_EQ(first(), 1);
}

TEST_P(UserEvents, a_chain_over_queues_waits_for_the_first) {
  const UserEvent go(Context::of(device_));
  const Queue second(device_), third(device_);
  std::vector<Event> chain = {add_one(queue_, {go})};
  chain.push_back(add_one(second, {chain[0]}));
  chain.push_back(add_one(third));  // by the memory that it uses
  for (const Event& event : chain) EXPECT_EQ(event.status(), EventStatus::queued);
  go.set_done();
  wait_all(chain);
  EXPECT_EQ(first(), 3);
}

TEST_P(UserEvents, work_of_every_device_waits) {
  const UserEvent go(Context::of(device_));
  const std::vector<Event> waits = {go};
  std::vector<Event> events;
  for (const Device& device : tested_devices()) {
    const Buffer memory(device, 4);
    const KernelArgument argument = memory;
    events.push_back(kernels().kernel("add_one").launch(Queue(device), range(1), {&argument, 1}, waits));
  }
  for (const Event& event : events) EXPECT_FALSE(event.done());
  go.set_done();
  wait_all(events);
}

TEST_P(UserEvents, functions_futures_and_waits_follow_the_event) {
  const UserEvent go(Context::of(device_)), never(Context::of(device_));
  const Event held = add_one(queue_, {go});
  std::future<int> value = held.then([&](const Event&) { return first(); });
  std::future<void> set = future_of(go);
  EXPECT_EQ(value.wait_for(1ms), std::future_status::timeout);
  std::thread setter([&] {
    std::this_thread::sleep_for(5ms);
    go.set_done();
  });
  const std::vector<Event> events = {never, held};
  EXPECT_EQ(wait_any(events), 1U);
  set.get();
  EXPECT_EQ(value.get(), 1);
  setter.join();
}

TEST_P(UserEvents, an_error_fails_what_depends_on_it_and_names_the_chain) {
  const Queue second(device_);
  const Event unrelated = queue_.barrier();
  Event held, after;
  {
    const UserEvent go(Context::of(device_), "upload");
    held = add_one(queue_, {go});
    after = add_one(second, {held});
    go.set_error(std::make_exception_ptr(std::domain_error("the file is gone")));
    EXPECT_THROW(go.wait(), std::domain_error);
    EXPECT_EQ(go.status(), EventStatus::failed);
    EXPECT_THROW(add_one(queue_, {go}), DependencyError);
  }
  try {
    after.wait();
    FAIL() << "the successor did not fail";
  } catch (const DependencyError& error) {
    EXPECT_EQ(std::string(error.what()),
              "kernel 'add_one' on a queue of '" + device_.spec() +
                  "' was not run: it depends on kernel 'add_one' on a queue of '" + device_.spec() +
                  "', which depends on user event 'upload', which failed: the file is gone");
    EXPECT_THROW(std::rethrow_exception(error.cause()), std::domain_error);
  }
  EXPECT_EQ(held.status(), EventStatus::failed);
  EXPECT_THROW(held.wait(), DependencyError);
  unrelated.wait();
  // The memory is marked until it is overwritten, and the queues go on.
  int value = 0;
  EXPECT_THROW(queue_.read(buffer_, &value, 4).wait(), DependencyError);
  const std::vector<int> fives(kItems, 5);
  queue_.write(buffer_, fives.data(), kItems * 4).wait();
  EXPECT_EQ(first(), 5);
  queue_.finish();
  second.finish();
}

TEST_P(UserEvents, finish_throws_an_error_that_no_thread_saw_once) {
  const UserEvent go(Context::of(device_));
  add_one(queue_, {go});
  add_one(queue_);
  go.set_error(std::make_exception_ptr(std::domain_error("no")));
  EXPECT_THROW(queue_.finish(), DependencyError);
  queue_.finish();
}

TEST_P(UserEvents, a_long_chain_is_named_by_its_ends) {
  const UserEvent go(Context::of(device_), "go");
  Event last = add_one(queue_, {go});
  for (int i = 0; i < 300; ++i) last = add_one(queue_);
  go.set_error(std::make_exception_ptr(std::domain_error("no")));
  try {
    last.wait();
    FAIL() << "the successor did not fail";
  } catch (const DependencyError& error) {
    const std::string text = error.what();
    EXPECT_LT(text.size(), 1000U) << text;
    EXPECT_NE(text.find("user event 'go', which failed: no"), std::string::npos) << text;
  }
}

TEST_P(UserEvents, an_event_is_set_once) {
  const UserEvent done(Context::of(device_)), failed(Context::of(device_));
  done.set_done();
  EXPECT_THROW(done.set_done(), Error);
  EXPECT_THROW(done.set_error(std::make_exception_ptr(std::domain_error("no"))), Error);
  done.wait();
  failed.set_error(std::make_exception_ptr(std::domain_error("first")));
  EXPECT_THROW(failed.set_error(std::make_exception_ptr(std::range_error("second"))), Error);
  EXPECT_THROW(failed.set_done(), Error);
  EXPECT_THROW(failed.wait(), std::domain_error);
  EXPECT_THROW(failed.set_error(nullptr), ArgumentError);
}

TEST_P(UserEvents, an_event_that_is_destroyed_before_it_is_set_fails) {
  Event held;
  {
    const UserEvent go(Context::of(device_));
    held = add_one(queue_, {go});
  }
  EXPECT_THROW(held.wait(), DependencyError);
}

TEST_P(UserEvents, a_queue_says_what_it_waits_for) {
  EXPECT_EQ(queue_.held_back(), "");
  const UserEvent go(Context::of(device_), "go");
  add_one(queue_, {go});
  add_one(queue_);
  EXPECT_FALSE(queue_.finish_until(std::chrono::steady_clock::now() + 1ms));
  EXPECT_EQ(queue_.held_back(),
            "2 operations are held back: kernel 'add_one' waits for user event 'go', which is not set");
  go.set_done();
  queue_.finish();
  EXPECT_EQ(queue_.held_back(), "");
}

QUERN_EACH_DEVICE(UserEvents);

}  // namespace
}  // namespace quern::test
