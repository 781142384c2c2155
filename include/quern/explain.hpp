// SPDX-License-Identifier: MIT
// Inspection of lazy evaluation: the kernels that an expression would launch, the source lines of operations,
// and evaluation without laziness.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "quern/api.hpp"
#include "quern/array.hpp"

namespace QUERN_API quern {

// While an Eager lives on a thread, each operation of the thread is enqueued at once as a kernel of its own,
// waits for it and throws its error.
class Eager {
 public:
  Eager() noexcept;
  Eager(const Eager&) = delete;
  Eager& operator=(const Eager&) = delete;
  ~Eager();
};

// What a kernel reads or computes for each element: a node of the drawing that notebooks show.
struct PlanValue {
  enum class Kind : std::uint8_t { array, number, operation };
  Kind kind = Kind::array;
  std::string name;  // "multiply"; of a number its digits; empty for arrays
  std::string dtype;
  Shape shape;                      // of arrays
  std::string line;                 // "file:line" of an operation, if it is known
  std::vector<std::size_t> inputs;  // indices of earlier values
  bool is_output = false;           // whether the kernel writes it
};

// A kernel that evaluating an expression would launch.
struct KernelPlan {
  std::vector<std::string> operations;  // "multiply(float32)", with "at file:line" where that is known
  std::size_t elements = 0;
  std::size_t arrays_read = 0;
  std::size_t bytes_read = 0, bytes_written = 0;
  std::string source;  // OpenCL C
  // Inputs come before the values that use them. Empty for matrix products and Fourier transforms.
  std::vector<PlanValue> values;
};
// The kernels that evaluating these arrays would launch; arrays in memory need none. Launches nothing, but
// allocates the results' memory for a moment.
std::vector<KernelPlan> explain(std::span<const Array> arrays);

// Each operation records its origin, for errors of its evaluation and for explain(): a number that the caller
// defines, such as the binding of an interpreter. 0, the initial value, means no origin.
using Origin = std::uint32_t;
// Sets the origin of this thread's operations, until it is set again.
void set_origin(Origin origin) noexcept;
// Sets the function that converts an origin to text ("file:line") for error messages. It holds for all
// threads and may be called on any. Null, the initial value, gives no text.
using OriginText = std::string (*)(Origin);
void set_origin_text(OriginText text) noexcept;

}  // namespace quern
