// SPDX-License-Identifier: MIT
// Work-items in C. Their ids are hidden parameters, a sub-group is one work-item, and a work-group exchanges
// values through memory between two barriers.
#pragma once

#include "frontend/lower/device_functions.hpp"

namespace quern::frontend::lower {

class CDeviceFunctions final : public DeviceFunctions {
 public:
  explicit CDeviceFunctions(Context& context) : DeviceFunctions(context), scope_(context.scope) {}

  std::vector<std::string> hidden_parameters(const Function* f) override;
  std::vector<std::string> hidden_arguments(const WorkItemUse& uses) override;
  std::string work_item_value(std::string_view name, std::size_t dimension) override;
  std::string barrier(const Expr* e) override;
  std::string fence(const Expr* e) override;
  std::string space_test(const Expr* e, const std::string& x) override;

  // The type of the structure whose members are the kernel's variables in local memory.
  std::string local_structure(const Function* f);
  // The statement with which a split kernel combines the values that its work-items stored at a convergence
  // point; empty if there is nothing to combine.
  std::string combine_values(const Expr* e);

 private:
  std::string atomic_body(std::string_view operation, const Type* type, const AtomicCall& how) override;
  std::string ordered_access(const Expr* e, const std::vector<std::string>& arguments) override;
  std::string reduction(const Expr* e, const std::string& x) override;
  std::string broadcast(const Expr* e, const std::vector<std::string>& arguments) override;
  std::string sub_group_value(std::string_view name) override;
  std::string sub_group_barrier() override { return "((void)0)"; }
  std::string lane_exchange(const Expr* e, const std::vector<std::string>& arguments) override;
  std::string prefetch(const std::vector<std::string>& arguments) override;
  std::string split_reduction(const Expr* e);
  std::string exchange_memory(const Expr* e);
  std::string convergence_point(Location at);

  Scope& scope_;
  std::size_t convergence_points_ = 0;
};

}  // namespace quern::frontend::lower
