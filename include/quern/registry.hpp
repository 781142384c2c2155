// SPDX-License-Identifier: MIT
// The registry of functions of arrays, one row each: names, parameters, documentation, and the C++ function.
// Python's functions and methods, their stubs and the reference pages are generated from the rows; C++
// programs call the functions of quern/functions.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "quern/api.hpp"
#include "quern/arithmetic.hpp"
#include "quern/array.hpp"
#include "quern/dtype.hpp"
#include "quern/host_numbers.hpp"
#include "quern/indexing.hpp"
#include "quern/memory_order.hpp"
#include "quern/queue.hpp"
#include "quern/reduce.hpp"
#include "quern/views.hpp"

namespace quern {
namespace QUERN_API registry {

// Numbers on the host: one, or those of nested sequences or of an array, in C order.
struct Numbers {
  Shape shape;
  std::vector<Number> values;
  Number::Kind kind = Number::Kind::integer;  // common kind of all numbers
  std::vector<std::int64_t> keys = {};        // keys of a dict, whose values are the rows
};

// A number with its dtype; without one for a Python number.
struct TypedNumber {
  Number value;
  std::optional<DType> dtype;
};

// The parts of x[...].
using ItemIndices = std::vector<ItemIndex>;
// One of several operands: a number takes the dtype of the arrays.
using Item = std::variant<Number, Array>;
// The value of an argument; monostate is Python's None. Large kinds that few functions take are on the heap,
// so that values stay small.
using Value = std::variant<std::monostate, bool, std::int64_t, Number, std::string, DType, Array,
                           std::vector<std::int64_t>, std::vector<Array>, std::vector<HostNumbers>,
                           std::shared_ptr<const HostNumbers>, std::shared_ptr<const Numbers>,
                           std::shared_ptr<const Index>, std::shared_ptr<const HostPositions>,
                           std::vector<Item>, std::vector<std::vector<std::int64_t>>,
                           std::vector<std::string>, std::shared_ptr<const ItemIndices>>;
template <class T>
inline constexpr bool kIsBoxed =
    std::is_same_v<T, HostNumbers> || std::is_same_v<T, Numbers> || std::is_same_v<T, Index> ||
    std::is_same_v<T, HostPositions> || std::is_same_v<T, ItemIndices>;
// The type under which a variant holds a T.
template <class T>
using Kept = std::conditional_t<kIsBoxed<T>, std::shared_ptr<const T>, T>;
// Wraps a value.
template <class T>
[[nodiscard]] Value value_of(T one) {
  if constexpr (kIsBoxed<T>) {
    return std::make_shared<const T>(std::move(one));
  } else {
    return one;
  }
}
// The result. Several arrays are a tuple in Python, or a list or a class of quern/_results.py if the row says
// so.
using Result = std::variant<std::monostate, bool, std::int64_t, double, std::string, DType, Array,
                            std::vector<Array>, std::vector<std::int64_t>, std::pair<Array, TypedNumber>>;

// The kinds that a parameter takes, as a bit set. Words in quotes are those of a signature.
enum class Takes : std::uint32_t {
  nothing = 1,       // "None"
  flag = 2,          // "bool"
  integer = 4,       // "int"
  integers = 8,      // "ints": several, or one; "indices": those that are often computed, as arrays
  number = 16,       // "number"
  text = 32,         // "str"
  dtype = 64,        // "dtype"
  array = 128,       // "array": an array, or what becomes one on the device of the others
  arrays = 256,      // "arrays": a sequence of them
  target = 512,      // "out": an array that is written, so nothing that would become one
  device = 1024,     // "device": where a new array is to be
  queue = 2048,      // "queue"
  operand = 144,     // "operand": an array or a number, which takes the type of arrays beside it
  anything = 4096,   // "object": accepted for NumPy's sake, and not looked at
  numbers = 8192,    // "numbers": real numbers that the host needs; an array of a device is waited for
  lists = 16384,     // "lists": several of those, and None for none
  nested = 1 << 15,  // "nested": numbers on the host, nested as they like; an array is waited for
  by_axis = 1 << 27 | 1 << 15,  // "by_axis": the same, or a dict of them by axis
  slice = 1 << 16,              // "slice"
  written = 1 << 17 |
            128,  // "values": an array, or what becomes one of the first array's type, which it is written to
  typed = 1 << 18 | 128,  // "typed": an array, or what becomes one of the row's dtype=
  offset = 1 << 19 | 4,   // "offset": an integer, the nearest of 64 bits where it is beyond them
  groups = 1 << 20,       // "groups": a sequence of integers, or of sequences of them
  operands = 1 << 21,     // "operands": a sequence of arrays and numbers
  positions = 1 << 22,    // "positions": integers; those on the host are checked at once
  texts = 1 << 24,        // "texts": a sequence of str
  targets = 1 << 23,      // "outs": several arrays that are written, or None
  callable = 1 << 26,     // "callable": a function of Python's, which has the whole call made in Python
  index = 1 << 25,        // "index": what is between the brackets of x[...], of the first array
};
[[nodiscard]] constexpr bool includes(Takes set, Takes one) {
  return (static_cast<unsigned>(set) & static_cast<unsigned>(one)) == static_cast<unsigned>(one);
}
[[nodiscard]] constexpr Takes operator|(Takes a, Takes b) {
  return static_cast<Takes>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

struct Parameter {
  enum class Passed : std::uint8_t { by_position, either, by_name, rest };  // rest: as in *arrays
  std::string name;
  Takes takes = Takes::nothing;
  Passed passed = Passed::either;
  bool is_required = true;
  Value preset;             // default value
  std::string preset_text;  // the default as Python writes it
};

class Arguments;

// A row. Text is plain sentences without Markdown; `@` in examples is never printed.
struct Function {
  // "sum"; "linalg.norm" belongs to a module, "Array.sort" is a method only.
  std::string_view name;
  std::string_view aliases = {};  // aliases, separated by spaces
  // As Python writes them: "a: array, /, axis: ints = None, *, keepdims: bool = False".
  std::string_view parameters;
  std::string_view summary;         // first sentence of the documentation
  std::string_view notes = {};      // more sentences
  std::string_view about = {};      // "name: text" in lines, for parameters that are this function's own
  std::string_view returns = {};    // description of the result
  std::string_view type = "Array";  // annotation of the result in Python
  std::string_view example = {};    // lines of an interactive session
  bool is_method = false;           // also a method of arrays: x.sum() is sum(x)
  bool is_brief = false;            // neither computes nor waits, so its caller may hold a lock
  Result (*call)(const Arguments&) = nullptr;
  const codegen::Op* op = nullptr;      // of an elementwise operation
  const Function* method_of = nullptr;  // of methods such as add.reduce: the function
};

// The arguments of one call, in the order of the parameters. Each has a kind that its parameter takes.
class Arguments {
 public:
  Arguments(const Function& function, std::span<const Value* const> values, const Queue& queue)
      : function_(&function), values_(values), queue_(&queue) {}

  [[nodiscard]] const Function& function() const noexcept { return *function_; }
  // The queue of the call: the requested one, or that of the arrays.
  [[nodiscard]] const Queue& queue() const noexcept { return *queue_; }
  [[nodiscard]] const Value& operator[](std::size_t k) const { return *values_[k]; }

  [[nodiscard]] bool has(std::size_t k) const { return !std::holds_alternative<std::monostate>(*values_[k]); }
  template <class T>
  [[nodiscard]] bool is(std::size_t k) const {
    return std::holds_alternative<Kept<T>>(*values_[k]);
  }
  template <class T>
  [[nodiscard]] const T& get(std::size_t k) const {
    if constexpr (kIsBoxed<T>) {
      return *std::get<Kept<T>>(*values_[k]);
    } else {
      return std::get<T>(*values_[k]);
    }
  }
  template <class T>
  [[nodiscard]] std::optional<T> find(std::size_t k) const {
    return has(k) ? std::optional<T>(get<T>(k)) : std::nullopt;
  }

  [[nodiscard]] const Array& array(std::size_t k) const { return get<Array>(k); }
  [[nodiscard]] const std::vector<Array>& arrays(std::size_t k) const { return get<std::vector<Array>>(k); }
  [[nodiscard]] const HostNumbers& numbers(std::size_t k) const { return get<HostNumbers>(k); }
  [[nodiscard]] bool flag(std::size_t k) const { return get<bool>(k); }
  [[nodiscard]] std::int64_t integer(std::size_t k) const { return get<std::int64_t>(k); }
  [[nodiscard]] std::string_view text(std::size_t k) const { return get<std::string>(k); }
  // It borrows the array from here.
  [[nodiscard]] Operand operand(std::size_t k) const {
    return is<Array>(k) ? Operand(array(k)) : Operand(get<Number>(k));
  }
  // They borrow the arrays, too.
  [[nodiscard]] std::vector<Operand> operands(std::size_t k) const;
  // For "ints", where one integer is kept as such.
  [[nodiscard]] std::vector<std::int64_t> integers(std::size_t k) const;
  [[nodiscard]] std::optional<std::vector<int>> axes(std::size_t k) const;  // empty if none were given
  [[nodiscard]] Over over(std::size_t k) const;
  [[nodiscard]] std::optional<int> axis(std::size_t k) const;
  // For "str | None", where None is C order.
  [[nodiscard]] MemoryOrder order(std::size_t k, std::string_view allowed = "CFAK") const;
  [[nodiscard]] const Numbers& nested(std::size_t k) const { return get<Numbers>(k); }
  // For "bool | array": nothing if it is true for all elements.
  [[nodiscard]] std::optional<Array> mask(std::size_t k) const;

 private:
  const Function* function_;
  std::span<const Value* const> values_;
  const Queue* queue_;
};

// Requests a warning to the caller, as NumPy warns of an overflow. The text must have static lifetime.
void warn(const char* text) noexcept;
// Returns and clears the pending warning of this thread; null if there is none.
const char* take_warning() noexcept;

// All rows, those of elementwise operations first.
std::span<const Function> functions();
// By name or alias; null if there is none.
const Function* find_function(std::string_view name);
// "reduce", "accumulate", "reduceat", "outer" or "at" of an elementwise function; null if it has none.
// These rows are not part of functions().
const Function* find_method(const Function& function, std::string_view method);

// The attributes that numpy.ufunc has: the numbers of operands and of results, the neutral element, and the
// signature of functions of whole axes such as matmul.
struct UfuncProperties {
  int operands, results;
  std::optional<Number> identity = {};
  std::string_view signature = {};  // empty for elementwise functions
};
// Nothing for functions that are neither elementwise nor ufuncs in NumPy.
std::optional<UfuncProperties> ufunc_properties(const Function& function);

// Parses the parameters of a row. Throws std::logic_error for an invalid signature.
std::vector<Parameter> parameters_of(const Function& function);
// The names of a row, its primary name first.
std::vector<std::string> names_of(const Function& function);

// The docstring in NumPy's format: summary, parameters, result, example. The example calls the function by
// this name, without its module's, which may be an alias. That of a method omits the array, and its example
// calls the method.
std::string documentation_of(const Function& function, std::string_view name = {}, bool is_method = false);
// The signature for stubs: "def sum(a: ArrayLike, axis: int | Sequence[int] | None = None) -> Array".
std::string stub_of(const Function& function, std::string_view name, bool is_method);

}  // namespace registry
}  // namespace quern
