// SPDX-License-Identifier: MIT
// The C of gcc and clang, with their extensions.
#pragma once

#include "frontend/lower/dialect.hpp"

namespace quern::frontend::lower {

class CDialect final : public Dialect {
 public:
  explicit CDialect(const Program& program) : is_for_debugging_(program.for_debugging) {}

  [[nodiscard]] std::string_view bool_type() const override { return "_Bool"; }
  [[nodiscard]] std::string vector_definition(const std::string& name, std::uint64_t alignment,
                                              const std::string& members) const override;
  [[nodiscard]] std::string record_type(const Record* record) const override;
  [[nodiscard]] bool copies_volatile_structures() const override { return true; }
  [[nodiscard]] std::string non_finite_literal(double value, bool is_float) const override;
  [[nodiscard]] std::string aggregate_value(const std::string& type,
                                            const std::string& values) const override;
  [[nodiscard]] std::string_view empty_initialiser() const override { return "0"; }
  [[nodiscard]] bool has_designated_values() const override { return true; }
  [[nodiscard]] std::string_view helper_qualifiers(bool is_long) const override;
  [[nodiscard]] std::string_view function_qualifiers(const Function* f, bool is_short) const override;
  [[nodiscard]] std::string_view empty_parameters() const override { return "void"; }
  [[nodiscard]] std::string_view data_qualifiers(bool is_constant,
                                                 std::uint64_t constant_bytes) const override;
  [[nodiscard]] std::optional<std::string_view> local_qualifier() const override { return std::nullopt; }
  [[nodiscard]] bool has_case_ranges() const override { return true; }
  [[nodiscard]] std::string unroll_pragma(int count) const override;
  [[nodiscard]] bool division_traps() const override { return true; }
  [[nodiscard]] bool merges_conversions() const override { return true; }
  [[nodiscard]] bool widens_indices() const override { return true; }
  [[nodiscard]] std::string library_function(std::string_view name) const override;
  [[nodiscard]] std::string leading_zeros(const std::string& x) const override;
  [[nodiscard]] std::optional<std::string> half_to_float() const override { return std::nullopt; }
  [[nodiscard]] std::optional<std::string> float_to_half(Rounding) const override { return std::nullopt; }
  [[nodiscard]] std::optional<std::string> double_to_half(Rounding) const override { return std::nullopt; }
  [[nodiscard]] std::optional<std::string> half_operation(std::uint32_t) const override {
    return std::nullopt;
  }
  std::string_view builtin_text(const Builtin& row, const Type* type, Output& out) const override;

 private:
  bool is_for_debugging_;
};

}  // namespace quern::frontend::lower
