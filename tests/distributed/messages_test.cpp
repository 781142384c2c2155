// SPDX-License-Identifier: MIT
// Messages between ranks that are threads: order, tags, events, errors.
#include "quern/distributed/messages.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <numeric>
#include <semaphore>
#include <thread>
#include <vector>

#include "distributed/mail.hpp"
#include "distributed/ranks.hpp"
#include "quern/error.hpp"
#include "quern/user_event.hpp"
#include "quern/views.hpp"

namespace quern::distributed {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

Array numbers(std::size_t count, double first) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), first);
  return asarray(host_queue(), values);
}

std::vector<double> values_of(const Array& array) {
  return array.to_vector<double>(host_queue());
}

std::vector<double> expected(std::size_t count, double first) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

TEST(messages, arrive_with_their_values_shape_and_dtype) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{3}, std::size_t{100'000}}) {
    on_ranks(3, [&](const Communicator& communicator) {
      const int next = (communicator.rank() + 1) % 3, before = (communicator.rank() + 2) % 3;
      send(communicator, numbers(count, communicator.rank()), next, 4);
      MessageStatus status;
      const Array got = recv(communicator, host_queue(), before, kAnyTag, status);
      EXPECT_EQ(values_of(got), expected(count, before));
      EXPECT_EQ(status.source(), before);
      EXPECT_EQ(status.tag(), 4);
    });
  }
}

