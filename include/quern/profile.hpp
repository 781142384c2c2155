// SPDX-License-Identifier: MIT
// Profiles: all operations of all queues during a part of a program, with their times, as a table, a trace or
// a picture.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "quern/api.hpp"
#include "quern/device.hpp"
#include "quern/properties.hpp"

namespace QUERN_API quern {

enum class ProfileKind : std::uint8_t {
  kernel,
  upload,    // from host memory to the device
  download,  // from the device to host memory
  copy,      // between memories of devices
  fill,
  library,     // a call of another library, such as cuBLAS
  graph,       // a launch of a captured graph
  queue_wait,  // a queue waits for operations of other queues
  host_wait,   // a thread of the program waits for an operation
};
// "kernel", "upload"...
[[nodiscard]] const char* name_of(ProfileKind kind) noexcept;

// One operation or wait.
struct ProfileRecord {
  ProfileKind kind = ProfileKind::kernel;
  // The kernel or the function of the library; for generated kernels of array expressions their operations;
  // for others the name of the kind.
  std::string name;
  std::string device;        // as Device::spec()
  std::size_t queue = 0;     // number of the queue in this profile, from 0 in the order of first use
  std::string queue_name;    // as Queue::name()
  std::size_t thread = 0;    // number of the submitting or waiting thread
  std::uint64_t ticket = 0;  // position in the queue
  std::vector<std::size_t> global, local;  // work-items; empty except for kernels
  // Of kernels and libraries: the sizes of the memory that they were given, each argument once. Memory that
  // is not const counts as written, not as read.
  std::uint64_t bytes_read = 0, bytes_written = 0;
  std::string line;        // "file:line" that submitted it, if the program sets origins as Python does
  Times times;             // zeros without times
  bool has_times = false;  // false if the queue records no times, or the operation did not run
  bool failed = false;
  // Indices of records of other queues, or of the same out-of-order queue, that had to be done before.
  std::vector<std::size_t> waits_for;

  [[nodiscard]] std::int64_t duration() const noexcept { return times.ended - times.started; }  // nanoseconds
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_read + bytes_written; }
};

// Records of one kind, name and device together.
struct ProfileRow {
  ProfileKind kind = ProfileKind::kernel;
  std::string name, device;
  std::string line;  // of all records; "3 lines" if they differ
  std::size_t count = 0, timed = 0, failed = 0;
  std::int64_t total = 0;  // nanoseconds, of those with times
  double mean = 0;         // nanoseconds
  double share = 0;        // of the total of all rows that are not waits
  std::uint64_t bytes = 0;
  double bytes_per_second = 0;
  // bytes_per_second as a fraction of copy_bandwidth() of the device; 0 for uploads, downloads and waits.
  // Above 1 if the data fits into a cache, or if a kernel does not access all of its memory.
  double fraction_of_limit = 0;
};

// Operations of one queue or waits of one thread that do not overlap, for drawing.
struct ProfileLane {
  std::string device, label;         // "queue 0", "thread 1"
  std::vector<std::size_t> records;  // indices, ordered by start
};

enum class ProfileGrouping : std::uint8_t { by_name, by_line };

// Collects the operations of all queues, devices and threads from its construction to stop(). Several
// profiles may be open; each operation belongs to all of them. Small work that the calling thread computes by
// itself on the host, without a queue, is counted by at_once() only.
//
// While a profile is open, queues that were not made for profiling record times, too. Exceptions are wrapped
// native queues of OpenCL and OpenCL queues whose native handle was asked for: their records have no times.
//
// The functions that return what was collected wait for the recorded operations, and may be called while the
// profile is open. A failed operation does not make them throw.
class Profile {
 public:
  Profile();   // begins
  ~Profile();  // ends, and evaluates nothing
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  // Evaluates the pending expressions of all queues, so that they belong to the profile, and ends it. If an
  // evaluation throws, the profile has ended all the same. Does nothing the second time.
  void stop();
  // Ends without an evaluation.
  void cancel() noexcept;
  [[nodiscard]] bool is_open() const noexcept;
  // Whether any profile is open.
  [[nodiscard]] static bool is_any_open() noexcept;

  // Waits for the recorded operations; false if the deadline passed first.
  bool wait_until(Deadline deadline) const;
  // In the order of submission.
  [[nodiscard]] std::vector<ProfileRecord> records() const;
  // Sorted by total time, the longest first. The first call for a device measures its copy bandwidth.
  [[nodiscard]] std::vector<ProfileRow> rows(ProfileGrouping grouping = ProfileGrouping::by_name) const;
  // rows() as text.
  [[nodiscard]] std::string table(ProfileGrouping grouping = ProfileGrouping::by_name) const;
  // The trace event format, which Perfetto and chrome://tracing read: a process for each device, a thread for
  // each queue, an arrow for each wait.
  [[nodiscard]] std::string trace() const;
  // Writes trace() to a file. Throws Error if it cannot be written.
  void save(const std::string& path) const;
  [[nodiscard]] std::vector<ProfileLane> lanes() const;
  // The lanes as a picture, `width` pixels wide.
  [[nodiscard]] std::string svg(unsigned width = 1000) const;

  // Nanoseconds of the host's steady clock; the end is 0 while the profile is open.
  [[nodiscard]] std::int64_t begin() const noexcept;
  [[nodiscard]] std::int64_t end() const noexcept;
  // Computations of the calling thread that no queue has seen.
  [[nodiscard]] std::uint64_t at_once() const noexcept;
  // Operations that were not recorded, because a profile holds a million records at most.
  [[nodiscard]] std::uint64_t dropped() const noexcept;

  // Internal.
  class Collection;

 private:
  std::shared_ptr<Collection> collection_;
};

// The colour of a record in pictures, "#rrggbb": one for each kind and, for kernels, name.
[[nodiscard]] std::string profile_colour(const ProfileRecord& record);

// Bytes per second, read and written, of a large copy on the device. The first call for a device measures it,
// which takes some milliseconds, and waits for the device's own work no more than any queue does.
double copy_bandwidth(const Device& device);

}  // namespace quern
