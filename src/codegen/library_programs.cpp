// SPDX-License-Identifier: MIT
// The programs of src/kernels that are compiled into the library.
#include "codegen/library_programs.hpp"

#include <array>
#include <utility>

#include "codegen/histogram_form.hpp"

namespace quern::codegen {
namespace {

constexpr std::array<KeyForm, 7> kKeys = {
    {{1, false}, {2, false}, {4, false}, {8, false}, {2, true}, {4, true}, {8, true}}};

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
  for (auto element = Scalar::boolean; element <= Scalar::float64;
       element = static_cast<Scalar>(static_cast<int>(element) + 1)) {
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

}  // namespace

std::vector<LibraryProgram> library_programs() {
  std::vector<LibraryProgram> programs;
  add_searches(programs);
  add_merges(programs);
  add_sorts(programs);
  add_histograms(programs);
  programs.push_back({{"run_lengths"}, {}});
  return programs;
}

std::string program_key(std::span<const std::string_view> files, const Defines& defines,
                        std::string_view definitions) {
  std::string key;
  for (const std::string_view file : files) (key += file) += '\n';
  for (const auto& [name, value] : defines) ((key += name) += '=') += value + '\n';
  return (key += '\n') += definitions;
}

std::string program_key(const LibraryProgram& program) {
  const std::vector<std::string_view> files(program.files.begin(), program.files.end());
  return program_key(files, program.defines, {});
}

}  // namespace quern::codegen
