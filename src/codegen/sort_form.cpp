// SPDX-License-Identifier: MIT
// The defines of kernels that sort, search and merge.
#include "codegen/sort_form.hpp"

namespace quern::codegen {

const char* unsigned_type(unsigned nbytes) {
  return nbytes == 1 ? "uchar" : nbytes == 2 ? "ushort" : nbytes == 4 ? "uint" : "ulong";
}

Defines KeyForm::defines(bool ties) const {
  return {{"KEY", unsigned_type(size)},
          {"KEY_BITS", std::to_string(8 * size)},
          {"KEY_IS_FLOAT", is_float ? "1" : "0"},
          {"KEY_TIES", ties ? "1" : "0"}};
}

Defines bounds_defines(const KeyForm& key, bool upper) {
  Defines defines = key.defines(true);
  defines.emplace_back("UPPER", upper ? "1" : "0");
  return defines;
}

Defines merge_defines(const KeyForm& key, const ValueForm& value) {
  Defines defines = key.defines(true);
  defines.insert(defines.end(), {{"VALUES", value.word != 0 ? "1" : "0"},
                                 {"VALUE", unsigned_type(value.word)},
                                 {"WORDS", value.is_long ? "words" : "1"},
                                 {"GROUPS", "0"}});
  return defines;
}

Defines radix_defines(const KeyForm& key, bool has_values, unsigned value_size, unsigned value_out_size) {
  Defines defines = key.defines(has_values);
  defines.insert(defines.end(), {{"VALUES", has_values ? "1" : "0"},
                                 {"VALUE_IN", unsigned_type(value_size)},
                                 {"VALUE_OUT", unsigned_type(value_out_size)}});
  return defines;
}

}  // namespace quern::codegen
