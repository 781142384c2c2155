// SPDX-License-Identifier: MIT
// Elements that are marked and moved together by functions of the library.
#include "algorithms/host/select_loops.hpp"

#include <algorithm>
#include <array>

#include "algorithms/host/element_access.hpp"
#include "algorithms/host/precompiled_kernel.hpp"

namespace quern::algorithms {
namespace {

// Numbers as the bits of unsigned integers, one or, of complex ones, two.
struct MarkCall {
  Mark mark;
  bool negated;
  std::size_t parts;
  std::uint64_t sign, infinity;  // bits; 0 of integers, all of which are numbers
};

template <class Bits>
bool is_equal(Bits a, Bits b, const MarkCall& call) {
  if (call.infinity == 0) return a == b;
  const auto numbers = static_cast<Bits>(~call.sign);
  if (((a | b) & numbers) == 0) return true;
  return a == b && (a & numbers) <= call.infinity;
}

template <class Bits>
void run_mark(const quern_launch* launch, unsigned long long first, unsigned long long last) {
  const MarkCall call = call_of<MarkCall>(launch);
  const std::byte* const x = memory_of(launch, 0);
  std::byte* const marks = memory_of(launch, 1);
  const auto numbers = static_cast<Bits>(~call.sign);
  const Elements elements(launch, first, last);
  if (elements.end == launch->global_size[0]) marks[elements.end] = std::byte{1};
  for (std::size_t i = elements.begin; i < elements.end; ++i) {
    const auto is_marked = [&](std::size_t part) {
      const Bits here = load<Bits>(x, i * call.parts + part);
      if (call.mark == Mark::nonzero) return (here & numbers) != 0;
      return i == 0 || !is_equal(load<Bits>(x, (i - 1) * call.parts + part), here, call);
    };
    marks[i] = std::byte{(is_marked(0) || (call.parts == 2 && is_marked(1))) != call.negated};
  }
}

struct SelectCall {
  std::size_t n, itemsize;  // 0: no elements are moved
  bool has_positions, has_lengths, partition, ends;
};
enum SelectMemory : std::size_t { kMarks, kCount, kElements, kOut, kPositions, kLengths };

void run_select(const quern_launch* launch, unsigned long long, unsigned long long) {
  const SelectCall call = call_of<SelectCall>(launch);
  const std::byte *const marks = memory_of(launch, kMarks) + (call.ends ? 1 : 0), *const from = memory_of(
                                                                                      launch, kElements);
  std::byte *const to = memory_of(launch, kOut), *const positions = memory_of(launch, kPositions),
                   *const lengths = memory_of(launch, kLengths);
  std::size_t kept = 0, other = 0, start = 0;
  if (call.partition)
    for (std::size_t i = 0; i < call.n; ++i) other += std::to_integer<std::size_t>(marks[i]);
  const auto end_run = [&](std::size_t i) {
    if (call.has_lengths && kept > 0) store(lengths, kept - 1, static_cast<std::int64_t>(i - start));
    start = i;
  };
  // Blocks are listed first, without branches: nobody can foretell which elements stay.
  constexpr std::size_t kBlock = 1024;
  std::array<std::size_t, kBlock> stay, go;
  for (std::size_t block = 0; block < call.n; block += kBlock) {
    std::size_t staying = 0, going = 0;
    for (std::size_t i = block; i < std::min(block + kBlock, call.n); ++i) {
      const auto stays = std::to_integer<std::size_t>(marks[i]);
      stay[staying] = go[going] = i;
      staying += stays;
      going += 1 - stays;
    }
    for (std::size_t k = 0; k < staying; ++k) {
      const std::size_t i = stay[k];
      end_run(i);
      if (call.itemsize != 0) copy_element(call.itemsize, to, kept, from, i);
      if (call.has_positions) store(positions, kept, static_cast<std::int64_t>(i));
      ++kept;
    }
    if (!call.partition) continue;
    for (std::size_t k = 0; k < going; ++k) copy_element(call.itemsize, to, other++, from, go[k]);
  }
  end_run(call.n);
  store(memory_of(launch, kCount), 0, static_cast<std::uint64_t>(kept));
}

}  // namespace

Buffer marked(const Queue& queue, const Array& x, Mark mark, bool negated) {
  constexpr std::size_t kGroup = 4096;
  MarkCall call{mark, negated, 1, 0, 0};
  std::size_t size = x.dtype().itemsize;
  switch (x.dtype().scalar) {
    case Scalar::float16:
      call.infinity = 0x7c00;
      break;
    case Scalar::complex64:
    case Scalar::complex128:
      call.parts = 2;
      size /= 2;
      [[fallthrough]];
    case Scalar::float32:
    case Scalar::float64:
      call.infinity = size == 4 ? 0x7f800000 : 0x7ff0000000000000;
      break;
    default:
      break;
  }
  if (call.infinity != 0) call.sign = std::uint64_t{1} << (8 * size - 1);
  quern_kernel_function* const function = size == 1   ? &run_mark<std::uint8_t>
                                          : size == 2 ? &run_mark<std::uint16_t>
                                          : size == 4 ? &run_mark<std::uint32_t>
                                                      : &run_mark<std::uint64_t>;
  Buffer marks(queue, x.size() + 1);
  const Buffer from = x.elements();
  PrecompiledKernel{"mark", function}.launch(
      queue, x.size(), kGroup, call, {PrecompiledKernel::reads(from), PrecompiledKernel::writes(marks)});
  return marks;
}

Event select_by_loops(const Queue& queue, const Buffer& marks, std::size_t n, const Selected& selected) {
  const SelectCall call{n,
                        selected.out.empty() ? 0 : selected.itemsize,
                        !selected.positions.empty(),
                        !selected.lengths.empty(),
                        selected.partition,
                        selected.ends};
  // What is not there is not used.
  const auto reads = [&](const Buffer& buffer) {
    return PrecompiledKernel::reads(buffer.empty() ? marks : buffer);
  };
  const auto writes = [&](const Buffer& buffer) {
    return buffer.empty() ? PrecompiledKernel::reads(marks) : PrecompiledKernel::writes(buffer);
  };
  return PrecompiledKernel{"select", &run_select}.launch(
      queue, 1, 1, call,
      {PrecompiledKernel::reads(marks), PrecompiledKernel::writes(selected.count), reads(selected.elements),
       writes(selected.out), writes(selected.positions), writes(selected.lengths)});
}

}  // namespace quern::algorithms
