// SPDX-License-Identifier: MIT
// The programs of src/kernels that are compiled into the library.
#include "codegen/library_programs.hpp"

#include <array>
#include <utility>

#include "base/digest.hpp"
#include "codegen/cumulative_form.hpp"
#include "codegen/histogram_form.hpp"
#include "codegen/scan_form.hpp"
#include "codegen/select_form.hpp"
#include "codegen/sparse_form.hpp"
#include "codegen/type_text.hpp"

namespace quern::codegen {
namespace {

constexpr std::array<KeyForm, 7> kKeys = {
    {{1, false}, {2, false}, {4, false}, {8, false}, {2, true}, {4, true}, {8, true}}};

// All numbers but bfloat16, which callers convert to float32.
std::vector<Scalar> numbers_until(Scalar last) {
  std::vector<Scalar> result;
  for (int k = 0; k <= static_cast<int>(last); ++k)
    if (static_cast<Scalar>(k) != Scalar::bfloat16) result.push_back(static_cast<Scalar>(k));
  return result;
}

void add_searches(std::vector<LibraryProgram>& programs) {
  for (const KeyForm& key : kKeys)
    for (const bool upper : {false, true})
      programs.push_back({{"radix_keys", "bounds"}, bounds_defines(key, upper), false});
}

void add_merges(std::vector<LibraryProgram>& programs) {
  for (const KeyForm& key : kKeys)
    for (const ValueForm& value : std::array<ValueForm, 7>{
             {{0, false}, {1, false}, {2, false}, {4, false}, {8, false}, {1, true}, {4, true}}})
      programs.push_back({{"radix_keys", "merge"}, merge_defines(key, value)});
}

void add_sorts(std::vector<LibraryProgram>& programs) {
  using Sizes = std::pair<unsigned, unsigned>;
  for (const KeyForm& key : kKeys)
    for (const auto& [size, out_size] :
         {Sizes{0, 0}, Sizes{1, 1}, Sizes{2, 2}, Sizes{4, 4}, Sizes{4, 8}, Sizes{8, 8}})
      programs.push_back({{"radix_keys", "radix_chunks"}, radix_defines(key, size != 0, size, out_size)});
}

// Without weights of all numbers; with weights of those that others are converted to.
void add_histograms(std::vector<LibraryProgram>& programs) {
  using Rule = HistogramForm::Rule;
  for (const Scalar element : numbers_until(Scalar::float64)) {
    const DType dtype = DType::of(element);
    for (const Rule rule : {Rule::by_value, Rule::uniform, Rule::by_edges}) {
      if (rule == Rule::by_value && element > Scalar::uint64) continue;
      std::vector<DType> weights = {DType()};
      if (weighted_element(rule, dtype) == dtype)
        weights.insert(weights.end(), {DType::of(Scalar::float32), DType::of(Scalar::float64)});
      for (const DType& weight : weights)
        programs.push_back({{"histogram"}, HistogramForm{dtype, rule, weight, false}.defines(false)});
    }
  }
}

ScanVariant lone_variant(ScanStrategy strategy) {
  ScanVariant variant;
  variant.strategy = strategy;
  variant.wide = true;
  return variant;
}

Preamble preamble_of(std::string text) {
  frontend::Source source;
  source.text = std::move(text);
  source.file = "preamble";
  return Preamble(std::move(source));
}

void add_generated(std::vector<LibraryProgram>& programs, std::string text) {
  programs.push_back({{}, {}, true, with_complex_types(std::move(text), {})});
}

void add_scan(std::vector<LibraryProgram>& programs, const ScanForm& form, const ScanSnippets& snippets) {
  const ScanSource source = scan_source(ScanForm::kName, form.item_dtype(), form.item(), snippets,
                                        preamble_of(scan_preamble({}, snippets)));
  add_generated(programs, emit_scan(source, lone_variant(ScanStrategy::chunks)));
  if (form.rounds()) add_generated(programs, emit_scan(source, lone_variant(ScanStrategy::sequential)));
}

void add_cumulative(std::vector<LibraryProgram>& programs, const CumulativeForm& form) {
  programs.push_back({{"cumulative"}, form.defines(true), true, form.definitions()});
}

// Scans in one segment with the default dtype of each dtype, and the general form for each dtype of the
// result.
void add_scans(std::vector<LibraryProgram>& programs) {
  for (const Scalar scalar : numbers_until(Scalar::complex128)) {
    const DType dtype = DType::of(scalar);
    for (const ScanOperation operation :
         {ScanOperation::sum, ScanOperation::product, ScanOperation::maximum, ScanOperation::minimum}) {
      const bool is_order = operation == ScanOperation::maximum || operation == ScanOperation::minimum;
      if (is_order && scalar >= Scalar::complex64) continue;
      const ScanForm plain{dtype, scan_dtype(dtype, operation), operation, false, {}, {}};
      add_scan(programs, plain, plain.snippets());
      const ScanForm general{dtype, dtype, operation, false, {}, {}};
      add_scan(programs, general, general.general_snippets());
      // Sums of float16 are computed in float32.
      const bool is_half_sum = scalar == Scalar::float16 && !is_order;
      add_cumulative(programs, {is_half_sum ? DType::of(Scalar::float32) : dtype, dtype, operation});
    }
  }
}

// Selections of numbers by their values, and of elements of the usual sizes by a mask.
void add_selections(std::vector<LibraryProgram>& programs) {
  const auto add = [&](const SelectForm& form) {
    add_generated(programs, emit_select(select_source(form, preamble_of(form.preamble)),
                                        lone_variant(ScanStrategy::chunks)));
  };
  for (const Scalar scalar : numbers_until(Scalar::complex128)) {
    const DType dtype = DType::of(scalar);
    add(nonzero_form(dtype));
    add(heads_form("unique", dtype, false));
    add(heads_form("run_length_encode", dtype, true));
  }
  const DType mask = DType::of(Scalar::boolean);
  for (const Scalar element :
       {Scalar::uint8, Scalar::uint16, Scalar::uint32, Scalar::uint64, Scalar::complex128}) {
    const DType dtype = DType::of(element);
    add(masked_form("copy_if", dtype, mask, false));
    add(masked_form("remove_if", dtype, mask, true));
    SelectForm partition = masked_form("partition", dtype, mask, false);
    partition.partition = true;
    add(partition);
  }
}

// Signed integers are computed as unsigned ones.
void add_sparse(std::vector<LibraryProgram>& programs) {
  for (const Scalar index : {Scalar::int32, Scalar::int64}) {
    const DType type = DType::of(index);
    for (const Scalar value : {Scalar::boolean, Scalar::uint8, Scalar::uint16, Scalar::uint32, Scalar::uint64,
                               Scalar::float32, Scalar::float64, Scalar::complex64, Scalar::complex128})
      programs.push_back(
          {{"sparse_search", "sparse_values", "sparse_rows"}, sparse_defines(DType::of(value), type)});
    programs.push_back({{"sparse_search", "sparse_structure"}, sparse_structure_defines(type)});
  }
  for (const Scalar value : {Scalar::float32, Scalar::float64, Scalar::complex64, Scalar::complex128})
    programs.push_back({{"sparse_values", "sparse_cg"}, sparse_cg_defines(DType::of(value), false)});
}

}  // namespace

std::vector<LibraryProgram> library_programs() {
  std::vector<LibraryProgram> programs;
  add_searches(programs);
  add_merges(programs);
  add_sorts(programs);
  add_histograms(programs);
  programs.push_back({{"run_lengths"}, {}});
  add_scans(programs);
  add_selections(programs);
  add_sparse(programs);
  return programs;
}

std::string program_key(std::span<const std::string_view> files, const Defines& defines,
                        std::string_view definitions) {
  std::string key;
  for (const std::string_view file : files) (key += file) += '\n';
  for (const auto& [name, value] : defines) ((key += name) += '=') += value + '\n';
  return (key += '\n') += definitions;
}

std::string program_key(const std::string& text) {
  return Digest().add_field(text).hex();
}

std::string program_key(const LibraryProgram& program) {
  if (program.files.empty()) return program_key(program.text);
  const std::vector<std::string_view> files(program.files.begin(), program.files.end());
  return program_key(files, program.defines, program.text);
}

}  // namespace quern::codegen
