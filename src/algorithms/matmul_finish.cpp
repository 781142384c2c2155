// SPDX-License-Identifier: MIT
// Text and arguments of the expressions in our own product kernels.
#include "algorithms/matmul_finish.hpp"

#include <cstdint>
#include <optional>

#include "base/dtype_kinds.hpp"
#include "codegen/type_text.hpp"

namespace quern::algorithms {
namespace {

// More operands could exceed the bytes of arguments that every device takes: 40 bytes for each array.
constexpr std::size_t kMostArguments = 12;

// Elements from matrix to matrix, from row to row and from column to column.
struct Steps {
  std::int64_t start = 0, matrix = 0, row = 0, column = 0;
};

std::optional<Steps> steps_of(const Array& array) {
  const auto item = static_cast<std::int64_t>(array.dtype().itemsize);
  const Shape& shape = array.shape();
  const Strides& strides = array.strides();
  const std::size_t rank = shape.size();
  Steps steps;
  steps.start = static_cast<std::int64_t>(array.offset()) / item;
  if (rank >= 1) steps.column = strides[rank - 1] / item;
  if (rank >= 2) steps.row = strides[rank - 2] / item;
  std::int64_t length = 1;
  for (std::size_t d = rank >= 2 ? rank - 2 : 0; d-- > 0;) {
    if (shape[d] == 1) continue;
    const std::int64_t step = strides[d] / item;
    if (length == 1) steps.matrix = step;
    if (step != steps.matrix * length) return std::nullopt;
    length *= shape[d];
  }
  return steps;
}

}  // namespace

bool has_finish(const codegen::Expression& expression) {
  if (expression.has_index() || expression.outputs().size() != 1 ||
      expression.arguments().size() > kMostArguments ||
      detail::is_short_float(expression.dtype(expression.outputs().front())))
    return false;
  for (codegen::Expression::Ref value = 0; value < expression.size(); ++value)
    if (expression.value(value).kind == codegen::Expression::Value::Kind::random) return false;
  return true;
}

std::string finish_function(const codegen::Expression& expression) {
  return expression.function("finish");
}

bool takes_finish(const ProductExpression& expression) {
  for (const ProductExpression::Argument& argument : expression.arguments)
    if (argument.array && !steps_of(*argument.array)) return false;
  return !detail::is_short_float(expression.dtype);
}

std::string finish_definitions(const ProductExpression* expression) {
  if (expression == nullptr) return "#define FINISH_PARAMETERS\n#define FINISH(sum) STORE(sum)\n";
  std::string parameters, call;
  for (std::size_t k = 0; k < expression->arguments.size(); ++k) {
    const ProductExpression::Argument& argument = expression->arguments[k];
    const std::string number = std::to_string(k), name = "quern_p" + number;
    const std::string type = codegen::type_name(codegen::storage_of(argument.dtype));
    call += k == 0 ? "" : ", ";
    if (k == expression->product) {
      call += "(" + type + ")(sum)";
    } else if (argument.array) {
      parameters += ", const global " + type + " *" + name;
      for (const char* const step : {"s", "m", "r", "c"}) parameters += ", long quern_" + (step + number);
      call += name + "[quern_s" + number + " + (long)matrix * quern_m" + number + " + (long)row * quern_r" +
              number + " + (long)column * quern_c" + number + "]";
    } else {
      parameters += ", " + type + " " + name;
      call += name;
    }
  }
  // Each operation is rounded as by itself. What follows may contract.
  return "#pragma OPENCL FP_CONTRACT OFF\n" + expression->function + "#define FINISH_PARAMETERS " +
         parameters + "\n#define FINISH(sum) (OUT)finish(" + call + ")\n";
}

void add_finish_arguments(const ProductExpression* expression, std::vector<KernelArgument>& arguments) {
  if (expression == nullptr) return;
  for (std::size_t k = 0; k < expression->arguments.size(); ++k) {
    const ProductExpression::Argument& argument = expression->arguments[k];
    if (k == expression->product) continue;
    if (!argument.array) {
      arguments.emplace_back(std::span(argument.number.data(), argument.number_bytes));
      continue;
    }
    const Steps steps = *steps_of(*argument.array);
    arguments.emplace_back(argument.array->buffer());
    for (const std::int64_t step : {steps.start, steps.matrix, steps.row, steps.column})
      arguments.emplace_back(step);
  }
}

}  // namespace quern::algorithms
