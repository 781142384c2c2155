// SPDX-License-Identifier: MIT
// The differences between C and CUDA C++ in types, values, operators and statements. The writers ask a
// Dialect and do not know which language they write.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "frontend/builtins/builtins.hpp"
#include "frontend/parse/ast.hpp"

namespace quern::frontend::lower {

class Output;

class Dialect {
 public:
  virtual ~Dialect() = default;

  // Types
  [[nodiscard]] virtual std::string_view bool_type() const = 0;
  // `members` declares the components.
  [[nodiscard]] virtual std::string vector_definition(const std::string& name, std::uint64_t alignment,
                                                      const std::string& members) const = 0;
  [[nodiscard]] virtual std::string record_type(const Record* record) const = 0;
  // Whether volatile structures, vectors included, can be copied.
  [[nodiscard]] virtual bool copies_volatile_structures() const = 0;

  // Values
  [[nodiscard]] virtual std::string non_finite_literal(double value, bool is_float) const = 0;
  // An expression of a structure's type with these members.
  [[nodiscard]] virtual std::string aggregate_value(const std::string& type,
                                                    const std::string& values) const = 0;
  // The text between the braces of an initialiser without values.
  [[nodiscard]] virtual std::string_view empty_initialiser() const = 0;
  // Whether an expression can initialise any member of a union.
  [[nodiscard]] virtual bool has_designated_values() const = 0;

  // Functions and variables
  [[nodiscard]] virtual std::string_view helper_qualifiers(bool is_long) const = 0;
  // `is_short`: the function is to be inlined into every caller.
  [[nodiscard]] virtual std::string_view function_qualifiers(const Function* f, bool is_short) const = 0;
  [[nodiscard]] virtual std::string_view empty_parameters() const = 0;
  // Qualifiers of data at program scope. `constant_bytes` is the size of the constant data so far.
  [[nodiscard]] virtual std::string_view data_qualifiers(bool is_constant,
                                                         std::uint64_t constant_bytes) const = 0;
  // The qualifier of a variable in local memory; nothing if the kernel's entry declares it.
  [[nodiscard]] virtual std::optional<std::string_view> local_qualifier() const = 0;

  // Statements
  [[nodiscard]] virtual bool has_case_ranges() const = 0;
  // The pragma in front of a loop; 0 unrolls all of it.
  [[nodiscard]] virtual std::string unroll_pragma(int count) const = 0;

  // Arithmetic
  // Whether an integer division by zero, or one that overflows, ends the process.
  [[nodiscard]] virtual bool division_traps() const = 0;
  // Whether the compiler may replace (float)(int)x by trunc(x), which is -0 for negative x above -1.
  [[nodiscard]] virtual bool merges_conversions() const = 0;
  // Whether indices are computed in 64 bits, so that the loop over work-items vectorises.
  [[nodiscard]] virtual bool widens_indices() const = 0;
  [[nodiscard]] virtual std::string library_function(std::string_view name) const = 0;  // of the C library
  [[nodiscard]] virtual std::string leading_zeros(const std::string& x) const = 0;      // of 64 bits

  // The body of a function of x that is one instruction of the device; nothing if the portable body is used.
  [[nodiscard]] virtual std::optional<std::string> half_to_float() const = 0;
  [[nodiscard]] virtual std::optional<std::string> float_to_half(Rounding rounding) const = 0;
  [[nodiscard]] virtual std::optional<std::string> double_to_half(Rounding rounding) const = 0;
  // The same for a function of x and y.
  [[nodiscard]] virtual std::optional<std::string> half_operation(std::uint32_t op) const = 0;

  // The form of a built-in function for a scalar type, from the table. Declares the functions that it calls
  // in `out`.
  virtual std::string_view builtin_text(const Builtin& row, const Type* type, Output& out) const = 0;
};

// The suffix of PTX instructions and of our helpers: rn, rz, rp or rm.
std::string_view rounding_suffix(Rounding rounding);

}  // namespace quern::frontend::lower
