// SPDX-License-Identifier: MIT
// OpenCL C of scans: code of all strategies, and the kernels that run as loops of single work-items.
#include "codegen/emit_scan.hpp"

#include <algorithm>

#include "base/arithmetic.hpp"
#include "base/dtype_kinds.hpp"
#include "codegen/emit_loop.hpp"
#include "codegen/type_text.hpp"

namespace quern::codegen {
namespace {

// Neighbours that are scanned together before the running result is combined with each of them, which
// shortens the chain of dependent operations.
std::size_t block_length(const ScanSource& source) {
  return source.item_dtype.itemsize <= 8 ? 8 : source.item_dtype.itemsize <= 16 ? 4 : 1;
}

// Whether compilers vectorise a loop over the operator: numbers, and only operators and simple functions.
bool is_vectorisable(const ScanSource& source) {
  if (source.item_dtype.lanes != 1 || source.item_dtype.scalar == Scalar::structure ||
      source.item_dtype.scalar == Scalar::float16 || detail::is_complex(source.item_dtype))
    return false;
  return Snippet(source.scan, Snippet::Form::named, "scan_expr")
      .names_only({"a", "b", "across_seg_boundary", "min", "max", "fmin", "fmax", "select", "true", "false"});
}

std::string without_spaces(const std::string& text) {
  std::string result;
  for (const char c : text)
    if (c != ' ') result += c;
  return result;
}

// For commutative operators, elements may be summed in interleaved lanes.
bool commutes(const ScanSource& source) {
  if (source.segmented()) return false;
  const std::string text = without_spaces(source.scan);
  for (const char* known : {"a+b", "a*b", "a&b", "a|b", "a^b", "b+a", "b*a", "min(a,b)", "max(a,b)",
                            "fmin(a,b)", "fmax(a,b)", "a>b?a:b", "a<b?a:b"})
    if (text == known) return true;
  return source.commutative;
}

// Elements before a segment do not contribute to it.
bool drops_at_segments(const ScanSource& source) {
  return !Snippet(source.scan, Snippet::Form::named, "scan_expr").mentions("across_seg_boundary") ||
         without_spaces(source.scan).starts_with("across_seg_boundary?b:");
}

// Without branches when elements are combined one by one: arithmetic, and single instructions.
bool is_arithmetic(const ScanSource& source) {
  const std::string text = without_spaces(source.scan);
  for (const char* known : {"min(a,b)", "max(a,b)", "a>b?a:b", "a<b?a:b"})
    if (text == known) return true;
  return Snippet(source.scan, Snippet::Form::named, "scan_expr").names_only({"a", "b"}) &&
         text.find('?') == std::string::npos;
}

class LoopEmitter {
 public:
  LoopEmitter(const ScanSource& source, const ScanVariant& variant)
      : source_(source), variant_(variant), index_(variant.index_type()) {}

  [[nodiscard]] std::string program() const {
    std::string text = scan::definitions(source_);
    if (variant_.strategy == ScanStrategy::sequential) return text + sequential();
    return text + reduce() + apply();
  }

 private:
  const ScanSource& source_;
  const ScanVariant& variant_;
  const std::string index_;

  [[nodiscard]] std::string kernel(const char* suffix, const std::string& more,
                                   const std::string& body) const {
    return std::string(scan::kLoneKernel) + symbol_of(source_.name) + suffix + "(" +
           scan::parameters(source_, variant_) + more + ") {\n" + body + "}\n";
  }

  [[nodiscard]] std::string input(const std::string& target) const {
    return scan::set_input(
        source_, target, [](std::size_t) { return std::string(); },
        [&](const ScanFetch& fetch) {
          const std::string name = source_.operands[fetch.operand].argument.parameter.name;
          if (fetch.offset == 0) return name + "[i]";
          const auto offset = static_cast<std::size_t>(-fetch.offset);
          if (variant_.strategy == ScanStrategy::chunks) return scan::behind(name, index_, offset);
          return name + "[max(i - " + number(offset) + ", (" + index_ + ")0)]";
        });
  }

