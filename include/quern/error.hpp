// SPDX-License-Identifier: MIT
// The exceptions that Quern throws. Each says what went wrong, where, and what to do about it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "quern/api.hpp"

namespace QUERN_API quern {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One message of our front end or of the device's compiler, with the user's own file and line.
struct Diagnostic {
  enum class Severity { note, warning, error };
  Severity severity = Severity::error;
  std::string file;
  int line = 0;    // from 1; 0 if unknown
  int column = 0;  // from 1; 0 if unknown
  std::string text;
};

// A program could not be built. what() holds the diagnostics with the numbered source around each.
class BuildError : public Error {
 public:
  BuildError(const std::string& what, std::vector<Diagnostic> diagnostics = {}, std::string log = {},
             std::string options = {}, std::string device = {})
      : Error(what),
        diagnostics_(std::move(diagnostics)),
        log_(std::move(log)),
        options_(std::move(options)),
        device_(std::move(device)) {}

  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const noexcept { return diagnostics_; }
  [[nodiscard]] const std::string& log() const noexcept { return log_; }
  [[nodiscard]] const std::string& options() const noexcept { return options_; }
  [[nodiscard]] const std::string& device() const noexcept { return device_; }

 private:
  std::vector<Diagnostic> diagnostics_;
  std::string log_, options_, device_;
};

// An invalid argument: of the wrong type (TypeError in Python), of a wrong value (ValueError), or an index
// out of bounds (IndexError).
class ArgumentError : public Error {
 public:
  enum class Kind { type, value, index };
  ArgumentError(Kind kind, const std::string& what) : Error(what), kind_(kind) {}
  [[nodiscard]] Kind kind() const noexcept { return kind_; }

 private:
  Kind kind_;
};

// An axis out of range. In Python it is also NumPy's AxisError, a ValueError and an IndexError.
class AxisError : public ArgumentError {
 public:
  AxisError(std::int64_t axis, std::size_t rank)
      : ArgumentError(Kind::index, "axis " + std::to_string(axis) +
                                       " is out of bounds for array of dimension " + std::to_string(rank)),
        axis_(axis),
        rank_(rank) {}
  [[nodiscard]] std::int64_t axis() const noexcept { return axis_; }
  [[nodiscard]] std::size_t rank() const noexcept { return rank_; }

 private:
  std::int64_t axis_;
  std::size_t rank_;
};

// A kernel failed while it ran: work-items disagreed about a barrier, or a stack overflowed. The event
// reports it. The contents of the memory that the kernel writes are undefined; the device and the program
// stay usable.
class KernelError : public Error {
 public:
  using Error::Error;
};

// Linear algebra that has no result: a singular matrix, one that is not positive definite, an iteration that
// does not converge, a matrix that is not square. In Python it is also numpy.linalg.LinAlgError.
class LinAlgError : public Error {
 public:
  using Error::Error;
};

// Existing allocations stay intact.
class OutOfDeviceMemory : public Error {
 public:
  struct Figures {  // bytes; 0 if unknown
    std::size_t requested = 0, in_use = 0, in_pool = 0, limit = 0;
  };
  OutOfDeviceMemory(const std::string& what, Figures figures) : Error(what), figures_(figures) {}
  OutOfDeviceMemory(const std::string& what, std::size_t requested)
      : OutOfDeviceMemory(what, Figures{requested, 0, 0, 0}) {}
  [[nodiscard]] const Figures& figures() const noexcept { return figures_; }

 private:
  Figures figures_;
};

// No device matches the request; what() lists what was tried and why it failed.
class DeviceNotFound : public Error {
 public:
  using Error::Error;
};

// The device failed while running; nothing on it can be used any more.
class DeviceLost : public Error {
 public:
  using Error::Error;
};

// An operation was not run, because an operation or a user event that it depends on failed. The text names
// them all.
class DependencyError : public Error {
 public:
  DependencyError(const std::string& what, std::exception_ptr cause)
      : Error(what), cause_(std::move(cause)) {}
  [[nodiscard]] const std::exception_ptr& cause() const noexcept { return cause_; }  // the first error

 private:
  std::exception_ptr cause_;
};

// Quern was used before fork() and again in the child.
class ForkError : public Error {
 public:
  using Error::Error;
};

}  // namespace quern
