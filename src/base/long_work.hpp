// SPDX-License-Identifier: MIT
// Lines on standard error about work that takes longer than a second (quern/progress.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace quern {

// While an object of this class lives, its work is shown if it takes longer than a second: what it is and how
// long it has run; with a total, its share and the time left. Costs a thread where work is shown, and nothing
// elsewhere.
class LongWork {
 public:
  explicit LongWork(std::string what, std::uint64_t total = 0);
  ~LongWork();
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;
  void advance(std::uint64_t amount) noexcept;

 private:
  class Line;
  std::unique_ptr<Line> line_;
};

// The work of a copy that may take longer than a second; null for a smaller one.
std::unique_ptr<LongWork> work_of_copy(const std::string& where, std::uint64_t nbytes);

// Work of this thread is not shown from now on: the program does not wait for it.
void never_show_work_of_this_thread() noexcept;

}  // namespace quern
