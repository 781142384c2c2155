// SPDX-License-Identifier: MIT
// Text of kernels that scan in tiles: the positions of items, their loads, and the look-back between
// work-groups.
#pragma once

#include <string>

#include "codegen/emit_loop.hpp"
#include "codegen/emit_scan.hpp"

namespace quern::codegen::scan {

// Whether there are vectors of such elements, which kernels may load at once.
bool has_vector_type(const DType& dtype);

// `for (int NAME = from; NAME < count; ++NAME)`, unrolled.
std::string each(const std::string& name, const std::string& count, int from = 0);

// A work-item holds `items` of a tile: `rounds` times `vector` neighbours, so that in each round a sub-group
// (of W work-items) accesses contiguous memory. Item j is number (j / vector) * W * vector + j % vector from
// quern_base on.
class Tiles {
 public:
  Tiles(const ScanSource& source, const ScanVariant& variant)
      : source_(source),
        variant_(variant),
        index_(variant.index_type()),
        items_(number(variant.items)),
        vector_(number(variant.vector)),
        rounds_(number(variant.items / variant.vector)),
        value_(source.segmented() ? ".value" : "") {}

  [[nodiscard]] std::string kernel(const char* suffix, const std::string& more,
                                   const std::string& body) const;
  // Partial results of other lanes.
  [[nodiscard]] std::string exchange() const;
  // The positions of the work-item and its items.
  [[nodiscard]] std::string place() const;
  [[nodiscard]] std::string item_index() const;
  // Whether vectors of the operand's elements are loaded and stored at once.
  [[nodiscard]] bool has_vectors(const ScanOperand& operand) const;
  // A pointer to the vector of the operand's elements of round quern_r.
  [[nodiscard]] std::string vector_at(const ScanOperand& operand, bool is_const) const;
  // Sets `target` to the input of item quern_j, of index `i`.
  [[nodiscard]] std::string input(const std::string& target) const;
  // quern_xA[items] of the operands that this phase reads first.
  [[nodiscard]] std::string load(bool for_input) const;
  // quern_own, the sum of the sub-groups before, and quern_all, the sum of the tile.
  [[nodiscard]] std::string scan_group() const;
  // quern_warps[local id]: `sum` combined with those of the work-items before.
  [[nodiscard]] std::string scan_local(const std::string& sum) const;
  [[nodiscard]] std::string locals() const;
  // The scan of the sums of all tiles, by one work-group.
  [[nodiscard]] std::string sums() const;
  [[nodiscard]] std::string state_parameters() const;
  // The state that tiles publish: nothing yet (0), their own sum (1), or the sum of all tiles up to them (2).
  [[nodiscard]] std::string states() const;
  // Publishes quern_all; then `between`; then quern_prefix: the sum before the tile, unless it is the first.
  // Ends with a barrier.
  [[nodiscard]] std::string look_back(const std::string& between) const;

 private:
  const ScanSource& source_;
  const ScanVariant& variant_;
  const std::string index_, items_, vector_, rounds_, value_;
  [[nodiscard]] std::string group_attribute() const;
  [[nodiscard]] std::string fetched(const ScanFetch& fetch) const;
  [[nodiscard]] std::string state_arguments() const;
  [[nodiscard]] std::string last_word() const;
};

}  // namespace quern::codegen::scan
