// SPDX-License-Identifier: MIT
// Kernels generated from a C snippet that runs for every element of some arrays.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quern/api.hpp"
#include "quern/kernel.hpp"

namespace QUERN_API quern {

namespace detail {
class ElementwiseState;
}

struct GeneratorOptions {
  std::string name;                  // name of the kernel, for messages and profiles
  std::string preamble;              // C in front of the kernel: types, functions, macros
  std::vector<std::string> options;  // as in ProgramOptions
};

// The indices that a generated kernel visits: first, end (exclusive) and step.
struct IndexRange {
  std::int64_t start = 0, stop = 0, step = 1;
  [[nodiscard]] std::int64_t count() const;  // throws ArgumentError for a step of 0
};

// `arguments` declares scalars and pointers ("float a, const float *x, float *z"); `operation` is C in which
// `i` is the index ("z[i] = a * x[i]"). Operands that are used only as x[i] are broadcast against each other
// and may be strided. A pointer that is used otherwise must be contiguous, and `i` then counts elements in C
// order. `continue` ends the work on an element. Kernels are immutable and may be shared between threads.
class ElementwiseKernel {
 public:
  ElementwiseKernel(const std::string& arguments, const std::string& operation,
                    GeneratorOptions options = {});
  // CuPy's form: inputs ("T x, float32 y, raw T table"), outputs ("T z") and an operation on the elements by
  // name ("z = x + y"). Types are NumPy's or OpenCL C's names; any other name is a type parameter, which the
  // arrays of a call determine. Inputs that are not raw may be numbers. `i` is the index, `n` the number of
  // elements.
  ElementwiseKernel(const std::string& inputs, const std::string& outputs, const std::string& operation,
                    GeneratorOptions options = {});

  template <class... Arguments>
  Event operator()(const Queue& queue, const Arguments&... arguments) const {
    const std::array<KernelArgument, sizeof...(Arguments)> list = {KernelArgument(arguments)...};
    return launch(queue, list);
  }
  // Without a range: every element of the broadcast shape.
  Event launch(const Queue& queue, std::span<const KernelArgument> arguments,
               const std::optional<IndexRange>& range = {}, WaitList wait_for = {}) const;

  // Allocates the missing (null) arguments that the operation only writes and puts them in their place. The
  // arguments refer to the returned arrays. If no array determines the size, the range does.
  std::vector<Array> allocate_outputs(const Queue& queue, std::span<KernelArgument> arguments,
                                      const std::optional<IndexRange>& range = {}) const;

  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] const Signature& signature() const noexcept;  // the arguments as declared
  // Whether a call may omit an argument, which is then allocated.
  [[nodiscard]] bool is_output(std::size_t argument) const noexcept;
  // The program that a launch with these arguments uses.
  [[nodiscard]] std::string source(const Queue& queue, std::span<const KernelArgument> arguments,
                                   const std::optional<IndexRange>& range = {}) const;

 private:
  std::shared_ptr<detail::ElementwiseState> state_;
};

}  // namespace quern
