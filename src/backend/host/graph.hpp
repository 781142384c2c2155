// SPDX-License-Identifier: MIT
// Graphs of the host device: a list of bound launches and copies that one thread runs in order.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/graph.hpp"
#include "base/in_use.hpp"

namespace quern::backend::host {

// One prepared operation. Immutable, because replays of it may run.
class Prepared {
 public:
  Prepared() = default;
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;
  virtual ~Prepared() = default;
  // Runs it, with the help of other threads if it is long. Throws its failure.
  virtual void run() const = 0;
  // Expected time on one thread; negative if unknown.
  [[nodiscard]] virtual double expected_ns() const noexcept = 0;
};

class HostGraph final : public Graph {
 public:
  explicit HostGraph(std::span<const GraphStep> steps);
  TimingPtr launch(Queue& queue, ObserverSource& observers) override;
  bool update(std::size_t step, const std::function<void(Queue& queue)>& issue) override;

 private:
  struct Program : Usable {
    std::vector<std::shared_ptr<const Prepared>> steps;  // null: nothing to do
  };
  std::shared_ptr<Program> program_;  // replays in flight use it
};

}  // namespace quern::backend::host
