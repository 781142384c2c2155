// SPDX-License-Identifier: MIT
// Elements as raw bytes, for kernels that only move them: one kernel serves all types of one size.
#include "array/raw_element.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "algorithms/host/copy_elements.hpp"
#include "algorithms/host/precompiled_kernel.hpp"
#include "algorithms/launch/program_table.hpp"
#include "codegen/type_text.hpp"
#include "quern/views.hpp"

namespace quern::array {

RawElement raw_element_of(const DType& dtype) {
  const codegen::OpaqueType type = codegen::opaque_type(dtype, "element_t");
  if (!type.definition.empty()) {
    // codegen::opaque_type() declares the same in C.
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

std::shared_ptr<const algorithms::ElementwiseProgram> known_program(
    const std::string& key, const std::function<codegen::ElementwiseSource()>& make) {
  // Never destroyed: the library may be used until the process ends.
  static auto* const table = new algorithms::ProgramTable<std::string, algorithms::ElementwiseProgram>;
  return table->get(key, [&] {
    return std::make_shared<algorithms::ElementwiseProgram>(make(), std::vector<std::string>());
  });
}

namespace {

// Views elements that kernels cannot address, such as nested structures, as words along one more axis.
Array as_words(const Array& array, std::size_t word) {
  Shape shape = array.shape();
  Strides strides = array.strides();
  shape.push_back(static_cast<std::int64_t>(array.dtype().itemsize / word));
  strides.push_back(static_cast<std::int64_t>(word));
  return {array.buffer(), detail::unsigned_of_size(word), std::move(shape), std::move(strides),
          array.offset()};
}

std::size_t word_of(const Array& array) {
  std::size_t word = std::gcd(std::gcd(std::size_t{8}, array.dtype().itemsize), array.offset());
  for (const std::int64_t stride : array.strides())
    word = std::gcd(word, static_cast<std::size_t>(std::abs(stride)));
  return word;
}

}  // namespace

Event move_elements(const Array& target, const Array& source, const Queue& queue) {
  if (algorithms::calls_precompiled(queue)) return algorithms::copy_elements(queue, source, target);
  const auto is_one = [](const Array& array) {
    return is_addressable(array.dtype(), array.strides(), array.offset());
  };
  if (!is_one(target) || !is_one(source)) {
    const std::size_t word = std::gcd(word_of(target), word_of(source));
    const Array to = as_words(target, word), from = as_words(source, word);
    return move_elements(to, broadcast_to(from, to.shape()), queue);
  }
  const RawElement raw = raw_element_of(target.dtype());
  const auto program = known_program("move/" + raw.definition + raw.type, [&] {
    const std::vector<codegen::Argument> arguments = {
        codegen::declare("quern_x", raw.dtype, raw.type, true, true),
        codegen::declare("quern_y", raw.dtype, raw.type, true, false)};
    constexpr auto kForm = codegen::Snippet::Form::named;
    codegen::ElementwiseSource result{"move", raw.definition, {}, {"quern_y = quern_x;", kForm, "operation"}};
    result.operands = codegen::operands_of(arguments, {&result.operation}, codegen::Preamble(), kForm);
    result.reads_first = true;
    return result;
  });
  const Array from = as_raw(source, raw), to = as_raw(target, raw);
  const std::array<KernelArgument, 2> arguments = {from, to};
  return program->launch(queue, arguments, {}, {});
}

}  // namespace quern::array
