// SPDX-License-Identifier: MIT
// copy_if, remove_if, partition, nonzero, unique and run_length_encode: elements are counted by a scan, and
// those that stay are moved together.
#include "quern/select.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "algorithms/host/precompiled_kernel.hpp"
#include "algorithms/host/select_loops.hpp"
#include "algorithms/launch/checks.hpp"
#include "algorithms/launch/generated_kernels.hpp"
#include "algorithms/launch/kernel_table.hpp"
#include "algorithms/scan_run.hpp"
#include "codegen/emit_select.hpp"
#include "codegen/type_text.hpp"
#include "quern/error.hpp"
#include "runtime/queue_state.hpp"

namespace quern {
namespace {

using algorithms::check_apart;
using algorithms::check_vector;
using algorithms::Mark;
using codegen::ScanVariant;
using codegen::SelectSource;
using codegen::Snippet;

// One selection, as text.
struct Selection {
  std::string what;  // the name of the algorithm
  std::string preamble, arguments, predicate;
  std::vector<InputFetch> fetches;
  struct Output {
    std::string type;
    std::size_t size = 0;
    std::string value;
  };
  std::vector<Output> outputs;
  bool partition = false, wide = false;

  [[nodiscard]] std::string key() const {
    std::string key = what + '\n' + preamble + '\n' + arguments + '\n' + predicate;
    for (const InputFetch& fetch : fetches)
      ((key += '\n') += fetch.name + ' ' + fetch.argument) += std::to_string(fetch.offset);
    for (const Output& output : outputs) (key += '\n') += output.type + ' ' + output.value;
    return key + (partition ? "\np" : "\n") + (wide ? "w" : "");
  }
};

// The programs of one selection.
class SelectState {
 public:
  explicit SelectState(const Selection& selection)
      : source{{selection.what + "_kernel",
                selection.preamble,
                selection.wide ? "ulong" : "uint",
                DType::of(selection.wide ? Scalar::uint64 : Scalar::uint32),
                "a + b",
                "0",
                Snippet("(" + selection.predicate + ") ? 1 : 0", Snippet::Form::indexed, "predicate"),
                Snippet("", Snippet::Form::indexed, ""),
                Snippet("", Snippet::Form::indexed, ""),
                {},
                {},
                true,
                selection.partition},
               {},
               selection.partition},
        kernels(source.scan.name, {}) {
    std::vector<const Snippet*> values;
    source.outputs.reserve(selection.outputs.size());
    std::size_t widest = 1;
    for (const Selection::Output& output : selection.outputs) {
      source.outputs.push_back(
          {output.type, output.size, Snippet(output.value, Snippet::Form::indexed, "value")});
      values.push_back(&source.outputs.back().value);
      widest = std::max(widest, output.size);
    }
    codegen::add_operands(source.scan, selection.arguments, selection.fetches, values,
                          algorithms::preamble_of({selection.what, selection.preamble, {}}));
    run.emplace(source.scan, ScanTuning{}, widest, [this](const ScanVariant& variant, const char* suffix) {
      return kernels.get(variant.key() + suffix, codegen::symbol_of(source.scan.name) + suffix,
                         [&] { return codegen::emit_select(source, variant); });
    });
  }

