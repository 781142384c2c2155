// SPDX-License-Identifier: MIT
// The defines of histogram.cl.
#include "codegen/histogram_form.hpp"

#include "codegen/type_text.hpp"

namespace quern::codegen {

DType compared_as(const DType& dtype) {
  const bool is_floating = dtype.scalar >= Scalar::float16 && dtype.scalar <= Scalar::float64;
  return DType::of(is_floating && dtype.itemsize < 8 ? Scalar::float32 : Scalar::float64);
}

DType weighted_element(HistogramForm::Rule rule, const DType& dtype) {
  if (rule != HistogramForm::Rule::by_value) return compared_as(dtype);
  return dtype.scalar == Scalar::int32 ? dtype : DType::of(Scalar::int64);
}

Defines HistogramForm::defines(bool groups) const {
  const bool is_double = rule != Rule::by_value && compared_as(element).itemsize == 8;
  return {{"ELEMENT", type_name(element)},
          {"REAL", is_double ? "double" : "float"},
          {"REAL_BITS", is_double ? "64" : "32"},
          {"BINS_BY_VALUE", rule == Rule::by_value ? "1" : "0"},
          {"BINS_UNIFORM", rule == Rule::uniform ? "1" : "0"},
          {"WEIGHTED", is_weighted() ? "1" : "0"},
          {"WEIGHT", is_weighted() ? type_name(weight) : "uint"},
          {"SUM", is_weighted()   ? "double"
                  : has_wide_sums ? "ulong"
                                  : "uint"},
          {"SUM_BITS", has_wide_sums ? "64" : "32"},
          {"TOTAL", is_weighted() ? "double" : "long"},
          {"GROUPS", groups ? "1" : "0"}};
}

}  // namespace quern::codegen
