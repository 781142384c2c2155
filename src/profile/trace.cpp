// SPDX-License-Identifier: MIT
// The trace event format of Perfetto and chrome://tracing.
#include <array>
#include <cstdio>
#include <fstream>
#include <map>

#include "profile/lanes.hpp"
#include "quern/error.hpp"
#include "quern/profile.hpp"

namespace quern {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> code;
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
      out += code.data();
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// The format counts in microseconds.
std::string microseconds(std::int64_t ns) {
  std::array<char, 40> text;
  std::snprintf(text.data(), text.size(), "%.3f", static_cast<double>(ns) * 1e-3);
  return text.data();
}

std::string list(const std::vector<std::size_t>& sizes) {
  std::string out = "[";
  for (std::size_t k = 0; k < sizes.size(); ++k) out += (k == 0 ? "" : ",") + std::to_string(sizes[k]);
  return out + "]";
}

std::string arguments(const ProfileRecord& record) {
  std::string out =
      "{\"queue\":" + std::to_string(record.queue) + ",\"ticket\":" + std::to_string(record.ticket);
  if (!record.global.empty())
    out += ",\"global\":" + list(record.global) + ",\"local\":" + list(record.local);
  if (record.bytes() != 0) {
    out += ",\"bytes_read\":" + std::to_string(record.bytes_read) +
           ",\"bytes_written\":" + std::to_string(record.bytes_written);
  }
  if (!record.line.empty()) out += ",\"line\":" + quoted(record.line);
  if (record.failed) out += ",\"failed\":true";
  return out + "}";
}

struct Place {
  std::size_t process = 0, thread = 0;
};

class Writer {
 public:
  explicit Writer(std::int64_t begin) : begin_(begin) {}

  void name(const char* what, Place place, const std::string& text) {
    event("{\"ph\":\"M\",\"name\":\"" + std::string(what) + "\"" + at(place) +
          ",\"args\":{\"name\":" + quoted(text) + "}}");
  }
  void slice(const ProfileRecord& record, Place place, std::int64_t started) {
    event("{\"ph\":\"X\",\"name\":" + quoted(record.name) + ",\"cat\":" + quoted(name_of(record.kind)) +
          at(place) + ",\"ts\":" + microseconds(started - begin_) +
          ",\"dur\":" + microseconds(record.times.ended - started) + ",\"args\":" + arguments(record) + "}");
  }
  // From a time within one slice to a time within another.
  void arrow(Place from, std::int64_t ended, Place to, std::int64_t started) {
    const std::string id = std::to_string(++arrows_);
    const std::string head = "\"name\":\"wait\",\"cat\":\"wait\",\"id\":" + id;
    event("{\"ph\":\"s\"," + head + at(from) + ",\"ts\":" + microseconds(ended - begin_) + "}");
    event("{\"ph\":\"f\",\"bp\":\"e\"," + head + at(to) + ",\"ts\":" + microseconds(started - begin_) + "}");
  }
  [[nodiscard]] std::string text() const {
    return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n" + events_ + "\n]}\n";
  }

 private:
  static std::string at(Place place) {
    return ",\"pid\":" + std::to_string(place.process) + ",\"tid\":" + std::to_string(place.thread);
  }
  void event(const std::string& text) { events_ += (events_.empty() ? "" : ",\n") + text; }

  std::int64_t begin_;
  std::size_t arrows_ = 0;
  std::string events_;
};

}  // namespace

std::string Profile::trace() const {
  const std::vector<ProfileRecord> all = records();
  const std::vector<ProfileLane> lanes = profile::lanes_of(all);
  Writer writer(begin());
  std::map<std::string, std::size_t> processes;
  std::vector<Place> places(all.size());
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    const ProfileLane& lane = lanes[k];
    const auto [process, is_new] = processes.try_emplace(lane.device, processes.size() + 1);
    const Place place{process->second, k + 1};
    if (is_new) writer.name("process_name", place, lane.device);
    writer.name("thread_name", place, lane.label);
    std::int64_t free_from = 0;  // slices of one lane must not overlap
    for (const std::size_t index : lane.records) {
      const Times& times = all[index].times;
      const std::int64_t started = std::min(std::max(times.started, free_from), times.ended);
      places[index] = place;
      writer.slice(all[index], place, started);
      free_from = times.ended;
    }
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (!all[k].has_times) continue;
    for (const std::size_t source : all[k].waits_for) {
      if (!all[source].has_times) continue;
      const bool is_thread = all[k].kind == ProfileKind::host_wait;
      writer.arrow(places[source], all[source].times.ended, places[k],
                   is_thread ? all[k].times.ended : all[k].times.started);
    }
  }
  return writer.text();
}

void Profile::save(const std::string& path) const {
  const std::string text = trace();
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file)
    throw Error("the trace cannot be written to '" + path + "': check the folder and its permissions");
}

}  // namespace quern
