// SPDX-License-Identifier: MIT
// Elements picked by their positions.
#include "algorithms/gather.hpp"

#include "algorithms/kernel_table.hpp"
#include "codegen/type_text.hpp"

namespace quern::algorithms {

Event enqueue_gather(const Queue& queue, const DType& dtype, const Buffer& from, const Buffer& positions,
                     const std::string& index_type, const Buffer& out, std::size_t n) {
  const codegen::OpaqueType element = codegen::opaque_type(dtype, "element_t");
  const Kernel kernel =
      kernel_of({"gather"}, "gather", {{"ELEMENT", element.name}, {"INDEX", index_type}}, element.definition);
  return kernel(queue, range(n), from, positions, out, n);
}

}  // namespace quern::algorithms
