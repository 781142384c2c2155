// SPDX-License-Identifier: MIT
// Random numbers: generators and their draws.

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "binding.hpp"
#include "current.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"
#include "wait_list.hpp"

namespace quern::python {
namespace {

using random::Generator;

random::Engine engine_of(const std::string& name) {
  if (name == "Philox") return random::Engine::philox;
  if (name == "Threefry") return random::Engine::threefry;
  value_error("unknown bit generator " + name);
}

std::string name_of(random::Engine engine) {
  return engine == random::Engine::philox ? "Philox" : "Threefry";
}

void make(Generator* self, const std::string& engine, const std::vector<std::uint32_t>& seed) {
  const random::Engine kind = engine_of(engine);
  new (self) Generator(seed.empty() ? random::from_entropy(kind) : random::seeded(seed, kind));
}

nb::tuple state_tuple(const random::State& state) {
  return nb::make_tuple(name_of(state.engine),
                        nb::make_tuple(state.key[0], state.key[1], state.key[2], state.key[3]), state.jumps,
                        state.position, state.children);
}

random::State state_of(const nb::tuple& values) {
  if (values.size() != 5) value_error("state: expected five entries, got " + std::to_string(values.size()));
  random::State state;
  state.engine = engine_of(nb::cast<std::string>(values[0]));
  const auto key = nb::cast<std::vector<std::uint32_t>>(values[1]);
  if (key.size() != state.key.size()) value_error("state: expected a key of four words");
  std::copy(key.begin(), key.end(), state.key.begin());
  state.jumps = nb::cast<std::uint32_t>(values[2]);
  state.position = nb::cast<std::uint64_t>(values[3]);
  state.children = nb::cast<std::uint64_t>(values[4]);
  return state;
}

// Single numbers. Bounds of integers and numbers of trials do not fit a double.
random::Distribution distribution_of(const std::string& name, const nb::tuple& parameters) {
  const random::Family family = random::family_of(name);
  if (family == random::Family::integers)
    return random::Integers{nb::cast<std::int64_t>(parameters[0]), nb::cast<std::int64_t>(parameters[1])};
  if (family == random::Family::binomial)
    return random::Binomial{nb::cast<std::int64_t>(parameters[0]), nb::cast<double>(parameters[1])};
  std::vector<double> numbers;
  for (const nb::handle parameter : parameters) numbers.push_back(nb::cast<double>(parameter));
  return random::distribution_of(family, numbers);
}

Event draw(Generator& self, const PyArray& out, const std::string& name, const nb::tuple& parameters,
           nb::handle queue, nb::handle wait_for) {
  const Queue user = queue_for(queue, out.array);
  const random::Distribution distribution = distribution_of(name, parameters);
  const std::vector<Event> events = events_of(wait_for);
  return without_gil([&] { return self.draw(user, out.array, distribution, events); });
}

// Lazy, if the distribution allows it.
PyArray draw_lazily(Generator& self, nb::handle shape, nb::handle dtype, const std::string& name,
                    const nb::tuple& parameters, nb::handle device, nb::handle queue) {
  const Queue user = queue_on(device, queue);
  const random::Distribution distribution = distribution_of(name, parameters);
  Shape lengths = shape_of(shape);
  nb::object numpy_type = native_dtype(dtype);
  DType element = element_type(numpy_type);
  Array result =
      without_gil([&] { return self.draw(user, std::move(lengths), std::move(element), distribution); });
  return {std::move(result), std::move(numpy_type)};
}

Event draw_each(Generator& self, const PyArray& out, const std::string& name, const nb::tuple& parameters,
                bool endpoint, nb::handle queue, nb::handle wait_for) {
  const Queue user = queue_for(queue, out.array);
  const std::vector<Event> events = events_of(wait_for);
  std::vector<KernelArgument> arguments;
  for (const nb::handle parameter : parameters)
    arguments.emplace_back(nb::cast<const PyArray&>(parameter).array);
  return without_gil(
      [&] { return self.draw_each(user, out.array, random::family_of(name), arguments, endpoint, events); });
}

// Name, domain in words, least and greatest value, whether these are included, and whether only integers are
// allowed.
nb::list parameters(const std::string& name) {
  nb::list result;
  for (const random::Parameter& parameter : random::parameters_of(random::family_of(name))) {
    const random::Domain& domain = parameter.domain;
    result.append(nb::make_tuple(parameter.name, domain.text, domain.least, domain.most, domain.has_least,
                                 domain.has_most, parameter.is_whole));
  }
  return result;
}

PyArray dirichlet(Generator& self, nb::handle shape, const PyArray& alpha, nb::handle queue) {
  const Queue user = queue_for(queue, alpha.array);
  Shape lengths = shape_of(shape);
  return {without_gil([&] { return self.dirichlet(user, std::move(lengths), alpha.array); }), alpha.dtype};
}

PyArray multivariate_normal(Generator& self, nb::handle shape, const PyArray& mean, const PyArray& factor,
                            nb::handle queue) {
  const Queue user = queue_for(queue, mean.array);
  Shape lengths = shape_of(shape);
  return {without_gil(
              [&] { return self.multivariate_normal(user, std::move(lengths), mean.array, factor.array); }),
          mean.dtype};
}

PyArray indices(const Array& array) {
  return {array, numpy_dtype(nb::str("int64"))};
}

PyArray multinomial(Generator& self, nb::handle shape, const PyArray& trials, const PyArray& p,
                    nb::handle queue) {
  const Queue user = queue_for(queue, p.array);
  Shape lengths = shape_of(shape);
  return indices(
      without_gil([&] { return self.multinomial(user, std::move(lengths), trials.array, p.array); }));
}

PyArray multivariate_hypergeometric(Generator& self, nb::handle shape,
                                    const std::vector<std::int64_t>& colors, std::int64_t sample,
                                    nb::handle device, nb::handle queue) {
  const Queue user = queue_on(device, queue);
  Shape lengths = shape_of(shape);
  return indices(without_gil(
      [&] { return self.multivariate_hypergeometric(user, std::move(lengths), colors, sample); }));
}

PyArray permuted_lines(Generator& self, const PyArray& x, std::optional<int> axis, nb::handle queue) {
  const Queue user = queue_for(queue, x.array);
  return {without_gil([&] { return self.permuted(user, x.array, axis); }), x.dtype};
}

PyArray permutation(Generator& self, nb::handle x, int axis, nb::handle device, nb::handle queue) {
  if (nb::isinstance<PyArray>(x)) {
    const PyArray& array = *nb::inst_ptr<PyArray>(x);
    const Queue user = queue_for(queue, array.array);
    return {without_gil([&] { return self.permutation(user, array.array, axis); }), array.dtype};
  }
  const Queue user = queue_on(device, queue);
  const auto count = nb::cast<std::int64_t>(x);
  return indices(without_gil([&] { return self.permutation(user, count); }));
}

Event shuffle(Generator& self, const PyArray& x, int axis, nb::handle queue, nb::handle wait_for) {
  const Queue user = queue_for(queue, x.array);
  const std::vector<Event> events = events_of(wait_for);
  return without_gil([&] { return self.shuffle(user, x.array, axis, events); });
}

PyArray choice(Generator& self, nb::handle a, nb::handle shape, bool replace,
               const std::optional<std::vector<double>>& p, int axis, nb::handle device, nb::handle queue) {
  std::optional<std::span<const double>> weights;
  if (p) weights = *p;
  Shape lengths = shape_of(shape);
  if (nb::isinstance<PyArray>(a)) {
    const PyArray& array = *nb::inst_ptr<PyArray>(a);
    const Queue user = queue_for(queue, array.array);
    return {without_gil(
                [&] { return self.choice(user, array.array, std::move(lengths), replace, weights, axis); }),
            array.dtype};
  }
  const Queue user = queue_on(device, queue);
  const auto count = nb::cast<std::int64_t>(a);
  return indices(without_gil([&] { return self.choice(user, count, std::move(lengths), replace, weights); }));
}

}  // namespace

void bind_random(nb::module_& module) {
  nb::class_<Generator>(module, "RandomGenerator", "State and draws of quern.random.Generator.")
      .def("__init__", &make, nb::arg("engine"), nb::arg("seed"),
           "Engine 'Philox' or 'Threefry'; an empty seed takes the system's entropy.")
      .def_prop_rw(
          "state", [](const Generator& self) { return state_tuple(self.state()); },
          [](Generator& self, const nb::tuple& values) { self.set_state(state_of(values)); },
          nb::for_getter(nb::sig("def state(self) -> tuple[str, tuple[int, int, int, int], int, int, int]")),
          nb::for_setter(nb::sig(
              "def state(self, value: tuple[str, tuple[int, int, int, int], int, int, int]) -> None")),
          "Engine, key, jumps, position in words, streams spawned.")
      .def("spawn", &Generator::spawn, nb::arg("count"))
      .def("jumped", &Generator::jumped, nb::arg("jumps"))
      .def("advance", &Generator::advance, nb::arg("words"), nb::arg("jumps") = 0)
      .def(
          "reserve",
          [](Generator& self, std::uint64_t words, std::uint64_t alignment) {
            return state_tuple(self.reserve(words, alignment));
          },
          nb::arg("words"), nb::arg("alignment"),
          nb::sig("def reserve(self, words: int, alignment: int) -> tuple[str, tuple[int, int, int, int], "
                  "int, int, int]"))
      .def("draw", &draw, nb::arg("out"), nb::arg("distribution"), nb::arg("parameters"),
           nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
           nb::sig(
               "def draw(self, out: Array, distribution: str, parameters: tuple[float, ...], queue: Queue | "
               "None = None, wait_for: Event | collections.abc.Sequence[Event] | None = None) -> Event"),
           "Fill an array with draws from a distribution, without waiting.")
      .def("draw_lazily", &draw_lazily, nb::arg("shape"), nb::arg("dtype"), nb::arg("distribution"),
           nb::arg("parameters"), nb::arg("device") = nb::none(), nb::arg("queue") = nb::none(),
           nb::sig(
               "def draw_lazily(self, shape: int | collections.abc.Sequence[int], dtype: "
               "numpy.typing.DTypeLike, distribution: str, parameters: tuple[float, ...], device: Device | "
               "str | None = None, queue: Queue | None = None) -> Array"),
           "Lazy array of draws: an expression computes them where it needs them, if the distribution takes "
           "the "
           "same number of random words for each.")
      .def("draw_each", &draw_each, nb::arg("out"), nb::arg("distribution"), nb::arg("parameters"),
           nb::arg("endpoint"), nb::arg("queue") = nb::none(), nb::arg("wait_for") = nb::none(),
           nb::sig(
               "def draw_each(self, out: Array, distribution: str, parameters: tuple[Array, ...], endpoint: "
               "bool, queue: Queue | None = None, wait_for: Event | collections.abc.Sequence[Event] | None "
               "= None) -> Event"),
           "Fill an array with draws whose parameters are arrays, broadcast to its shape; without waiting.")
      .def_static(
          "parameters", &parameters, nb::arg("distribution"),
          nb::sig(
              "def parameters(distribution: str) -> list[tuple[str, str, float, float, bool, bool, bool]]"),
          "Of each parameter of a distribution its name, its domain in words, the ends of the domain, "
          "whether these are of it, and whether it takes integers only.")
      .def("dirichlet", &dirichlet, nb::arg("shape"), nb::arg("alpha"), nb::arg("queue") = nb::none(),
           nb::sig(
               "def dirichlet(self, shape: collections.abc.Sequence[int], alpha: Array, queue: Queue | None "
               "= None) -> Array"))
      .def("multivariate_normal", &multivariate_normal, nb::arg("shape"), nb::arg("mean"), nb::arg("factor"),
           nb::arg("queue") = nb::none(),
           nb::sig("def multivariate_normal(self, shape: collections.abc.Sequence[int], mean: Array, factor: "
                   "Array, queue: Queue | None = None) -> Array"))
      .def("multinomial", &multinomial, nb::arg("shape"), nb::arg("trials"), nb::arg("p"),
           nb::arg("queue") = nb::none(),
           nb::sig(
               "def multinomial(self, shape: collections.abc.Sequence[int], trials: Array, p: Array, queue: "
               "Queue | None = None) -> Array"))
      .def("multivariate_hypergeometric", &multivariate_hypergeometric, nb::arg("shape"), nb::arg("colors"),
           nb::arg("sample"), nb::arg("device") = nb::none(), nb::arg("queue") = nb::none(),
           nb::sig(
               "def multivariate_hypergeometric(self, shape: collections.abc.Sequence[int], colors: "
               "collections.abc.Sequence[int], sample: int, device: Device | str | None = None, queue: Queue "
               "| None = None) -> Array"))
      .def("permutation", &permutation, nb::arg("x"), nb::arg("axis") = 0, nb::arg("device") = nb::none(),
           nb::arg("queue") = nb::none(),
           nb::sig("def permutation(self, x: int | Array, axis: int = 0, device: Device | str | None = None, "
                   "queue: Queue | None = None) -> Array"))
      .def("permuted", &permuted_lines, nb::arg("x"), nb::arg("axis").none(), nb::arg("queue") = nb::none(),
           nb::sig("def permuted(self, x: Array, axis: int | None, queue: Queue | None = None) -> Array"))
      .def("shuffle", &shuffle, nb::arg("x"), nb::arg("axis") = 0, nb::arg("queue") = nb::none(),
           nb::arg("wait_for") = nb::none(),
           nb::sig("def shuffle(self, x: Array, axis: int = 0, queue: Queue | None = None, wait_for: Event | "
                   "collections.abc.Sequence[Event] | None = None) -> Event"))
      .def("choice", &choice, nb::arg("a"), nb::arg("shape"), nb::arg("replace"), nb::arg("p").none(),
           nb::arg("axis") = 0, nb::arg("device") = nb::none(), nb::arg("queue") = nb::none(),
           nb::sig("def choice(self, a: int | Array, shape: collections.abc.Sequence[int], replace: bool, "
                   "p: collections.abc.Sequence[float] | None, axis: int = 0, device: Device | str | None = "
                   "None, queue: Queue | None = None) -> Array"));
}

}  // namespace quern::python
