// SPDX-License-Identifier: MIT
// Scans (prefix sums) with a user's operator, generated from C snippets.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quern/api.hpp"
#include "quern/elementwise.hpp"

namespace QUERN_API quern {

namespace detail {
class ScanState;
}

// `T name = argument[i + offset];` before the input expression. Before the first element it is the first
// element.
struct InputFetch {
  std::string name, argument;
  int offset = 0;
};

// The snippets of a scan, in C. In all but scan_expr, `i` is the index, `N` the number of elements, and the
// arguments are visible.
struct ScanSnippets {
  std::string arguments;         // "const float *x, float *y"
  std::string input_expr;        // "x[i]"
  std::string scan_expr;         // of a and b, associative, "a + b"; a comes before b. In a segmented scan
                                 // across_seg_boundary is true if a segment starts between them.
  std::string output_statement;  // of item, prev_item (needs neutral) and last_item: "y[i] = item"
  std::string neutral;           // empty: none
  std::string is_segment_start_expr;  // empty: one segment; `a` is the input here
  std::vector<InputFetch> input_fetch_exprs;
  bool commutative = false;  // the operator is also commutative, which CPUs use
};

// The strategy of a scan. All but `automatic` are for debugging and tuning.
enum class ScanStrategy : std::uint8_t {
  automatic,
  sequential,  // one work-item, element by element
  chunks,      // a long chunk for each of a few work-items, in two passes
  multi_pass,  // tiles are summed, their sums scanned, the tiles scanned
  look_back,   // one pass, each tile waits for those before it; for devices that start groups in order
};

struct ScanTuning {
  ScanStrategy strategy = ScanStrategy::automatic;
  unsigned group_size = 0;  // work-items of a tile, or number of chunks; 0: chosen by the library
  unsigned items = 0;       // of each work-item of a tile; 0: chosen by the library
};

// Immutable and safe to share between threads. Items are elements of `dtype`: a number, a vector, or a
// structure. Arrays are contiguous. An array that is fetched with an offset must not be written.
class ScanKernel {
 public:
  // `type_name` is the name of a structure that the preamble defines; if it is empty, the structure is
  // defined here as item_t.
  ScanKernel(const DType& dtype, ScanSnippets snippets, GeneratorOptions options = {}, ScanTuning tuning = {},
             const std::string& type_name = {});
  // Of a C type, which the preamble may define.
  ScanKernel(const std::string& type_name, ScanSnippets snippets, GeneratorOptions options = {},
             ScanTuning tuning = {});

  template <class... Arguments>
  Event operator()(const Queue& queue, const Arguments&... arguments) const {
    const std::array<KernelArgument, sizeof...(Arguments)> list = {KernelArgument(arguments)...};
    return launch(queue, list);
  }
  // Over `size` elements; by default over as many as the first array argument has.
  Event launch(const Queue& queue, std::span<const KernelArgument> arguments,
               std::optional<std::int64_t> size = {}, WaitList wait_for = {}) const;

  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] const Signature& signature() const noexcept;  // the arguments as declared
  [[nodiscard]] const DType& dtype() const noexcept;          // of the items
  // The program that a launch with these arguments uses.
  [[nodiscard]] std::string source(const Queue& queue, std::span<const KernelArgument> arguments,
                                   std::optional<std::int64_t> size = {}) const;

 private:
  std::shared_ptr<detail::ScanState> state_;
};

}  // namespace quern
