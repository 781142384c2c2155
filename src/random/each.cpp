// SPDX-License-Identifier: MIT
// Draws whose parameters are arrays: an elementwise kernel, in which each element has a place in the stream.
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>

#include "codegen/index_space.hpp"
#include "codegen/type_text.hpp"
#include "kernels/kernels.hpp"
#include "quern/elementwise.hpp"
#include "random/launch.hpp"

namespace quern::random {
namespace {

struct Row {
  const char* name;
  const char* define;  // the functions of random_samplers.cl and random_each.cl that it needs
};

// In the order of Family.
constexpr Row kFamilies[] = {{"uniform", "GAMMA"},     {"normal", "GAMMA"},   {"lognormal", "GAMMA"},
                             {"exponential", "GAMMA"}, {"gamma", "GAMMA"},    {"integers", "INTEGERS"},
                             {"poisson", "COUNTS"},    {"binomial", "COUNTS"}};

bool is_real(Family family) {
  return family <= Family::gamma;
}

void check_types(const Row& row, Family family, const Queue& queue, const Array& out) {
  const Scalar scalar = out.dtype().scalar;
  if (is_real(family)) {
    if (scalar != Scalar::float32 && scalar != Scalar::float64)
      refuse_type(std::string(row.name) + ": expected dtype float32 or float64, got " + out.dtype().name());
    return;
  }
  if (scalar > Scalar::uint64 || (scalar == Scalar::boolean && family != Family::integers))
    refuse_type(std::string(row.name) + ": expected an integer dtype, got " + out.dtype().name());
  if (family != Family::integers && !queue.device().properties().has_fp64)
    refuse_type(std::string(row.name) + ": needs float64, which '" + queue.device().spec() +
                "' does not have");
}

void check_parameter(const Row& row, const KernelArgument& parameter, const Array& out,
                     std::vector<codegen::View>& views) {
  if (parameter.kind != KernelArgument::Kind::array) return;
  const DType& dtype = parameter.array->dtype();
  if (dtype.lanes != 1 || dtype.scalar > Scalar::float64)
    refuse_type(std::string(row.name) + ": expected parameters that are numbers, got an array of " +
                dtype.name());
  views.push_back({parameter.array->shape(), {}});
  if (codegen::broadcast_shapes(views, row.name) != out.shape()) {
    views.back().shape.clear();
    refuse_value(std::string(row.name) + ": the parameters do not broadcast to the shape of the result");
  }
}

ElementwiseKernel make(const Row& row, Family family, const DType& dtype, Engine engine, bool endpoint) {
  const std::string real = is_real(family) && dtype.scalar == Scalar::float32 ? "float" : "double";
  const bool is_unsigned = dtype.scalar >= Scalar::uint8 || dtype.scalar == Scalar::boolean;
  const std::string whole = is_unsigned ? "ulong" : "long";
  const double most = std::ldexp(1.0, static_cast<int>(dtype.itemsize * 8) - (is_unsigned ? 0 : 1)) - 1;
  GeneratorOptions options;
  options.name = std::string("random_") + row.name;
  const auto define = [&](const std::string& text) { options.preamble += "#define " + text + "\n"; };
  define(std::string(row.define) + " 1");
  define("REAL " + real);
  define("WHOLE " + whole);
  define("MOST " + std::to_string(most));
  if (real == "double") define("IN_DOUBLE 1");
  if (engine == Engine::threefry) define("THREEFRY 1");
  if (!endpoint) define("EXCLUSIVE 1");
  for (const char* file : {"random", "random_samplers", "random_each"})
    options.preamble += std::string("#line 1 \"quern/") + file + ".cl\"\n" + std::string(kernels::text(file));
  const std::string parameter = family == Family::integers ? whole : real;
  const auto cast = [&](const char* name) { return ", (" + parameter + ")" + name; };
  const std::string type = dtype.scalar == Scalar::boolean ? "uchar" : codegen::type_name(dtype);
  return {"uint64 place, uint32 stream, uint32x4 key, A a, B b", dtype.name() + " out",
          "out = (" + type + ")" + row.name + "_of(place + i, stream, key" + cast("a") + cast("b") + ");",
          std::move(options)};
}

const ElementwiseKernel& kernel_for(const Row& row, Family family, const DType& dtype, Engine engine,
                                    bool endpoint) {
  struct Table {
    std::mutex mutex;
    std::map<std::tuple<Family, Scalar, Engine, bool>, ElementwiseKernel> kernels;
  };
  static auto* const table = new Table;  // never destroyed: the library may be used until the process ends
  const std::lock_guard lock(table->mutex);
  const auto key = std::tuple{family, dtype.scalar, engine, endpoint};
  auto found = table->kernels.find(key);
  if (found == table->kernels.end())
    found = table->kernels.emplace(key, make(row, family, dtype, engine, endpoint)).first;
  return found->second;
}

}  // namespace

Event Generator::draw_each(const Queue& queue, const Array& out, Family family, const KernelArgument& a,
                           const KernelArgument& b, bool endpoint, WaitList wait_for) {
  const Row& row = kFamilies[static_cast<std::size_t>(family)];
  check_output(queue, out);
  check_types(row, family, queue, out);
  std::vector<codegen::View> views = {{out.shape(), {}}};
  check_parameter(row, a, out, views);
  check_parameter(row, b, out, views);
  if (out.size() == 0) return queue.barrier(wait_for);
  const State drawn = reserve(out.size(), 1);
  const KernelArgument arguments[] = {drawn.position, stream_word(drawn), drawn.key, a, b, out};
  return kernel_for(row, family, out.dtype(), drawn.engine, endpoint).launch(queue, arguments, {}, wait_for);
}

}  // namespace quern::random