  SelectSource source;
  algorithms::GeneratedKernels kernels;
  std::optional<algorithms::ScanRun> run;
};

// Kept for the next call; users' own expressions are part of keys, so a long run could make any number.
std::shared_ptr<const SelectState> state_of(const Selection& selection) {
  constexpr std::size_t kMostStates = 1024;
  struct Table {
    std::mutex mutex;
    std::unordered_map<std::string, std::shared_ptr<const SelectState>> states;
  };
  static auto* const table = new Table;  // never destroyed: the library may be used until the process ends
  const std::string key = selection.key();
  const std::lock_guard lock(table->mutex);
  auto found = table->states.find(key);
  if (found == table->states.end()) {
    if (table->states.size() >= kMostStates) table->states.clear();
    found = table->states.emplace(key, std::make_shared<const SelectState>(selection)).first;
  }
  return found->second;
}

bool is_number(const DType& dtype) {
  return dtype.scalar != Scalar::structure && dtype.scalar != Scalar::unknown && dtype.lanes == 1;
}
bool is_complex(const DType& dtype) {
  return dtype.scalar == Scalar::complex64 || dtype.scalar == Scalar::complex128;
}

// How x is declared: as itself where somebody looks into its elements.
std::string declare_x(const DType& dtype, bool looked_into, Selection& selection) {
  if (!looked_into) {
    const codegen::OpaqueType opaque = codegen::opaque_type(dtype, "quern_element");
    selection.preamble = opaque.definition;
    return opaque.name;
  }
  if (dtype.scalar != Scalar::structure) return codegen::snippet_type(dtype);
  selection.preamble = codegen::struct_definition(dtype, "item_t", true) + "typedef struct item_t item_t;\n";
  return "item_t";
}

void check_count(const std::string& what, const Array& count, const Queue& queue) {
  check_vector(what, "count", count, queue);
  if (count.size() < 1)
    throw ArgumentError(ArgumentError::Kind::value, what + ": count: expected one element, got none");
  if (count.dtype().scalar != Scalar::uint64 && count.dtype().scalar != Scalar::int64)
    algorithms::reject_dtype(what, "count", count.dtype(), "uint64 or int64");
}

// The arguments of a call: x, then what the predicate takes.
struct Call {
  Selection selection;
  std::vector<KernelArgument> arguments;
  std::vector<const Array*> outputs;
  const Array* lengths = nullptr;    // of runs, whose starts are the last output
  std::unique_ptr<Buffer> elements;  // of x, where the kernel takes them for something else

