// SPDX-License-Identifier: MIT
// Messages between ranks. quern.dist has the functions.
#include <optional>
#include <string>
#include <utility>

#include "binding.hpp"
#include "conversions.hpp"
#include "current.hpp"
#include "errors.hpp"
#include "quern/distributed.hpp"
#include "rank_areas.hpp"
#include "sparse_calls.hpp"

namespace quern::python {
namespace {

using distributed::Communicator;
using distributed::MessageStatus;

std::optional<PyArray> wrapped_or_none(std::optional<Array> array) {
  if (!array) return std::nullopt;
  return wrapped(std::move(*array));
}

void bind_status(nb::module_& module) {
  nb::class_<MessageStatus>(module, "Status",
                            R"(Where a received message came from; recv() and irecv() fill it in.

Examples
--------
>>> status = qn.dist.Status()
>>> event = qn.dist.isend(qn.ones(2), dest=0, tag=5)
>>> qn.dist.recv(status=status).get()
array([1., 1.])
>>> status.source, status.tag
(0, 5)
)")
      .def(nb::init<>())
      .def_prop_ro("source", &MessageStatus::source,
                   "Rank that has sent the message; ANY_SOURCE before it arrives.")
      .def_prop_ro("tag", &MessageStatus::tag, "Tag of the message; ANY_TAG before it arrives.")
      .def("__repr__", [](const MessageStatus& self) {
        return "<Status: source " + std::to_string(self.source()) + ", tag " + std::to_string(self.tag()) +
               ">";
      });
}

void bind_two_ranks(nb::module_& module) {
  module.def(
      "message_send",
      [](const Communicator& comm, const PyArray& x, int dest, int tag) {
        on_queue_of(x.array, [&] { distributed::send(comm, x.array, dest, tag); });
      },
      nb::arg("comm"), nb::arg("x"), nb::arg("dest"), nb::arg("tag"), "Sends an array.");
  module.def(
      "message_recv",
      [](const Communicator& comm, const PyArray& out, int source, int tag, const MessageStatus& status) {
        on_queue_of(out.array, [&] { distributed::recv(comm, out.array, source, tag, status); });
      },
      nb::arg("comm"), nb::arg("out"), nb::arg("source"), nb::arg("tag"), nb::arg("status"),
      "Receives into an array.");
  module.def(
      "message_recv_new",
      [](const Communicator& comm, int source, int tag, const MessageStatus& status) {
        const Queue queue = nb::cast<Queue>(current_queue());
        return wrapped(without_gil([&] { return distributed::recv(comm, queue, source, tag, status); }));
      },
      nb::arg("comm"), nb::arg("source"), nb::arg("tag"), nb::arg("status"),
      "Receives an array of the message's shape on the current device.");
  module.def(
      "message_isend",
      [](const Communicator& comm, const PyArray& x, int dest, int tag) {
        return on_queue_of(x.array, [&] { return distributed::isend(comm, x.array, dest, tag); });
      },
      nb::arg("comm"), nb::arg("x"), nb::arg("dest"), nb::arg("tag"), "Sends an array when it is computed.");
  module.def(
      "message_irecv",
      [](const Communicator& comm, const PyArray& out, int source, int tag, const MessageStatus& status) {
        return on_queue_of(out.array,
                           [&] { return distributed::irecv(comm, out.array, source, tag, status); });
      },
      nb::arg("comm"), nb::arg("out"), nb::arg("source"), nb::arg("tag"), nb::arg("status"),
      "Receives into an array when the message arrives.");
  module.def("message_stop", &distributed::stop_messages, "Ends the thread that completes isend and irecv.");
}

void bind_all_ranks(nb::module_& module) {
  module.def(
      "message_bcast",
      [](const Communicator& comm, const PyArray& x, int root) {
        on_queue_of(x.array, [&] { distributed::bcast(comm, x.array, root); });
      },
      nb::arg("comm"), nb::arg("x"), nb::arg("root"), "Copies the array of the root to the others.");
  module.def(
      "message_reduce",
      [](const Communicator& comm, const PyArray& x, const std::string& operation, int root) {
        return wrapped_or_none(
            on_queue_of(x.array, [&] { return distributed::reduce(comm, x.array, operation, root); }));
      },
      nb::arg("comm"), nb::arg("x"), nb::arg("op"), nb::arg("root"), "Combines arrays at the root.");
  module.def(
      "message_allreduce",
      [](const Communicator& comm, const PyArray& x, const std::string& operation) {
        return wrapped(
            on_queue_of(x.array, [&] { return distributed::allreduce(comm, x.array, operation); }));
      },
      nb::arg("comm"), nb::arg("x"), nb::arg("op"), "Combines arrays on all ranks.");
  module.def(
      "message_gather",
      [](const Communicator& comm, const PyArray& x, int root) {
        return wrapped_or_none(
            on_queue_of(x.array, [&] { return distributed::gather(comm, x.array, root); }));
      },
      nb::arg("comm"), nb::arg("x"), nb::arg("root"), "Stacks arrays at the root.");
  module.def(
      "message_allgather",
      [](const Communicator& comm, const PyArray& x) {
        return wrapped(on_queue_of(x.array, [&] { return distributed::allgather(comm, x.array); }));
      },
      nb::arg("comm"), nb::arg("x"), "Stacks arrays on all ranks.");
  module.def(
      "message_scatter",
      [](const Communicator& comm, std::optional<PyArray> rows, const PyArray& out, int root) {
        std::optional<Array> given;
        if (rows) given = rows->array;
        on_queue_of(out.array, [&] { distributed::scatter(comm, given, out.array, root); });
      },
      nb::arg("comm"), nb::arg("rows").none(), nb::arg("out"), nb::arg("root"),
      "Gives each rank a row of the root's array.");
  module.def(
      "message_alltoall",
      [](const Communicator& comm, const PyArray& rows) {
        return wrapped(on_queue_of(rows.array, [&] { return distributed::alltoall(comm, rows.array); }));
      },
      nb::arg("comm"), nb::arg("rows"), "Sends row r to rank r.");
}

}  // namespace

void bind_messages(nb::module_& module) {
  bind_status(module);
  bind_two_ranks(module);
  bind_all_ranks(module);
}

}  // namespace quern::python
