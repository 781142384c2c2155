// SPDX-License-Identifier: MIT
// Writes regions in C as loops over work-items. Variables that are kept across regions are copied from and to
// arrays.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/lower/c/device_functions.hpp"
#include "frontend/lower/statement_writer.hpp"

namespace quern::frontend::lower {

class RegionWriter {
 public:
  RegionWriter(Context& context, CDeviceFunctions& device, ExpressionWriter& expressions,
               StatementWriter& statements)
      : program_(context.program),
        out_(context.out),
        scope_(context.scope),
        types_(context.types),
        device_(device),
        expressions_(expressions),
        statements_(statements) {}

  // Names the plan's variables. `row_count` is the number of work-items in a row, `row_size` the size of its
  // arrays.
  void begin(const Function* f, const Plan& plan, const std::string& row_count, const std::string& row_size);
  // Writes the plan's statements. Its arrays have `count` elements.
  void write(const Plan& plan, const std::string& count);

 private:
  using Inside = std::function<void()>;

  // variables (region_variables.cpp)
  void declare_kept(const Plan& plan, const std::string& count);
  [[nodiscard]] std::string index_of(const Variable* v) const;
  void copy_in(const Variable* v);
  void copy_out(const Variable* v);
  void each_kept(const std::function<void(const Variable*)>& visit);
  void add_rematerialised(const Expr* e, Variables& wanted) const;
  void load_variables(const Node& n);
  void store_variables(const Node& n);
  void lane_ids();
  void begin_rows();
  void end_rows();
  [[nodiscard]] bool is_independent(const Node& n) const;

  void nodes(const std::vector<Node>& list);
  void node(const Node& n);
  void each_item_of_row(const Node& n, const Inside& inside);
  void each_item(const Node& n, const Inside& inside);
  std::string uniform_check(const Node& n);
  void branch(const Node& n);
  void choice(const Node& n);
  void region(const Node& n);
  void uniform_loop(const Node& n);
  void divergent_loop(const Node& n);
  void strided_loop(const Node& n);

  Program& program_;
  Output& out_;
  Scope& scope_;
  TypeWriter& types_;
  CDeviceFunctions& device_;
  ExpressionWriter& expressions_;
  StatementWriter& statements_;
  std::string row_count_, row_size_;
  std::string continue_label_;
  int labels_ = 0;
};

}  // namespace quern::frontend::lower
