// SPDX-License-Identifier: MIT
// Work that follows other work: futures, coroutines, and an event of the program's own.
#include <future>
#include <iostream>
#include <quern/quern.hpp>
#include <vector>

namespace qn = quern;

// A coroutine whose result is a future.
struct Sum {
  struct promise_type {
    std::promise<float> result;
    Sum get_return_object() { return {result.get_future()}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_value(float value) { result.set_value(value); }
    void unhandled_exception() { result.set_exception(std::current_exception()); }
  };
  std::future<float> result;
};

// Doubles the elements three times, and continues on the library's thread whenever a launch has ended.
Sum sum_of_eightfold(qn::Queue queue, qn::Kernel twice, qn::Array a) {
  for (int i = 0; i < 3; ++i) co_await twice(queue, qn::range(a.size()), a);
  std::vector<float> values(a.size());
  co_await a.get(queue, values.data());
  float sum = 0;
  for (float value : values) sum += value;
  co_return sum;
}

int main() {
  qn::Queue queue{qn::default_device()};
  qn::Kernel twice =
      qn::Program{"kernel void twice(global float *a) { a[get_global_id(0)] *= 2; }"}.kernel("twice");
  qn::Array a = qn::asarray(queue, std::vector<float>{1, 2, 3, 4});
  std::cout << "coroutine: " << sum_of_eightfold(queue, twice, a).result.get() << '\n';

  // The queue waits for an event that the program sets later.
  qn::UserEvent start(queue.context(), "start");
  const std::vector<qn::Event> wait_for = {start};
  queue.barrier(wait_for);
  std::future<float> first = twice(queue, qn::range(a.size()), a).then([&](const qn::Event&) {
    return a.to_vector<float>(queue)[0];
  });
  start.set_done();
  std::cout << "future: " << first.get() << '\n';
}
