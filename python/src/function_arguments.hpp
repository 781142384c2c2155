// SPDX-License-Identifier: MIT
// Binds the arguments of a call to the parameters of a row, and converts them.
#pragma once

#include <span>
#include <vector>

#include "binding.hpp"
#include "quern/registry.hpp"

namespace quern::python {

// A row as calls need it: parameters that were read once, with their names as Python's own strings.
struct CallPlan {
  explicit CallPlan(const registry::Function& function);
  const registry::Function* function;
  std::vector<registry::Parameter> parameters;
  std::vector<PyObject*> names;         // interned, kept for ever
  std::size_t positional = 0;           // how many can be given by position
  std::optional<std::size_t> rest;      // which takes all others, as *arrays does
  std::optional<std::size_t> device;    // which says where a new array is to be
  std::optional<std::size_t> order;     // which takes a device by position, too
  std::optional<std::size_t> callable;  // which takes a function of Python's, too
  bool takes_list = false;              // whether a parameter takes several arrays in one list
};

// What a call was given: one object for each parameter, null where there is none, and the rest.
struct BoundArguments {
  InlineVector<PyObject*, 8> objects;
  std::span<PyObject* const> rest;
};
// Throws ArgumentError, which is a TypeError, for arguments that the function does not take.
BoundArguments bind(const CallPlan& plan, PyObject* const* arguments, std::size_t count, PyObject* names);

// The converted arguments. Arrays that are none yet are made on the device of those that are, or on the one
// that was asked for, or on the current one.
class ConvertedArguments {
 public:
  ConvertedArguments(const CallPlan& plan, const BoundArguments& bound);
  ConvertedArguments(const ConvertedArguments&) = delete;
  [[nodiscard]] std::span<const registry::Value* const> values() const {
    return {values_.data(), values_.size()};
  }
  [[nodiscard]] const Queue& queue() const { return *queue_; }
  // The objects that were given to be written.
  [[nodiscard]] std::span<const nb::handle> targets() const { return {targets_.data(), targets_.size()}; }

 private:
  void add_targets(nb::handle given);                // an array, or a tuple of them and None
  InlineVector<registry::Value, 4> made_;            // of the arguments that were given
  InlineVector<const registry::Value*, 10> values_;  // for each parameter, also its preset
  std::optional<Queue> queue_;
  InlineVector<nb::handle, 2> targets_;
};

}  // namespace quern::python
