// SPDX-License-Identifier: MIT
// The table of OpenCL C's built-in functions: their types, and their form in C and in CUDA C++.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace quern::frontend {

// The types of arguments and result. T is the type that a call is resolved to, scalar or vector.
enum class Rule : std::uint8_t {
  real,                   // (T, ...) -> T                 for floating T
  real_int,               // (T, int of T's lanes) -> T
  real_to_int,            // (T) -> int of T's lanes
  real_pointer,           // (T, T*) -> T
  real_int_pointer,       // (T, int*) -> T
  real_real_int_pointer,  // (T, T, int*) -> T
  test,                   // (T, ...) -> int; for vectors an integer vector of T's width, -1 for true
  integer,                // (T, ...) -> T                 for integer T
  integer_abs,            // (T, ...) -> unsigned T
  number,                 // (T, ...) -> T                 for any arithmetic T
  select,                 // (T, T, integer of T's width) -> T
  bits,                   // (T, ...) -> T, bitwise
  any_all,                // (integer T) -> int, from the most significant bits
  nan,                    // (unsigned) -> floating
  dot,                    // (T, T) -> scalar of T
  length,                 // (T) -> scalar of T
  distance,               // (T, T) -> scalar of T
  normalize,              // (T) -> T
  cross,                  // (T, T) -> T, three or four lanes
  atomic,                 // (T*, T, ...) -> T
  atomic2,      // atomic functions of OpenCL 2: (T*, ..., orders and scope); `op` packs an AtomicCall
  space,        // to_global, to_local, to_private: (T*) -> T* or null
  vload,        // (size_t, const T*) -> vector of T
  vstore,       // (vector of T, size_t, T*)
  vload_half,   // (size_t, const half*) -> float or a vector of it
  vstore_half,  // (float or double or a vector of it, size_t, half*)
  convert,      // convert_T: `overload` is T, `op` packs a Conversion
  upsample,     // (T, unsigned T) -> integer of twice the width
  shuffle,      // (vectors of T, mask: unsigned vector of T's width) -> vector of T with the mask's length
  work_item,    // (uint) -> size_t
  work_dim,     // () -> uint
  fence,        // (flags)
  barrier,      // (flags), or (flags, scope), or (count, events)
  group,        // functions of work-groups and sub-groups, and Quern's intrinsics: checker_groups.cpp
  print,        // printf
  unsupported,
};

// Flags
inline constexpr unsigned kLibm = 1;       // the C form calls libm
inline constexpr unsigned kSimd = 2;       // the C form calls a libm function that has a vector variant
inline constexpr unsigned kCondition = 4;  // of `test`: the scalar form is 0 or 1, and is negated for vectors

// The texts are expressions with $0, $1, $2 for the arguments. A text in braces is the body of a function
// with parameters x, y and z; it is used if an argument occurs twice or the text is long. In both, @ is "f"
// for float and empty for double, $T is the scalar type, $U and $S are its unsigned and signed counterparts,
// $W is a type of twice the width, and $B is the number of bits.
struct Builtin {
  std::string_view name;
  std::uint8_t arity;
  Rule rule;
  std::string_view c, cuda;
  unsigned flags = 0;
  std::string_view c_float = {};    // the form for float, if it differs from the form for double
  std::string_view cuda_wide = {};  // the form for 64-bit integers, if it differs
};

// The families of the table, one per file.
std::span<const Builtin> math_builtins();
std::span<const Builtin> integer_builtins();
std::span<const Builtin> atomic_builtins();
std::span<const Builtin> group_builtins();  // the functions of Rule::group

// The two steps of a work-group function in a kernel that is split at its barriers; sources cannot name them.
// A work-item stores its value, then loads the group's result or another work-item's value. `integer` of a
// call selects the half of the exchange memory.
extern const Builtin kExchangePut, kExchangeTake;

// The suffixes _rte, _rtz, _rtp and _rtn. `none`: the default of the result's type.
enum class Rounding : std::uint8_t { none, to_even, to_zero, up, down };
std::optional<Rounding> rounding_of(std::string_view suffix);

struct Conversion {
  Rounding rounding = Rounding::none;
  bool saturates = false;

  [[nodiscard]] std::uint32_t packed() const {
    return static_cast<std::uint32_t>(rounding) | (saturates ? 256U : 0U);
  }
  static Conversion unpacked(std::uint32_t bits) {
    return {static_cast<Rounding>(bits & 255U), (bits & 256U) != 0};
  }
};

// The memory orders and scope of an atomic function of OpenCL 2, in the numbers of gcc and clang.
struct AtomicCall {
  std::uint32_t order = 5, failure = 5;  // sequentially consistent
  std::uint32_t scope = 2;               // the device

  [[nodiscard]] std::uint32_t packed() const { return order | failure << 4 | scope << 8; }
  static AtomicCall unpacked(std::uint32_t bits) { return {bits & 15, bits >> 4 & 15, bits >> 8 & 15}; }
};
std::string_view atomic_operation(std::string_view name);  // "load" for "atomic_load_explicit"
bool is_newer_atomic(
    std::string_view name);  // whether it is a function or type of OpenCL 2's atomics, such as atomic_float

// What a name such as vload_half4 or vstorea_half8_rtz specifies; no lanes if it is not one of these
// functions.
struct HalfAccess {
  unsigned lanes = 0;
  bool is_aligned = false;
  Rounding rounding = Rounding::none;
};
HalfAccess half_access(std::string_view name);

// Returns null if there is none. native_ and half_ functions fall back to the plain function.
const Builtin* find_builtin(std::string_view name);

// Whether OpenCL C has a function of this name, conversions included.
bool is_builtin_name(std::string_view name);

// Whether lowered text uses this name. A user's variable or function of this name is renamed.
bool is_emitted_name(std::string_view name);

}  // namespace quern::frontend