  // The output of element i, whose result is `joined` and the previous one `before`.
  [[nodiscard]] std::string output(const std::string& joined, const std::string& before,
                                   const std::string& starts) const {
    const std::string value = source_.segmented() ? ".value" : "";
    return output_of(joined + value, before.empty() ? before : before + value, starts);
  }
  // The same for items.
  [[nodiscard]] std::string output_of(const std::string& item, const std::string& before,
                                      const std::string& starts) const {
    std::string text = "const quern_item item = " + item + ";\n";
    if (source_.uses_previous()) {
      std::string previous = before.empty() ? "quern_neutral()" : before;
      if (source_.segmented() && !before.empty())
        previous = "(" + starts + " ? quern_neutral() : " + previous + ")";
      text += "const quern_item prev_item = " + previous + ";\n";
    }
    return text + scan::output(source_, [](std::size_t) { return std::string(); });
  }

  // Element quern_at, combined with quern_sum.
  [[nodiscard]] std::string step(bool first, bool with_output) const {
    std::string text = "{\nconst " + index_ + " i = quern_at;\nquern_partial quern_p;\n" + input("quern_p");
    const bool keeps = with_output && source_.uses_previous() && !first;
    if (keeps) text += "const quern_partial quern_before = quern_sum;\n";
    const std::string starts = source_.segmented() ? "quern_p.starts" : "";
    text += first ? "quern_sum = quern_p;\n" : "quern_sum = quern_join(quern_sum, quern_p);\n";
    if (with_output) text += output("quern_sum", keeps ? "quern_before" : "", starts);
    return text + "}\n";
  }

  [[nodiscard]] std::string sequential() const {
    std::string body = index_ + " quern_at = 0;\nquern_partial quern_sum;\n";
    const std::string rest = "for (quern_at = 1; quern_at < N; ++quern_at)\n";
    if (source_.uses_last()) {
      body += step(true, false) + rest + step(false, false) + "const quern_item last_item = quern_sum" +
              (source_.segmented() ? ".value" : "") + ";\nquern_at = 0;\n";
    }
    return kernel("_apply", "", body + step(true, true) + rest + step(false, true));
  }

  [[nodiscard]] std::string each(std::size_t from, std::size_t count) const {
    return "#pragma unroll\nfor (int quern_j = " + number(from) + "; quern_j < " + number(count) +
           "; ++quern_j)";
  }

  // quern_p[B] of the elements from quern_at on, each combined with those before it in the block.
  [[nodiscard]] std::string block() const {
    const std::size_t length = block_length(source_);
    return "quern_partial quern_p[" + number(length) + "];\n" + each(0, length) + " {\nconst " + index_ +
           " i = quern_at + quern_j;\n" + input("quern_p[quern_j]") +
           (source_.segmented() && source_.uses_previous()
                ? "quern_start[quern_j] = quern_p[quern_j].starts;\n"
                : "") +
           "}\n" + each(1, length) +
           "\nquern_p[quern_j] = quern_join(quern_p[quern_j - 1], quern_p[quern_j]);\n";
  }

  [[nodiscard]] std::string reduce() const {
    return kernel("_reduce", ", const " + index_ + " quern_chunk, global quern_partial *quern_sums",
                  "const " + index_ + " quern_id = get_global_id(0), quern_begin = quern_id * quern_chunk, " +
                      "quern_end = min(quern_begin + quern_chunk, N);\nquern_partial quern_sum;\n" + sum() +
                      "quern_sums[quern_id] = quern_sum;\n");
  }

  // quern_sum of the elements from quern_begin to quern_end.
  [[nodiscard]] std::string sum() const {
    std::string body = "{\n" + index_ + " quern_at = quern_begin;\n";
    // The carried result begins at the last segment.
    if (source_.segmented() && drops_at_segments(source_)) {
      body += "for (quern_at = quern_end - 1; quern_at > quern_begin; --quern_at) {\nconst " + index_ +
              " i = quern_at;\nquern_partial quern_p;\n" + input("quern_p") +
              "if (quern_p.starts != 0) break;\n}\n";
    }
    if (is_vectorisable(source_) && commutes(source_)) {
      body += "if (quern_end - quern_at >= " + number(lanes()) + ") {\n" + sum_of_lanes() + "} else {\n" +
              step(true, false) + "++quern_at;\n}\n";
    } else {
      body += step(true, false) + "++quern_at;\n" + sum_of_blocks();
    }
    return body + "for (; quern_at < quern_end; ++quern_at)\n" + step(false, false) + "}\n";
  }

