// SPDX-License-Identifier: MIT
// copy_if, remove_if, partition, nonzero, unique and run_length_encode: a scan counts the selected elements,
// and each is written to the index that its count gives.
#include "quern/select.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

#include "algorithms/convert.hpp"
#include "algorithms/copy.hpp"
#include "algorithms/launch/checks.hpp"
#include "algorithms/launch/generated_kernels.hpp"
#include "algorithms/launch/kernel_table.hpp"
#include "algorithms/launch/policy.hpp"
#include "algorithms/launch/program_table.hpp"
#include "algorithms/scan_run.hpp"
#include "base/dtype_kinds.hpp"
#include "codegen/loop.hpp"
#include "codegen/select_form.hpp"
#include "codegen/type_text.hpp"
#include "quern/error.hpp"
#include "runtime/queue_state.hpp"

namespace quern {
namespace {

using algorithms::check_apart;
using algorithms::check_vector;
using codegen::ScanVariant;
using codegen::SelectForm;
using codegen::SelectSource;
using codegen::Snippet;
using detail::is_complex;
using detail::is_number;

// The programs of one selection.
class SelectState {
 public:
  explicit SelectState(const SelectForm& form)
      : source(codegen::select_source(form, algorithms::preamble_of({form.what, form.preamble, {}}))),
        kernels(source.scan.name, {}) {
    std::size_t widest = 1;
    for (const codegen::SelectOutput& output : source.outputs) widest = std::max(widest, output.size);
    run.emplace(source.scan, ScanTuning{}, widest, [this](const ScanVariant& variant, const char* suffix) {
      return kernels.get_library(variant.key() + suffix, codegen::symbol_of(source.scan.name) + suffix,
                                 [&] { return codegen::emit_select(source, variant); });
    });
  }

