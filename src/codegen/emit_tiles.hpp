// SPDX-License-Identifier: MIT
// Pieces of text of kernels that scan in tiles: where items are, how they are loaded, how work-groups learn
// what comes before them.
#pragma once

#include <string>

#include "codegen/emit_loop.hpp"
#include "codegen/emit_scan.hpp"

namespace quern::codegen::scan {

// Whether there are vectors of such elements, which kernels may load in one piece.
bool has_vector_type(const DType& dtype);

// `for (int NAME = from; NAME < count; ++NAME)`, unrolled.
std::string each(const std::string& name, const std::string& count, int from = 0);

// A work-item holds `items` of a tile: `rounds` times `vector` neighbours, so that in each round a sub-group
// (of W work-items) touches memory without gaps. Item j is number (j / vector) * W * vector + j % vector from
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
  // Where the work-item and its items are.
  [[nodiscard]] std::string place() const;
  [[nodiscard]] std::string item_index() const;
  // Whether vectors of the operand's elements are loaded and stored in one piece.
  [[nodiscard]] bool has_vectors(const ScanOperand& operand) const;
  // A pointer to the vector of the operand's elements that round quern_r has.
  [[nodiscard]] std::string vector_at(const ScanOperand& operand, bool is_const) const;
  // Sets `target` to the input of item quern_j, of index `i`.
  [[nodiscard]] std::string input(const std::string& target) const;
  // quern_xA[items] of the operands that the phase is the first to read.
  [[nodiscard]] std::string load(bool for_input) const;
  // quern_own, what the sub-groups before have, and quern_all, what the tile has.
  [[nodiscard]] std::string scan_group() const;
  // quern_warps[local id]: `sum` joined to those of the work-items before.
  [[nodiscard]] std::string scan_local(const std::string& sum) const;
  [[nodiscard]] std::string locals() const;
  // The sums of all tiles, by one work-group.
  [[nodiscard]] std::string sums() const;
  [[nodiscard]] std::string state_parameters() const;
  // Where tiles tell the others what they have: nothing yet (0), their own sum (1), or the sum of all up to
  // them (2).
  [[nodiscard]] std::string states() const;
  // Publishes quern_all; then `between`; then quern_prefix: everything before the tile, where it is not the
  // first. Ends with a barrier.
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
