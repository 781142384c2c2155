// SPDX-License-Identifier: MIT
// Kernels generated from C snippets that map elements and combine them into one value, for a whole array or
// along some of its axes.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quern/api.hpp"
#include "quern/elementwise.hpp"

namespace QUERN_API quern {

namespace detail {
class NamedReductionState;
class ReductionState;
}  // namespace detail

// A reduction in CuPy's form. `inputs` ("T x, float32 y") and the one output ("T z") are elements by name,
// whose types a call may determine. `map_expr` is an expression of the inputs, `reduce_expr` combines `a` and
// `b`, and `post_map_expr` assigns the output from the reduced `a`. `reduce_type` is the type of a and b; by
// default that of the output.
struct NamedReduction {
  std::string inputs, outputs, map_expr, reduce_expr, post_map_expr, identity, reduce_type = {};
};

// `map_expr` is a C expression of x[i]; if it and `arguments` are empty, the elements of one array x.
// `reduce_expr` combines `a` and `b` and must be associative and commutative; `neutral` is its identity.
// Results are elements of `dtype`: a number, a vector, or a structure that the preamble defines. `i` counts
// the elements of a result, in C order.
class ReductionKernel {
 public:
  // `type_name` is the name of a structure that the preamble defines; if it is empty, the structure is
  // defined here as item_t.
  ReductionKernel(const DType& dtype, const std::string& neutral, const std::string& reduce_expr,
                  const std::string& map_expr, const std::string& arguments, GeneratorOptions options = {},
                  const std::string& type_name = {});
  // Of a type that the preamble defines.
  ReductionKernel(const std::string& type_name, const std::string& neutral, const std::string& reduce_expr,
                  const std::string& map_expr, const std::string& arguments, GeneratorOptions options = {});

  explicit ReductionKernel(NamedReduction text, GeneratorOptions options = {});

  struct Over {
    std::optional<std::vector<int>> axes;  // all axes if empty; negative axes count from the end
    bool keepdims = false;
    std::optional<IndexRange> range;  // of the elements of flattened arrays
  };

  // Over all elements, as a 0-d array.
  template <class... Arguments>
  Array operator()(const Queue& queue, const Arguments&... arguments) const {
    const std::array<KernelArgument, sizeof...(Arguments)> list = {KernelArgument(arguments)...};
    return launch(queue, list, {});
  }
  // The result is an array on the device; the call does not wait.
  Array launch(const Queue& queue, std::span<const KernelArgument> arguments, const Over& over,
               WaitList wait_for = {}) const;
  Event launch_into(const Array& out, const Queue& queue, std::span<const KernelArgument> arguments,
                    const Over& over, WaitList wait_for = {}) const;

  // The program of the first pass over these arguments.
  [[nodiscard]] std::string source(const Queue& queue, std::span<const KernelArgument> arguments,
                                   const Over& over) const;
  [[nodiscard]] const std::string& name() const noexcept;
  // Throws ArgumentError if the arrays of a call determine it.
  [[nodiscard]] const DType& dtype() const;
  [[nodiscard]] const Signature& signature() const noexcept;
  // Whether it was declared in CuPy's form.
  [[nodiscard]] bool is_named() const noexcept { return named_ != nullptr; }

 private:
  // Exactly one of them is set.
  std::shared_ptr<detail::ReductionState> state_;
  std::shared_ptr<detail::NamedReductionState> named_;
};

}  // namespace quern
