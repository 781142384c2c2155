// SPDX-License-Identifier: MIT
// Transposes matrices: checks the arrays and copies the transposed view.
#include <string>

#include "algorithms/copy.hpp"
#include "algorithms/launch/checks.hpp"
#include "quern/error.hpp"
#include "quern/gather.hpp"

namespace quern {
namespace {

using namespace algorithms;

void check_matrix(const char* name, const Array& array, const Queue& queue) {
  if (array.shape().size() != 2)
    throw ArgumentError(ArgumentError::Kind::value, "transpose: " + std::string(name) + " has " +
                                                        std::to_string(array.shape().size()) +
                                                        " dimensions, expected two");
  check_contiguous("transpose", name, array, queue);
}

}  // namespace

Event transpose(const Queue& queue, const Array& matrix, const Array& out, WaitList wait_for) {
  check_matrix("matrix", matrix, queue);
  check_matrix("out", out, queue);
  check_dtype("transpose", "out", out, matrix.dtype());
  if (out.shape()[0] != matrix.shape()[1] || out.shape()[1] != matrix.shape()[0])
    throw ArgumentError(ArgumentError::Kind::value, "transpose: out has the shape (" +
                                                        std::to_string(out.shape()[0]) + ", " +
                                                        std::to_string(out.shape()[1]) + "), expected (" +
                                                        std::to_string(matrix.shape()[1]) + ", " +
                                                        std::to_string(matrix.shape()[0]) + ")");
  check_apart("transpose", "out", out, "matrix", matrix);
  if (!wait_for.empty()) queue.barrier(wait_for);
  if (matrix.size() == 0) return {};
  const auto size = static_cast<std::int64_t>(matrix.dtype().itemsize);
  const Array turned(matrix.buffer(), matrix.dtype(), out.shape(), {size, matrix.shape()[1] * size},
                     matrix.offset());
  return copy_elements(queue, turned, out);
}

Array transpose(const Queue& queue, const Array& matrix) {
  check_matrix("matrix", matrix, queue);
  Array out = empty(queue, {matrix.shape()[1], matrix.shape()[0]}, matrix.dtype());
  transpose(queue, matrix, out);
  return out;
}

}  // namespace quern
