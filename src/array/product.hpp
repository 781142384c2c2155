// SPDX-License-Identifier: MIT
// Pending matrix products. A product is computed together with the operations on its result that its kernel
// can apply before it stores the result.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/matmul.hpp"
#include "array/node.hpp"
#include "quern/explain.hpp"

namespace quern::array {

// Whether a sparse product with a result of this rank takes this epilogue: a factor and one array, of which a
// vector is contiguous in memory.
[[nodiscard]] bool takes_sparse_epilogue(const algorithms::Epilogue& epilogue, std::size_t rank);

// A product whose operands are in memory, with its epilogue. It keeps the memory alive.
class Product {
 public:
  // Returns the product that computes this node: the node itself, or a product to whose result the node
  // applies an epilogue. Returns nothing if the node computes anything else, or if an array holds a part of
  // the expression, because that part is then stored. The caller holds Graph::mutex.
  static std::optional<Product> of(const Node& node);

  // Writes the result to `out`, which is contiguous.
  void run(const Queue& queue, const Array& out) const;
  // The operations from the product to the node, each with its dtype and its source line. Asks the
  // interpreter for the lines, so the caller must not hold Graph::mutex.
  [[nodiscard]] std::vector<std::string> operations() const;
  // `shape` and `dtype` are those of the node.
  [[nodiscard]] KernelPlan plan(const Shape& shape, const DType& dtype) const;
  // Whether it reads memory of the buffer's allocation.
  [[nodiscard]] bool reads(const Buffer& buffer) const;

 private:
  friend class ProductMatch;
  friend class ExpressionMatch;
  void take(const Node& node);
  static std::optional<Product> converted(const Node& node);
  // The memory that the epilogue reads.
  [[nodiscard]] std::vector<Buffer> addends() const;
  algorithms::MatrixStack a_, b_;
  algorithms::MatmulSize size_;
  std::shared_ptr<const SparseForm> sparse_;  // of a sparse product, whose inputs are these
  std::vector<Array> sparse_inputs_;
  DType dtype_;  // of the product
  algorithms::Epilogue epilogue_;
  struct Operation {
    std::string_view name;
    DType dtype;
    Origin origin;
  };
  std::vector<Operation> operations_;  // from the product to the node
};

// Whether a product in the expression is not in memory. The caller holds Graph::mutex.
[[nodiscard]] bool has_pending_product(const Node& node);

// Stores the products of an expression in memory, and the parts of it that an array holds with them. If
// `itself`, also a value that is a product.
void place_products(const ValuePtr& value, bool itself);

// Computes a product with its epilogue into the memory of the target. Returns false if the value is not such
// a product, reads memory of the target, or does not fit the target.
bool evaluate_product_into(const Array& target, const ValuePtr& value, const Queue& queue);

// Describes an array of three axes in memory as a stack of matrices. `line_is_last` says which of the last
// two axes is an axis of the result.
[[nodiscard]] algorithms::MatrixStack matrix_stack(const ArrayMemory& memory, const DType& dtype,
                                                   const Shape& shape, bool line_is_last);

}  // namespace quern::array