  // As many sums as keep the adders busy.
  [[nodiscard]] std::size_t lanes() const { return 128 / source_.item_dtype.itemsize; }
  [[nodiscard]] std::string sum_of_lanes() const {
    const std::string count = number(lanes());
    const std::string loop = "for (int quern_j = 0; quern_j < " + count + "; ++quern_j) {\nconst " + index_ +
                             " i = quern_at + quern_j;\n";
    return "quern_item quern_lanes[" + count + "];\n" + loop + input("quern_lanes[quern_j]") +
           "}\nfor (quern_at += " + count + "; quern_at + " + count + " <= quern_end; quern_at += " + count +
           ")\n" + loop + "quern_item quern_p;\n" + input("quern_p") +
           "quern_lanes[quern_j] = quern_join(quern_lanes[quern_j], quern_p);\n}\n"
           "quern_sum = quern_lanes[0];\nfor (int quern_j = 1; quern_j < " +
           count + "; ++quern_j) quern_sum = quern_join(quern_sum, quern_lanes[quern_j]);\n";
  }

  // Blocks are combined in a tree, so that few operations wait for earlier ones.
  [[nodiscard]] std::string sum_of_blocks() const {
    const std::size_t length = block_length(source_);
    if (length == 1) return {};
    std::string body = "for (; quern_at + " + number(length) +
                       " <= quern_end; quern_at += " + number(length) + ") {\nquern_partial quern_p[" +
                       number(length) + "];\n" + each(0, length) + " {\nconst " + index_ +
                       " i = quern_at + quern_j;\n" + input("quern_p[quern_j]") + "}\n";
    for (std::size_t distance = 1; distance < length; distance *= 2)
      for (std::size_t j = 0; j < length; j += 2 * distance)
        body += "quern_p[" + number(j) + "] = quern_join(quern_p[" + number(j) + "], quern_p[" +
                number(j + distance) + "]);\n";
    return body + "quern_sum = quern_join(quern_sum, quern_p[0]);\n}\n";
  }

  // The elements from quern_at to quern_end, starting from quern_sum, some neighbours at a time.
  [[nodiscard]] std::string by_blocks() const {
    const std::size_t length = block_length(source_);
    if (length == 1) return {};
    const bool keeps_starts = source_.segmented() && source_.uses_previous();
    std::string body =
        "for (; quern_at + " + number(length) + " <= quern_end; quern_at += " + number(length) + ") {\n";
    if (keeps_starts) body += "uint quern_start[" + number(length) + "];\n";
    return body + block() + "quern_partial quern_before = quern_sum;\n" + each(0, length) + " {\nconst " +
           index_ +
           " i = quern_at + quern_j;\nconst quern_partial quern_joined = quern_join(quern_sum, "
           "quern_p[quern_j]);\n" +
           output("quern_joined", "quern_before", keeps_starts ? "quern_start[quern_j]" : "") +
           "quern_before = quern_joined;\n}\nquern_sum = quern_join(quern_sum, quern_p[" +
           number(length - 1) + "]);\n}\n";
  }

  // quern_NAME: the result before chunk quern_id, unless it is the first.
  [[nodiscard]] std::string ahead(const std::string& name, const std::string& chunk) const {
    return name + " = quern_sums[0];\nfor (" + index_ + " quern_k = 1; quern_k < " + chunk +
           "; ++quern_k)\n" + name + " = quern_join(" + name + ", quern_sums[quern_k]);\n";
  }

