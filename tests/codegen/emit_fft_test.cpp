// SPDX-License-Identifier: MIT
// The kernels of Fourier transforms are valid OpenCL C for every target.
#include <gtest/gtest.h>

#include <string>

#include "codegen/fft_form.hpp"
#include "quern/program.hpp"

namespace quern::codegen {
namespace {

FftForm form_of(std::int64_t n, std::vector<int> radices, int lanes, int threads) {
  FftForm form;
  form.n = n;
  form.radices = std::move(radices);
  form.lanes = lanes;
  form.threads = threads;
  return form;
}

void expect_lowered(const FftForm& form) {
  const Program program(emit_fft(form));
  for (const Dialect dialect : {Dialect::host_c, Dialect::cuda_cpp, Dialect::opencl_c})
    EXPECT_FALSE(program.lowered_source(dialect).empty()) << form.key();
}

TEST(EmitFft, every_radix_is_lowered_for_every_target) {
  for (const int radix : {1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 31}) expect_lowered(form_of(radix, {radix}, 4, 1));
  expect_lowered(form_of(4096, {16, 16, 16}, 1, 256));
  expect_lowered(form_of(1000, {8, 5, 5, 5}, 2, 125));
}

TEST(EmitFft, every_way_to_load_and_store_is_lowered_for_every_target) {
  for (const FftLoad load :
       {FftLoad::complex, FftLoad::real, FftLoad::pairs, FftLoad::half_spectrum, FftLoad::odd_spectrum}) {
    for (const FftStore store : {FftStore::complex, FftStore::pairs, FftStore::real, FftStore::spectrum}) {
      for (const bool checks : {false, true}) {
        FftForm form = form_of(60, {4, 3, 5}, 8, 12);
        form.load = load;
        form.store = store;
        form.checks_in = form.checks_out = checks;
        form.loads_across = checks;
        form.stores_across = true;
        form.loops = 3;
        form.is_double = checks;
        expect_lowered(form);
      }
    }
  }
}

TEST(EmitFft, passes_of_long_lines_are_lowered_for_every_target) {
  FftForm form = form_of(256, {16, 16}, 16, 16);
  form.loops = 6;
  form.loads_across = form.stores_across = form.is_in_place = true;
  for (const int loop : {0, 3}) {
    form.twiddle_loop = loop;
    form.is_wide = loop == 3;
    expect_lowered(form);
  }
}

TEST(EmitFft, forms_that_differ_have_different_keys) {
  const FftForm form = form_of(8, {8}, 1, 1);
  FftForm other = form_of(8, {8}, 1, 1);
  EXPECT_EQ(form.key(), other.key());
  other.checks_in = true;
  EXPECT_NE(form.key(), other.key());
}

}  // namespace
}  // namespace quern::codegen
