// SPDX-License-Identifier: MIT
// Work-items in CUDA: one thread each. Local and group ids are CUDA's own, and a sub-group is a warp.
#pragma once

#include "frontend/lower/device_functions.hpp"

namespace quern::frontend::lower {

class CudaDeviceFunctions final : public DeviceFunctions {
 public:
  explicit CudaDeviceFunctions(Context& context) : DeviceFunctions(context) {}

  std::vector<std::string> hidden_parameters(const Function* f) override;
  std::vector<std::string> hidden_arguments(const WorkItemUse& uses) override;
  std::string work_item_value(std::string_view name, std::size_t dimension) override;
  std::string barrier(const Expr* e) override;
  std::string fence(const Expr* e) override;
  std::string space_test(const Expr* e, const std::string& x) override;

 private:
  std::string atomic_body(std::string_view operation, const Type* type, const AtomicCall& how) override;
  std::string ordered_access(const Expr* e, const std::vector<std::string>& arguments) override;
  std::string streaming_access(const Expr* e, const std::vector<std::string>& arguments);
  std::string reduction(const Expr* e, const std::string& x) override;
  std::string broadcast(const Expr* e, const std::vector<std::string>& arguments) override;
  std::string sub_group_value(std::string_view name) override;
  std::string sub_group_barrier() override { return "__syncwarp()"; }
  std::string lane_exchange(const Expr* e, const std::vector<std::string>& arguments) override;
  std::string prefetch(const std::vector<std::string>& arguments) override;
  std::string warp_mask();
};

}  // namespace quern::frontend::lower
