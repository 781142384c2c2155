// SPDX-License-Identifier: MIT
// The built-in functions that depend on how a device runs work-items: their ids, barriers, groups, atomics
// and the order of memory. Each target implements them; arguments and results are text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/lower/context.hpp"

namespace quern::frontend::lower {

class DeviceFunctions {
 public:
  explicit DeviceFunctions(Context& context)
      : program_(context.program),
        out_(context.out),
        types_(context.types),
        conversions_(context.conversions) {}
  virtual ~DeviceFunctions() = default;

  // The hidden parameters of a function, after the user's own, pass the work-item ids that it uses: as
  // declarations, and as arguments of a call.
  virtual std::vector<std::string> hidden_parameters(const Function* f) = 0;
  virtual std::vector<std::string> hidden_arguments(const WorkItemUse& uses) = 0;
  // The value of a work-item function such as get_local_id.
  virtual std::string work_item_value(std::string_view name, std::size_t dimension) = 0;

  virtual std::string barrier(const Expr* e) = 0;
  virtual std::string fence(const Expr* e) = 0;
  // to_global, to_local, to_private or get_fence of a pointer whose type has no address space.
  virtual std::string space_test(const Expr* e, const std::string& x) = 0;
  // The atomic functions of OpenCL 2.
  std::string atomic(const Expr* e, const std::vector<std::string>& arguments);
  // The functions of Rule::group.
  std::string group_function(const Expr* e, const std::vector<std::string>& arguments);

 protected:
  // Returns the body of an atomic function. x is the address, y and z are the operands.
  virtual std::string atomic_body(std::string_view operation, const Type* type, const AtomicCall& how) = 0;
  // quern_load_ and quern_store_: acquire, release and streaming.
  virtual std::string ordered_access(const Expr* e, const std::vector<std::string>& arguments) = 0;
  virtual std::string reduction(const Expr* e, const std::string& x) = 0;
  virtual std::string broadcast(const Expr* e, const std::vector<std::string>& arguments) = 0;
  virtual std::string sub_group_value(std::string_view name) = 0;
  virtual std::string sub_group_barrier() = 0;
  // Exchanges between the lanes of a sub-group.
  virtual std::string lane_exchange(const Expr* e, const std::vector<std::string>& arguments) = 0;
  virtual std::string prefetch(const std::vector<std::string>& arguments) = 0;

  std::string group_copy(const Expr* e, const std::vector<std::string>& arguments);
  std::string philox_words(const std::vector<std::string>& arguments);
  // The identity element of the operation: add, min, max, all or any.
  std::string identity_of(std::string_view operation, const Type* type);
  // The linear local id of the work-item with these ids, one for each dimension or fewer.
  std::string linear_id(const std::vector<std::string>& ids);
  std::string local_linear_id();
  std::string group_items();

  Program& program_;
  Output& out_;
  TypeWriter& types_;
  ConversionWriter& conversions_;
};

constexpr std::int64_t kLocalFence = 1;  // CLK_LOCAL_MEM_FENCE

// The operation of a group function's name: its last word.
std::string_view last_word(std::string_view name);

// A function that combines the values of a group or sub-group: a reduction, or a scan.
struct Reduction {
  explicit Reduction(const Expr* e);
  // The expression that combines the result r with the next value y.
  [[nodiscard]] std::string_view combination() const;

  std::string_view operation;  // add, min, max, all or any
  bool is_of_work_group, is_inclusive, is_exclusive;
};

// Replaces each $ and letter in a template by its value.
std::string filled_in(std::string_view text, std::initializer_list<std::pair<char, std::string_view>> values);
// The expression for the value that an atomic fetch function stores, from the old value and the operand.
std::string fetch_result(std::string_view operation, const std::string& old, const std::string& operand);

}  // namespace quern::frontend::lower
