// SPDX-License-Identifier: MIT
// The selections that the library offers: the text of each, and the source that it makes.
#pragma once

#include <string>
#include <vector>

#include "codegen/emit_select.hpp"

namespace quern::codegen {

// A selection of the elements for which a predicate is true.
struct SelectForm {
  std::string what;  // the name of the algorithm
  std::string preamble, arguments, predicate;
  std::vector<InputFetch> fetches;
  struct Output {
    std::string type;
    std::size_t size = 0;
    std::string value;
  };
  std::vector<Output> outputs;
  bool partition = false;  // the elements that are not selected follow
  bool is_wide = true;     // elements are counted in 64 bits

  [[nodiscard]] std::string key() const;
};

// Positions of the elements that are not zero. The argument is x; of float16 and bfloat16 it is the bits
// (uint16).
SelectForm nonzero_form(const DType& x);
// The first element of each run of equal ones; with `positions` also where it is. The argument is x.
SelectForm heads_form(std::string what, const DType& x, bool positions);
// The elements whose byte in a mask is not zero, or with `negated` those whose byte is. The arguments are x,
// whose elements are only moved, and quern_mask.
SelectForm masked_form(std::string what, const DType& x, const DType& mask, bool negated);

// Whether the build compiles the forms for masks of bool into the library.
bool is_masked_in_library(const DType& x);

// `preamble` has the form's text.
SelectSource select_source(const SelectForm& form, const Preamble& preamble);

}  // namespace quern::codegen
