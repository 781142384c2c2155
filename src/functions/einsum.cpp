// SPDX-License-Identifier: MIT
// numpy.einsum: operands are contracted pairwise, each pair by one matrix product.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <unordered_map>

#include "base/dtype_kinds.hpp"
#include "functions/operands.hpp"
#include "functions/output.hpp"
#include "functions/rows.hpp"
#include "quern/creation.hpp"
#include "quern/matmul.hpp"
#include "quern/reduce.hpp"

namespace quern {
namespace {

// A label is a letter, or an axis of "...", counted from the last one.
using Label = int;
using Labels = std::vector<Label>;
constexpr Label kEllipsis = 256;

struct Term {
  Labels labels;
  Array x;

  [[nodiscard]] std::size_t at(Label label) const {
    return static_cast<std::size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
  }
  [[nodiscard]] bool has(Label label) const { return at(label) < labels.size(); }
  [[nodiscard]] std::int64_t length(Label label) const { return x.shape()[at(label)]; }
};

std::string text_of(Label label) {
  return label < kEllipsis ? std::string(1, static_cast<char>(label)) : "...";
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

struct Notation {
  std::vector<Labels> inputs;
  Labels output;
};

// The labels of one part of the subscripts; "..." takes the remaining axes.
Labels labels_of(std::string_view part, std::string_view all, std::size_t ellipsis) {
  Labels labels;
  for (std::size_t k = 0; k < part.size(); ++k) {
    if (part.substr(k).starts_with("...")) {
      for (std::size_t d = ellipsis; d > 0; --d) labels.push_back(kEllipsis + static_cast<Label>(d));
      k += 2;
    } else if (is_letter(part[k])) {
      labels.push_back(part[k]);
    } else {
      functions::value_error("einsum: '" + std::string(1, part[k]) + "' of '" + std::string(all) +
                             "' is not a letter");
    }
  }
  return labels;
}

Notation notation_of(std::string_view subscripts, std::span<const Array> operands) {
  std::string text(subscripts);
  std::erase(text, ' ');
  const std::size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  std::vector<std::string> parts(1);
  for (const char c : left) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (parts.size() != operands.size() || operands.empty())
    functions::value_error("einsum: '" + std::string(subscripts) + "' names " + std::to_string(parts.size()) +
                           " operands, but there are " + std::to_string(operands.size()));
  Notation result;
  std::size_t most = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::size_t rank = operands[k].shape().size();
    const bool has_more = parts[k].find("...") != std::string::npos;
    const std::size_t named = parts[k].size() - (has_more ? 3 : 0);
    const std::size_t extra = has_more && named <= rank ? rank - named : 0;
    Labels labels = labels_of(parts[k], subscripts, extra);
    if (labels.size() != rank)
      functions::value_error("einsum: '" + parts[k] + "' does not match an array of " + std::to_string(rank) +
                             " dimensions");
    most = std::max(most, extra);
    result.inputs.push_back(std::move(labels));
  }
  if (arrow != std::string::npos) {
    result.output = labels_of(std::string_view(text).substr(arrow + 2), subscripts, most);
  } else {
    for (std::size_t d = most; d > 0; --d) result.output.push_back(kEllipsis + static_cast<Label>(d));
    std::array<int, 256> counts = {};
    for (const Labels& labels : result.inputs)
      for (const Label label : labels)
        if (label < kEllipsis) ++counts[static_cast<std::size_t>(label)];
    for (Label label = 0; label < kEllipsis; ++label)
      if (counts[static_cast<std::size_t>(label)] == 1) result.output.push_back(label);
  }
  for (const Label label : result.output) {
    const auto has = [&](const Labels& labels) {
      return std::find(labels.begin(), labels.end(), label) != labels.end();
    };
    if (std::count(result.output.begin(), result.output.end(), label) > 1 ||
        std::none_of(result.inputs.begin(), result.inputs.end(), has))
      functions::value_error("einsum: '" + text_of(label) +
                             "' of the result is repeated, or not in any operand");
  }
  return result;
}

void check_lengths(const std::vector<Term>& terms) {
  std::unordered_map<Label, std::int64_t> sizes;
  for (const Term& term : terms) {
    for (std::size_t d = 0; d < term.labels.size(); ++d) {
      const std::int64_t length = term.x.shape()[d];
      const auto [known, is_new] = sizes.emplace(term.labels[d], length);
      if (is_new || known->second == length) continue;
      if (known->second != 1 && length != 1)
        functions::value_error("einsum: index '" + text_of(term.labels[d]) + "' has the lengths " +
                               std::to_string(known->second) + " and " + std::to_string(length));
      if (known->second == 1) known->second = length;
    }
  }
}

// Axes with equal labels become one axis (a diagonal).
Term with_diagonals(Term term) {
  const Labels before = term.labels;
  for (const Label label : before) {
    while (std::count(term.labels.begin(), term.labels.end(), label) > 1) {
      const auto first = std::find(term.labels.begin(), term.labels.end(), label);
      const auto second = std::find(first + 1, term.labels.end(), label);
      term.x = diagonal(term.x, 0, first - term.labels.begin(), second - term.labels.begin());
      term.labels.erase(second);
      term.labels.erase(first);
      term.labels.push_back(label);
    }
  }
  return term;
}

// Sums over the labels that no other operand and not the result needs.
Term summed(Term term, const std::set<Label>& needed) {
  Labels left;
  std::vector<int> axes;
  for (std::size_t d = 0; d < term.labels.size(); ++d) {
    if (needed.contains(term.labels[d]))
      left.push_back(term.labels[d]);
    else
      axes.push_back(static_cast<int>(d));
  }
  if (axes.empty()) return term;
  return {std::move(left), sum(term.x, {.over = axes, .dtype = term.x.dtype()})};
}

Array transposed(const Term& term, const Labels& order) {
  if (order.empty()) return term.x;
  std::vector<int> axes;
  for (const Label label : order) axes.push_back(static_cast<int>(term.at(label)));
  return permute_dims(term.x, axes);
}

std::int64_t count_of(const Term& term, const Labels& labels) {
  std::int64_t count = 1;
  for (const Label label : labels) count *= term.length(label);
  return count;
}

Labels joined(std::initializer_list<const Labels*> parts) {
  Labels all;
  for (const Labels* const part : parts) all.insert(all.end(), part->begin(), part->end());
  return all;
}

// For axes of length one that are broadcast.
Term multiplied(const Term& a, const Term& b, const std::set<Label>& needed) {
  Labels labels = a.labels;
  for (const Label label : b.labels)
    if (!a.has(label)) labels.push_back(label);
  const auto spread = [&](const Term& term) {
    Labels own;
    Shape shape;
    for (const Label label : labels) {
      if (term.has(label)) own.push_back(label);
      shape.push_back(term.has(label) ? term.length(label) : 1);
    }
    return reshape(transposed(term, own), std::move(shape));
  };
  return summed({labels, spread(a) * spread(b)}, needed);
}

// Contracts two operands: labels that both have and that are still needed form a stack of matrices.
Term product_of(const Term& a, const Term& b, const std::set<Label>& needed) {
  Labels stack, contracted, rows, columns;
  for (const Label label : a.labels) {
    if (!b.has(label)) {
      rows.push_back(label);
      continue;
    }
    if (a.length(label) != b.length(label)) return multiplied(a, b, needed);
    (needed.contains(label) ? stack : contracted).push_back(label);
  }
  for (const Label label : b.labels)
    if (!a.has(label)) columns.push_back(label);
  const Array left = reshape(transposed(a, joined({&stack, &rows, &contracted})),
                             {count_of(a, stack), count_of(a, rows), count_of(a, contracted)});
  const Array right = reshape(transposed(b, joined({&stack, &contracted, &columns})),
                              {count_of(b, stack), count_of(b, contracted), count_of(b, columns)});
  Shape shape;
  for (const Label label : stack) shape.push_back(a.length(label));
  for (const Label label : rows) shape.push_back(a.length(label));
  for (const Label label : columns) shape.push_back(b.length(label));
  return {joined({&stack, &rows, &columns}), reshape(matmul(left, right), std::move(shape))};
}

// The labels of the result and of all operands except two.
std::set<Label> needed_by_others(const std::vector<Term>& terms, std::size_t i, std::size_t j,
                                 const Labels& output) {
  std::set<Label> needed(output.begin(), output.end());
  for (std::size_t k = 0; k < terms.size(); ++k)
    if (k != i && k != j) needed.insert(terms[k].labels.begin(), terms[k].labels.end());
  return needed;
}

// The increase of the number of elements when two operands are contracted.
double growth(const Term& a, const Term& b, const std::set<Label>& needed) {
  double size = 1;
  for (const Label label : a.labels) {
    const auto other = b.has(label) ? b.length(label) : 1;
    if (needed.contains(label)) size *= static_cast<double>(std::max(a.length(label), other));
  }
  for (const Label label : b.labels)
    if (!a.has(label) && needed.contains(label)) size *= static_cast<double>(b.length(label));
  return size - static_cast<double>(a.x.size()) - static_cast<double>(b.x.size());
}

// Contracts the pair with the least increase; the first such pair.
void join_two(std::vector<Term>& terms, const Labels& output) {
  std::size_t first = 0, second = 1;
  if (terms.size() > 2) {
    double least = INFINITY;
    for (std::size_t i = 0; i + 1 < terms.size(); ++i) {
      for (std::size_t j = i + 1; j < terms.size(); ++j) {
        const double grown = growth(terms[i], terms[j], needed_by_others(terms, i, j, output));
        if (!(grown < least)) continue;
        least = grown;
        first = i;
        second = j;
      }
    }
  }
  const std::set<Label> needed = needed_by_others(terms, first, second, output);
  std::set<Label> with_second = needed, with_first = needed;
  with_second.insert(terms[second].labels.begin(), terms[second].labels.end());
  const Term a = summed(terms[first], with_second);
  with_first.insert(a.labels.begin(), a.labels.end());
  const Term b = summed(terms[second], with_first);
  terms[first] = product_of(a, b, needed);
  terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(second));
}

}  // namespace

