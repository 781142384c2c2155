// SPDX-License-Identifier: MIT
// The search for tuned parameters, and kept results. The package's module _tune has the classes of users.

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "binding.hpp"
#include "conversions.hpp"
#include "current.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "quern/tune.hpp"
#include "quern/tune_algorithms.hpp"

namespace quern::python {
namespace {

TuneValue value_of(nb::handle value, const std::string& name) {
  const nb::object plain = nb::hasattr(value, "item") ? value.attr("item")() : nb::borrow(value);
  if (PyBool_Check(plain.ptr())) return plain.is(nb::handle(Py_True));
  if (PyLong_Check(plain.ptr())) {
    int overflow = 0;
    const long long integer = PyLong_AsLongLongAndOverflow(plain.ptr(), &overflow);
    if (overflow != 0)
      value_error("parameters: '" + name + "': " + text_of(value) + " needs more than 64 bits");
    return static_cast<std::int64_t>(integer);
  }
  if (PyFloat_Check(plain.ptr())) return PyFloat_AsDouble(plain.ptr());
  if (PyUnicode_Check(plain.ptr())) return text_argument(plain, "parameters");
  type_error("parameters: '" + name + "': expected a bool, an int, a float or a str, got " +
             class_name(value));
}

nb::object object_of(const TuneValue& value) {
  return std::visit([](const auto& held) { return nb::cast(held); }, value);
}

nb::dict dict_of(const TuneConfiguration& configuration) {
  nb::dict result;
  for (const auto& [name, value] : configuration.items()) result[name.c_str()] = object_of(value);
  return result;
}

TuneConfiguration configuration_of(nb::handle values, const char* role) {
  if (!PyDict_Check(values.ptr()))
    type_error(std::string(role) + ": expected a dict of names and values, got " + class_name(values));
  std::vector<TuneConfiguration::Item> items;
  for (auto [key, value] : nb::borrow<nb::dict>(values)) {
    std::string name = text_argument(key, role);
    TuneValue held = value_of(value, name);
    items.emplace_back(std::move(name), std::move(held));
  }
  return TuneConfiguration(std::move(items));
}

// An object with prepare(parameters), verify(parameters), launcher(parameters), which returns a function that
// launches, and release(parameters).
class PythonTarget final : public TuneTarget {
 public:
  PythonTarget(nb::object object, Queue queue) : object_(std::move(object)), queue_(std::move(queue)) {}

  void prepare(const TuneConfiguration& configuration) override {
    call([&] { object_.attr("prepare")(dict_of(configuration)); });
  }
  std::string verify(const TuneConfiguration& configuration) override {
    std::string text;
    call([&] {
      const nb::object difference = object_.attr("verify")(dict_of(configuration));
      if (!difference.is_none()) text = text_of(difference);
    });
    return text;
  }
  double run(const TuneConfiguration& configuration) override {
    double seconds = 0;
    call([&] {
      // Work that makes the arguments is not timed: seconds_on() waits for it.
      const nb::object launch = object_.attr("launcher")(dict_of(configuration));
      seconds = without_gil([&] {
        return seconds_on(queue_, [&] {
          const AcquireGil gil;
          launch();
        });
      });
    });
    return seconds;
  }
  void release(const TuneConfiguration& configuration) override {
    call([&] { object_.attr("release")(dict_of(configuration)); });
  }

  // Asks a restriction. Its exceptions are errors of the call, other than those that end the search.
  bool allows(nb::handle restriction, const TuneConfiguration& configuration) {
    const AcquireGil gil;
    try {
      const int is_true = PyObject_IsTrue(nb::object(restriction(dict_of(configuration))).ptr());
      if (is_true < 0) throw nb::python_error();
      return is_true == 1;
    } catch (nb::python_error& error) {
      if (error.matches(PyExc_Exception)) throw;
      stop_by(std::move(error));
      throw TuneStop{};
    }
  }

  // Looks for Ctrl-C; also whether a callback was interrupted.
  bool should_stop() {
    const AcquireGil gil;
    if (PyErr_CheckSignals() != 0) stop_by(nb::python_error());
    return is_stopped_;
  }
  // The exception that ended the search, other than KeyboardInterrupt.
  void rethrow() {
    if (error_) throw nb::python_error(std::move(*error_));
  }

 private:
  template <class F>
  void call(F&& f) {
    guard([&] {
      const AcquireGil gil;
      f();
    });
  }

  // Exceptions become errors of the candidate. Those that are no Exception, such as KeyboardInterrupt, end
  // the search.
  template <class F>
  void guard(F&& f) {
    std::string text;
    bool is_lost = false;
    try {
      f();
      return;
    } catch (nb::python_error& error) {
      const AcquireGil gil;
      if (!error.matches(PyExc_Exception)) {
        stop_by(std::move(error));
        throw TuneStop{};
      }
      text = class_name(error.value()) + ": " + text_of(error.value());
      is_lost = class_name(error.value()) == "quern.DeviceLost";
    }
    if (is_lost) throw DeviceLost(text);
    throw Error(text);
  }
  void stop_by(nb::python_error error) {
    if (!is_stopped_.exchange(true) && !error.matches(PyExc_KeyboardInterrupt))
      error_.emplace(std::move(error));
  }

