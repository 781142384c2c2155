// SPDX-License-Identifier: MIT
// The scans that the library offers: the snippets of each, and the source that snippets make.
#include "codegen/scan_form.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "base/dtype_kinds.hpp"
#include "codegen/type_text.hpp"

namespace quern {

DType scan_dtype(const DType& dtype, ScanOperation operation) {
  if (operation == ScanOperation::maximum || operation == ScanOperation::minimum) return dtype;
  switch (dtype.scalar) {
    case Scalar::boolean:
    case Scalar::int8:
    case Scalar::int16:
    case Scalar::int32:
      return DType::of(Scalar::int64);
    case Scalar::uint8:
    case Scalar::uint16:
    case Scalar::uint32:
      return DType::of(Scalar::uint64);
    default:
      return dtype;
  }
}

}  // namespace quern

namespace quern::codegen {

using detail::is_complex;
using detail::is_floating;

ScanOperator scan_operator(const DType& dtype, ScanOperation operation) {
  switch (operation) {
    case ScanOperation::sum:
      return {dtype.scalar == Scalar::boolean ? "a | b" : "a + b", "0"};
    case ScanOperation::product: {
      if (!is_complex(dtype)) return {"a * b", "1"};
      const std::string type = "(" + type_name(dtype) + ")";
      return {type + "(fma(a.x, b.x, -(a.y * b.y)), fma(a.x, b.y, a.y * b.x))", type + "(1, 0)"};
    }
    case ScanOperation::maximum:
    case ScanOperation::minimum:
      break;
  }
  const bool is_maximum = operation == ScanOperation::maximum;
  const std::string compare = is_maximum ? ">" : "<";
  return {is_floating(dtype) ? "a " + compare + " b || a != a ? a : b" : "a " + compare + " b ? a : b",
          limit_text(dtype, !is_maximum)};
}

std::string differs(const DType& keys, const std::string& here, const std::string& behind) {
  if (!is_complex(keys)) return here + " != " + behind;
  return here + ".x != " + behind + ".x || " + here + ".y != " + behind + ".y";
}

DType ScanForm::item_dtype() const {
  return out.scalar == Scalar::float16 ? DType::of(Scalar::float32) : out;
}

std::string ScanForm::item() const {
  return type_name(item_dtype());
}

bool ScanForm::rounds() const {
  return (operation == ScanOperation::sum || operation == ScanOperation::product) &&
         (is_floating(out) || is_complex(out));
}

ScanSnippets ScanForm::snippets() const {
  const ScanOperator op = scan_operator(item_dtype(), operation);
  ScanSnippets snippets;
  snippets.arguments = "const " + type_name(x) + " *x, " + type_name(out) + " *out";
  if (starts) {
    snippets.arguments += ", const " + type_name(*starts) + " *starts";
    snippets.is_segment_start_expr = "starts[i] != 0";
  }
  if (keys) {
    snippets.arguments += ", const " + type_name(*keys) + " *keys";
    snippets.is_segment_start_expr = "i == 0 || " + differs(*keys, "here", "behind");
    snippets.input_fetch_exprs = {{"here", "keys", 0}, {"behind", "keys", -1}};
  }
  snippets.input_expr = element("x[i]");
  snippets.scan_expr = op.expression;
  snippets.output_statement = exclusive ? "out[i] = prev_item" : "out[i] = item";
  snippets.neutral = op.neutral;
  snippets.commutative = !is_complex(out);
  return snippets;
}

std::string ScanForm::element(const std::string& value) const {
  const bool tests = out.scalar == Scalar::boolean && x.scalar != Scalar::boolean;
  return tests ? value + " != 0" : value;
}

ScanSnippets ScanForm::general_snippets() const {
  ScanForm form = *this;
  form.x = out;
  form.starts = DType::of(Scalar::boolean);
  form.keys = {};
  ScanSnippets snippets = form.snippets();
  snippets.arguments += ", int exclusive";
  snippets.output_statement = "if (exclusive) out[i] = prev_item; else out[i] = item;";
  return snippets;
}

bool ScanForm::is_in_library() const {
  return !exclusive && !starts && !keys && out == scan_dtype(x, operation);
}

std::string scan_preamble(std::string preamble, const ScanSnippets& snippets) {
  return with_generic_forms(std::move(preamble),
                            {snippets.input_expr, snippets.scan_expr, snippets.output_statement,
                             snippets.neutral, snippets.is_segment_start_expr});
}

ScanSource scan_source(std::string name, const DType& dtype, const std::string& item_type,
                       const ScanSnippets& snippets, const Preamble& preamble) {
  constexpr std::array<std::string_view, 6> kReserved = {"i",         "N",         "item",
                                                         "prev_item", "last_item", "across_seg_boundary"};
  ScanSource source{std::move(name),
                    preamble.text(),
                    item_type,
                    dtype,
                    snippets.scan_expr,
                    snippets.neutral,
                    Snippet(snippets.input_expr, Snippet::Form::indexed, "input_expr"),
                    Snippet(snippets.is_segment_start_expr, Snippet::Form::indexed, "is_segment_start_expr"),
                    Snippet(snippets.output_statement, Snippet::Form::indexed, "output_statement"),
                    {},
                    {},
                    snippets.commutative};
  add_operands(source, snippets.arguments, snippets.input_fetch_exprs, {&source.output}, preamble, kReserved);
  return source;
}

}  // namespace quern::codegen
