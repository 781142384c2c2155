// SPDX-License-Identifier: MIT
// Declarations that the files of the binding share: the areas of the module, and the classes that Python
// sees.
#pragma once

#include <nanobind/nanobind.h>
// nanobind's converters are included only here: a file that does not see the converter of a type compiles,
// but fails at run time.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "quern/quern.hpp"

namespace quern::python {

namespace nb = nanobind;

// An array as Python holds it: with the NumPy dtype it was made with.
struct PyArray {
  Array array;
  nb::object dtype;
  nb::object base = {};  // for a view, the object whose memory it shows; see owner_of()
};

// A NumPy array as a kernel argument: copied to the device before the launch, back after it, or both.
struct HostArgument {
  nb::object array;
  bool in = false, out = false;
};

void bind_errors(nb::module_& module);
void bind_device(nb::module_& module);
void bind_events(nb::module_& module);
void bind_completion_port(nb::module_& module);
void bind_queue(nb::module_& module);
void bind_buffer(nb::module_& module);
void bind_map(nb::module_& module);    // after the classes that it adds methods to
void bind_graph(nb::module_& module);  // after the classes that it adds methods to
void bind_pool(nb::module_& module);
void bind_svm(nb::module_& module);
void bind_array(nb::module_& module);
void bind_attributes(nb::class_<PyArray>& array);
void bind_arithmetic(nb::module_& module, nb::class_<PyArray>& array);
void bind_indexing(nb::class_<PyArray>& array);
void bind_methods(nb::module_& module, nb::class_<PyArray>& array);
void bind_program(nb::module_& module);
void bind_kernel(nb::module_& module);
void bind_kernel_arguments(nb::module_& module);
void bind_gather(nb::module_& module);
void bind_histogram(nb::module_& module);
void bind_search(nb::module_& module);
void bind_sort(nb::module_& module);
void bind_random(nb::module_& module);
void bind_distributed(nb::module_& module);
void bind_distributed_fft(nb::module_& module);
void bind_distributed_sparse(nb::module_& module);
void bind_global_arrays(nb::module_& module);
void bind_sparse(nb::module_& module);
void bind_sparse_linalg(nb::module_& module);
void bind_stats(nb::module_& module);
void bind_elementwise(nb::module_& module);
void bind_evaluation(nb::module_& module);
void bind_explain(nb::module_& module);
void bind_profile(nb::module_& module);
void bind_reduction(nb::module_& module);
void bind_scans(nb::module_& module);
void bind_scan(nb::module_& module);
void bind_select(nb::module_& module);
void bind_tune(nb::module_& module);
void bind_functions(nb::module_& module);
void bind_signatures(nb::module_& module);  // called last

}  // namespace quern::python
