// SPDX-License-Identifier: MIT
// An expression that a generated kernel computes for each element that it reads.
#include "array/fused_producer.hpp"

#include <mutex>

#include "array/build.hpp"
#include "array/fusion.hpp"
#include "array/graph.hpp"
#include "array/product.hpp"
#include "codegen/index_space.hpp"
#include "codegen/type_text.hpp"
#include "quern/arithmetic.hpp"

namespace quern::array {
namespace {

void add_shapes(const detail::ArrayValue& value, std::vector<codegen::View>& views) {
  const Node* const node = pending_node(value);
  if (node == nullptr) views.push_back({value.shape(), {}});
  if (node != nullptr && node->kind() == Node::Kind::view) {
    // All arrays below are read in the view's own shape.
    std::vector<codegen::View> inner;
    add_shapes(*node->inputs()[0], inner);
    if (!inner.empty()) views.push_back({value.shape(), {}});
  } else if (node != nullptr)
    for (const ValuePtr& input : node->inputs()) add_shapes(*input, views);
}

bool has_shape_of_leaves(const detail::ArrayValue& value) {
  std::vector<codegen::View> views;
  const std::lock_guard lock(Graph::instance().mutex);
  add_shapes(value, views);
  return !views.empty() && codegen::broadcast_shapes(views, "reduction") == value.shape();
}

// The caller holds Graph::mutex.
bool reads_without_gaps(const detail::ArrayValue& value, const Shape& shape) {
  const Node* const node = pending_node(value);
  if (node == nullptr) return value.shape() == shape && value.memory().contiguous;
  if (node->kind() == Node::Kind::number) return true;
  if (node->kind() == Node::Kind::view) return false;
  for (const ValuePtr& input : node->inputs())
    if (!reads_without_gaps(*input, shape)) return false;
  return true;
}

}  // namespace

FusedProducer::FusedProducer(const Array& array, const DType& item, bool is_test, const Queue& queue,
                             bool counts)
    : fused(default_float(queue)) {
  ValuePtr value = array.value();
  place_transforms(value, true);
  place_products(value, true);
  if (Node* const node = pending_node(*value)) {
    if (node->has_index() && counts) {
      store_randoms(value, true);
      shape = value->shape();
    } else if (node->has_index() || is_repeated(*node) || !has_shape_of_leaves(*value)) {
      value->evaluate();
    }
  }
  if (is_test) value = cast_node(queue, value, DType::of(Scalar::boolean));
  value = cast_node(queue, value, item);
  {
    const std::lock_guard lock(Graph::instance().mutex);
    fused.add_output(value);
  }
  const codegen::Expression& expression = fused.expression();
  const codegen::Expression::Key words = expression.key();
  key.assign(reinterpret_cast<const char*>(words.data()), words.size() * sizeof words[0]);
  function = expression.function("producer");
  fused.for_each_argument([&](std::size_t k, const DType& dtype, bool is_leaf) {
    const std::string name = "x" + std::to_string(k);
    arguments += (k == 0 ? "" : ", ") + std::string(is_leaf ? "const " : "") +
                 codegen::type_name(codegen::storage_of(dtype)) + (is_leaf ? " *" : " ") + name;
    call += (k == 0 ? "" : ", ") + name + (is_leaf ? "[i]" : "");
  });
  const char* const index = !expression.has_index() ? "" : call.empty() ? "i" : "i, ";
  call = "producer(" + (index + call) + ")";
}

Array as_contiguous_expression(const Array& array, const Queue& queue) {
  {
    const std::lock_guard lock(Graph::instance().mutex);
    const Node* const node = pending_node(*array.value());
    if (node != nullptr && !node->has_index() && !node->has_product() && !node->has_fft() &&
        node->kind() != Node::Kind::number && reads_without_gaps(*array.value(), array.shape()))
      return array;
  }
  return as_contiguous(array, &queue);
}

}  // namespace quern::array
