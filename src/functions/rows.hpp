// SPDX-License-Identifier: MIT
// Declarations of the tables of rows, one for each file of functions, and a reader of arguments that rows
// share.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "quern/linalg.hpp"
#include "quern/registry.hpp"

namespace quern::registry {

// The operand, or nothing if it was not given.
[[nodiscard]] inline std::optional<Operand> find_operand(const Arguments& a, std::size_t k) {
  return a.has(k) ? std::optional<Operand>(a.operand(k)) : std::nullopt;
}

std::vector<Function> elementwise_rows();  // of the op table, and of functions composed of several operations
std::span<const Function> bit_rows();
std::span<const Function> composite_rows();
std::span<const Function> padding_rows();
std::span<const Function> difference_rows();
std::span<const Function> einsum_rows();
std::span<const Function> fft_cosine_rows();
std::span<const Function> fft_helper_rows();
std::span<const Function> fft_rows();
std::span<const Function> index_trick_rows();
std::span<const Function> indexing_rows();
std::span<const Function> linalg_rows();
std::span<const Function> linalg_solve_rows();
std::span<const Function> linalg_spectral_rows();
std::span<const Function> product_rows();
std::span<const Function> polyfit_rows();
std::span<const Function> polynomial_rows();
std::span<const Function> reduction_rows();
std::span<const Function> cumulative_rows();
std::span<const Function> sorting_rows();
std::span<const Function> statistics_rows();
std::span<const Function> nan_rows();
std::span<const Function> set_rows();
std::span<const Function> histogram_rows();
std::span<const Function> joint_histogram_rows();
std::span<const Function> memory_order_rows();
std::span<const Function> view_rows();
std::span<const Function> splitting_rows();
std::span<const Function> joining_rows();
std::span<const Function> repetition_rows();
std::span<const Function> editing_rows();
std::span<const Function> creation_rows();
std::span<const Function> spacing_rows();
std::span<const Function> question_rows();
std::span<const Function> signal_rows();

const Function& divmod_outer_row();  // without the function whose method it is

// The argument `ord` of a norm of matrices; the Frobenius norm if there is none.
MatrixNorm matrix_order(const Arguments& arguments, std::size_t k);
// Whether an argument `order` requests new arrays in Fortran order.
bool is_fortran(const Arguments& arguments, std::size_t k);

}  // namespace quern::registry
