// SPDX-License-Identifier: MIT
// The defines of the kernels of sparse matrices (sparse_*.cl).
#pragma once

#include "codegen/sort_form.hpp"
#include "quern/dtype.hpp"

namespace quern::codegen {

// The type in which a kernel computes with such entries: integers are unsigned, whose overflow is defined.
DType sparse_value(const DType& dtype);
// `index` is int32 or int64.
Defines sparse_defines(const DType& dtype, const DType& index);
Defines sparse_structure_defines(const DType& index);

}  // namespace quern::codegen
