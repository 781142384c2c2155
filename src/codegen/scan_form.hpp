// SPDX-License-Identifier: MIT
// The scans that the library offers: the snippets of each, and the source that snippets make.
#pragma once

#include <optional>
#include <string>

#include "codegen/emit_scan.hpp"
#include "quern/scan.hpp"

namespace quern::codegen {

// An operator in C, of `a` and `b`; `a` comes before `b`.
struct ScanOperator {
  std::string expression, neutral;
};
// Maxima and minima need a dtype that is ordered, so not a complex one.
ScanOperator scan_operator(const DType& dtype, ScanOperation operation);

// A scan of `x` into `out`. The items have the dtype of `out`, but those of float16 are float32. Segments
// start where `starts` is not zero or where one of `keys` differs from the key before it.
struct ScanForm {
  DType x, out;
  ScanOperation operation = ScanOperation::sum;
  bool exclusive = false;
  std::optional<DType> starts, keys;

  static constexpr const char* kName = "scan_kernel";
  [[nodiscard]] DType item_dtype() const;
  [[nodiscard]] std::string item() const;  // the type of the items in C
  // Whether results are rounded, so that they depend on the order of the operations.
  [[nodiscard]] bool rounds() const;
  // Converts an element of x to an item.
  [[nodiscard]] std::string element(const std::string& value) const;
  // The arguments are x, out, and starts or keys.
  [[nodiscard]] ScanSnippets snippets() const;
  // The same scan of converted arrays, in the most general form: the arguments are x, out, a bool for each
  // element that tells whether a segment starts there, and an int that tells whether the scan is exclusive.
  [[nodiscard]] ScanSnippets general_snippets() const;
  // Whether the build compiles its program into the library.
  [[nodiscard]] bool is_in_library() const;
};

// The preamble that the snippets need before their own one.
std::string scan_preamble(std::string preamble, const ScanSnippets& snippets);
// `preamble` has the text of scan_preamble(). Throws ArgumentError for a scan that is not supported.
ScanSource scan_source(std::string name, const DType& dtype, const std::string& item_type,
                       const ScanSnippets& snippets, const Preamble& preamble);

// Tells whether neighbouring keys differ, as an expression of `here` and `behind`.
std::string differs(const DType& keys, const std::string& here, const std::string& behind);

}  // namespace quern::codegen
