// SPDX-License-Identifier: MIT
// The selections that the library offers: the text of each, and the source that it makes.
#include "codegen/select_form.hpp"

#include <utility>

#include "base/dtype_kinds.hpp"
#include "codegen/scan_form.hpp"
#include "codegen/type_text.hpp"

namespace quern::codegen {

std::string SelectForm::key() const {
  std::string key = what + '\n' + preamble + '\n' + arguments + '\n' + predicate;
  for (const InputFetch& fetch : fetches)
    ((key += '\n') += fetch.name + ' ' + fetch.argument) += std::to_string(fetch.offset);
  for (const Output& output : outputs) (key += '\n') += output.type + ' ' + output.value;
  return key + (partition ? "\np" : "\n") + (is_wide ? "w" : "");
}

SelectForm nonzero_form(const DType& x) {
  SelectForm form;
  form.what = "nonzero";
  // Not every device computes with short types, and their bits tell as well: all but the sign are 0.
  const bool is_half = detail::is_short_float(x);
  form.arguments = "const " + type_name(is_half ? DType::of(Scalar::uint16) : x) + " *x";
  form.predicate = is_half                 ? "(x[i] & 0x7fff) != 0"
                   : detail::is_complex(x) ? "x[i].x != 0 || x[i].y != 0"
                                           : "x[i] != 0";
  form.outputs.push_back({"long", sizeof(std::int64_t), "i"});
  return form;
}

SelectForm heads_form(std::string what, const DType& x, bool positions) {
  SelectForm form;
  form.what = std::move(what);
  const std::string type = type_name(x);
  form.arguments = "const " + type + " *x";
  form.fetches = {{"quern_here", "x", 0}, {"quern_behind", "x", -1}};
  form.predicate = "i == 0 || " + differs(x, "quern_here", "quern_behind");
  form.outputs.push_back({type, x.itemsize, "x[i]"});
  if (positions) form.outputs.push_back({"long", sizeof(std::int64_t), "i"});
  return form;
}

SelectForm masked_form(std::string what, const DType& x, const DType& mask, bool negated) {
  SelectForm form;
  form.what = std::move(what);
  const RawElementType element = raw_element_type(x, "quern_element");
  form.preamble = element.definition;
  form.arguments = "const " + element.name + " *x, const " + type_name(mask) + " *quern_mask";
  form.predicate = negated ? "!(quern_mask[i] != 0)" : "quern_mask[i] != 0";
  form.outputs.push_back({element.name, x.itemsize, "x[i]"});
  return form;
}

bool is_masked_in_library(const DType& x) {
  const std::size_t size = x.itemsize;
  return x.scalar != Scalar::structure && (size == 1 || size == 2 || size == 4 || size == 8 || size == 16);
}

SelectSource select_source(const SelectForm& form, const Preamble& preamble) {
  SelectSource source{{form.what + "_kernel",
                       form.preamble,
                       form.is_wide ? "ulong" : "uint",
                       DType::of(form.is_wide ? Scalar::uint64 : Scalar::uint32),
                       "a + b",
                       "0",
                       Snippet("(" + form.predicate + ") ? 1 : 0", Snippet::Form::indexed, "predicate"),
                       Snippet("", Snippet::Form::indexed, ""),
                       Snippet("", Snippet::Form::indexed, ""),
                       {},
                       {},
                       true,
                       form.partition},
                      {},
                      form.partition};
  std::vector<const Snippet*> values;
  source.outputs.reserve(form.outputs.size());
  for (const SelectForm::Output& output : form.outputs) {
    source.outputs.push_back(
        {output.type, output.size, Snippet(output.value, Snippet::Form::indexed, "value")});
    values.push_back(&source.outputs.back().value);
  }
  add_operands(source.scan, form.arguments, form.fetches, values, preamble);
  return source;
}

}  // namespace quern::codegen
