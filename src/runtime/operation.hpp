// SPDX-License-Identifier: MIT
// An operation to be enqueued, and what it tells of itself to error messages and profiles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "backend/backend.hpp"

namespace quern::detail {

enum class OperationKind : std::uint8_t {
  kernel,
  upload,
  download,
  copy,
  fill,
  library,
  barrier,
  marker,
  map,
  unmap,
  migrate,
  graph,
  wait,
};

class Allocation;

// In a captured operation, memory that takes the place of another.
struct Rebinding {
  const std::shared_ptr<Allocation>& from;
  const std::shared_ptr<Allocation>& to;
  std::ptrdiff_t shift;  // added to offsets in bytes
};

struct OperationDetails {
  OperationKind kind = OperationKind::wait;
  std::string_view name;                         // of the kernel or of the library's function
  unsigned dims = 0;                             // 0 except for kernels
  std::array<std::size_t, 3> global{}, local{};  // work-items
  std::size_t nbytes = 0;                        // copied or filled; of others the uses tell
};

// It borrows its objects. detach() makes a copy that owns them, for an operation that must be held back.
class Operation {
 public:
  virtual ~Operation() = default;
  virtual backend::TimingPtr issue(backend::Queue& queue, backend::ObserverSource& observers) = 0;
  // Whether it may fail after it was issued. An observer is then notified.
  [[nodiscard]] virtual bool may_fail() const noexcept { return false; }
  [[nodiscard]] virtual std::unique_ptr<Operation> detach() const = 0;
  [[nodiscard]] virtual OperationDetails details() const noexcept { return {}; }

  // For detached operations that a graph keeps:
  // The operation uses other memory from now on. Throws if it cannot.
  virtual void rebind(const Rebinding& rebinding);
  // The graph itself keeps this memory alive.
  virtual void disown(const Allocation& memory) { (void)memory; }
  // Copies the host memory that it reads, and reads the copy from now on.
  virtual void keep_host_memory() {}
};

// For error messages, as in "a copy" or "kernel 'twice'".
std::string description_of(const Operation& operation);

}  // namespace quern::detail