  SelectSource source;
  algorithms::GeneratedKernels kernels;
  std::optional<algorithms::ScanRun> run;
};

// States are kept for later calls.
std::shared_ptr<const SelectState> state_of(const SelectForm& selection) {
  // Never destroyed: the library may be used until the process ends.
  static auto* const table = new algorithms::ProgramTable<std::string, SelectState>;
  return table->get(selection.key(), [&] { return std::make_shared<const SelectState>(selection); });
}

void check_count(const std::string& what, const Array& count, const Queue& queue) {
  check_vector(what, "count", count, queue);
  if (count.size() < 1)
    throw ArgumentError(ArgumentError::Kind::value, what + ": count: expected one element, got none");
  if (count.dtype().scalar != Scalar::uint64 && count.dtype().scalar != Scalar::int64)
    algorithms::reject_dtype(what, "count", count.dtype(), "uint64 or int64");
}

// The arguments of a call: x, then what the predicate takes.
struct SelectCall {
  SelectForm selection;
  std::vector<KernelArgument> arguments;
  std::vector<const Array*> outputs;
  const Array* lengths = nullptr;    // of runs, whose starts are the last output
  std::unique_ptr<Buffer> elements;  // of x, if the kernel declares them with another type
};

constexpr std::size_t kMostSelected = (std::size_t{1} << 31) - (1 << 20);

// Computes the lengths of runs from their starts.
Event enqueue_lengths(const Queue& queue, const Array& starts, const Array& count, const Array& lengths,
                      std::size_t n) {
  // The number of runs is known to the device only, so a fixed number of work-items goes over them.
  const DeviceProperties& device = queue.state()->properties();
  const bool in_chunks = codegen::loop_style(device) == codegen::LoopStyle::chunks;
  const std::size_t groups = device.compute_units * (in_chunks ? 2 : 16);
  const std::size_t local = in_chunks ? 1 : std::min<std::size_t>(256, device.max_work_group_size);
  const std::array<KernelArgument, 5> arguments = {starts, count, lengths,
                                                   KernelArgument(static_cast<std::int64_t>(n)),
                                                   KernelArgument(static_cast<std::int64_t>(lengths.size()))};
  return algorithms::kernel_of({"run_lengths"}, "run_lengths", {})
      .launch(queue, n, range(groups * local).with_local(local), arguments);
}

Event enqueue(SelectCall call, const Array& x, const Array& count, const Queue& queue, WaitList wait_for) {
  const std::string& what = call.selection.what;
  check_count(what, count, queue);
  check_apart(what, "count", count, "x", x);
  for (const Array* output : call.outputs) check_apart(what, "count", count, "out", *output);
  if (x.size() == 0) {
    const std::byte zero{0};
    return queue.fill(count.elements().sub_buffer(0, sizeof(std::uint64_t)), {&zero, 1}, wait_for);
  }
  call.selection.is_wide = x.size() > kMostSelected ||
                           codegen::loop_style(queue.state()->properties()) == codegen::LoopStyle::chunks;
  const auto state = state_of(call.selection);
  const auto plan = state->run->plan(queue, call.arguments, static_cast<std::int64_t>(x.size()));
  std::vector<KernelArgument> outputs;
  std::vector<Buffer> buffers;
  buffers.reserve(call.outputs.size() + 1);
  for (const Array* output : call.outputs) outputs.emplace_back(buffers.emplace_back(output->elements()));
  outputs.emplace_back(buffers.emplace_back(count.elements()));
  // The number of elements is known to the device only, which stores those that fit.
  if (!call.selection.partition)
    for (const Array* output : call.outputs) outputs.emplace_back(static_cast<std::int64_t>(output->size()));
  const Event done = state->run->launch(plan, queue, call.arguments, outputs, wait_for);
  if (call.lengths == nullptr) return done;
  return enqueue_lengths(queue, *call.outputs.back(), count, *call.lengths, x.size());
}

void check_elements(const std::string& what, const Queue& queue, const Array& x, const Array& out) {
  check_vector(what, "x", x, queue);
  check_vector(what, "out", out, queue);
  algorithms::check_dtype(what, "out", out, x.dtype());
  check_apart(what, "out", out, "x", x);
}

SelectCall predicated(const std::string& what, const Array& x, const Predicate& predicate, bool negated,
                      const Array& out) {
  const std::string& condition = predicate.expression;
  if (condition.empty()) throw ArgumentError(ArgumentError::Kind::value, what + ": the predicate is empty");
  if (Snippet(condition, Snippet::Form::indexed, "predicate").compares("x"))
    throw ArgumentError(ArgumentError::Kind::value, what + ": the predicate \"" + condition +
                                                        "\" compares the array itself; an element is x[i]");
  SelectCall call;
  SelectForm& selection = call.selection;
  selection.what = what;
  const std::string type = codegen::item_type(x.dtype(), selection.preamble);
  selection.preamble = codegen::with_generic_forms(std::move(selection.preamble), {condition});
  selection.arguments = "const " + type + " *x";
  if (!predicate.arguments.empty()) selection.arguments += ", " + predicate.arguments;
  selection.predicate = negated ? "!(" + condition + ")" : condition;
  selection.outputs.push_back({type, x.dtype().itemsize, "x[i]"});
  call.elements = std::make_unique<Buffer>(x.elements());
  call.arguments.emplace_back(*call.elements);
  call.arguments.insert(call.arguments.end(), predicate.values.begin(), predicate.values.end());
  call.outputs.push_back(&out);
  return call;
}

// What is selected by a mask, and whether the others follow.
struct Masked {
  const char* what;
  bool negated = false, partition = false;
};

Event enqueue_masked(const Masked& masked, const Queue& queue, const Array& x, const Array& mask,
                     const Array& out, const Array& count, WaitList wait_for) {
  SelectCall call;
  call.selection = codegen::masked_form(masked.what, x.dtype(), mask.dtype(), masked.negated);
  call.selection.partition = masked.partition;
  call.elements = std::make_unique<Buffer>(x.elements());
  call.arguments.emplace_back(*call.elements);
  call.arguments.emplace_back(mask);
  call.outputs.push_back(&out);
  return enqueue(std::move(call), x, count, queue, wait_for);
}

// Selects elements of any size as the words that they consist of, for which the library has programs.
Event enqueue_words(const Masked& masked, const Queue& queue, const Array& x, const Array& mask,
                    const Array& out, const Array& count, WaitList wait_for) {
  // enqueue() checks only the arrays that it is given here.
  check_count(masked.what, count, queue);
  check_apart(masked.what, "count", count, "x", x);
  check_apart(masked.what, "count", count, "out", out);
  if (!wait_for.empty()) queue.barrier(wait_for);
  const Array bytes = algorithms::converted(queue, mask, DType::of(Scalar::boolean));
  if (codegen::is_masked_in_library(x.dtype()))
    return enqueue_masked(masked, queue, x, bytes, out, count, {});
  const std::size_t size = x.dtype().itemsize;
  const std::size_t word = std::gcd(std::gcd(size, x.dtype().alignment()), sizeof(std::uint64_t));
  const auto words = static_cast<std::int64_t>(size / word);
  const DType type = detail::unsigned_of_size(word);
  const auto n = static_cast<std::int64_t>(x.size());
  const Array each = empty(queue, {n, words}, bytes.dtype());
  algorithms::copy_elements(queue, Array(bytes.buffer(), bytes.dtype(), {n, words}, {1, 0}, bytes.offset()),
                            each);
  const auto as_words = [&](const Array& array) {
    return Array(array.elements(), type, {static_cast<std::int64_t>(array.size()) * words});
  };
  const Array word_count = empty(queue, {1}, count.dtype());
  enqueue_masked(masked, queue, as_words(x), Array(each.elements(), bytes.dtype(), {n * words}),
                 as_words(out), word_count, {});
  const Array number(bytes.elements(), DType::of(Scalar::uint8), {n}),
      rest = empty(queue, {n}, number.dtype());
  return enqueue_masked({masked.negated ? "remove_if" : "copy_if", masked.negated}, queue, number, bytes,
                        rest, count, {});
}

Event enqueue_if(const Masked& masked, const Queue& queue, const Array& x, const Predicate& predicate,
                 const Array& out, const Array& count, WaitList wait_for) {
  const std::string what = masked.what;
  check_elements(what, queue, x, out);
  if (masked.partition) algorithms::check_size(what, "out", out, x.size());
  if (predicate.mask == nullptr) {
    SelectCall call = predicated(what, x, predicate, masked.negated, out);
    call.selection.partition = masked.partition;
    return enqueue(std::move(call), x, count, queue, wait_for);
  }
  const Array& mask = *predicate.mask;
  check_vector(what, "mask", mask, queue);
  algorithms::check_size(what, "mask", mask, x.size());
  check_apart(what, "out", out, "mask", mask);
  if (!is_number(mask.dtype()) || is_complex(mask.dtype()))
    algorithms::reject_dtype(what, "mask", mask.dtype(), "bool or an integer");
  const bool is_in_library =
      mask.dtype().scalar == Scalar::boolean && codegen::is_masked_in_library(x.dtype());
  const bool in_words = !is_in_library && x.size() != 0 && algorithms::avoids_compiling(queue, x.size());
  return (in_words ? enqueue_words : enqueue_masked)(masked, queue, x, mask, out, count, wait_for);
}

Array new_count(const Queue& queue) {
  return empty(queue, {1}, DType::of(Scalar::uint64));
}

Array first_of(const Array& array, std::uint64_t count) {
  return {array.elements().sub_buffer(0, count * array.dtype().itemsize),
          array.dtype(),
          {static_cast<std::int64_t>(count)}};
}

std::uint64_t waited(const Queue& queue, const Array& count) {
  return count.to_vector<std::uint64_t>(queue)[0];
}

Array like(const Queue& queue, const Array& x) {
  return empty(queue, {static_cast<std::int64_t>(x.size())}, x.dtype());
}

Array positions(const Queue& queue, const Array& x) {
  return empty(queue, {static_cast<std::int64_t>(x.size())}, DType::of(Scalar::int64));
}

void check_positions(const std::string& what, const char* name, const Array& array, const Array& x,
                     const Queue& queue) {
  check_vector(what, name, array, queue);
  algorithms::check_dtype(what, name, array, DType::of(Scalar::int64));
  check_apart(what, name, array, "x", x);
}

// Selects the first element of each run.
SelectCall heads(const std::string& what, const Queue& queue, const Array& x, const Array& out,
                 bool positions) {
  check_elements(what, queue, x, out);
  if (!is_number(x.dtype())) algorithms::reject_dtype(what, "x", x.dtype(), "numbers, which can be compared");
  if (x.size() != 0) algorithms::check_not_empty(what, "out", out);
  SelectCall call;
  call.selection = codegen::heads_form(what, x.dtype(), positions);
  call.arguments.emplace_back(x);
  call.outputs.push_back(&out);
  return call;
}

}  // namespace

Event copy_if(const Queue& queue, const Array& x, const Predicate& predicate, const Array& out,
              const Array& count, WaitList wait_for) {
  return enqueue_if({"copy_if"}, queue, x, predicate, out, count, wait_for);
}

Event remove_if(const Queue& queue, const Array& x, const Predicate& predicate, const Array& out,
                const Array& count, WaitList wait_for) {
  return enqueue_if({"remove_if", true}, queue, x, predicate, out, count, wait_for);
}

Event partition(const Queue& queue, const Array& x, const Predicate& predicate, const Array& out,
                const Array& count, WaitList wait_for) {
  return enqueue_if({"partition", false, true}, queue, x, predicate, out, count, wait_for);
}

Event nonzero(const Queue& queue, const Array& x, const Array& out, const Array& count, WaitList wait_for) {
  check_vector("nonzero", "x", x, queue);
  check_positions("nonzero", "out", out, x, queue);
  if (!is_number(x.dtype())) algorithms::reject_dtype("nonzero", "x", x.dtype(), "numbers");
  SelectCall call;
  call.selection = codegen::nonzero_form(x.dtype());
  call.elements = std::make_unique<Buffer>(x.elements());
  call.arguments.emplace_back(*call.elements);
  call.outputs.push_back(&out);
  return enqueue(std::move(call), x, count, queue, wait_for);
}

Event unique(const Queue& queue, const Array& x, const Array& out, const Array& count, WaitList wait_for) {
  return enqueue(heads("unique", queue, x, out, false), x, count, queue, wait_for);
}

Event run_length_encode(const Queue& queue, const Array& x, const Runs& out, const Array& count,
                        WaitList wait_for) {
  const std::string what = "run_length_encode";
  SelectCall call = heads(what, queue, x, out.values, true);
  check_positions(what, "starts", out.starts, x, queue);
  check_positions(what, "lengths", out.lengths, x, queue);
  check_apart(what, "starts", out.starts, "values", out.values);
  check_apart(what, "lengths", out.lengths, "values", out.values);
  check_apart(what, "lengths", out.lengths, "starts", out.starts);
  if (x.size() != 0) {
    algorithms::check_not_empty(what, "starts", out.starts);
    algorithms::check_not_empty(what, "lengths", out.lengths);
  }
  call.lengths = &out.lengths;
  // The length of the last run that fits is the distance to the start of the next one.
  const std::size_t needed = std::min(out.lengths.size() + 1, x.size());
  if (out.starts.size() >= needed) {
    call.outputs.push_back(&out.starts);
    return enqueue(std::move(call), x, count, queue, wait_for);
  }
  const Array starts = empty(queue, {static_cast<std::int64_t>(needed)}, out.starts.dtype());
  call.outputs.push_back(&starts);
  // Elements beyond the runs keep their values.
  const Buffer head = starts.elements().sub_buffer(0, out.starts.nbytes());
  queue.copy(out.starts.elements(), head);
  enqueue(std::move(call), x, count, queue, wait_for);
  return queue.copy(head, out.starts.elements());
}

Array copy_if(const Queue& queue, const Array& x, const Predicate& predicate) {
  const Array out = like(queue, x), count = new_count(queue);
  copy_if(queue, x, predicate, out, count);
  return first_of(out, waited(queue, count));
}

Array remove_if(const Queue& queue, const Array& x, const Predicate& predicate) {
  const Array out = like(queue, x), count = new_count(queue);
  remove_if(queue, x, predicate, out, count);
  return first_of(out, waited(queue, count));
}

std::pair<Array, Array> partition(const Queue& queue, const Array& x, const Predicate& predicate) {
  std::pair<Array, Array> result{like(queue, x), new_count(queue)};
  partition(queue, x, predicate, result.first, result.second);
  return result;
}

Array nonzero(const Queue& queue, const Array& x) {
  const Array out = positions(queue, x), count = new_count(queue);
  nonzero(queue, x, out, count);
  return first_of(out, waited(queue, count));
}

Array unique(const Queue& queue, const Array& x) {
  const Array out = like(queue, x), count = new_count(queue);
  unique(queue, x, out, count);
  return first_of(out, waited(queue, count));
}

Runs run_length_encode(const Queue& queue, const Array& x) {
  const Runs out{like(queue, x), positions(queue, x), positions(queue, x)};
  const Array count = new_count(queue);
  run_length_encode(queue, x, out, count);
  const std::uint64_t runs = waited(queue, count);
  return {first_of(out.values, runs), first_of(out.starts, runs), first_of(out.lengths, runs)};
}

}  // namespace quern
