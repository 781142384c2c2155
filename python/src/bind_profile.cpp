// SPDX-License-Identifier: MIT
// Profiles. The package's class Profile has the context manager, files and pictures.

#include <string>
#include <vector>

#include "binding.hpp"
#include "current.hpp"
#include "interpreter.hpp"

namespace quern::python {
namespace {

// Waits so that Ctrl-C is handled, and then asks for what needs no more waiting.
template <class F>
auto when_done(const Profile& profile, F&& f) {
  wait_interruptibly(Deadline::max(), [&](Deadline deadline) { return profile.wait_until(deadline); });
  return without_gil(f);
}

ProfileGrouping grouping_of(bool by_line) {
  return by_line ? ProfileGrouping::by_line : ProfileGrouping::by_name;
}

void bind_record(nb::module_& module) {
  nb::class_<ProfileRecord>(module, "ProfileRecord", nb::is_final(),
                            R"(Operation or wait that a profile has recorded.

Examples
--------
>>> with qn.profile() as p:
...     qn.eval(qn.ones(1_000_000) + 1)
>>> record = next(record for record in p.records if record.kind == "kernel")
>>> record.name, record.bytes_written, record.failed
('add', 8000000, False))")
      .def_prop_ro(
          "kind", [](const ProfileRecord& self) { return name_of(self.kind); },
          "Kind: \"kernel\", \"upload\", \"download\", \"copy\", \"fill\", \"library\", \"queue wait\" or "
          "\"host wait\".")
      .def_ro("name", &ProfileRecord::name,
              "Name of the kernel or of the library's function; for expressions of arrays their operations.")
      .def_ro("device", &ProfileRecord::device, "Device, such as \"cuda:0\".")
      .def_ro("queue", &ProfileRecord::queue, "Number of the queue in the profile, from 0.")
      .def_ro("queue_name", &ProfileRecord::queue_name, "Name of the queue; empty if it has none.")
      .def_ro("thread", &ProfileRecord::thread, "Number of the thread that submitted it or waited.")
      .def_ro("ticket", &ProfileRecord::ticket, "Position in the queue.")
      .def_prop_ro(
          "global_size", [](const ProfileRecord& self) { return nb::tuple(nb::cast(self.global)); },
          nb::sig("def global_size(self) -> tuple[int, ...]"), "Global size of a kernel; empty for others.")
      .def_prop_ro(
          "local_size", [](const ProfileRecord& self) { return nb::tuple(nb::cast(self.local)); },
          nb::sig("def local_size(self) -> tuple[int, ...]"), "Local size of a kernel; empty for others.")
      .def_ro("bytes_read", &ProfileRecord::bytes_read,
              "Bytes read; of a kernel the sizes of its const arguments.")
      .def_ro("bytes_written", &ProfileRecord::bytes_written,
              "Bytes written; of a kernel the sizes of its other arguments.")
      .def_ro("line", &ProfileRecord::line, "Source line that submitted it, as \"file:line\".")
      .def_prop_ro(
          "times",
          [](const ProfileRecord& self) -> nb::object {
            return self.has_times ? nb::cast(self.times) : nb::none();
          },
          nb::sig("def times(self) -> Times | None"),
          "Times of the operation; None if its queue records none or it did not run.")
      .def_ro("failed", &ProfileRecord::failed, "Whether the operation failed.")
      .def_ro("waits_for", &ProfileRecord::waits_for,
              "Indices of the records, usually of other queues, that had to be done before.")
      .def_prop_ro("colour", &profile_colour, "Colour in pictures, as \"#rrggbb\".")
      .def("__repr__", [](const ProfileRecord& self) {
        return "<quern.ProfileRecord " + std::string(name_of(self.kind)) + " '" + self.name + "' on " +
               self.device + ">";
      });
}

void bind_row(nb::module_& module) {
  nb::class_<ProfileRow>(module, "ProfileRow", nb::is_final(), R"(Row of a profile's table.

Examples
--------
>>> with qn.profile() as p:
...     qn.eval(qn.ones(1_000_000) + 1)
>>> row = next(row for row in p.rows() if row.kind == "kernel")
>>> row.name, row.count, row.total > 0
('add', 1, True))")
      .def_prop_ro(
          "kind", [](const ProfileRow& self) { return name_of(self.kind); }, "Kind of the records.")
      .def_ro("name", &ProfileRow::name, "Name of the records.")
      .def_ro("device", &ProfileRow::device, "Device of the records.")
      .def_ro("line", &ProfileRow::line, "Source line of the records, or how many there are.")
      .def_ro("count", &ProfileRow::count, "Number of records.")
      .def_ro("timed", &ProfileRow::timed, "Number of records that have times.")
      .def_ro("failed", &ProfileRow::failed, "Number of operations that failed.")
      .def_prop_ro(
          "total", [](const ProfileRow& self) { return static_cast<double>(self.total) * 1e-9; },
          "Sum of the durations, in seconds.")
      .def_prop_ro(
          "mean", [](const ProfileRow& self) { return self.mean * 1e-9; }, "Mean duration, in seconds.")
      .def_ro("share", &ProfileRow::share, "Share of the time of all records that are not waits.")
      .def_ro("bytes", &ProfileRow::bytes, "Bytes read and written by the records that have times.")
      .def_ro("bytes_per_second", &ProfileRow::bytes_per_second, "Bytes read and written per second.")
      .def_ro("fraction_of_limit", &ProfileRow::fraction_of_limit,
              "Bytes per second as a fraction of the copy bandwidth of the device; 0 if it does not apply.")
      .def("__repr__", [](const ProfileRow& self) {
        return "<quern.ProfileRow " + std::to_string(self.count) + " x '" + self.name + "' on " +
               self.device + ">";
      });
  nb::class_<ProfileLane>(module, "ProfileLane", nb::is_final(),
                          "Records of a queue or thread that do not overlap.")
      .def_ro("device", &ProfileLane::device, "Device of the queue; \"program\" for a thread.")
      .def_ro("label", &ProfileLane::label, "Name of the queue or thread.")
      .def_ro("records", &ProfileLane::records, "Indices of the records, ordered by start.");
}

}  // namespace

void bind_profile(nb::module_& module) {
  bind_record(module);
  bind_row(module);
  nb::class_<Profile>(module, "ProfileRecording", nb::is_final(), "Open or ended recording of a profile.")
      .def(nb::init<>())
      .def(
          "stop", [](Profile& self) { without_gil([&] { self.stop(); }); },
          "Evaluate the pending expressions and end.")
      .def("cancel", &Profile::cancel, "End without an evaluation.")
      .def_prop_ro("is_open", &Profile::is_open)
      .def_prop_ro("begin", &Profile::begin)
      .def_prop_ro("end", &Profile::end)
      .def_prop_ro("at_once", &Profile::at_once)
      .def_prop_ro("dropped", &Profile::dropped)
      .def("records", [](const Profile& self) { return when_done(self, [&] { return self.records(); }); })
      .def(
          "rows",
          [](const Profile& self, bool by_line) {
            return when_done(self, [&] { return self.rows(grouping_of(by_line)); });
          },
          nb::arg("by_line"))
      .def(
          "table",
          [](const Profile& self, bool by_line) {
            return when_done(self, [&] { return self.table(grouping_of(by_line)); });
          },
          nb::arg("by_line"))
      .def("trace", [](const Profile& self) { return when_done(self, [&] { return self.trace(); }); })
      .def("lanes", [](const Profile& self) { return when_done(self, [&] { return self.lanes(); }); })
      .def(
          "svg",
          [](const Profile& self, unsigned width) {
            return when_done(self, [&] { return self.svg(width); });
          },
          nb::arg("width"));
  module.def(
      "copy_bandwidth",
      [](nb::handle device) {
        const Device target = device_or_current(device);
        return without_gil([&] { return copy_bandwidth(target); });
      },
      nb::arg("device") = nb::none(),
      nb::sig("def copy_bandwidth(device: Device | str | None = None) -> float"),
      R"(Bytes per second, read and written, of a large copy on the device; measured once and kept.

Parameters
----------
device : Device or str, optional
    Device to measure; the current device by default.

Returns
-------
float
    Bytes per second.

Examples
--------
>>> qn.copy_bandwidth("host") > 0
True)");
}

}  // namespace quern::python
