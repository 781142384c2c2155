// SPDX-License-Identifier: MIT
// Kernels in C: the function of one work-item, and the entry that runs all work-items of a range of groups.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/frontend.hpp"
#include "frontend/lower/c/region_writer.hpp"
#include "frontend/lower/program_writer.hpp"

namespace quern::frontend::lower {

class CKernelWriter final : public KernelWriter {
 public:
  CKernelWriter(Context& context, CDeviceFunctions& device, ExpressionWriter& expressions,
                StatementWriter& statements)
      : program_(context.program),
        out_(context.out),
        scope_(context.scope),
        types_(context.types),
        device_(device),
        expressions_(expressions),
        statements_(statements),
        regions_(context, device, expressions, statements) {}

  void kernel(const Function* f) override;
  [[nodiscard]] std::string prologue() const override;
  // How the kernels are run, in order of definition.
  [[nodiscard]] const std::vector<KernelForm>& forms() const { return forms_; }

 private:
  void plain_entry(const Function* f);  // plain_entry.cpp, as the next three
  void begin_windows(bool by_group);
  void limit_by_guards();
  void call_items(const Function* f, std::optional<int> lanes, std::string arguments);
  std::optional<int> lane_function(const Function* f);  // lane_entry.cpp, as the next one
  void single_item(const Function* f);
  bool split_entry(const Function* f);  // split_entry.cpp; false where the kernel must run in fibers
  void split_function(const Function* f, const Plan& plan, const std::string& parameters);
  void split_groups(const Function* f, const std::string& arguments);
  void fiber_entry(const Function* f);  // fiber_entry.cpp
  void begin_entry(const Function* f, std::string_view first, std::string_view last);
  void end_entry(const Function* f);
  void parameter_names(const Function* f);
  std::string load_arguments(const Function* f);
  void note_form(KernelForm form);

  Program& program_;
  Output& out_;
  Scope& scope_;
  TypeWriter& types_;
  CDeviceFunctions& device_;
  ExpressionWriter& expressions_;
  StatementWriter& statements_;
  RegionWriter regions_;
  std::vector<KernelForm> forms_;
};

}  // namespace quern::frontend::lower
