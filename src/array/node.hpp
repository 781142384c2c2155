// SPDX-License-Identifier: MIT
// Nodes of lazy expressions: a node computes the elements of an array that are not in memory yet.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/matmul.hpp"
#include "array/layout.hpp"
#include "codegen/random_form.hpp"
#include "quern/array.hpp"
#include "quern/explain.hpp"
#include "runtime/origin.hpp"

namespace quern::codegen {
struct Op;
}

namespace quern::array {

using ValuePtr = std::shared_ptr<detail::ArrayValue>;
using Inputs = InlineVector<ValuePtr, 3>;

// A number of at most 16 bytes, stored as an element of its dtype.
using NumberBytes = std::array<std::byte, 16>;

// Random numbers. Each is a function of its index, so expressions compute it where they use it. A separate
// kernel fills memory with all of them faster.
struct RandomSource {
  codegen::RandomForm form;
  std::vector<NumberBytes> numbers;  // arguments of the form's function, in its order
  std::function<void(const Queue&, const Array&)> fill;
  std::function<std::string(const Queue&)> fill_text;  // source of the kernel that fills
};

// The sizes of a matrix product, whose inputs are stacks of matrices in memory.
struct ProductForm {
  algorithms::MatmulSize size;
  std::array<std::int64_t, 3> a_steps, b_steps;  // as MatrixStack::steps
  algorithms::KeptPart a_kept = {}, b_kept = {};
};

// Which part of a matrix is not set to zero: columns >= row + diagonal (upper), or <= row + diagonal.
struct Triangle {
  bool is_upper;
  std::int64_t diagonal;
};

// The product of a sparse matrix and a vector, whose inputs are the matrix's entries and the vector, in
// memory.
struct SparseForm {
  // Writes the product with its epilogue, which takes_sparse_epilogue() accepts.
  std::function<void(const Queue&, const Array& entries, const Array& x, const Array& out,
                     const algorithms::Epilogue&)>
      run;
};

struct FftWork;

using detail::current_origin;
using detail::origin_text;

class Node final : public detail::ArrayValue, public std::enable_shared_from_this<Node> {
 public:
  enum class Kind : std::uint8_t {
    apply,    // an operation of the op table
    where,    // condition, value if true, value if false
    cast,     // converts its input to its own dtype
    number,   // one number for all elements
    index,    // the index of the element in C order
    random,   // a random number that depends on the element's index
    view,     // a view of its input
    product,  // the matrix product of its inputs, which are in memory
    sparse_product,
    fft,  // a Fourier transform of its input along an axis
  };

  // A complete node becomes part of the graph in Scheduler::add().
  Node(Kind kind, const codegen::Op* op, Queue queue, const DType& dtype, const Shape& shape,
       Inputs&& inputs);
  Node(Queue queue, const DType& dtype, const NumberBytes& number, const Shape& shape);
  Node(const Queue& queue, const ValuePtr& base, const Shape& shape, ViewTransform change);
  Node(const Queue& queue, const Shape& shape, std::shared_ptr<const RandomSource> source);
  Node(const Queue& queue, const Array& a, const Array& b, const DType& dtype, const Shape& shape,
       std::shared_ptr<const ProductForm> form);
  Node(const Queue& queue, const Array& entries, const Array& x, const Shape& shape,
       std::shared_ptr<const SparseForm> form);
  Node(const Queue& queue, const Array& input, const DType& dtype, const Shape& shape,
       std::shared_ptr<const FftWork> work);
  ~Node() override;

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] bool is_in_graph() const noexcept { return is_in_graph_; }
  [[nodiscard]] const codegen::Op* op() const noexcept { return op_; }
  [[nodiscard]] const Queue& queue() const noexcept { return queue_; }
  [[nodiscard]] Place place() const override;
  // These are for nodes of the kind number, random, product, sparse_product (while it is pending), fft and
  // view.
  [[nodiscard]] const NumberBytes& number() const noexcept { return *std::get_if<NumberBytes>(&form_); }
  [[nodiscard]] const std::shared_ptr<const RandomSource>& random_source() const noexcept {
    return form<RandomSource>();
  }
  [[nodiscard]] const std::shared_ptr<const ProductForm>& product_form() const noexcept {
    return form<ProductForm>();
  }
  [[nodiscard]] const std::shared_ptr<const SparseForm>& sparse_form() const noexcept {
    return form<SparseForm>();
  }
  [[nodiscard]] const std::shared_ptr<const FftWork>& fft_work() const noexcept { return form<FftWork>(); }
  [[nodiscard]] const ViewTransform& transform() const noexcept {
    return *std::get_if<ViewTransform>(&form_);
  }
  [[nodiscard]] bool is_product() const noexcept {
    return kind_ == Kind::product || kind_ == Kind::sparse_product;
  }
  // Whether it is a product, or products were pending in its expression when it was made.
  [[nodiscard]] bool has_product() const noexcept { return has_product_; }
  // Set for the result of triu() and tril(): a `where` whose second input is the whole matrix. Null for other
  // nodes.
  [[nodiscard]] const Triangle* triangle() const noexcept { return std::get_if<Triangle>(&form_); }
  void set_triangle(const Triangle& triangle) { form_ = triangle; }
  // Whether it is a Fourier transform, or transforms were pending in its expression when it was made.
  [[nodiscard]] bool has_fft() const noexcept { return has_fft_; }
  // The source line that recorded it; 0 if it is not known.
  [[nodiscard]] Origin origin() const noexcept { return origin_; }
  // The number of nodes of its expression. A node that is used twice counts twice.
  [[nodiscard]] std::size_t weight() const noexcept { return weight_; }
  // Whether its expression depends on the element's index, so that it is valid for its own shape only.
  [[nodiscard]] bool has_index() const noexcept { return has_index_; }
  // Whether inputs must be in memory before the node becomes part of the graph: they depend on the index of
  // elements of another shape, or the expression has too many nodes.
  [[nodiscard]] bool needs_inputs() const noexcept { return has_misfit_ || weight_ > kMostWeight; }
  // Stores these inputs in memory.
  void prepare();

