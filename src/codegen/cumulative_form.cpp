// SPDX-License-Identifier: MIT
// Parameters of src/kernels/cumulative.cl.
#include "codegen/cumulative_form.hpp"

#include "codegen/type_text.hpp"

namespace quern::codegen {

std::string CumulativeForm::definitions(const std::string& function, const std::string& parameters,
                                        const std::string& load) const {
  const std::string type = type_name(item);
  return function + "#define PARAMETERS " + parameters + "\n#define LOAD(i) " + load + "\ninline " + type +
         " combine(" + type + " a, " + type + " b) {\n  return " + scan_operator(item, operation).expression +
         ";\n}\n";
}

std::string CumulativeForm::definitions() const {
  return definitions({}, "const global " + type_name(item) + " *x", "x[i]");
}

Defines CumulativeForm::defines(bool in_strips) const {
  return {{"ITEM", type_name(item)},
          {"OUT", type_name(result)},
          {"STRIP", std::to_string(in_strips ? kCumulativeStrip : 1)}};
}

}  // namespace quern::codegen