  [[nodiscard]] std::string one_stream() const {
    return "quern_partial quern_sum;\n" + index_ + " quern_at = quern_begin;\nconst " + index_ +
           " quern_end = min(quern_begin + quern_chunk, N);\nif (quern_id == 0) {\n" + step(true, true) +
           "++quern_at;\n} else {\n" + ahead("quern_sum", "quern_id") + "}\n" + by_blocks() +
           "for (; quern_at < quern_end; ++quern_at)\n" + step(false, true);
  }

  // Two chunks side by side, so that the results of one do not wait for the other's.
  [[nodiscard]] std::string two_streams() const {
    const std::string each = "for (int quern_s = 0; quern_s < 2; ++quern_s)";
    const auto stream = [&](const std::string& offset) {
      return "const " + index_ + " quern_at = quern_from[quern_s]" + offset +
             ";\nquern_partial quern_sum = quern_running[quern_s];\n" + step(false, true) +
             "quern_running[quern_s] = quern_sum;\n";
    };
    return "const " + index_ +
           " quern_middle = min(quern_begin + quern_chunk, N), quern_last = min(quern_middle + quern_chunk, "
           "N);\n" +
           index_ +
           " quern_from[2] = {quern_begin, quern_middle}, quern_to[2] = {quern_middle, quern_last};\n" +
           "quern_partial quern_running[2];\nif (quern_id == 0) {\nconst " + index_ +
           " quern_at = 0;\nquern_partial quern_sum;\n" + step(true, true) +
           "quern_running[0] = quern_sum;\nquern_from[0] = 1;\n} else {\n" +
           ahead("quern_running[0]", "quern_id") + "}\nif (quern_middle < quern_last) {\n" +
           ahead("quern_running[1]", "quern_id + 1") + "}\nconst " + index_ +
           " quern_both = min(quern_to[0] - quern_from[0], quern_to[1] - quern_from[1]);\nfor (" + index_ +
           " quern_j = 0; quern_j < quern_both; ++quern_j)\n#pragma unroll\n" + each + " {\n" +
           stream(" + quern_j") + "}\n" + each +
           "\nfor (quern_from[quern_s] += quern_both; quern_from[quern_s] < quern_to[quern_s]; "
           "++quern_from[quern_s]) {\n" +
           stream("") + "}\n";
  }