TEST(messages, of_another_tag_wait_for_their_receive) {
  on_ranks(1, [](const Communicator& communicator) {
    for (int tag = 0; tag < 4; ++tag) send(communicator, numbers(2'000, tag), 0, tag);
    for (int tag = 3; tag >= 0; --tag)
      EXPECT_EQ(values_of(recv(communicator, host_queue(), 0, tag)), expected(2'000, tag));
  });
}

TEST(messages, are_received_in_order_with_work_on_the_array) {
  on_ranks(1, [](const Communicator& communicator) {
    const Array x = numbers(5, 0);
    std::vector<double> before(5), after(5);
    const Queue queue{device("host")};
    const Event first = x.get(queue, before.data());
    const Event arrived = irecv(communicator, x, 0, 2);
    const Event second = x.get(queue, after.data());
    EXPECT_FALSE(second.wait_until(std::chrono::steady_clock::now() + 10ms));
    const Event sent = isend(communicator, numbers(5, 7), 0, 2);
    sent.wait();
    arrived.wait();
    second.wait();
    first.wait();
    EXPECT_EQ(before, expected(5, 0));
    EXPECT_EQ(after, expected(5, 7));
  });
}

TEST(messages, leave_when_the_kernel_that_makes_them_is_done) {
  on_ranks(2, [](const Communicator& communicator) {
    if (communicator.rank() == 1) {
      EXPECT_EQ(values_of(recv(communicator, host_queue(), 0)), expected(1, 3));
      return;
    }
    const Array x = numbers(1, 0);
    const UserEvent go(x.context(), "go");
    const std::vector<double> three = {3};
    const Event wait_for[] = {go};
    x.set(Queue{device("host")}, three.data(), wait_for);
    const Event sent = isend(communicator, x, 1);
    EXPECT_FALSE(sent.wait_until(std::chrono::steady_clock::now() + 10ms));
    go.set_done();
    sent.wait();
  });
}

TEST(messages, of_another_shape_are_errors) {
  on_ranks(1, [](const Communicator& communicator) {
    const Array out = numbers(2, 5);
    send(communicator, numbers(3, 0), 0, 1);
    EXPECT_THROW(recv(communicator, out, 0, 1), ArgumentError);
    EXPECT_EQ(values_of(out), expected(2, 5));
    EXPECT_THROW(send(communicator, out, 1), ArgumentError);
    EXPECT_THROW(send(communicator, out, 0, -1), ArgumentError);
    EXPECT_THROW(recv(communicator, out, 0, -2), ArgumentError);
  });
}

TEST(messages, that_do_not_come_end_in_errors) {
  on_ranks(2,
           [](const Communicator& communicator) {
             if (communicator.rank() == 1) return;
             EXPECT_THROW(static_cast<void>(recv(communicator, host_queue(), 1)), DistributedError);
             EXPECT_THROW(irecv(communicator, numbers(2, 0), 1).wait(), DependencyError);
           },
           {.warn = 10s, .fail = 100ms});
}

TEST(messages, let_a_forked_child_end) {
  on_ranks(1, [](const std::shared_ptr<CommunicatorState>& state) {
    Mail& mail = state->mail();
    const Call call = {"irecv", "", 0};
    std::binary_semaphore is_called{0}, may_return{0}, has_returned{0};
    const auto receive = std::make_shared<Receive>();
    receive->call = call;
    receive->end = [&](const auto&, const auto&) {
      is_called.release();
      may_return.acquire();
      has_returned.release();
    };
    mail.receive(receive);
    make_progress(state);
    const Contents contents = Contents::of(numbers(1, 0), call);
    mail.set_ready(mail.send(0, 0, contents, std::make_shared<std::byte[]>(contents.nbytes), call, nullptr));
    is_called.acquire();  // the thread that makes progress is in a round
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(2);
      stop_messages();  // as at exit
      ::_exit(0);
    }
    int status = 1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    may_return.release();
    has_returned.acquire();
  });
}

TEST(messages, end_once_if_they_leave_while_others_fail) {
  on_ranks(1,
           [](const std::shared_ptr<CommunicatorState>& state) {
             Mail& mail = state->mail();
             const Call call = {"isend", "", 0};
             const Array x = numbers(1, 0);
             const Contents contents = Contents::of(x, call);
             const auto memory = [&] { return std::make_shared<std::byte[]>(contents.nbytes); };
             std::vector<bool> ends;  // of the second message: whether it has failed
             mail.send(0, 0, contents, memory(), call, [&](const std::exception_ptr& error) {
               EXPECT_TRUE(error);
               while (ends.empty()) mail.progress();
             });
             mail.set_ready(mail.send(0, 0, contents, memory(), call, [&](const std::exception_ptr& error) {
               ends.push_back(error != nullptr);
             }));
             std::this_thread::sleep_for(20ms);
             mail.check_peers();  // both have waited for too long
             EXPECT_EQ(ends, std::vector{false});
           },
           {.warn = 10s, .fail = 10ms});
}

TEST(messages, to_arrays_that_cannot_be_written_are_not_sent) {
  on_ranks(2, [](const Communicator& communicator) {
    const Array one = numbers(1, communicator.rank());
    const std::uint64_t before = communicator.sent().messages;
    EXPECT_THROW(bcast(communicator, broadcast_to(one, {3}), 0), ArgumentError);
    EXPECT_EQ(communicator.sent().messages, before);
    Buffer frozen = one.buffer().read_only();
    EXPECT_THROW(bcast(communicator, Array(frozen, one.dtype(), one.shape()), 0), ArgumentError);
    EXPECT_EQ(communicator.sent().messages, before);
    bcast(communicator, one, 0);
    EXPECT_EQ(values_of(one), expected(1, 0));
  });
}

TEST(messages, of_all_ranks_give_what_a_loop_gives) {
  for (const int ranks : {1, 2, 5}) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{10'001}}) {
      on_ranks(ranks, [&](const Communicator& communicator) {
        const int rank = communicator.rank(), root = ranks - 1;
        const Array own = numbers(count, rank);
        std::vector<double> sum(count), stacked;
        for (int other = 0; other < ranks; ++other) {
          const std::vector<double> part = expected(count, other);
          for (std::size_t i = 0; i < count; ++i) sum[i] += part[i];
          stacked.insert(stacked.end(), part.begin(), part.end());
        }
        EXPECT_EQ(values_of(allreduce(communicator, own)), sum);
        EXPECT_EQ(values_of(allreduce(communicator, own, "max")), expected(count, root));
        EXPECT_EQ(values_of(allgather(communicator, own)), stacked);
        const auto reduced = reduce(communicator, own, "min", root);
        EXPECT_EQ(reduced.has_value(), rank == root);
        if (reduced) {
          EXPECT_EQ(values_of(*reduced), expected(count, 0));
        }
        const auto gathered = gather(communicator, own, root);
        if (gathered) {
          EXPECT_EQ(values_of(*gathered), stacked);
        }
        const Array row = numbers(count, 99);
        scatter(communicator, gathered, row, root);
        EXPECT_EQ(values_of(row), expected(count, rank));
        bcast(communicator, row, root);
        EXPECT_EQ(values_of(row), expected(count, root));
        EXPECT_THROW(static_cast<void>(allreduce(communicator, own, "median")), ArgumentError);
        EXPECT_THROW(static_cast<void>(reduce(communicator, own, "sum", ranks)), ArgumentError);
      });
    }
  }
}

}  // namespace
}  // namespace quern::distributed
