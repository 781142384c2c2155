// SPDX-License-Identifier: MIT
// The native queue behind a user event: no device runs it, and it takes no work.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "backend/backend.hpp"

namespace quern::detail {

// A user event is the event of the only operation of a queue of its own. The operation counts as held back
// until the program sets the event, and as done from then on.
class UserEventQueue final : public backend::Queue {
 public:
  explicit UserEventQueue(std::string name, bool is_of_capture = false)
      : name_(std::move(name)), is_of_capture_(is_of_capture) {}
  // Whether its operations are recorded in a capture. They are never done.
  [[nodiscard]] bool is_of_capture() const noexcept { return is_of_capture_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }  // "user event 'upload'"

  backend::TimingPtr launch(backend::Function&, const backend::LaunchShape&,
                            std::span<const backend::Argument>) override {
    refuse();
  }
  backend::TimingPtr fill(backend::Memory&, std::size_t, std::size_t, std::span<const std::byte>) override {
    refuse();
  }
  backend::TimingPtr copy(backend::Memory&, std::size_t, backend::Memory&, std::size_t,
                          std::size_t) override {
    refuse();
  }
  backend::TimingPtr write(backend::Memory&, std::size_t, const void*, std::size_t) override { refuse(); }
  backend::TimingPtr read(const backend::Memory&, std::size_t, void*, std::size_t) override { refuse(); }
  backend::TimingPtr copy_rect(const backend::RectSide&, const backend::RectSide&,
                               std::array<std::size_t, 3>) override {
    refuse();
  }
  std::shared_ptr<backend::Marker> record() override { return std::make_shared<Set>(); }
  bool wait(const std::shared_ptr<backend::Marker>&) override { return false; }
  void flush() override {}
  [[nodiscard]] bool idle() const noexcept override { return true; }
  [[nodiscard]] std::uintptr_t native_handle() const noexcept override { return 0; }

 private:
  // Recorded only when the event is set.
  class Set final : public backend::Marker {
   public:
    [[nodiscard]] bool done() override { return true; }
    bool wait(Deadline) override { return true; }
    void notify(std::shared_ptr<backend::Signal> signal) override { signal->raise(); }
  };
  [[noreturn]] static void refuse() { throw Error("a user event runs no work"); }

  std::string name_;
  bool is_of_capture_;
};

}  // namespace quern::detail