  // The caller of all methods below holds Graph::mutex.

  // Empty once the node is in memory, which another thread may cause.
  [[nodiscard]] std::span<const ValuePtr> inputs() const noexcept { return inputs_; }
  // Whether a thread is enqueuing the node.
  [[nodiscard]] bool is_busy() const noexcept { return is_busy_; }
  void set_busy(bool is_busy) noexcept { is_busy_ = is_busy; }
  // Sets the memory that has its elements now. Returns the inputs. The caller drops them after it releases
  // the lock, because they may be the last handles of other nodes.
  [[nodiscard]] Inputs finish(ArrayMemory&& memory) noexcept;
  // Turns the node into a copy of an array in memory that has its elements. Returns the inputs, as finish()
  // does.
  [[nodiscard]] Inputs become_copy(const ValuePtr& source);
  // Records the number of a kernel that computes the node within another expression. Returns the previous
  // number.
  std::uint32_t computed_in(std::uint32_t kernel) noexcept { return std::exchange(computed_in_, kernel); }

  // An expression of fewer nodes takes no longer to compute again than to read from memory.
  static constexpr std::size_t kWorthStoring = 6;

 private:
  friend class Graph;  // links the nodes
  // The most nodes of an expression that stays lazy. The limit keeps kernels quick to compile and their
  // arguments within the device's limits.
  static constexpr std::size_t kMostWeight = 40;
  // The text of a generator is as long as that of this many operations.
  static constexpr std::size_t kRandomWeight = 6;
  void enqueue() override;
  // What a node of some kinds has besides its inputs.
  using Form = std::variant<std::monostate, NumberBytes, Triangle, ViewTransform,
                            std::shared_ptr<const RandomSource>, std::shared_ptr<const ProductForm>,
                            std::shared_ptr<const SparseForm>, std::shared_ptr<const FftWork>>;
  template <class T>
  [[nodiscard]] const std::shared_ptr<const T>& form() const noexcept {
    return *std::get_if<std::shared_ptr<const T>>(&form_);
  }

  Kind kind_;
  bool is_busy_ = false;
  bool is_in_graph_ = false;
  bool has_index_ = false;  // depends on the index of elements of its own shape
  bool has_product_ = false;
  bool has_fft_ = false;
  bool has_misfit_ = false;  // an input depends on the index of elements of another shape
  Origin origin_ = current_origin;
  std::uint32_t computed_in_ = 0;  // the last kernel that computed it within another expression
  const codegen::Op* op_ = nullptr;
  Queue queue_;
  Form form_;
  std::size_t weight_ = 1;
  Inputs inputs_;
  Node *older_ = nullptr, *newer_ = nullptr;  // neighbours in the graph
};

// Returns the node of a value that is not in memory, and null for one that is.
[[nodiscard]] inline Node* pending_node(const detail::ArrayValue& value) {
  return value.in_memory()
             ? nullptr
             : const_cast<Node*>(static_cast<const Node*>(&value));  // Node is the only lazy class
}

// Returns whether anything holds the value besides the handles that the caller knows of. Python does not
// report its references to an object, so only the count can answer this.
[[nodiscard]] inline bool is_held_elsewhere(const ValuePtr& value, long known_handles) {
  return value.use_count() > known_handles;
}

}  // namespace quern::array
