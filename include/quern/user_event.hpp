// SPDX-License-Identifier: MIT
// Events that the program completes itself.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include "quern/api.hpp"
#include "quern/context.hpp"
#include "quern/event.hpp"

namespace QUERN_API quern {

namespace detail {
class UserEventState;
}

// An event that is complete when the program says so. Operations that wait for it, and operations that depend
// on those, are held back until then; others are not. Copies share one event. If the last copy is destroyed
// before the event is set, the event fails.
class UserEvent : public Event {
 public:
  // Error messages show the name.
  explicit UserEvent(const Context& context, const std::string& name = {});

  [[nodiscard]] const std::string& name() const noexcept;

  // Each throws Error, and changes nothing, if the event is set already.
  void set_done() const;
  // Operations that wait for the event fail with a DependencyError that names them and this error.
  void set_error(std::exception_ptr error) const;

 private:
  explicit UserEvent(std::shared_ptr<detail::UserEventState> state);
  std::shared_ptr<detail::UserEventState> state_;
};

}  // namespace quern
