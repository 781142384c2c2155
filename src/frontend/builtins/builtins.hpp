// SPDX-License-Identifier: MIT
// The table of OpenCL C's built-in functions: how each is typed, and how it is spelled in C and in CUDA C++.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace quern::frontend {

// How the arguments are converted and what comes out. T is the type a call is resolved to, scalar or vector.
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
  bits,                   // (T, ...) -> T, bit by bit
  any_all,                // (integer T) -> int: the most significant bits
  nan,                    // (unsigned) -> floating
  dot,                    // (T, T) -> scalar of T
  length,                 // (T) -> scalar of T
  distance,               // (T, T) -> scalar of T
  normalize,              // (T) -> T
  cross,                  // (T, T) -> T, three or four lanes
  atomic,                 // (T*, T, ...) -> T
  atomic2,      // the atomic functions of OpenCL 2: (T*, ..., orders and scope); `op` packs an AtomicCall
  space,        // to_global and the like: (T*) -> T* or null
  vload,        // (size_t, const T*) -> vector of T
  vstore,       // (vector of T, size_t, T*)
  vload_half,   // (size_t, const half*) -> float or a vector of it
  vstore_half,  // (float or double or a vector of it, size_t, half*)
  convert,      // convert_T: `overload` is T, `op` packs a Conversion
  upsample,     // (T, unsigned T) -> integer of twice the width
  shuffle,      // (vectors of T, unsigned vector of T's width) -> vector of T, of the last one's length
  work_item,    // (uint) -> size_t
  work_dim,     // () -> uint
  fence,        // (flags)
  barrier,      // (flags), or (flags, scope), or (count, events)
  group,        // work-items that act together, and Quern's intrinsics: checker_groups.cpp
  print,        // printf
  unsupported,
};

// Flags
inline constexpr unsigned kLibm = 1;  // the C form calls libm
inline constexpr unsigned kSimd = 2;  // the C form calls a function of which libm has a vector variant
inline constexpr unsigned kCondition =
    4;  // of `test`: the scalar form is a condition (0 or 1) to be negated for vectors

// The texts are expressions with $0, $1, $2 for the arguments; or, in braces, the body of a function of
// parameters x, y and z, where an argument is used twice or the text is long. In both: @ is "f" for float and
// nothing for double; $T the scalar type, $U and $S its unsigned and signed counterparts, $W a type of twice
// the width, $B its bits.
struct Builtin {
  std::string_view name;
  std::uint8_t arity;
  Rule rule;
  std::string_view c, cuda;
  unsigned flags = 0;
  std::string_view c_float = {};    // for float, where it differs from double's
  std::string_view cuda_wide = {};  // for 64-bit integers, where it differs
};

// The families of the table, each in its own file.
std::span<const Builtin> math_builtins();
std::span<const Builtin> integer_builtins();
std::span<const Builtin> atomic_builtins();
std::span<const Builtin> group_builtins();  // those of Rule::group

// Steps of a work-group function that a split kernel takes by itself; no source can name them. A work-item
// leaves its value, and takes what the group made of it, or the value of another one. `integer` of their
// calls is the half of the memory that they use.
extern const Builtin kExchangePut, kExchangeTake;

// The suffixes _rte, _rtz, _rtp and _rtn; `none` is what the type of the result says.
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

// How an atomic function of OpenCL 2 orders memory, in the numbers of gcc and clang.
struct AtomicCall {
  std::uint32_t order = 5, failure = 5;  // sequentially consistent
  std::uint32_t scope = 2;               // the device

  [[nodiscard]] std::uint32_t packed() const { return order | failure << 4 | scope << 8; }
  static AtomicCall unpacked(std::uint32_t bits) { return {bits & 15, bits >> 4 & 15, bits >> 8 & 15}; }
};
std::string_view atomic_operation(std::string_view name);  // of "atomic_load_explicit": "load"
bool is_newer_atomic(
    std::string_view name);  // a function or type of OpenCL 2's atomics, such as atomic_float

// What the names of vload_half4, vstorea_half8_rtz and so on say; no lanes when it is none of them.
struct HalfAccess {
  unsigned lanes = 0;
  bool is_aligned = false;
  Rounding rounding = Rounding::none;
};
HalfAccess half_access(std::string_view name);

// Null when there is none. native_ and half_ forms fall back to the plain function.
const Builtin* find_builtin(std::string_view name);

// Whether OpenCL C has a function of this name; conversions are among them.
bool is_builtin_name(std::string_view name);

// Names that the emitted texts use, which a user's own names must not shadow.
bool is_emitted_name(std::string_view name);

}  // namespace quern::frontend
