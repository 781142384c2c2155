// SPDX-License-Identifier: MIT
// Every form of a tiled scan compiles for CUDA, which alone runs those that look back, with NVRTC where that
// is installed.
#include "codegen/emit_scan.hpp"

#include <gtest/gtest.h>

#include "codegen/emit_select.hpp"
#include "codegen/type_text.hpp"
#include "frontend/frontend.hpp"
#include "frontend/nvrtc.hpp"

namespace quern::codegen {
namespace {

struct Form {
  const char* name;
  const char *type, *arguments, *input, *scan, *output;
  const char *neutral = "", *segment_start = "", *preamble = "";
  std::vector<InputFetch> fetches = {};
};

ScanSource source_of(const Form& form) {
  const Preamble preamble({form.preamble, "scan", {}, {}});
  ScanSource source{"scan",
                    form.preamble,
                    form.type,
                    type_called(form.type, preamble),
                    form.scan,
                    form.neutral,
                    Snippet(form.input, Snippet::Form::indexed, "input_expr"),
                    Snippet(form.segment_start, Snippet::Form::indexed, "is_segment_start_expr"),
                    Snippet(form.output, Snippet::Form::indexed, "output_statement"),
                    {},
                    {}};
  add_operands(source, form.arguments, form.fetches, {&source.output}, preamble);
  return source;
}

const char* const kProduct =
    "typedef struct { float re, im; int n; } item_t;\n"
    "item_t product(item_t a, item_t b) { item_t c; c.re = a.re * b.re - a.im * b.im; "
    "c.im = a.re * b.im + a.im * b.re; c.n = a.n + b.n; return c; }\n";

std::vector<Form> forms() {
  return {
      {"sums", "float", "const float *x, float *y", "x[i]", "a + b", "y[i] = item"},
      {"bytes", "uchar", "const uchar *x, uchar *y", "x[i]", "a + b", "y[i] = item"},
      {"doubles", "double", "const double *x, double *y", "x[i]", "a + b", "y[i] = prev_item", "0"},
      {"in_place", "int", "int *x", "x[i]", "max(a, b)", "x[i] = item"},
      {"structures", "item_t", "const item_t *x, item_t *y", "x[i]", "product(a, b)", "y[i] = item", "", "",
       kProduct},
      {"segments", "float", "const float *x, const uchar *f, float *y", "x[i]",
       "across_seg_boundary ? b : fmax(a, b)", "y[i] = item", "", "f[i]"},
      {"exclusive_segments", "long", "const long *x, const int *f, long *y, long *z", "x[i] * 2",
       "across_seg_boundary ? b : a + b", "y[i] = item; z[i] = prev_item", "0", "f[i] != 0 && a > 1"},
      {"behind",
       "int",
       "const int *x, int *rank",
       "i == 0 || value != before",
       "a + b",
       "rank[i] = item - 1",
       "",
       "",
       "",
       {{"value", "x", 0}, {"before", "x", -1}}},
      {"anywhere", "int", "const int *x, int *to, int *count", "x[i] > 0", "a + b",
       "if (item != prev_item) to[prev_item] = x[i]; if (i + 1 == N) *count = item", "0"},
  };
}

void compiles(const std::string& text) {
  const frontend::Lowered lowered = frontend::lower_to_cuda({text, "scan.cl", {}, {}});
  if (!frontend::test::nvrtc().present()) GTEST_SKIP() << "NVRTC is not installed";
  const auto [ok, log] = frontend::test::nvrtc().compile(lowered.text);
  ASSERT_TRUE(ok) << log << text;
  EXPECT_EQ(log.find("st.local"), std::string::npos) << "items are not in registers\n" << text;
}

class TiledScan : public testing::TestWithParam<Form> {};

TEST_P(TiledScan, compiles_for_cuda_with_its_items_in_registers) {
  const ScanSource source = source_of(GetParam());
  for (const ScanStrategy strategy : {ScanStrategy::look_back, ScanStrategy::multi_pass}) {
    const ScanVariant aligned{strategy, false, true, 128, 16, 4}, other{strategy, true, false, 64, 6, 1};
    for (const ScanVariant& variant : {aligned, other}) {
      EXPECT_LT(scan_local_memory(source, variant), 48u << 10);
      compiles(emit_scan(source, variant));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, TiledScan, testing::ValuesIn(forms()),
                         [](const auto& p) { return std::string(p.param.name); });

TEST(TiledSelection, compiles_for_cuda_with_its_items_in_registers) {
  for (const bool partition : {false, true}) {
    SelectSource source{
        source_of({"copy_if", "uint", "const float *x", "x[i] > 0 ? 1 : 0", "a + b", "", "0"}),
        {{"float", 4, Snippet("x[i]", Snippet::Form::indexed, "value")},
         {"long", 8, Snippet("i", Snippet::Form::indexed, "value")}},
        partition};
    source.scan.needs_total = partition;
    const ScanStrategy strategy = partition ? ScanStrategy::multi_pass : ScanStrategy::look_back;
    for (const ScanVariant& variant :
         {ScanVariant{strategy, false, true, 256, 16, 4}, ScanVariant{strategy, true, false, 64, 4, 1}})
      compiles(emit_select(source, variant));
  }
}

}  // namespace
}  // namespace quern::codegen
