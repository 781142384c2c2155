// SPDX-License-Identifier: MIT
// What kernels that sort, search and merge are told of keys and values: the defines of radix_keys.cl and of
// the files that follow it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace quern::codegen {

using Defines = std::vector<std::pair<std::string, std::string>>;

const char* unsigned_type(unsigned nbytes);  // "uint" for 4...

// Keys are compared as the bits of unsigned integers.
struct KeyForm {
  unsigned size = 4;  // bytes
  bool is_float = false;

  // The defines of radix_keys.cl; with `ties`, keys that compare equal are equal.
  [[nodiscard]] Defines defines(bool ties) const;
  [[nodiscard]] unsigned code() const { return size * 2 + (is_float ? 1 : 0); }  // below 32
};

// Of bounds.cl.
Defines bounds_defines(const KeyForm& key, bool upper);

// Values that travel with keys: so many words of this size are one.
struct ValueForm {
  unsigned word = 0;     // bytes; 0: there are no values
  bool is_long = false;  // more than one word; their number is an argument of the kernel
};
// Of merge.cl for processors with few cores.
Defines merge_defines(const KeyForm& key, const ValueForm& value);

// Of the files that sort by digits: values have this size on the way, and that one in the end.
Defines radix_defines(const KeyForm& key, bool has_values, unsigned value_size, unsigned value_out_size);

}  // namespace quern::codegen
