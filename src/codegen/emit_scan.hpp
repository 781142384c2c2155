// SPDX-License-Identifier: MIT
// OpenCL C of scans: by one work-item, by a chunk for each of a few work-items, or in tiles by work-groups.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/loop.hpp"
#include "quern/scan_kernel.hpp"

namespace quern::codegen {

struct ScanOperand {
  Argument argument;
  ElementUse input, output;  // by the expressions before the scan, and by the output statement
  bool is_element = false;   // accessed only at the index
  // Elements are kept in registers: loaded once, stored once.
  bool in_registers = false;
  [[nodiscard]] bool is_loaded() const { return in_registers && (input.reads || output.reads); }
  [[nodiscard]] bool is_stored() const { return in_registers && output.writes; }
};

struct ScanFetch {
  std::string name;
  std::size_t operand = 0;
  int offset = 0;
};

struct ScanSource {
  std::string name, preamble;
  std::string item;  // the type that is scanned
  DType item_dtype;
  std::string scan, neutral;
  Snippet input, segment_start, output;
  std::vector<ScanFetch> fetches;
  std::vector<ScanOperand> operands;
  bool commutative = false;  // the author's declaration about the operator
  bool needs_total = false;  // before any output
  bool is_plain = true;      // elements may be kept in registers

  [[nodiscard]] bool segmented() const { return !segment_start.empty(); }
  [[nodiscard]] bool uses_previous() const { return output.mentions("prev_item"); }
  [[nodiscard]] bool uses_last() const { return needs_total || output.mentions("last_item"); }
  // Bytes of a partial result: an item, and whether a segment starts in it.
  [[nodiscard]] std::size_t partial_size() const;
  // An item of up to 4 bytes and its state are packed into one 64-bit word.
  [[nodiscard]] bool is_packed() const { return item_dtype.itemsize <= 4; }
};

// Parses the arguments and analyses how the snippets use them: those of the source, and `outputs`, which are
// evaluated after the scan. Throws ArgumentError for a scan that is not supported.
void add_operands(ScanSource& source, const std::string& arguments, const std::vector<InputFetch>& fetches,
                  const std::vector<const Snippet*>& outputs, const Preamble& preamble,
                  std::span<const std::string_view> reserved = {});

struct ScanVariant {
  ScanStrategy strategy = ScanStrategy::sequential;
  bool wide = false;    // 64-bit indices
  bool aligned = true;  // arrays may be loaded as vectors
  unsigned group_size = 256;
  unsigned items = 16;  // of a work-item
  unsigned vector = 4;  // of these, neighbours in memory

  [[nodiscard]] std::string key() const;
  [[nodiscard]] const char* index_type() const { return wide ? "long" : "int"; }
  [[nodiscard]] std::size_t tile() const { return std::size_t{group_size} * items; }
};

// The whole program. The parameters of each kernel are the user's own, `index N`, and then
//   sequential  NAME_apply(global partial *total)
//   chunks      NAME_reduce(index chunk, global partial *sums)
//               NAME_apply(index chunk, global const partial *sums), with `streams` chunks for a work-item
//   multi_pass  NAME_reduce(global partial *sums)
//               NAME_sums(global partial *sums, int count), without the user's arguments and N
//               NAME_apply(global const partial *sums)
//   look_back   NAME_apply(global ulong *states) where items are packed, otherwise
//               NAME_apply(global uint *states, global partial *aggregates, global partial *inclusives).
std::string emit_scan(const ScanSource& source, const ScanVariant& variant);

// Maximum bytes of local memory of a kernel of a tiled strategy.
std::size_t scan_local_memory(const ScanSource& source, const ScanVariant& variant);

// Shared by emit_scan's files: code of all strategies, and the kernels of the tiled ones.
namespace scan {

// Types, the operator and the combination of partial results.
std::string definitions(const ScanSource& source);
std::string parameters(const ScanSource& source, const ScanVariant& variant);
// Statements that set the partial result `target` from element `i`; `element` spells operands in registers,
// and `behind` those of a fetch.
using Spelling = std::function<std::string(std::size_t operand)>;
using FetchSpelling = std::function<std::string(const ScanFetch& fetch)>;
std::string set_input(const ScanSource& source, const std::string& target, const Spelling& element,
                      const FetchSpelling& behind);
// The user's output statement, with item, prev_item and last_item defined.
std::string output(const ScanSource& source, const Spelling& element);
std::string tile_kernels(const ScanSource& source, const ScanVariant& variant);
// For kernels with independent work-items that run loops.
inline constexpr const char* kLoneKernel = "kernel __attribute__((reqd_work_group_size(1, 1, 1))) void ";
// The element of an operand at this distance before i, or the first; compilers then emit one loop without the
// comparison for work-items that begin further on.
std::string behind(const std::string& name, const std::string& index, std::size_t offset);
// Number of chunks that a work-item scans side by side.
std::size_t streams(const ScanSource& source);

}  // namespace scan

}  // namespace quern::codegen
