// SPDX-License-Identifier: MIT
// The extension module quern._core: one function per area.
#include "binding.hpp"
#include "interpreter.hpp"
#include "origins.hpp"
#include "rank_areas.hpp"
#include "refusals.hpp"

NB_MODULE(_core, module) {
  using namespace quern::python;
  // Objects that are alive at exit are not a leak of the user's.
  nb::set_leak_warnings(false);
  module.doc() = "Compiled part of quern; use the names of the package instead.";
  watch_interpreter();
  remember_origins();
  bind_errors(module);
  bind_device(module);
  bind_events(module);
  bind_completion_port(module);
  bind_queue(module);
  bind_buffer(module);
  bind_pool(module);
  bind_array(module);
  bind_map(module);
  bind_svm(module);
  bind_graph(module);
  bind_program(module);
  bind_kernel_arguments(module);
  bind_kernel(module);
  bind_gather(module);
  bind_histogram(module);
  bind_search(module);
  bind_sort(module);
  bind_random(module);
  bind_sparse(module);
  bind_sparse_linalg(module);
  bind_distributed(module);
  bind_distributed_fft(module);
  bind_distributed_sparse(module);
  bind_global_arrays(module);
  bind_messages(module);
  bind_stats(module);
  bind_elementwise(module);
  bind_evaluation(module);
  bind_explain(module);
  bind_profile(module);
  bind_reduction(module);
  bind_scans(module);
  bind_scan(module);
  bind_select(module);
  bind_tune(module);
  bind_functions(module);
  bind_signatures(module);
  word_refusals(module);
}
