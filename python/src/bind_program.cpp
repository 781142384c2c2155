// SPDX-License-Identifier: MIT
// Programs: source in, kernels out.

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "binding.hpp"
#include "conversions.hpp"
#include "current.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"
#include "program_options.hpp"
#include "py_kernel.hpp"

namespace quern::python {
namespace {

// A program, and the Kernel objects it has returned.
struct PyProgram {
  Program program;
  std::shared_ptr<const ProgramRecipe> recipe;
  bool may_have_others = false;  // kernels of CUDA C and binaries cannot be listed without a device
  std::map<std::string, nb::object> kernels = {};
};

// The dialect of a backend given by name alone, which need not be available.
std::optional<Dialect> dialect_of(nb::handle device) {
  if (!PyUnicode_Check(device.ptr())) return std::nullopt;
  const std::string name = text_argument(device, "device");
  if (name == "host") return Dialect::host_c;
  if (name == "opencl") return Dialect::opencl_c;
  if (name == "cuda") return Dialect::cuda_cpp;
  return std::nullopt;
}

void make_program(PyProgram* self, nb::handle text, nb::handle language, nb::handle defines,
                  nb::handle include_paths, nb::handle options, nb::handle name, nb::handle name_expressions,
                  nb::handle debug, nb::handle check_bounds) {
  std::string source = text_argument(text, "source");
  ProgramOptions how =
      program_options(language, defines, include_paths, options, name, name_expressions, debug, check_bounds);
  const bool may_have_others = how.language == Language::cuda_c;
  const Program program = without_gil([&] { return Program(std::move(source), how); });
  auto recipe = std::make_shared<const ProgramRecipe>(ProgramRecipe{program, std::move(how)});
  new (self) PyProgram{program, std::move(recipe), may_have_others};
}

[[noreturn]] void no_such_kernel(const std::vector<std::string>& names, const std::string& name,
                                 PyObject* kind) {
  std::string text = "this program has no kernel '" + name + "'; ";
  text += names.empty() ? "it has no kernels" : "its kernels are:";
  for (const std::string& known : names) text += " " + known;
  const nb::object near = nb::module_::import_("difflib").attr("get_close_matches")(name, names, 1);
  if (nb::len(near) > 0) text += "; did you mean '" + nb::cast<std::string>(near[0]) + "'?";
  PyErr_SetString(kind, text.c_str());
  throw nb::python_error();
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// `listed`: whether the name must be one of the known kernels.
nb::object kernel(PyProgram& self, const std::string& name, bool listed, PyObject* kind) {
  if (const auto found = self.kernels.find(name); found != self.kernels.end()) return found->second;
  if (listed) {
    auto names = without_gil([&] { return self.program.kernel_names(); });
    // A declaration with an error declares nothing. Python's tools query names with an underscore on any
    // object.
    if (!has(names, name) && !name.starts_with('_')) {
      const Device device = device_or_current(nb::none());
      names = without_gil([&] {
        self.program.check_declarations(device);
        return self.program.kernel_names();
      });
    }
    if (!has(names, name)) no_such_kernel(names, name, kind);
  }
  nb::object result = make_kernel(self.recipe, name);
  return self.kernels.emplace(name, std::move(result)).first->second;
}

nb::object kernel_attribute(PyProgram& self, nb::handle name) {
  Py_ssize_t size = 0;
  const char* const utf8 = PyUnicode_AsUTF8AndSize(name.ptr(), &size);
  if (utf8 == nullptr) PyErr_Clear();  // UTF-8 cannot encode the name, so no kernel has it
  const std::string text =
      utf8 != nullptr ? std::string(utf8, static_cast<std::size_t>(size)) : text_of(name);
  if (text.starts_with("__") && text.ends_with("__")) {  // special names, which no kernel has
    PyErr_Format(PyExc_AttributeError, "'Program' object has no attribute '%s'", text.c_str());
    throw nb::python_error();
  }
  try {
    return kernel(self, text, true, PyExc_AttributeError);
  } catch (const BuildError& error) {
    raise_as_attribute_error(error);
  }
}

nb::object kernel_item(PyProgram& self, nb::handle name) {
  return kernel(self, text_argument(name, "name"), !self.may_have_others, PyExc_KeyError);
}

// Empty if the text has errors, so that repr() works nevertheless.
std::optional<std::vector<std::string>> names_to_show(const Program& program) {
  try {
    return without_gil([&] { return program.kernel_names(); });
  } catch (const BuildError&) {
    return std::nullopt;
  }
}

nb::bytes binary_of(const PyProgram& self, nb::handle device) {
  const Device target = device_or_current(device);
  const std::vector<std::byte> bytes = without_gil([&] { return self.program.binary(target); });
  return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

PyProgram from_binary(nb::handle binary, nb::handle device) {
  if (!nb::isinstance<nb::bytes>(binary)) type_error("binary: expected bytes, got " + class_name(binary));
  const auto bytes = nb::borrow<nb::bytes>(binary);
  const Device target = device_or_current(device);
  const std::span<const std::byte> content(reinterpret_cast<const std::byte*>(bytes.c_str()), bytes.size());
  const Program program =
      without_gil([&] { return Program::from_binary(Context::of(target), target, content); });
  auto recipe = std::make_shared<const ProgramRecipe>(
      ProgramRecipe{program, {}, {content.begin(), content.end()}, target.spec()});
  return {program, std::move(recipe), true};
}

}  // namespace

nb::tuple reduced(const ProgramRecipe& recipe, const std::string* kernel) {
  const nb::object name = kernel == nullptr ? nb::none() : nb::object(nb::str(kernel->c_str()));
  const nb::module_ storage = nb::module_::import_("quern._storage");
  if (!recipe.device.empty()) {
    const nb::bytes binary(reinterpret_cast<const char*>(recipe.binary.data()), recipe.binary.size());
    return nb::make_tuple(storage.attr("restore_binary"), nb::make_tuple(binary, recipe.device, name));
  }
  const ProgramOptions& how = recipe.options;
  nb::dict keywords, defines;
  for (const auto& [macro, text] : how.defines) defines[macro.c_str()] = text;
  keywords["language"] = how.language == Language::cuda_c ? "cuda" : "opencl";
  keywords["defines"] = defines;
  keywords["include_paths"] = how.include_paths;
  keywords["options"] = how.options;
  keywords["name"] = how.name;
  keywords["name_expressions"] = how.name_expressions;
  keywords["debug"] = how.debug;
  return nb::make_tuple(storage.attr("restore_program"),
                        nb::make_tuple(recipe.program.source(), keywords, name));
}

void bind_program(nb::module_& module) {
  module.def(
      "c_type_name",
      [](nb::handle dtype) {
        const DType element = element_type(numpy_dtype(dtype));
        if (element.scalar == Scalar::structure)
          type_error("dtype " + nb::cast<std::string>(nb::str(dtype)) +
                     " is a structure, which has no built-in name in OpenCL C; use struct_definition()");
        return c_type_name(element);
      },
      nb::arg("dtype"), nb::sig("def c_type_name(dtype: numpy.typing.DTypeLike) -> str"),
      R"(Name of a dtype's elements in OpenCL C. Vector dtypes are in quern.vec.

Parameters
----------
dtype : dtype
    Dtype of the elements.

Returns
-------
str
    Name of the type.

Raises
------
TypeError
    If the dtype is structured.

Examples
--------
>>> qn.c_type_name("uint8"), qn.c_type_name("float64")
('uchar', 'double'))");
  module.def(
      "struct_definition",
      [](nb::handle dtype, nb::handle name) {
        return struct_definition(element_type(numpy_dtype(dtype)), text_argument(name, "name"));
      },
      nb::arg("dtype"), nb::arg("name").none() = "record",
      nb::sig("def struct_definition(dtype: numpy.typing.DTypeLike, name: str = 'record') -> str"),
      R"(OpenCL C definition of a structured dtype as a struct, with padding members for gaps in the dtype.

Put the text before the source of a kernel. Nested structs come first, named after their members.

Parameters
----------
dtype : dtype
    Structured dtype.
name : str, optional
    Name of the struct.

Returns
-------
str
    Definition in C.

Raises
------
TypeError
    If the dtype is not structured.

Examples
--------
>>> text = qn.struct_definition(np.dtype([("x", "float32"), ("n", "int32")]), name="point")
>>> "float x;" in text and "int n;" in text
True)");
  nb::class_<PyProgram>(
      module, "Program", nb::is_final(),
      "Program: kernels compiled from source. Get a kernel by program.name or program[\"name\"].\n"
      "\n"
      "The program is built on first use, or by build().\n"
      "\n"
      "Parameters\n"
      "----------\n"
      "source : str\n"
      "    Source text of the kernels.\n"
      "language : str, optional\n"
      "    \"opencl\" (OpenCL C, for every device) or \"cuda\" (CUDA C).\n"
      "defines : dict, optional\n"
      "    Preprocessor macros and their values.\n"
      "include_paths : sequence of path, optional\n"
      "    Folders to search for included files.\n"
      "options : str or sequence of str, optional\n"
      "    Options for the compiler.\n"
      "name : str, optional\n"
      "    File name in diagnostics.\n"
      "name_expressions : sequence of str, optional\n"
      "    CUDA C: template instances to compile, such as \"scale<float>\".\n"
      "debug : bool, optional\n"
      "    Build for a debugger: on the host without optimisation, with line numbers in errors.\n"
      "check_bounds : bool, optional\n"
      "    On the host, check every access through a pointer argument against the size of its array. An\n"
      "    access beyond it becomes a KernelError with the argument, the element, the work-item and the "
      "line.\n"
      "    Simple kernels take some 30 times as long. Other devices ignore it. By default the environment\n"
      "    variable QUERN_CHECK_BOUNDS decides.\n"
      "\n"
      "Examples\n"
      "--------\n"
      ">>> source = \"kernel void twice(global float* x) { x[get_global_id(0)] *= 2; }\"\n"
      ">>> program = qn.Program(source)\n"
      ">>> x = qn.arange(3, dtype=\"float32\")\n"
      ">>> event = program.twice(None, 3, None, x)\n"
      ">>> print(x)\n"
      "[0. 2. 4.]")
      .def("__init__", &make_program, nb::arg("source").none(), nb::kw_only(),
           nb::arg("language").none() = "opencl", nb::arg("defines") = nb::none(),
           nb::arg("include_paths") = nb::none(), nb::arg("options") = nb::none(),
           nb::arg("name").none() = "kernel.cl", nb::arg("name_expressions") = nb::none(),
           nb::arg("debug").none() = false, nb::arg("check_bounds") = nb::none(),
           nb::sig("def __init__(self, source: str, *, language: str = 'opencl', defines: dict[str, object] "
                   "| None = None, "
                   "include_paths: collections.abc.Sequence[object] | None = None, options: str | "
                   "collections.abc.Sequence[str] | None = None, "
                   "name: str = ..., name_expressions: collections.abc.Sequence[str] | None = None, "
                   "debug: bool = False, check_bounds: bool | None = None) -> "
                   "None"))
      .def_static("from_binary", &from_binary, nb::arg("binary").none(), nb::arg("device") = nb::none(),
                  nb::sig("def from_binary(binary: bytes, device: Device | str | None = None) -> Program"),
                  R"(Program from the bytes that binary() returned, in this or another process.

Parameters
----------
binary : bytes
    Result of binary(), for the same device and driver.
device : Device or str, optional
    Device to load the program on; the current device by default.

Returns
-------
Program
    Program that runs on this device only.

Raises
------
ValueError
    If the bytes are not a program of this version of Quern, or are for another backend.

Examples
--------
>>> program = qn.Program("kernel void one(global int *x) { x[get_global_id(0)] = 1; }")
>>> qn.Program.from_binary(program.binary()).kernel_names
['one'])")
      .def(
          "build",
          [](nb::handle_t<PyProgram> self, nb::handle device) {
            if (PyUnicode_Check(device.ptr()) && PyUnicode_GetLength(device.ptr()) > 0 &&
                PyUnicode_ReadChar(device.ptr(), 0) == '-')
              value_error("build: expected a device, got " + text_of(nb::repr(device)) +
                          "; options belong to Program(source, options=...)");
            const Device target = device_or_current(device);
            const Program program = nb::inst_ptr<PyProgram>(self)->program;
            without_gil([&] { program.build(target); });
            return nb::borrow(self);
          },
          nb::arg("device") = nb::none(),
          nb::sig("def build(self, device: Device | str | None = None) -> Program"),
          R"(Build the program now instead of on its first launch.

Parameters
----------
device : Device or str, optional
    Device to build for; the current device by default.

Returns
-------
Program
    The program itself.

Raises
------
BuildError
    If the source has errors, or if the compiler fails.

Examples
--------
>>> qn.Program("kernel void one(global int *x) { x[get_global_id(0)] = 1; }").build().kernel_names
['one'])")
      .def(
          "is_built",
          [](const PyProgram& self, nb::handle device) {
            const Device target = device_or_current(device);
            return without_gil([&] { return self.program.is_built(target); });
          },
          nb::arg("device") = nb::none(),
          nb::sig("def is_built(self, device: Device | str | None = None) -> bool"),
          R"(Whether this program has been built for a device. The call neither builds the program nor reads the cache.

Parameters
----------
device : Device or str, optional
    Device; the current device by default.

Returns
-------
bool
    True after build(), or after the first launch of a kernel on the device.

Examples
--------
>>> program = qn.Program("kernel void one(global int *x) { x[get_global_id(0)] = 1; }")
>>> program.is_built(), program.build().is_built()
(False, True))")
      .def_prop_ro(
          "kernel_names",
          [](const PyProgram& self) { return without_gil([&] { return self.program.kernel_names(); }); },
          "Names of the kernels.")
      .def_prop_ro(
          "source", [](const PyProgram& self) { return self.program.source(); }, "Source text.")
      .def(
          "log",
          [](const PyProgram& self, nb::handle device) {
            const Device target = device_or_current(device);
            return without_gil([&] { return self.program.log(target); });
          },
          nb::arg("device") = nb::none(), nb::sig("def log(self, device: Device | str | None = None) -> str"),
          R"(Messages of the compiler, such as warnings. The call builds the program first.

Parameters
----------
device : Device or str, optional
    Device to build for; the current device by default.

Returns
-------
str
    Messages; empty if there are none.

Raises
------
BuildError
    If the program cannot be built.

Examples
--------
>>> qn.Program("kernel void one(global int *x) { x[get_global_id(0)] = 1; }").log()
'')")
      .def("binary", &binary_of, nb::arg("device") = nb::none(),
           nb::sig("def binary(self, device: Device | str | None = None) -> bytes"),
           R"(Compiled program as bytes for from_binary(). The call builds the program first.

Parameters
----------
device : Device or str, optional
    Device to build for; the current device by default.

Returns
-------
bytes
    Program for this device and driver.

Raises
------
BuildError
    If the program cannot be built.

Examples
--------
>>> program = qn.Program("kernel void one(global int *x) { x[get_global_id(0)] = 1; }")
>>> len(program.binary()) > 0
True)")
      .def(
          "lowered_source",
          [](const PyProgram& self, nb::handle device) {
            const std::optional<Dialect> named = dialect_of(device);
            const Dialect dialect = named ? *named : device_or_current(device).properties().dialect;
            return without_gil([&] { return self.program.lowered_source(dialect); });
          },
          nb::arg("device") = nb::none(),
          nb::sig("def lowered_source(self, device: Device | str | None = None) -> str"),
          R"(Source that is passed to the device's compiler: C on the host, CUDA C++ on CUDA.

Parameters
----------
device : Device or str, optional
    Device to translate for; the current device by default. The name of a backend ('host', 'opencl' or 'cuda') needs no such
    device.

Returns
-------
str
    Source text.

Raises
------
BuildError
    If the source has errors.

Examples
--------
>>> program = qn.Program("kernel void one(global int *x) { x[get_global_id(0)] = 1; }")
>>> "__global__" in program.lowered_source("cuda")
True)")
      .def(
          "diagnostics",
          [](const PyProgram& self, nb::handle device) {
            const std::optional<Dialect> named = dialect_of(device);
            const Dialect dialect = named ? *named : device_or_current(device).properties().dialect;
            return without_gil([&] { return diagnostics(self.program, dialect); });
          },
          nb::arg("device") = nb::none(),
          nb::sig("def diagnostics(self, device: Device | str | None = None) -> list[Diagnostic]"),
          R"(Errors and warnings of the source, found without a compiler.

Parameters
----------
device : Device or str, optional
    Device to check the source for; the current device by default. The name of a backend ('host', 'opencl' or 'cuda') needs
    no such device.

Returns
-------
list of Diagnostic
    Errors, then warnings. Of OpenCL C the first error of each function, or of each declaration if declarations have
    errors; of CUDA C only the preprocessor's errors.

Examples
--------
>>> program = qn.Program("kernel void one(global int *x) { x[get_global_id(0)] = y; }")
>>> [(d.line, d.column, d.severity) for d in program.diagnostics("cuda")]
[(1, 56, 'error')])")
      .def(
          "global_",
          [](const PyProgram& self, nb::handle symbol, nb::handle device) {
            const std::string name = text_argument(symbol, "name");
            const Device target = device_or_current(device);
            return without_gil([&] { return self.program.global(name, target); });
          },
          nb::arg("name").none(), nb::arg("device") = nb::none(),
          nb::sig("def global_(self, name: str, device: Device | str | None = None) -> Buffer"),
          R"(Memory of a __device__ or __constant__ variable of a CUDA C program. The call builds the program first.

Parameters
----------
name : str
    Name of the variable, or one of the program's `name_expressions`.
device : Device or str, optional
    Device of the variable; the current device by default.

Returns
-------
Buffer
    Buffer of the variable, which keeps the program loaded.

Raises
------
ValueError
    If the program has no such variable on the device.
BuildError
    If the program cannot be built.)")
      .def(
          "__reduce__", [](const PyProgram& self) { return reduced(*self.recipe); },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"))
      .def(
          "__copy__", [](nb::object self) { return self; }, nb::sig("def __copy__(self) -> Program"))
      .def(
          "__deepcopy__", [](nb::object self, nb::handle /*memo*/) { return self; }, nb::arg("memo"),
          nb::sig("def __deepcopy__(self, memo: object, /) -> Program"))
      .def("__getattr__", &kernel_attribute, nb::arg("name").none(),
           nb::sig("def __getattr__(self, name: str) -> Kernel"))
      .def("__getitem__", &kernel_item, nb::arg("name").none(),
           nb::sig("def __getitem__(self, name: str) -> Kernel"))
      .def(
          "__dir__",
          [](nb::handle_t<PyProgram> self) {
            nb::object names = nb::module_::import_("builtins").attr("object").attr("__dir__")(self);
            if (const auto kernels = names_to_show(nb::inst_ptr<PyProgram>(self)->program))
              names.attr("extend")(nb::cast(*kernels));
            return names;
          },
          nb::sig("def __dir__(self) -> list[str]"))
      .def("__repr__", [](const PyProgram& self) {
        const auto names = names_to_show(self.program);
        std::string text = "<quern.Program " + self.program.name() + ":";
        if (!names) return text + " has errors>";
        for (const std::string& name : *names) text += " " + name;
        return text + ">";
      });
}

}  // namespace quern::python
