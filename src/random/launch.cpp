// SPDX-License-Identifier: MIT
// The launches of the generators' kernels: places in the stream, parts of long draws, shapes of launches.
#include "random/launch.hpp"

#include <algorithm>

#include "base/arithmetic.hpp"
#include "codegen/type_text.hpp"
#include "quern/error.hpp"

namespace quern::random {
namespace {

// Kernels count blocks in 32 bits, and elements of a part too.
constexpr std::size_t kBlocksOfPart = std::size_t{1} << 28;
constexpr std::size_t kElementsOfPart = std::size_t{1} << 30;
constexpr std::size_t kGroup = 256;
constexpr std::size_t kTile = 16;  // blocks; TILE of random_fill.cl

Words counter_at(const State& state, std::uint64_t block_number) {
  return {static_cast<std::uint32_t>(block_number), static_cast<std::uint32_t>(block_number >> 32),
          stream_word(state), 0};
}

algorithms::Defines common_defines(const State& state, const Array& out) {
  const std::string type = codegen::type_name(out.dtype());
  algorithms::Defines defines = {{"T", type}, {"T2", type + "2"}};
  if (state.engine == Engine::threefry) defines.emplace_back("THREEFRY", "1");
  return defines;
}

// Philox's key for each round: round_keys of random_fill.cl.
struct RoundKeys {
  std::uint32_t keys[20];
};

RoundKeys round_keys(const Words& key) {
  RoundKeys result;
  for (std::uint32_t round = 0; round < 10; ++round) {
    result.keys[2 * round] = key[0] + round * 0x9e3779b9u;
    result.keys[2 * round + 1] = key[1] + round * 0xbb67ae85u;
  }
  return result;
}

}  // namespace

void refuse_value(const std::string& what) {
  throw ArgumentError(ArgumentError::Kind::value, what);
}

void refuse_type(const std::string& what) {
  throw ArgumentError(ArgumentError::Kind::type, what);
}

std::uint32_t stream_word(const State& state) {
  return (state.engine == Engine::philox ? state.key[2] : 0) + state.jumps;
}

void check_output(const Queue& queue, const Array& out) {
  if (!out.contiguous()) refuse_value("out: expected an array that is contiguous in C order");
  if (!(out.device() == queue.device()))
    refuse_value("out: expected an array on '" + queue.device().spec() + "', got one on '" +
                 out.device().spec() + "'");
  const Scalar scalar = out.dtype().scalar;
  if (out.dtype().lanes != 1 || scalar == Scalar::float16 || scalar >= Scalar::complex64)
    refuse_type("dtype: no random numbers of type " + out.dtype().name());
  if (scalar == Scalar::float64 && !queue.device().properties().has_fp64)
    refuse_type("dtype: '" + queue.device().spec() + "' has no float64");
}

Event fill(Generator& generator, const Queue& queue, const Array& out, const Making& making,
           WaitList wait_for) {
  const std::size_t count = out.size();
  if (count == 0) return queue.barrier(wait_for);
  const std::size_t of_block = 4 / making.words * making.unit;  // elements
  const State state = generator.reserve(divided_up(count, making.unit) * making.words, making.words);
  const std::size_t shift = state.position % 4 / (4 / of_block);

  algorithms::Defines defines = common_defines(state, out);
  defines.emplace_back("T_VECTOR", defines[0].second + std::to_string(of_block));
  defines.emplace_back("BLOCK_ELEMENTS", std::to_string(of_block));
  defines.emplace_back("P", making.parameter_type);
  defines.emplace_back("C", making.offset_type);
  defines.emplace_back("WORDS", std::to_string(making.words));
  defines.emplace_back("UNIT", std::to_string(making.unit));
  defines.emplace_back(making.kind, "1");

  const Device target = queue.device();
  const DeviceProperties& device = target.properties();
  const bool in_tiles = device.kind == DeviceKind::cpu;
  const Array flat(out.elements(), out.dtype(), {static_cast<std::int64_t>(count)});
  const bool staged =
      !in_tiles && (shift != 0 || flat.buffer().offset() % (of_block * out.dtype().itemsize) != 0);
  if (in_tiles) defines.emplace_back("TILES", "1");
  const std::size_t local = std::min(kGroup, device.max_work_group_size);
  if (staged) defines.emplace_back("STAGED", std::to_string(local));
  const Kernel kernel = algorithms::kernel_of({"random", "random_fill"},
                                              in_tiles ? "fill_tiles"
                                              : staged ? "fill_staged"
                                                       : "fill_blocks",
                                              defines);
  const std::size_t blocks = divided_up(shift + count, of_block);
  Event event;
  for (std::size_t done = 0, part = 0; done < blocks; done += part) {
    // The upper word of the counter is the same for all blocks of a part.
    const std::size_t lower = (state.position / 4 + done) & 0xffffffffu;
    part = std::min({blocks - done, kBlocksOfPart, (std::size_t{1} << 32) - lower});
    const std::size_t skipped = done == 0 ? shift : 0;
    const std::size_t first = done * of_block - (done == 0 ? 0 : shift);
    const std::size_t elements = std::min(count - first, part * of_block - skipped);
    const Words start = counter_at(state, state.position / 4 + done);
    if (in_tiles) {
      // Several spans for each core, for balance, of tiles that follow each other.
      const std::size_t tiles = divided_up(part, kTile);
      const std::size_t each = divided_up(tiles, std::min<std::size_t>(tiles, device.compute_units * 8));
      const KernelArgument arguments[] = {flat,      first,   tiles,    each,     elements, start,
                                          state.key, skipped, making.a, making.b, making.c};
      event = kernel.launch(queue, range(divided_up(tiles, each)).with_local(1), arguments,
                            done == 0 ? wait_for : WaitList{});
    } else {
      const std::size_t groups = std::min(divided_up(part, local), std::size_t{device.compute_units} * 32);
      const RoundKeys rounds = round_keys(state.key);
      const KernelArgument arguments[] = {flat,   first,   part,     elements, start,   state.key,
                                          rounds, skipped, making.a, making.b, making.c};
      event = kernel.launch(queue, range(groups * local).with_local(local), arguments,
                            done == 0 ? wait_for : WaitList{});
    }
  }
  return event;
}

Event sample(Generator& generator, const Queue& queue, const Array& out, const std::string& kernel_name,
             std::span<const double> parameters, WaitList wait_for) {
  const std::size_t count = out.size();
  if (count == 0) return queue.barrier(wait_for);
  const State state = generator.reserve(count, 1);
  algorithms::Defines defines = common_defines(state, out);
  const bool in_float = out.dtype().scalar == Scalar::float32;
  defines.emplace_back("REAL", in_float ? "float" : "double");
  if (!in_float) defines.emplace_back("IN_DOUBLE", "1");
  defines.emplace_back(kernel_name == "gamma" ? "GAMMA" : "COUNTS", "1");
  const Kernel kernel =
      algorithms::kernel_of({"random", "random_samplers", "random_sample"}, "sample_" + kernel_name, defines);
  const Array flat(out.elements(), out.dtype(), {static_cast<std::int64_t>(count)});
  const std::size_t local = std::min<std::size_t>(256, queue.device().properties().max_work_group_size);
  Event event;
  for (std::size_t first = 0; first < count; first += kElementsOfPart) {
    const std::size_t elements = std::min(count - first, kElementsOfPart);
    std::vector<KernelArgument> arguments = {
        flat, first, elements, state.position + first, stream_word(state), state.key};
    for (const double parameter : parameters) {
      if (in_float)
        arguments.emplace_back(static_cast<float>(parameter));
      else
        arguments.emplace_back(parameter);
    }
    event = kernel.launch(queue, range(divided_up(elements, local) * local).with_local(local), arguments,
                          first == 0 ? wait_for : WaitList{});
  }
  return event;
}

}  // namespace quern::random