Array einsum(std::string_view subscripts, std::span<const Array> operands, const EinsumOptions& options) {
  Notation notation = notation_of(subscripts, operands);
  const DType dtype = options.dtype.value_or(functions::common_type(operands));
  // All operands are converted to the result's dtype before anything is summed or multiplied. Short
  // types are rounded once, at the end.
  const DType computed = detail::widened(dtype);
  std::vector<Term> terms;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    check_cast("einsum: dtype", operands[k].dtype(), dtype,
               options.dtype ? options.casting : Casting::unsafe);
    terms.push_back({std::move(notation.inputs[k]), astype(operands[k], computed)});
  }
  check_lengths(terms);
  for (Term& term : terms) term = with_diagonals(std::move(term));
  while (terms.size() > 1) join_two(terms, notation.output);
  const std::set<Label> needed(notation.output.begin(), notation.output.end());
  const Term last = summed(std::move(terms[0]), needed);
  Array result = astype(transposed(last, notation.output), dtype);
  const bool is_fortran = options.in_fortran_order && !options.out;
  if (is_fortran)
    result = permute_dims(copy(permute_dims(result)));
  else if (operands.size() == 1 && !options.out)
    result = copy(result);
  return functions::written(
      "einsum", std::move(result),
      {.array = functions::address(options.out), .casting = options.casting, .broadcasts = false});
}

