// SPDX-License-Identifier: MIT
// Elements as raw bytes, for kernels that only move them: one kernel serves all types of one size.
#include "algorithms/raw_element.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "algorithms/launch/program_table.hpp"
#include "base/dtype_kinds.hpp"
#include "codegen/type_text.hpp"

namespace quern::algorithms {

RawElement raw_element_of(const DType& dtype) {
  const codegen::RawElementType type = codegen::raw_element_type(dtype, "element_t");
  if (!type.definition.empty()) {
    // codegen::raw_element_type() declares the same in C.
    const std::size_t alignment = std::min<std::size_t>(dtype.alignment(), 8);
    const std::size_t word = dtype.itemsize % alignment == 0 ? alignment : 1;
    const DType part = detail::unsigned_of_size(word);
    StructLayout layout{type.name, {{"words", part, 0, dtype.itemsize / word}}, dtype.itemsize, word};
    return {DType::structure(std::make_shared<const StructLayout>(std::move(layout))), type.name,
            type.definition};
  }
  if (dtype.itemsize <= 8) return {detail::unsigned_of_size(dtype.itemsize), type.name, {}};
  return {DType::of(dtype.itemsize == 16 ? Scalar::uint32 : Scalar::uint64, 4), type.name, {}};
}

Array as_raw(const Array& array, const RawElement& raw) {
  return {array.buffer(), raw.dtype, array.shape(), array.strides(), array.offset()};
}

std::shared_ptr<const ElementwiseProgram> known_program(
    const std::string& key, const std::function<codegen::ElementwiseSource()>& make) {
  // Never destroyed: the library may be used until the process ends.
  static auto* const table = new ProgramTable<std::string, ElementwiseProgram>;
  return table->get(key,
                    [&] { return std::make_shared<ElementwiseProgram>(make(), std::vector<std::string>()); });
}

}  // namespace quern::algorithms
