// SPDX-License-Identifier: MIT
// How bfloat16 is computed: as float32, by functions in C that convert its bits. float16 has such functions,
// too, for devices without half precision.
#pragma once

#include <string>

namespace quern {
struct DType;
}

namespace quern::codegen {

struct Op;

// The operation on float32 whose rounded result is that of `op` on bfloat16: `op` itself, unless it depends
// on the distance of neighbouring numbers.
const Op& op_on_singles(const Op& op);

// The functions that convert the bits of a bfloat16 or float16 to a float and back.
struct ShortFloatFunctions {
  explicit ShortFloatFunctions(const DType& dtype);
  std::string definitions, load, store;  // load and store are their names
};

}  // namespace quern::codegen
