// SPDX-License-Identifier: MIT
// Memory that a graph owns and lends to the program: the references of the program are known apart from those
// of the graph and its operations.
#pragma once

#include <memory>
#include <utility>

namespace quern::detail {

class Allocation;

class CapturedMemory {
 public:
  // Owns the memory. If another CapturedMemory has lent this reference, both know whether it is lent.
  explicit CapturedMemory(const std::shared_ptr<Allocation>& memory) : owned_(owner_of(memory)) {
    if (std::get_deleter<Loan>(memory) != nullptr) lent_ = memory;
  }

  // The reference that a graph keeps, for a reference that may be lent.
  [[nodiscard]] static std::shared_ptr<Allocation> owner_of(const std::shared_ptr<Allocation>& memory) {
    const Loan* const loan = std::get_deleter<Loan>(memory);
    return loan != nullptr ? loan->owned : memory;
  }

  [[nodiscard]] const std::shared_ptr<Allocation>& owned() const noexcept { return owned_; }
  // A reference for the program. It keeps the memory alive, with or without the graph.
  [[nodiscard]] std::shared_ptr<Allocation> lend() {
    std::shared_ptr<Allocation> lent = lent_.lock();
    if (!lent) {
      lent = std::shared_ptr<Allocation>(owned_.get(), Loan{owned_});
      lent_ = lent;
    }
    return lent;
  }
  // Whether the program has a reference.
  [[nodiscard]] bool is_lent() const noexcept { return !lent_.expired(); }

 private:
  // The deleter of what is lent. The last of these references releases the memory for the program.
  struct Loan {
    std::shared_ptr<Allocation> owned;
    void operator()(Allocation* /*memory*/) noexcept { owned.reset(); }
  };

  std::shared_ptr<Allocation> owned_;
  std::weak_ptr<Allocation> lent_;  // copies of one reference
};

}  // namespace quern::detail
