// SPDX-License-Identifier: MIT
// CUDA C++17 for NVRTC.
#pragma once

#include "frontend/lower/dialect.hpp"

namespace quern::frontend::lower {

class CudaDialect final : public Dialect {
 public:
  [[nodiscard]] std::string_view bool_type() const override { return "bool"; }
  [[nodiscard]] std::string vector_definition(const std::string& name, std::uint64_t alignment,
                                              const std::string& members) const override;
  [[nodiscard]] std::string record_type(const Record* record) const override;
  [[nodiscard]] bool copies_volatile_structures() const override { return false; }
  [[nodiscard]] std::string non_finite_literal(double value, bool is_float) const override;
  [[nodiscard]] std::string aggregate_value(const std::string& type,
                                            const std::string& values) const override;
  [[nodiscard]] std::string_view empty_initialiser() const override { return ""; }
  [[nodiscard]] bool has_designated_values() const override { return false; }
  [[nodiscard]] std::string_view helper_qualifiers(bool /*is_long*/) const override {
    return "static __device__ inline ";
  }
  [[nodiscard]] std::string_view function_qualifiers(const Function* f, bool is_short) const override;
  [[nodiscard]] std::string_view empty_parameters() const override { return ""; }
  [[nodiscard]] std::string_view data_qualifiers(bool is_constant,
                                                 std::uint64_t constant_bytes) const override;
  [[nodiscard]] std::optional<std::string_view> local_qualifier() const override { return "__shared__ "; }
  [[nodiscard]] bool has_case_ranges() const override { return false; }
  [[nodiscard]] std::string unroll_pragma(int count) const override;
  [[nodiscard]] bool division_traps() const override { return false; }
  [[nodiscard]] bool merges_conversions() const override { return false; }
  [[nodiscard]] bool widens_indices() const override { return false; }
  [[nodiscard]] std::string library_function(std::string_view name) const override;
  [[nodiscard]] std::string leading_zeros(const std::string& x) const override;
  [[nodiscard]] std::optional<std::string> half_to_float() const override;
  [[nodiscard]] std::optional<std::string> float_to_half(Rounding rounding) const override;
  [[nodiscard]] std::optional<std::string> double_to_half(Rounding rounding) const override;
  [[nodiscard]] std::optional<std::string> half_operation(std::uint32_t op) const override;
  std::string_view builtin_text(const Builtin& row, const Type* type, Output& out) const override;
};

}  // namespace quern::frontend::lower
