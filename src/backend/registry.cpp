// SPDX-License-Identifier: MIT
// The run-time registry: each backend is loaded once, on first use, and its failures do not affect the
// others.
#include "backend/registry.hpp"

#include <mutex>

#include "base/process.hpp"
#include "quern/error.hpp"

namespace quern::backend {
namespace {

struct Entry {
  std::string_view name;
  Discovery (*discover)();
  std::once_flag once;
  Discovery found;
};

Entry& entry(std::string_view backend) {
  // Never destroyed: devices may be in use while the process exits.
  static auto* const entries =
      new std::array<Entry, 3>{Entry{"host", discover_host, {}, {}}, Entry{"opencl", discover_opencl, {}, {}},
                               Entry{"cuda", discover_cuda, {}, {}}};
  for (Entry& e : *entries) {
    if (e.name == backend) return e;
  }
  throw ArgumentError(ArgumentError::Kind::value,
                      "unknown backend '" + std::string(backend) + "'; expected host, opencl or cuda");
}

}  // namespace

Discovery left_out(std::string_view name, std::string_view remedy) {
  Discovery nothing;
  nothing.attempts.push_back(
      {"looking for the " + std::string(name) + " backend",
       "this build of Quern has no " + std::string(name) + " backend; " + std::string(remedy), false});
  return nothing;
}

const Discovery& discovery(std::string_view backend) {
  process::check_not_forked();
  Entry& e = entry(backend);
  std::call_once(e.once, [&] {
    process::mark_used();
    try {
      e.found = e.discover();
    } catch (const std::exception& error) {
      e.found = {};
      e.found.attempts.push_back({"looking for " + std::string(backend) + " devices", error.what(), false});
    }
  });
  return e.found;
}

}  // namespace quern::backend
