// SPDX-License-Identifier: MIT
// Sections of elements between arrays and the payloads of messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "distributed/communicator.hpp"
#include "distributed/message.hpp"
#include "distributed/movement.hpp"
#include "quern/array.hpp"
#include "quern/distributed/array.hpp"
#include "quern/distributed/communicator.hpp"

namespace quern::distributed {

// Throws ArgumentError, a ValueError in Python.
[[noreturn]] void refuse(const std::string& text);

std::string text_of(const Shape& shape);
std::int64_t elements_of(const Shape& shape);
// What ranks must agree on about a layout and an array, for call_of(): also the lengths of blocks and the
// grid.
std::string agreed(const Layout& layout);
std::string agreed(const DistributedArray& array);
// The elements of this rank's block in the shape of a layout with the same elements on each rank; of a rank
// that does not take part, a block of the layout's shape.
Array reshaped(const Array& block, const Layout& layout, int rank);
// A view of these elements.
Array part(const Array& array, const Section& section);
// Copies elements to host memory of their size, and waits for them.
void read(const Array& array, std::span<std::byte> to);
// An array of these elements.
Array array_of(const Queue& queue, std::span<const std::byte> bytes, const Shape& shape, const DType& dtype);

// An operation whose name, and what the text adds to it, must agree between ranks. It has the source line of
// the program's current operation.
Call call_of(std::string name, const std::string& agreed);

// Copies a section of one array to a section of another, whose block is written.
struct SectionCopy {
  Array from;
  Layout from_layout;
  Section from_section;
  Array to;
  Layout to_layout;
  Section to_section;
};
// Takes a part of the target and its elements from a message, in place of a copy to the target.
using PutElements = std::function<void(const Array& part, std::span<const std::byte> bytes)>;
// Copies under way. All together send at most one message from each rank to each other one. With `put`, the
// targets have the elements that stay on the rank already.
class Movement {
 public:
  // Sends, and copies the elements that stay.
  Movement(const Communicator& communicator, const Call& call, std::vector<SectionCopy> copies,
           PutElements put = {});
  // Waits for the elements of other ranks and writes them.
  void finish();

 private:
  std::vector<SectionCopy> copies_;
  std::vector<MovementPlan> plans_;
  PutElements put_;
  std::optional<Exchange> exchange_;
  std::map<int, std::size_t> numbers_;  // of the message of each rank
};
inline void move(const Communicator& communicator, const Call& call, std::vector<SectionCopy> copies,
                 PutElements put = {}) {
  Movement(communicator, call, std::move(copies), std::move(put)).finish();
}

}  // namespace quern::distributed
