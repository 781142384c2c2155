// SPDX-License-Identifier: MIT
// Draws with array parameters: an elementwise kernel, in which each element has a position in the stream.
#include <map>
#include <mutex>
#include <tuple>

#include "codegen/index_space.hpp"
#include "codegen/type_text.hpp"
#include "kernels/kernels.hpp"
#include "quern/elementwise.hpp"
#include "random/families.hpp"

namespace quern::random {
namespace {

using Texts = FamilyRow::Texts;

void check_parameter(const FamilyRow& row, const KernelArgument& parameter, const Array& out,
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

// The key of a kernel.
struct Form {
  Family family;
  Scalar scalar;
  Engine engine;
  bool endpoint;
  unsigned arrays;  // a bit for each parameter that is an array
  bool operator<(const Form& other) const {
    return std::tie(family, scalar, engine, endpoint, arrays) <
           std::tie(other.family, other.scalar, other.engine, other.endpoint, other.arrays);
  }
};

ElementwiseKernel make(const Form& form) {
  const FamilyRow& row = row_of(form.family);
  const DType dtype = DType::of(form.scalar);
  const std::string real = is_real(row) && form.scalar == Scalar::float32 ? "float" : "double";
  const bool is_unsigned = form.scalar >= Scalar::uint8 || form.scalar == Scalar::boolean;
  const std::string whole = is_unsigned ? "ulong" : "long";
  GeneratorOptions options;
  options.name = std::string("random_") + row.name;
  const auto define = [&](const std::string& text) { options.preamble += "#define " + text + "\n"; };
  if (row.texts == Texts::integers) define("INTEGERS 1");
  if (is_real(row) || form.family > Family::binomial) define("GAMMA 1");
  if (row.texts == Texts::counts || row.texts == Texts::counting_reals) define("COUNTS 1");
  define("REAL " + real);
  define("WHOLE " + whole);
  define("MOST " + std::to_string(greatest(dtype)));
  if (real == "double") define("IN_DOUBLE 1");
  if (form.engine == Engine::threefry) define("THREEFRY 1");
  if (!form.endpoint) define("EXCLUSIVE 1");
  std::vector<const char*> files = {"random", "random_samplers", "random_each"};
  if (form.family > Family::binomial) files.push_back("random_families");
  if (form.family > Family::binomial && row.texts == Texts::counts) files.push_back("random_counts");
  for (const char* file : files)
    options.preamble += std::string("#line 1 \"quern/") + file + ".cl\"\n" + std::string(kernels::text(file));
  const std::string parameter = row.texts == Texts::integers ? whole : real;
  const bool in_integers = row.texts == Texts::integers;
  std::string inputs = "uint64 place, uint32 stream, uint32x4 key", values;
  for (std::size_t k = 0; k < row.parameters.size(); ++k) {
    const std::string name(1, static_cast<char>('a' + k));
    const bool is_array = (form.arrays >> k & 1) != 0;
    const std::string number = in_integers       ? (is_unsigned ? "uint64" : "int64")
                               : real == "float" ? "float32"
                                                 : "float64";
    inputs += ", " + (is_array ? std::string(1, static_cast<char>('A' + k)) : number) + " " + name;
    values += ", (" + parameter + ")" + name;
  }
  const std::string type = form.scalar == Scalar::boolean ? "uchar" : codegen::type_name(dtype);
  return {inputs, dtype.name() + " out",
          "out = (" + type + ")" + row.name + "_of(place + i, stream, key" + values + ");",
          std::move(options)};
}

const ElementwiseKernel& kernel_for(const Form& form) {
  struct Table {
    std::mutex mutex;
    std::map<Form, ElementwiseKernel> kernels;
  };
  static auto* const table = new Table;  // never destroyed: the library may be used until the process ends
  const std::lock_guard lock(table->mutex);
  auto found = table->kernels.find(form);
  if (found == table->kernels.end()) found = table->kernels.emplace(form, make(form)).first;
  return found->second;
}

}  // namespace

Event Generator::draw_each(const Queue& queue, const Array& out, Family family,
                           const std::vector<KernelArgument>& parameters, bool endpoint, WaitList wait_for) {
  const FamilyRow& row = row_of(family);
  check_count(family, parameters.size());
  check_output(queue, out);
  check_types(family, queue, out.dtype());
  std::vector<codegen::View> views = {{out.shape(), {}}};
  unsigned arrays = 0;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    check_parameter(row, parameters[k], out, views);
    if (parameters[k].kind == KernelArgument::Kind::array) arrays |= 1u << k;
  }
  if (out.size() == 0) return queue.marker(wait_for);
  const State drawn = reserve(out.size(), 1);
  std::vector<KernelArgument> arguments = {drawn.position, stream_word(drawn), drawn.key};
  arguments.insert(arguments.end(), parameters.begin(), parameters.end());
  arguments.emplace_back(out);
  return kernel_for({family, out.dtype().scalar, drawn.engine, endpoint, arrays})
      .launch(queue, arguments, {}, wait_for);
}

}  // namespace quern::random