  nb::object object_;
  Queue queue_;
  std::atomic<bool> is_stopped_{false};
  std::optional<nb::python_error> error_;
};

std::vector<TuneParameter> parameters_of(const nb::dict& parameters) {
  std::vector<TuneParameter> result;
  for (auto [key, values] : parameters) {
    TuneParameter parameter{text_argument(key, "parameters"), {}};
    for (nb::handle value : values) parameter.values.push_back(value_of(value, parameter.name));
    result.push_back(std::move(parameter));
  }
  return result;
}

TuneOptions options_of(const nb::dict& settings) {
  TuneOptions options;
  const auto set = [&](const char* name, auto& target) {
    if (!settings.contains(name) || nb::object(settings[name]).is_none()) return;
    if (!nb::try_cast(nb::object(settings[name]), target))
      type_error(std::string(name) + ": invalid value " + text_of(nb::object(nb::repr(settings[name]))));
  };
  std::string strategy = "brute";
  set("strategy", strategy);
  options.strategy = tune_strategy(strategy);
  set("seed", options.seed);
  set("time_limit", options.time_limit);
  set("max_evaluations", options.max_evaluations);
  set("repeats", options.repeats);
  set("warmup", options.warmup);
  set("hopeless", options.hopeless);
  set("least_gain", options.least_gain);
  set("threads", options.threads);
  set("compiles_while_measuring", options.compiles_while_measuring);
  if (settings.contains("defaults") && !nb::object(settings["defaults"]).is_none())
    options.defaults = configuration_of(settings["defaults"], "defaults");

  return options;
}

void set_progress(TuneOptions& options, const nb::object& progress) {
  if (progress.is_none()) return;
  options.on_progress = [&progress](const TuneProgress& now) {
    const AcquireGil gil;
    progress(now.done, now.total, now.best == nullptr ? nb::none() : nb::cast(now.best_seconds));
  };
}

TuneResult search(nb::object object, const Queue& queue, const nb::dict& parameters,
                  const nb::list& restrictions, const nb::dict& settings, nb::object progress) {
  PythonTarget target(std::move(object), queue);
  std::vector<TuneRestriction> functions;
  for (nb::handle restriction : restrictions) {
    // Called by this thread alone, which holds the object.
    functions.emplace_back([restriction, &target](const TuneConfiguration& configuration) {
      return target.allows(restriction, configuration);
    });
  }
  const TuneSpace space(parameters_of(parameters), std::move(functions));
  TuneOptions options = options_of(settings);
  options.should_stop = [&] { return target.should_stop(); };
  set_progress(options, progress);
  TuneResult result = without_gil([&] { return tune(target, space, options); });
  target.rethrow();
  return result;
}

// Of an algorithm of the library. Ctrl-C ends it with the best so far.
TuneResult search_algorithm(const Device& device, const TunableAlgorithm& algorithm, const nb::dict& settings,
                            nb::object progress) {
  TuneOptions options = options_of(settings);
  set_progress(options, progress);
  std::optional<nb::python_error> error;
  options.should_stop = [&] {
    const AcquireGil gil;
    if (PyErr_CheckSignals() == 0) return false;
    nb::python_error raised;
    if (!raised.matches(PyExc_KeyboardInterrupt)) error.emplace(std::move(raised));
    return true;
  };
  TuneResult result = without_gil([&] { return tune_algorithm(device, algorithm, options); });
  if (error) throw nb::python_error(std::move(*error));
  return result;
}

const char* name_of_origin(TunedOrigin origin) {
  switch (origin) {
    case TunedOrigin::kept:
      return "kept";
    case TunedOrigin::library:
      return "library";
    case TunedOrigin::defaults:
      break;
  }
  return "defaults";
}

TuneKey key_of(nb::handle problem, nb::handle problem_class, nb::handle version) {
  return {text_argument(problem, "problem"), text_argument(problem_class, "problem_class"),
          text_argument(version, "version")};
}

void bind_candidate(nb::module_& module) {
  nb::class_<TuneCandidate>(module, "TuneCandidate", nb::is_final(), R"(Configuration that a search looked at.

Examples
--------
>>> result = qn.tune(lambda n: qn.eval(qn.ones(10 * n)), {"n": [1, 2]}, verify=False, keep=False)
>>> [candidate.parameters for candidate in sorted(result.candidates, key=lambda one: one.parameters["n"])]
[{'n': 1}, {'n': 2}])")
      .def_prop_ro(
          "parameters", [](const TuneCandidate& self) { return dict_of(self.configuration); },
          nb::sig("def parameters(self) -> dict[str, bool | int | float | str]"), "Value of each parameter.")
      .def_prop_ro(
          "status", [](const TuneCandidate& self) { return name_of(self.status); },
          "Status: \"measured\", \"hopeless\" (measured, but stopped early), \"not compiled\", \"not run\", "
          "\"wrong\" or \"not measured\".")
      .def_prop_ro(
          "seconds",
          [](const TuneCandidate& self) -> nb::object {
            return self.times.empty() || !self.is_valid() ? nb::none() : nb::cast(self.seconds());
          },
          nb::sig("def seconds(self) -> float | None"),
          "Shortest time of a run in seconds; None without one.")
      .def_ro("times", &TuneCandidate::times, "Times of all runs in seconds.")
      .def_ro("error", &TuneCandidate::error, "Reason why it cannot be used; empty if it can.")
      .def_ro("found_at", &TuneCandidate::found_at,
              "Seconds from the start of the search to its measurement.")
      .def("__repr__", [](const TuneCandidate& self) {
        return "<quern.TuneCandidate " + self.configuration.text() + ": " + name_of(self.status) + ">";
      });
}

void bind_result(nb::module_& module) {
  nb::class_<TuneResult>(module, "TuneSearchResult", nb::is_final(), "Candidates of a search.")
      .def_ro("candidates", &TuneResult::candidates)
      .def_prop_ro("best_index",
                   [](const TuneResult& self) {
                     (void)self.winner();  // throws if there is none
                     return *self.best;
                   })
      .def_prop_ro("strategy", [](const TuneResult& self) { return name_of(self.strategy); })
      .def_ro("seed", &TuneResult::seed)
      .def_ro("space_size", &TuneResult::space_size)
      .def_ro("seconds", &TuneResult::seconds)
      .def_ro("interrupted", &TuneResult::interrupted)
      .def_ro("timed_out", &TuneResult::timed_out)
      .def_rw("title", &TuneResult::title)
      .def("table", &TuneResult::table, nb::arg("most"))
      .def("csv", &TuneResult::csv)
      .def("json", &TuneResult::json)
      .def("svg", &TuneResult::svg, nb::arg("width"))
      .def(
          "keep",
          [](const TuneResult& self, nb::handle problem, nb::handle problem_class, nb::handle version,
             const Device& device) {
            const TuneKey key = key_of(problem, problem_class, version);
            return without_gil([&] { return keep_tuned(self.result(key, device)); });
          },
          nb::arg("problem"), nb::arg("problem_class"), nb::arg("version"), nb::arg("device"));
}

}  // namespace

void bind_tune(nb::module_& module) {
  bind_candidate(module);
  bind_result(module);
  module.def("tune_search", &search, nb::arg("target"), nb::arg("queue"), nb::arg("parameters"),
             nb::arg("restrictions"), nb::arg("settings"), nb::arg("progress").none());
  module.def(
      "tuned_find",
      [](nb::handle problem, nb::handle problem_class, nb::handle version, nb::handle defaults,
         const Device& device) {
        const TuneKey key = key_of(problem, problem_class, version);
        const Tuned tuned(key.problem, configuration_of(defaults, "defaults"), key.version);
        const auto [configuration, origin] =
            without_gil([&] { return tuned.find(device, key.problem_class); });
        return nb::make_tuple(dict_of(configuration), name_of_origin(origin));
      },
      nb::arg("problem"), nb::arg("problem_class"), nb::arg("version"), nb::arg("defaults"),
      nb::arg("device"));
  nb::class_<TunableAlgorithm>(module, "TunableAlgorithm", nb::is_final(),
                               R"(Algorithm of the library that has parameters on a device.

Examples
--------
>>> algorithm = qn.tuning.algorithms("host")[0]
>>> isinstance(algorithm.workload, str)
True)")
      .def_ro("workload", &TunableAlgorithm::workload,
              "Workload that is measured: \"reduction\", \"scan\", \"sort\", \"matmul\", \"transpose\" or "
              "\"stencil\".")
      .def_ro("form", &TunableAlgorithm::form, "Form of the algorithm that the device runs.")
      .def_ro("problem_class", &TunableAlgorithm::problem_class,
              "Class of problems that the parameters are for, such as the size of elements in bytes.")
      .def_ro("description", &TunableAlgorithm::description, "Workload in words.")
      .def_prop_ro(
          "version", [](const TunableAlgorithm& self) { return tune_key(self).version; },
          "Version of the parameters.")
      .def("__repr__", [](const TunableAlgorithm& self) {
        return "<quern.TunableAlgorithm " + self.form + ": " + self.description + ">";
      });
  module.def(
      "tunable_algorithms",
      [](const Device& device) { return without_gil([&] { return tunable_algorithms(device); }); },
      nb::arg("device"));
  module.def("tune_algorithm", &search_algorithm, nb::arg("device"), nb::arg("algorithm"),
             nb::arg("settings"), nb::arg("progress").none());
  module.def("tuned_export", [] { return without_gil([] { return export_tuned(); }); });
  module.def(
      "tuned_import", [](const std::string& text) { return without_gil([&] { return import_tuned(text); }); },
      nb::arg("text"));
  module.def(
      "tuned_forget",
      [](const std::string& problem) { return without_gil([&] { return forget_tuned(problem); }); },
      nb::arg("problem"));
  module.def("tuned_reload", [] { without_gil([] { reload_tuned(); }); });
}

}  // namespace quern::python
