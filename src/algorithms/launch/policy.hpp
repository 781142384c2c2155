// SPDX-License-Identifier: MIT
// Where a device runs functions of the library, where kernels that a compiler makes, and what follows from
// it. Nothing else in the layers above the runtime asks for this; tools/check_layers.py checks it.
#pragma once

#include <cstdint>

#include "quern/queue.hpp"

namespace quern::algorithms {

// What suits a device, as measured (docs/decisions.md). Arrays and algorithms read these properties.
struct Policy {
  bool computes_small_work_at_once;    // on the calling thread, without a launch
  bool scans_small_arrays_in_order;    // as NumPy does, so that sums are rounded equally
  std::int64_t least_lazy_product;     // multiplications; smaller products are computed at once
  bool sums_vector_products;           // a product with a vector is a sum, which reads expressions
  bool multiplies_masked_triangles;    // a product reads the matrix of which an operand is a triangle
  bool keeps_transforms_lazy;          // so that the passes of a transform compute the expressions around it
  bool transforms_any_length_at_once;  // Bluestein's algorithm is one launch
  bool has_loops;                      // for expressions and reductions whose kernel is not compiled
  bool has_draws;                      // of random numbers
};
const Policy& policy(const Queue& queue);

// Whether to run programs that the library holds instead of generating one for so many elements: always
// without a compiler or with QUERN_HOST_LOOPS=only, never with QUERN_HOST_LOOPS=never or on devices that
// cannot call functions, otherwise if the elements are few.
bool avoids_compiling(const Queue& queue, std::uint64_t elements);

// When a device that can call a function of the library does so.
enum class FunctionUse : std::uint8_t {
  allowed,  // unless QUERN_HOST_LOOPS=never or QUERN_LOOPS=grid asks for kernels
  always,   // no kernel is compiled for what only moves elements
};
// For Operation and LibraryKernel, which choose.
bool calls_function(const Queue& queue, FunctionUse use = FunctionUse::allowed);

}  // namespace quern::algorithms
