// SPDX-License-Identifier: MIT
// Launches of the generators' kernels: positions in the stream, parts of long draws, launch sizes.
#include "random/launch.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/launch/operation.hpp"
#include "array/build.hpp"
#include "base/arithmetic.hpp"
#include "base/dtype_kinds.hpp"
#include "codegen/loop.hpp"
#include "codegen/random_loops.hpp"
#include "codegen/type_text.hpp"
#include "kernels/kernels.hpp"
#include "quern/arithmetic.hpp"
#include "quern/error.hpp"
#include "random/functions.hpp"

namespace quern::random {
namespace {

// Kernels count blocks, and elements of a part, in 32 bits.
constexpr std::size_t kBlocksOfPart = std::size_t{1} << 28;
constexpr std::size_t kElementsOfPart = std::size_t{1} << 30;
constexpr std::size_t kGroup = 256;
constexpr std::size_t kTile = 16;  // TILE of random_fill.cl (blocks) and random_tiles.cl (elements)

Words counter_at(const State& state, std::uint64_t block_number) {
  return {static_cast<std::uint32_t>(block_number), static_cast<std::uint32_t>(block_number >> 32),
          stream_word(state), 0};
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

void check_type(const Queue& queue, const DType& dtype) {
  const Scalar scalar = dtype.scalar;
  if (dtype.lanes != 1 || detail::is_short_float(scalar) || scalar >= Scalar::complex64)
    refuse_type("dtype: cannot draw random numbers of type " + dtype.name());
  if (scalar == Scalar::float64 && !queue.device().properties().has_fp64)
    refuse_type("dtype: '" + queue.device().spec() + "' has no float64");
}

void check_output(const Queue& queue, const Array& out) {
  if (!out.evaluate().contiguous) refuse_value("out: expected a C-contiguous array");
  if (!(out.device() == queue.device()))
    refuse_value("out: expected an array on '" + queue.device().spec() + "', got one on '" +
                 out.device().spec() + "'");
  check_type(queue, out.dtype());
}

State reserve_for(Generator& generator, Making& making, std::size_t count) {
  codegen::RandomForm& form = making.form;
  const State state = generator.reserve(divided_up(count, form.unit()) * form.words(), form.words());
  form.is_threefry = state.engine == Engine::threefry;
  form.starts_block = state.position % 4 == 0;
  return state;
}

Event fill(const State& state, const Queue& queue, const Array& out, const Making& making,
           WaitList wait_for) {
  const codegen::RandomForm& form = making.form;
  const std::size_t count = out.size();
  if (count == 0) return queue.marker(wait_for);
  const std::size_t of_block = form.block_elements();
  const std::size_t shift = state.position % 4 / (4 / of_block);
  algorithms::Defines defines = form.fill_defines();
  const auto number = [](const array::NumberBytes& bytes, const DType& dtype) {
    return KernelArgument(std::span(bytes.data(), dtype.itemsize));
  };
  const KernelArgument parameters[] = {number(making.a, form.parameter()), number(making.b, form.parameter()),
                                       number(making.c, form.offset())};

  const Device target = queue.device();
  const DeviceProperties& device = target.properties();
  const bool in_tiles = codegen::loop_style(device) == codegen::LoopStyle::chunks;
  const Array flat(out.elements(), out.dtype(), {static_cast<std::int64_t>(count)});
  const bool staged =
      !in_tiles && (shift != 0 || flat.buffer().offset() % (of_block * out.dtype().itemsize) != 0);
  if (in_tiles) defines.emplace_back("TILES", "1");
  const std::size_t local = std::min(kGroup, device.max_work_group_size);
  if (staged) defines.emplace_back("STAGED", std::to_string(local));
  const bool by_function = algorithms::policy(queue).has_draws;
  std::optional<Kernel> kernel;
  if (!by_function)
    kernel = algorithms::kernel_of({"random", "random_values", "random_fill"},
                                   in_tiles ? "fill_tiles"
                                   : staged ? "fill_staged"
                                            : "fill_blocks",
                                   defines)
                 .compiled();
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
      // Several spans of consecutive tiles for each core, for balance.
      const std::size_t tiles = divided_up(part, kTile);
      const std::size_t each = divided_up(tiles, std::min<std::size_t>(tiles, device.compute_units * 8));
      if (by_function) {
        const auto narrow = [](std::size_t value) { return bytes_of(static_cast<std::int32_t>(value)); };
        const array::NumberBytes arguments[] = {bytes_of(std::uint64_t{first}),
                                                narrow(tiles),
                                                narrow(each),
                                                narrow(elements),
                                                bytes_of(start),
                                                bytes_of(state.key),
                                                narrow(skipped),
                                                making.a,
                                                making.b,
                                                making.c};
        event = call_function(queue, codegen::random_loop_name(form), divided_up(tiles, each), 1,
                              flat.buffer(), arguments, done == 0 ? wait_for : WaitList{});
        continue;
      }
      const KernelArgument arguments[] = {flat,          first,         tiles,        each,
                                          elements,      start,         state.key,    skipped,
                                          parameters[0], parameters[1], parameters[2]};
      event = kernel->launch(queue, range(divided_up(tiles, each)).with_local(1), arguments,
                             done == 0 ? wait_for : WaitList{});
    } else {
      const std::size_t groups = std::min(divided_up(part, local), std::size_t{device.compute_units} * 32);
      const RoundKeys rounds = round_keys(state.key);
      const KernelArgument arguments[] = {flat,          first,         part,         elements,
                                          start,         state.key,     rounds,       skipped,
                                          parameters[0], parameters[1], parameters[2]};
      event = kernel->launch(queue, range(groups * local).with_local(local), arguments,
                             done == 0 ? wait_for : WaitList{});
    }
  }
  return event;
}

Array lazy_draw(const State& state, const Queue& queue, Shape shape, const Making& making) {
  const codegen::RandomForm& form = making.form;
  auto source = std::make_shared<array::RandomSource>();
  source->form = form;
  const std::uint64_t first =
      form.starts_block ? state.position / 4 : state.position / form.words() * form.unit();
  const auto half = [&](std::size_t k) { return std::uint64_t{state.key[k + 1]} << 32 | state.key[k]; };
  source->numbers = {
      bytes_of(first), bytes_of(stream_word(state)), bytes_of(half(0)), bytes_of(half(2)), making.a, making.b,
      making.c};
  source->fill = [state, making](const Queue& user, const Array& out) { fill(state, user, out, making, {}); };
  source->fill_text = [form](const Queue&) {
    std::string text;
    for (const auto& [name, value] : form.fill_defines()) text += "#define " + name + " " + value + "\n";
    for (const char* file : {"random", "random_values", "random_fill"}) text += kernels::text(file);
    return text;
  };
  return array::lazy(std::make_shared<array::Node>(queue, shape, std::move(source)));
}

Event call_sampler(const State& state, const Queue& queue, const Array& out, const std::string& kernel,
                   bool in_float, std::span<const array::NumberBytes> parameters, WaitList wait_for) {
  const std::string loop = codegen::random_loop_name(kernel, in_float, state.engine == Engine::threefry);
  const bool in_tiles = codegen::is_in_tiles(kernel);
  const DeviceProperties& device = queue.device().properties();
  const std::size_t count = out.size(), local = std::min<std::size_t>(256, device.max_work_group_size);
  const Buffer elements = out.elements();
  Event event;
  for (std::size_t first = 0; first < count; first += kElementsOfPart) {
    const std::size_t part = std::min(count - first, kElementsOfPart);
    std::vector<array::NumberBytes> arguments = {bytes_of(std::uint64_t{first}),
                                                 bytes_of(static_cast<std::uint32_t>(part))};
    std::size_t items = rounded_up(part, local), group = local;
    if (in_tiles) {
      // Several spans of consecutive tiles for each core, for balance.
      const std::size_t tiles = divided_up(part, kTile);
      const std::size_t spans = std::min<std::size_t>(tiles, std::size_t{device.compute_units} * 8);
      const std::size_t each = divided_up(tiles, spans) * kTile;
      arguments.push_back(bytes_of(static_cast<std::uint32_t>(each)));
      items = divided_up(part, each);
      group = 1;
    }
    arguments.insert(arguments.end(),
                     {bytes_of(state.position + first), bytes_of(stream_word(state)), bytes_of(state.key)});
    arguments.insert(arguments.end(), parameters.begin(), parameters.end());
    event = call_function(queue, loop, items, group, elements, arguments, first == 0 ? wait_for : WaitList{});
  }
  return event;
}

namespace {

// The kernel of random_sample.cl that draws numbers of this type.
algorithms::LibraryKernel sampler(const std::string& name, const DType& dtype, Engine engine) {
  const bool in_float = dtype.scalar == Scalar::float32;
  algorithms::Defines defines = {{"T", codegen::type_name(dtype)}};
  if (engine == Engine::threefry) defines.emplace_back("THREEFRY", "1");
  defines.emplace_back("REAL", in_float ? "float" : "double");
  if (!in_float) defines.emplace_back("IN_DOUBLE", "1");
  defines.emplace_back(name == "gamma" ? "GAMMA" : "COUNTS", "1");
  return algorithms::kernel_of({"random", "random_samplers", "random_sample"}, "sample_" + name, defines);
}

Event sample_by_kernel(const Queue& queue, Generator& generator, const Array& out,
                       const std::string& kernel_name, std::span<const double> parameters,
                       WaitList wait_for) {
  const std::size_t count = out.size();
  const bool in_float = out.dtype().scalar == Scalar::float32;
  const State state = generator.reserve(count, 1);
  const algorithms::LibraryKernel kernel = sampler(kernel_name, out.dtype(), state.engine);
  const Array flat(out.elements(), out.dtype(), {static_cast<std::int64_t>(count)});
  const std::size_t local = std::min<std::size_t>(256, queue.device().properties().max_work_group_size);
  Event event;
  for (std::size_t first = 0; first < count; first += kElementsOfPart) {
    const std::size_t elements = std::min(count - first, kElementsOfPart);
    const WaitList waits = first == 0 ? wait_for : WaitList{};
    const std::size_t items = rounded_up(elements, local);
    const std::uint64_t place = state.position + first;
    std::vector<KernelArgument> arguments = {flat, first, elements, place, stream_word(state), state.key};
    for (const double parameter : parameters) {
      if (in_float)
        arguments.emplace_back(static_cast<float>(parameter));
      else
        arguments.emplace_back(parameter);
    }
    event = kernel.launch(queue, count, range(items).with_local(local), arguments, waits);
  }
  return event;
}

Event sample_by_function(const Queue& queue, Generator& generator, const Array& out,
                         const std::string& kernel_name, std::span<const double> parameters,
                         WaitList wait_for) {
  if (kernel_name != "gamma" && out.dtype().itemsize != 8) {
    // Functions count in 64 bits.
    const auto convert = [&] {
      const Array wide = empty(queue, out.shape(), DType::of(Scalar::int64));
      sample_by_function(queue, generator, wide, kernel_name, parameters, wait_for);
      assign(out, wide, &queue);
      return queue.marker();
    };
    const auto launch = [&] {
      return sample_by_kernel(queue, generator, out, kernel_name, parameters, wait_for);
    };
    return sampler(kernel_name, out.dtype(), generator.state().engine)
        .choose(queue, out.size(), convert, launch);
  }
  const bool in_float = out.dtype().scalar == Scalar::float32;
  const State state = generator.reserve(out.size(), 1);
  std::vector<array::NumberBytes> arguments;
  for (const double parameter : parameters)
    arguments.push_back(in_float ? bytes_of(static_cast<float>(parameter)) : bytes_of(parameter));
  return call_sampler(state, queue, out, kernel_name, in_float, arguments, wait_for);
}

}  // namespace

Event sample(Generator& generator, const Queue& queue, const Array& out, const std::string& kernel_name,
             std::span<const double> parameters, WaitList wait_for) {
  if (out.size() == 0) return queue.marker(wait_for);
  constexpr algorithms::Operation kSample(&sample_by_function, &sample_by_kernel);
  return kSample(queue, generator, out, kernel_name, parameters, wait_for);
}

}  // namespace quern::random
