// SPDX-License-Identifier: MIT
// Binds the arguments of a call to the parameters of a row, and converts them.
#pragma once

#include <span>
#include <vector>

#include "binding.hpp"
#include "quern/registry.hpp"

namespace quern::python {

// A row prepared for calls: parsed parameters, with interned Python strings as names.
struct CallPlan {
  explicit CallPlan(const registry::Function& function);
  const registry::Function* function;
  std::vector<registry::Parameter> parameters;
  std::vector<PyObject*> names;                 // interned, never freed
  std::size_t positional = 0;                   // number of parameters that can be given by position
  std::optional<std::size_t> rest;              // the parameter that takes all others, as *arrays does
  std::optional<std::size_t> device;            // the parameter that selects the device of a new array
  std::optional<std::size_t> order;             // the parameter that also takes a device by position
  std::optional<std::size_t> callable;          // the parameter that also takes a Python callable
  std::optional<std::size_t> signature, dtype;  // NumPy's signature= is converted to dtype=
  bool takes_list = false;                      // whether a parameter takes several arrays in one list
};

// The arguments of a call: one object for each parameter, null if it is missing, and the rest.
struct BoundArguments {
  InlineVector<PyObject*, 10> objects;
  std::span<PyObject* const> rest;
  nb::object dtype;  // keeps a converted one alive
};
// Throws ArgumentError (a TypeError) for arguments that the function does not take.
BoundArguments bind(const CallPlan& plan, PyObject* const* arguments, std::size_t count, PyObject* names);

// The converted arguments. Values that are not arrays yet become arrays on the device of the other arrays, on
// the requested device, or on the current one.
class ConvertedArguments {
 public:
  ConvertedArguments(const CallPlan& plan, const BoundArguments& bound);
  ConvertedArguments(const ConvertedArguments&) = delete;
  [[nodiscard]] std::span<const registry::Value* const> values() const {
    return {values_.data(), values_.size()};
  }
  [[nodiscard]] const Queue& queue() const { return *queue_; }
  // The objects to write results to.
  [[nodiscard]] std::span<const nb::handle> targets() const { return {targets_.data(), targets_.size()}; }

 private:
  void add_targets(nb::handle given);                // an array, or a tuple of arrays and None
  InlineVector<registry::Value, 4> made_;            // of the given arguments
  InlineVector<const registry::Value*, 10> values_;  // for each parameter, including its default
  std::optional<Queue> queue_;
  InlineVector<nb::handle, 2> targets_;
};

}  // namespace quern::python
