// SPDX-License-Identifier: MIT
// Copies strided elements: on the host by a function, on other devices by tiles if the copy transposes a
// matrix, otherwise by a generated kernel.
#include "algorithms/copy.hpp"

#include <array>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include "algorithms/host/copy_elements.hpp"
#include "algorithms/launch/operation.hpp"
#include "algorithms/raw_element.hpp"
#include "algorithms/transpose_tiles.hpp"
#include "base/dtype_kinds.hpp"
#include "codegen/type_text.hpp"
#include "quern/views.hpp"

namespace quern::algorithms {
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

// Whether the copy transposes a matrix. In narrow ones, most of a tile would be empty.
bool is_transposed(const Array& source, const Array& target) {
  constexpr std::int64_t kNarrow = 8;
  const Shape& shape = target.shape();
  if (shape.size() != 2 || source.shape() != shape || !target.contiguous()) return false;
  if (shape[0] < kNarrow || shape[1] < kNarrow) return false;
  const auto size = static_cast<std::int64_t>(source.dtype().itemsize);
  return source.strides() == Strides{size, size * shape[0]};
}

codegen::ElementwiseSource source_of(const RawElement& raw) {
  const std::vector<codegen::Argument> arguments = {
      codegen::declare("quern_x", raw.dtype, raw.type, true, true),
      codegen::declare("quern_y", raw.dtype, raw.type, true, false)};
  constexpr auto kForm = codegen::Snippet::Form::named;
  codegen::ElementwiseSource source{"copy", raw.definition, {}, {"quern_y = quern_x;", kForm, "operation"}};
  source.operands = codegen::operands_of(arguments, {&source.operation}, codegen::Preamble(), kForm);
  source.reads_first = true;
  return source;
}

Event copy_by_kernel(const Queue& queue, const Array& source, const Array& target) {
  const auto is_one = [](const Array& array) {
    return is_addressable(array.dtype(), array.strides(), array.offset());
  };
  if (!is_one(target) || !is_one(source)) {
    const std::size_t word = std::gcd(word_of(target), word_of(source));
    const Array to = as_words(target, word), from = as_words(source, word);
    return copy_by_kernel(queue, broadcast_to(from, to.shape()), to);
  }
  if (is_transposed(source, target)) return transpose_tiles(queue, source, target);
  const RawElement raw = raw_element_of(target.dtype());
  const auto program = known_program("copy/" + raw.definition + raw.type, [&] { return source_of(raw); });
  const Array from = as_raw(source, raw), to = as_raw(target, raw);
  const std::array<KernelArgument, 2> arguments = {from, to};
  return program->launch(queue, arguments, {}, {});
}

}  // namespace

Event copy_elements(const Queue& queue, const Array& source, const Array& target) {
  constexpr Operation kCopy(&copy_by_function, &copy_by_kernel, FunctionUse::always);
  return kCopy(queue, source, target);
}

}  // namespace quern::algorithms