namespace registry {
namespace {

const Function kEinsumRows[] = {
    {.name = "einsum",
     .parameters = "subscripts: str, /, *operands: array, out: out = None, optimize: object = False, "
                   "dtype: dtype = None, order: str = 'K', casting: str = 'safe'",
     .summary = "Einstein summation over the operands, as in \"ij,jk->ik\".",
     .notes = "\"...\" means axes that are broadcast. Operands are contracted in pairs, the pair with the "
              "smallest result first.",
     .about = "subscripts: Comma-separated subscripts of the operands; those of the result follow \"->\".\n"
              "operands: Arrays, one for each comma-separated group of subscripts.\n"
              "optimize: Accepted for compatibility with NumPy; it has no effect.",
     .returns = "The sums, with one axis for each subscript of the result.",
     .example = ">>> print(qn.einsum('ij,j->i', [[1, 2], [3, 4]], [1, 10]))\n[21 43]",
     .call = [](const Arguments& a) -> Result {
       return einsum(a.text(0), a.arrays(1),
                     {.out = a.find<Array>(2),
                      .dtype = a.find<DType>(4),
                      .casting = casting_of(a.text(6), "einsum"),
                      .in_fortran_order = is_fortran(a, 5)});
     }},
};

}  // namespace

std::span<const Function> einsum_rows() {
  return kEinsumRows;
}

}  // namespace registry
}  // namespace quern