  [[nodiscard]] std::string apply() const {
    std::string body;
    if (source_.uses_last()) {
      body = "quern_partial quern_all = quern_sums[0];\nfor (" + index_ +
             " quern_k = 1; quern_k * quern_chunk < N; ++quern_k)\nquern_all = quern_join(quern_all, "
             "quern_sums[quern_k]);\nconst quern_item last_item = quern_all" +
             (source_.segmented() ? ".value" : "") + ";\n";
    }
    const std::size_t streams = scan::streams(source_);
    body += "const " + index_ + " quern_id = get_global_id(0) * " + number(streams) +
            ", quern_begin = quern_id * quern_chunk;\nif (quern_begin >= N) return;\n" +
            (streams == 1 ? one_stream() : two_streams());
    return kernel("_apply", ", const " + index_ + " quern_chunk, global const quern_partial *quern_sums",
                  body);
  }
};

}  // namespace

std::size_t ScanSource::partial_size() const {
  if (!segmented()) return item_dtype.itemsize;
  const std::size_t alignment = std::max<std::size_t>(c_alignment(item_dtype), 4);
  const std::size_t flag = rounded_up(item_dtype.itemsize, 4) + 4;
  return rounded_up(flag, alignment);
}

std::string ScanVariant::key() const {
  std::string key;
  for (const unsigned part : {static_cast<unsigned>(strategy), static_cast<unsigned>(wide),
                              static_cast<unsigned>(aligned), group_size, items, vector})
    key += std::to_string(part) + ",";
  return key;
}

namespace scan {

std::string definitions(const ScanSource& source) {
  std::string text =
      source.preamble + "\n" + lines_of(source.name) + "typedef " + source.item + " quern_item;\n";
  text += "inline quern_item quern_scan(quern_item a, quern_item b, bool across_seg_boundary) {\n" +
          located("scan_expr", source.scan, "return", "}");
  if (source.segmented()) {
    // An operator that does not use across_seg_boundary drops the result before a segment.
    const bool asks = Snippet(source.scan, Snippet::Form::named, "scan_expr").mentions("across_seg_boundary");
    text += "inline quern_item quern_value(quern_item a, quern_item b, uint starts) {\nreturn " +
            std::string(asks ? "quern_scan(a, b, starts != 0)" : "starts != 0 ? b : quern_scan(a, b, 0)") +
            ";\n}\n";
    text +=
        "typedef struct { quern_item value; uint starts; } quern_partial;\n"
        "inline quern_partial quern_join(quern_partial a, quern_partial b) {\nquern_partial c;\n"
        "c.value = quern_value(a.value, b.value, b.starts);\nc.starts = a.starts | b.starts;\nreturn c;\n}\n";
  } else {
    text +=
        "typedef quern_item quern_partial;\n"
        "inline quern_item quern_value(quern_item a, quern_item b, uint starts) { return quern_scan(a, b, "
        "0); "
        "}\n"
        "inline quern_partial quern_join(quern_partial a, quern_partial b) { return quern_scan(a, b, 0); }\n";
  }
  if (!source.neutral.empty())
    text += "inline quern_item quern_neutral(void) {\n" + located("neutral", source.neutral, "return", "}");
  return text + lines_of(source.name);
}

std::string parameters(const ScanSource& source, const ScanVariant& variant) {
  std::string text;
  for (const ScanOperand& operand : source.operands) text += operand.argument.declaration + ", ";
  return text + "const " + variant.index_type() + " N";
}

std::string behind(const std::string& name, const std::string& index, std::size_t offset) {
  const std::string place = "i - " + number(offset);
  return name + "[quern_begin >= " + number(offset) + " ? " + place + " : max(" + place + ", (" + index +
         ")0)]";
}

std::size_t streams(const ScanSource& source) {
  return is_vectorisable(source) && is_arithmetic(source) ? 1 : 2;
}

namespace {

std::string rewritten(const ScanSource& source, const Snippet& snippet, const Spelling& element) {
  return snippet.rewritten([&](std::string_view name) -> std::string {
    for (std::size_t a = 0; a < source.operands.size(); ++a)
      if (source.operands[a].argument.parameter.name == name && source.operands[a].in_registers)
        return element(a);
    return {};
  });
}

}  // namespace

std::string set_input(const ScanSource& source, const std::string& target, const Spelling& element,
                      const FetchSpelling& behind) {
  std::string text = "{\n";
  for (const ScanFetch& fetch : source.fetches)
    text += "const " + source.operands[fetch.operand].argument.type + " " + fetch.name + " = " +
            behind(fetch) + ";\n";
  text +=
      located("input_expr", rewritten(source, source.input, element), "const quern_item quern_input =", "");
  if (!source.segmented()) return text + target + " = quern_input;\n}\n";
  text += target + ".value = quern_input;\n{\n";
  if (source.segment_start.mentions("a") &&
      std::none_of(source.operands.begin(), source.operands.end(),
                   [](const ScanOperand& operand) { return operand.argument.parameter.name == "a"; }))
    text += "const quern_item a = quern_input;\n";
  text +=
      located("is_segment_start_expr", "(" + rewritten(source, source.segment_start, element) + ") ? 1 : 0",
              target + ".starts =", "}");
  return text + "}\n";
}

std::string output(const ScanSource& source, const Spelling& element) {
  const bool skips = source.output.mentions("continue") || !source.is_plain;
  return located("output_statement", rewritten(source, source.output, element), skips ? "do {" : "{",
                 skips ? "} while (0);" : "}");
}

}  // namespace scan

std::string emit_scan(const ScanSource& source, const ScanVariant& variant) {
  if (variant.strategy == ScanStrategy::sequential || variant.strategy == ScanStrategy::chunks)
    return LoopEmitter(source, variant).program();
  return scan::definitions(source) + scan::tile_kernels(source, variant);
}

}  // namespace quern::codegen
