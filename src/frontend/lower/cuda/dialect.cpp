// SPDX-License-Identifier: MIT
// CUDA C++17 for NVRTC.
#include "frontend/lower/cuda/dialect.hpp"

#include <bit>

#include "frontend/lower/names.hpp"

namespace quern::frontend::lower {
namespace {

// CUDA has 64 KiB of constant memory.
constexpr std::uint64_t kMaxConstantBytes = 60000;

std::string_view half_instruction(std::uint32_t op) {
  switch (op) {
    case punct("+"):
      return "add";
    case punct("-"):
      return "sub";
    case punct("*"):
      return "mul";
    default:
      return {};
  }
}

}  // namespace

std::string CudaDialect::vector_definition(const std::string& name, std::uint64_t alignment,
                                           const std::string& members) const {
  return "struct __align__(" + std::to_string(alignment) + ") " + name + " { " + members + "; };";
}

// C++ needs no keyword before a structure's name, and does not allow one where a value is constructed.
std::string CudaDialect::record_type(const Record* record) const {
  return record_name(record).substr(record->is_union ? 6 : 7);
}

// A cast, which is also allowed in the initialiser of constant data.
std::string CudaDialect::non_finite_literal(double value, bool is_float) const {
  if (is_float)
    return "__builtin_bit_cast(float, " +
           std::to_string(std::bit_cast<std::uint32_t>(static_cast<float>(value))) + "u)";
  return "__builtin_bit_cast(double, " + std::to_string(std::bit_cast<std::uint64_t>(value)) + "ull)";
}

std::string CudaDialect::aggregate_value(const std::string& type, const std::string& values) const {
  return type + "{" + values + "}";
}

std::string_view CudaDialect::function_qualifiers(const Function* f, bool /*is_short*/) const {
  return f->is_kernel ? "static __device__ __forceinline__ " : "static __device__ inline ";
}

std::string_view CudaDialect::data_qualifiers(bool is_constant, std::uint64_t constant_bytes) const {
  if (!is_constant) return "static __device__ ";
  return constant_bytes <= kMaxConstantBytes ? "static __constant__ const " : "static __device__ const ";
}

std::string CudaDialect::unroll_pragma(int count) const {
  return "#pragma unroll " + (count > 0 ? std::to_string(count) : "");
}

std::string CudaDialect::library_function(std::string_view name) const {
  return std::string(name);
}

std::string CudaDialect::leading_zeros(const std::string& x) const {
  return "__clzll((long long)" + x + ")";
}

std::optional<std::string> CudaDialect::half_to_float() const {
  return "float r; asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(r) : \"h\"(x)); return r;";
}

std::optional<std::string> CudaDialect::float_to_half(Rounding rounding) const {
  return "unsigned short r; asm(\"cvt." + std::string(rounding_suffix(rounding)) +
         ".f16.f32 %0, %1;\" : \"=h\"(r) : \"f\"(x)); return r;";
}

std::optional<std::string> CudaDialect::double_to_half(Rounding rounding) const {
  return "unsigned short r; asm(\"cvt." + std::string(rounding_suffix(rounding)) +
         ".f16.f64 %0, %1;\" : \"=h\"(r) : \"d\"(x)); return r;";
}

std::optional<std::string> CudaDialect::half_operation(std::uint32_t op) const {
  const std::string_view instruction = half_instruction(op);
  if (instruction.empty()) return std::nullopt;
  return "unsigned short r; asm(\"" + std::string(instruction) +
         ".rn.f16 %0, %1, %2;\" : \"=h\"(r) : \"h\"(x), \"h\"(y)); return r;";
}

std::string_view CudaDialect::builtin_text(const Builtin& row, const Type* type, Output& /*out*/) const {
  // The native_ intrinsics of CUDA are for float.
  if (type->kind == TypeKind::double_ && row.name.starts_with("native_")) {
    if (row.name == "native_divide") return "($0 / $1)";
    if (row.name == "native_recip") return "(1 / $0)";
    if (const Builtin* plain = find_builtin(row.name.substr(7))) return plain->cuda;
  }
  return size_of(type) == 8 && !row.cuda_wide.empty() ? row.cuda_wide : row.cuda;
}

}  // namespace quern::frontend::lower
