// SPDX-License-Identifier: MIT
// Products, norms and Einstein's notation from C++. The expected values are sums done by hand.
#include <vector>

#include "quern/quern.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

using Floats = std::vector<float>;

class Products : public EachDevice {
 protected:
  // 1 2
  // 3 4
  Array matrix() { return reshape(asarray(queue_, Floats{1, 2, 3, 4}), {2, 2}); }
  Array vector(const Floats& values) { return asarray(queue_, values); }
  Floats values(const Array& x) { return copy(x).to_vector<float>(queue_); }
};

TEST_P(Products, vectors_and_matrices_are_multiplied) {
  EXPECT_EQ(values(dot(matrix(), vector({1, 10}))), (Floats{21, 43}));
  EXPECT_EQ(values(inner(vector({1, 2}), vector({3, 4}))), (Floats{11}));
  EXPECT_EQ(values(outer(vector({1, 2}), vector({3, 4}))), (Floats{3, 4, 6, 8}));
  EXPECT_EQ(values(kron(vector({1, 10}), vector({1, 2}))), (Floats{1, 2, 10, 20}));
  EXPECT_EQ(values(matvec(matrix(), vector({1, 10}))), (Floats{21, 43}));
  EXPECT_EQ(values(vecmat(vector({1, 10}), matrix())), (Floats{31, 42}));
  EXPECT_EQ(values(vdot(matrix(), matrix())), (Floats{30}));
  EXPECT_EQ(values(tensordot(matrix(), matrix())), (Floats{30}));
  EXPECT_EQ(values(cross(vector({1, 0, 0}), vector({0, 1, 0}))), (Floats{0, 0, 1}));
  EXPECT_THROW(cross(vector({1, 0}), vector({0, 1})), ArgumentError);
  EXPECT_THROW(tensordot(matrix(), matrix(), 3), ArgumentError);
}

TEST_P(Products, the_precision_of_float32_is_highest_unless_set) {
  EXPECT_EQ(float32_matmul_precision(), MatmulPrecision::highest);
  set_float32_matmul_precision(MatmulPrecision::high);
  EXPECT_EQ(float32_matmul_precision(), MatmulPrecision::high);
  // Small integers are exact in TF32, too.
  EXPECT_EQ(values(matmul(matrix(), matrix())), (Floats{7, 10, 15, 22}));
  set_float32_matmul_precision(MatmulPrecision::highest);
}

TEST_P(Products, einsteins_notation_names_sums) {
  EXPECT_EQ(values(einsum("ij,jk->ik", {matrix(), matrix()})), (Floats{7, 10, 15, 22}));
  EXPECT_EQ(values(einsum("ii->i", {matrix()})), (Floats{1, 4}));
  EXPECT_EQ(values(einsum("ij,j,i", {matrix(), vector({1, 10}), vector({1, 100})})), (Floats{4321}));
  EXPECT_EQ(values(einsum("...i->...", {matrix()})), (Floats{3, 7}));
  // Lengths of one are broadcast, also where two of three operands have them.
  const Array one = vector({2});
  EXPECT_EQ(values(einsum("i,i,i->i", {one, one, vector({1, 2, 3})})), (Floats{4, 8, 12}));
  const Array out = vector({0, 0});
  EXPECT_EQ(einsum("ij->j", {matrix()}, {.out = out}).value(), out.value());
  EXPECT_EQ(values(out), (Floats{4, 6}));
  EXPECT_THROW(einsum("ij,jk", {matrix()}), ArgumentError);
  EXPECT_THROW(einsum("i1", {matrix()}), ArgumentError);
}

TEST_P(Products, norms_and_powers_of_matrices) {
  EXPECT_EQ(values(vector_norm(vector({3, 4}))), (Floats{5}));
  EXPECT_EQ(values(vector_norm(matrix(), 1, 0)), (Floats{4, 6}));
  EXPECT_EQ(values(matrix_norm(matrix(), MatrixNorm::greatest_row)), (Floats{7}));
  EXPECT_EQ(values(matrix_power(matrix(), 3)), (Floats{37, 54, 81, 118}));
  EXPECT_EQ(values(matrix_power(matrix(), 0)), (Floats{1, 0, 0, 1}));
  const Floats inverse = values(matrix_power(matrix(), -1)), expected = {-2, 1, 1.5, -0.5};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(inverse[i], expected[i], 1e-5) << i;
}

QUERN_EACH_DEVICE(Products);

}  // namespace
}  // namespace quern::test