  // The same without text, where the predicate is none of the user's: what it looks at, and how. The first
  // output has elements of x, or else positions, which a second one has always.
  const Array* tested = nullptr;
  Mark mark = Mark::nonzero;
  bool negated = false, moves_elements = true;
};

constexpr std::size_t kMostSelected = (std::size_t{1} << 31) - (1 << 20);

Event enqueue_loops(const Call& call, const Array& x, const Array& count, const Queue& queue,
                    WaitList wait_for) {
  if (!wait_for.empty()) queue.barrier(wait_for);
  algorithms::Selected selected;
  for (const Array* output : call.outputs) {
    const bool has_elements = call.moves_elements && output == call.outputs.front();
    (has_elements ? selected.out : selected.positions) = output->elements();
  }
  if (call.moves_elements) selected.elements = x.elements();
  if (call.lengths != nullptr) selected.lengths = call.lengths->elements();
  selected.itemsize = x.dtype().itemsize;
  selected.count = count.elements();
  selected.partition = call.selection.partition;
  return algorithms::select_by_loops(queue, algorithms::marked(queue, *call.tested, call.mark, call.negated),
                                     x.size(), selected);
}

// How far it is from each start of a run to the next.
Event enqueue_lengths(const Queue& queue, const Array& starts, const Array& count, const Array& lengths,
                      std::size_t n) {
  // The number of runs is known to the device only, so a fixed number of work-items goes over them.
  const DeviceProperties& device = queue.state()->properties();
  const std::size_t groups = device.compute_units * (device.kind == DeviceKind::cpu ? 2 : 16);
  const std::size_t local =
      device.kind == DeviceKind::cpu ? 1 : std::min<std::size_t>(256, device.max_work_group_size);
  const std::array<KernelArgument, 4> arguments = {starts, count, lengths,
                                                   KernelArgument(static_cast<std::int64_t>(n))};
  return algorithms::kernel_of({"run_lengths"}, "run_lengths", {})
      .launch(queue, n, range(groups * local).with_local(local), arguments);
}

Event enqueue(Call call, const Array& x, const Array& count, const Queue& queue, WaitList wait_for) {
  const std::string& what = call.selection.what;
  check_count(what, count, queue);
  check_apart(what, "count", count, "x", x);
  for (const Array* output : call.outputs) check_apart(what, "count", count, "out", *output);
  if (x.size() == 0) {
    const std::byte zero{0};
    return queue.fill(count.elements().sub_buffer(0, sizeof(std::uint64_t)), {&zero, 1}, wait_for);
  }
  if (call.tested != nullptr && algorithms::prefers_precompiled(queue, x.size()))
    return enqueue_loops(call, x, count, queue, wait_for);
  call.selection.wide = x.size() > kMostSelected;
  const auto state = state_of(call.selection);
  const auto plan = state->run->plan(queue, call.arguments, static_cast<std::int64_t>(x.size()));
  std::vector<KernelArgument> outputs;
  std::vector<Buffer> buffers;
  buffers.reserve(call.outputs.size() + 1);
  for (const Array* output : call.outputs) outputs.emplace_back(buffers.emplace_back(output->elements()));
  outputs.emplace_back(buffers.emplace_back(count.elements()));
  const Event done = state->run->launch(plan, queue, call.arguments, outputs, wait_for);
  if (call.lengths == nullptr) return done;
  return enqueue_lengths(queue, *call.outputs.back(), count, *call.lengths, x.size());
}

Call predicated(const std::string& what, const Queue& queue, const Array& x, const Predicate& predicate,
                bool negated, const Array& out) {
  check_vector(what, "x", x, queue);
  check_vector(what, "out", out, queue);
  algorithms::check_dtype(what, "out", out, x.dtype());
  check_apart(what, "out", out, "x", x);
  Call call;
  Selection& selection = call.selection;
  selection.what = what;
  const bool by_mask = predicate.mask != nullptr;
  const std::string type = declare_x(x.dtype(), !by_mask, selection);
  selection.arguments = "const " + type + " *x";
  call.elements = std::make_unique<Buffer>(x.elements());
  call.arguments.emplace_back(*call.elements);
  std::string condition = predicate.expression;
  if (by_mask) {
    const Array& mask = *predicate.mask;
    check_vector(what, "mask", mask, queue);
    algorithms::check_size(what, "mask", mask, x.size());
    check_apart(what, "out", out, "mask", mask);
    if (!is_number(mask.dtype()) || is_complex(mask.dtype()))
      algorithms::reject_dtype(what, "mask", mask.dtype(), "bool or an integer");
    selection.arguments += ", const " + codegen::type_name(mask.dtype()) + " *quern_mask";
    condition = "quern_mask[i] != 0";
    call.arguments.emplace_back(mask);
    call.tested = &mask;
    call.negated = negated;
  } else {
    if (condition.empty()) throw ArgumentError(ArgumentError::Kind::value, what + ": the predicate is empty");
    if (Snippet(condition, Snippet::Form::indexed, "predicate").compares("x"))
      throw ArgumentError(ArgumentError::Kind::value, what + ": the predicate \"" + condition +
                                                          "\" compares the array itself; an element is x[i]");
    selection.preamble = codegen::with_generic_forms(std::move(selection.preamble), {condition});
    if (!predicate.arguments.empty()) selection.arguments += ", " + predicate.arguments;
    call.arguments.insert(call.arguments.end(), predicate.values.begin(), predicate.values.end());
  }
  selection.predicate = negated ? "!(" + condition + ")" : condition;
  selection.outputs.push_back({type, x.dtype().itemsize, "x[i]"});
  call.outputs.push_back(&out);
  return call;
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

// The heads of runs.
Call heads(const std::string& what, const Queue& queue, const Array& x, const Array& out) {
  check_vector(what, "x", x, queue);
  check_vector(what, "out", out, queue);
  algorithms::check_dtype(what, "out", out, x.dtype());
  check_apart(what, "out", out, "x", x);
  if (!is_number(x.dtype())) algorithms::reject_dtype(what, "x", x.dtype(), "numbers, which can be compared");
  Call call;
  Selection& selection = call.selection;
  selection.what = what;
  const std::string type = codegen::type_name(x.dtype());
  selection.arguments = "const " + type + " *x";
  selection.fetches = {{"quern_here", "x", 0}, {"quern_behind", "x", -1}};
  selection.predicate = is_complex(x.dtype())
                            ? "i == 0 || quern_here.x != quern_behind.x || quern_here.y != quern_behind.y"
                            : "i == 0 || quern_here != quern_behind";
  selection.outputs.push_back({type, x.dtype().itemsize, "x[i]"});
  call.arguments.emplace_back(x);
  call.outputs.push_back(&out);
  call.tested = &x;
  call.mark = Mark::head;
  return call;
}

}  // namespace

Event copy_if(const Queue& queue, const Array& x, const Predicate& predicate, const Array& out,
              const Array& count, WaitList wait_for) {
  return enqueue(predicated("copy_if", queue, x, predicate, false, out), x, count, queue, wait_for);
}

Event remove_if(const Queue& queue, const Array& x, const Predicate& predicate, const Array& out,
                const Array& count, WaitList wait_for) {
  return enqueue(predicated("remove_if", queue, x, predicate, true, out), x, count, queue, wait_for);
}

Event partition(const Queue& queue, const Array& x, const Predicate& predicate, const Array& out,
                const Array& count, WaitList wait_for) {
  Call call = predicated("partition", queue, x, predicate, false, out);
  algorithms::check_size("partition", "out", out, x.size());
  call.selection.partition = true;
  return enqueue(std::move(call), x, count, queue, wait_for);
}

Event nonzero(const Queue& queue, const Array& x, const Array& out, const Array& count, WaitList wait_for) {
  check_vector("nonzero", "x", x, queue);
  check_positions("nonzero", "out", out, x, queue);
  if (!is_number(x.dtype())) algorithms::reject_dtype("nonzero", "x", x.dtype(), "numbers");
  // Not every device computes with float16, and its bits tell as well: all but the sign are 0.
  const bool is_half = x.dtype().scalar == Scalar::float16;
  const Array bits =
      is_half ? Array(x.buffer(), DType::of(Scalar::uint16), x.shape(), x.strides(), x.offset()) : x;
  Call call;
  call.selection.what = "nonzero";
  call.selection.arguments = "const " + codegen::type_name(bits.dtype()) + " *x";
  call.selection.predicate = is_half                 ? "(x[i] & 0x7fff) != 0"
                             : is_complex(x.dtype()) ? "x[i].x != 0 || x[i].y != 0"
                                                     : "x[i] != 0";
  call.selection.outputs.push_back({"long", sizeof(std::int64_t), "i"});
  call.arguments.emplace_back(bits);
  call.outputs.push_back(&out);
  call.tested = &x;
  call.moves_elements = false;
  return enqueue(std::move(call), x, count, queue, wait_for);
}

Event unique(const Queue& queue, const Array& x, const Array& out, const Array& count, WaitList wait_for) {
  return enqueue(heads("unique", queue, x, out), x, count, queue, wait_for);
}

Event run_length_encode(const Queue& queue, const Array& x, const Runs& out, const Array& count,
                        WaitList wait_for) {
  const std::string what = "run_length_encode";
  Call call = heads(what, queue, x, out.values);
  check_positions(what, "starts", out.starts, x, queue);
  check_positions(what, "lengths", out.lengths, x, queue);
  check_apart(what, "starts", out.starts, "values", out.values);
  check_apart(what, "lengths", out.lengths, "values", out.values);
  check_apart(what, "lengths", out.lengths, "starts", out.starts);
  call.selection.outputs.push_back({"long", sizeof(std::int64_t), "i"});
  call.outputs.push_back(&out.starts);
  call.lengths = &out.lengths;
  return enqueue(std::move(call), x, count, queue, wait_for);
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
