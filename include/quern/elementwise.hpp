// SPDX-License-Identifier: MIT
// Kernels generated from a C snippet that is run for every element of some arrays.
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
  std::string name;                  // of the kernel, in messages and profiles
  std::string preamble;              // C in front of it: types, functions, macros
  std::vector<std::string> options;  // as ProgramOptions has them
};

// The indices a generated kernel visits: first, last and not beyond, and how far from one to the next.
struct IndexRange {
  std::int64_t start = 0, stop = 0, step = 1;
  [[nodiscard]] std::int64_t count() const;  // throws ArgumentError for a step of 0
};

// `arguments` declares scalars and pointers ("float a, const float *x, float *z"), `operation` is C in which
// `i` is the index ("z[i] = a * x[i]"). Operands that are used as x[i] only are broadcast against each other
// and may be strided; a pointer that is used otherwise must be contiguous, and `i` then counts elements in C
// order. `continue` ends the work on an element. Immutable and safe to share between threads.
class ElementwiseKernel {
 public:
  ElementwiseKernel(const std::string& arguments, const std::string& operation,
                    GeneratorOptions options = {});
  // CuPy's form: inputs ("T x, float32 y, raw T table"), outputs ("T z") and an operation on the elements by
  // name ("z = x + y"). Types are NumPy's names or OpenCL C's; others stand for what the arrays of a call
  // have. Inputs that are not raw may be numbers. `i` is the index, `n` the number of elements.
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

  // Makes the arrays that are missing (null) among the arguments and that the operation only writes, and puts
  // them in their place. The arguments refer to what is returned. Where no array says how large they are, the
  // range does.
  std::vector<Array> allocate_outputs(const Queue& queue, std::span<KernelArgument> arguments,
                                      const std::optional<IndexRange>& range = {}) const;

  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] const Signature& signature() const noexcept;  // the arguments as they were declared
  // Whether an argument may be left out of a call, to be allocated.
  [[nodiscard]] bool is_output(std::size_t argument) const noexcept;
  // The program that a launch with these arguments uses.
  [[nodiscard]] std::string source(const Queue& queue, std::span<const KernelArgument> arguments,
                                   const std::optional<IndexRange>& range = {}) const;

 private:
  std::shared_ptr<detail::ElementwiseState> state_;
};

}  // namespace quern
