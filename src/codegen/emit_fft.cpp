// SPDX-License-Identifier: MIT
// Emits the kernel of one pass of Fourier transforms: Stockham's algorithm, whose steps exchange points
// through local memory. Each work-item transforms a few points in registers in each step. Products and sums
// are contracted by name, because expressions in the same kernel must be rounded as elsewhere.
#include <algorithm>
#include <functional>

#include "codegen/fft_butterflies.hpp"
#include "codegen/fft_form.hpp"
#include "codegen/type_text.hpp"

namespace quern::codegen {
namespace {

std::string text_of(std::int64_t value) {
  return std::to_string(value);
}

constexpr const char* kBasics = R"(
inline point times(point v, point w) {
  return (point)(fma(v.x, w.x, -(v.y * w.y)), fma(v.x, w.y, v.y * w.x));
}
)";

bool reads_real(const FftForm& form) {
  return form.load == FftLoad::real || form.load == FftLoad::pairs;
}

// Whether each point is one element at equal distances, so that no number of a point is needed.
bool loads_evenly(const FftForm& form) {
  return !form.checks_in && (form.load == FftLoad::complex || form.load == FftLoad::real);
}
bool stores_evenly(const FftForm& form) {
  return !form.checks_out && (form.store == FftStore::complex || form.store == FftStore::real);
}

// The names of the functions that compute the expressions, and the first part of their operands' names.
constexpr const char *kBefore = "before", *kAfter = "after";

// Calls f(name, type, kind) for each operand of an expression.
enum class OperandKind : std::uint8_t { array, number, point };
template <class F>
void for_each_operand(const std::optional<FftExpression>& from, const char* role, F&& f) {
  if (!from) return;
  std::size_t k = 0;
  for (const Expression::Ref argument : from->expression->arguments()) {
    const Expression::Value value = from->expression->value(argument);
    const OperandKind kind = k == from->point                                 ? OperandKind::point
                             : value.kind == Expression::Value::Kind::operand ? OperandKind::array
                                                                              : OperandKind::number;
    f(std::string(role) + "_" + text_of(static_cast<std::int64_t>(k++)), type_name(storage_of(value.dtype)),
      kind);
  }
}

std::string parameters(const std::optional<FftExpression>& expression, const char* role) {
  std::string text;
  for_each_operand(expression, role, [&](const std::string& name, const std::string& type, OperandKind kind) {
    if (kind == OperandKind::number) text += ", " + type + " " + name;
    if (kind != OperandKind::array) return;
    text += ", const global " + type + " *" + name;
    for (const char* const number : {"_start", "_step", "_batch0", "_batch1", "_batch2"})
      text += ", long " + name + number;
  });
  return text;
}

// Calls f(name) for each array of an expression.
template <class F>
void for_each_array(const std::optional<FftExpression>& expression, const char* role, F&& f) {
  for_each_operand(expression, role, [&](const std::string& name, const std::string&, OperandKind kind) {
    if (kind == OperandKind::array) f(name);
  });
}

// Where the group's lines begin: in elements, and in numbers of points. They are computed where points are
// loaded and again where they are stored, because registers for them would be lost in between.
std::string line_starts(const FftForm& form, bool is_in) {
  const std::string side = is_in ? "in" : "out";
  std::string start = is_in ? "in_start" : "out_start", first = "0";
  for (int d = 0; d < form.loops; ++d) {
    const std::string n = text_of(d);
    start += " + (long)index" + n + " * " + side + "_step" + n;
    first += " + (long)index" + n + " * " + side + "_point" + n;
  }
  const std::string exists =
      form.has_tail ? "lane < (int)min((long)" + text_of(form.lanes) + ", (long)length0 - (long)index0)"
                    : "true";
  return "    const bool exists = " + exists + ";\n    const long base = " + start + " + lane * " + side +
         "_step0, first = " + first + " + lane * " + side + "_point0;\n";
}
// The same for the arrays of an expression.
std::string operand_starts(const FftForm& form, const std::optional<FftExpression>& expression,
                           const char* role) {
  std::string text;
  for_each_array(expression, role, [&](const std::string& name) {
    text += "    const long " + name + "_at = " + name + "_start";
    for (int d = 0; d < form.loops; ++d) {
      const int batch = form.batch[static_cast<std::size_t>(d)];
      if (batch < 0) continue;
      const std::string index = "index" + text_of(d);
      text += " + (long)" + (d == 0 ? "(" + index + " + (number)lane)" : index) + " * " + name + "_batch" +
              text_of(batch);
    }
    text += ";\n";
  });
  return text;
}

// The value of an expression; `point` is what the transform computed. For element i of a line, or, evenly,
// for point j of a butterfly, whose elements lie at equal distances.
std::string value_of(const std::optional<FftExpression>& expression, const char* role,
                     const std::string& point, bool is_even = false) {
  std::string text;
  for_each_operand(expression, role, [&](const std::string& name, const std::string&, OperandKind kind) {
    text += text.empty() ? "" : ", ";
    if (kind == OperandKind::array) {
      text += name + (is_even ? "[" + name + "_first + j * " + name + "_jump]"
                              : "[" + name + "_at + (i) * " + name + "_step]");
    } else {
      text += kind == OperandKind::number ? name : point;
    }
  });
  return role + ("(" + text + ")");
}
// Where the elements of butterfly b lie in the arrays, `distance` points apart.
std::string even_places(const std::optional<FftExpression>& expression, const char* role,
                        const std::string& point, const std::string& distance) {
  std::string text;
  for_each_array(expression, role, [&](const std::string& name) {
    text += "      const long " + name + "_first = " + name + "_at + (first + b * " + point + ") * " + name +
            "_step, " + name + "_jump = " + distance + " * " + point + " * " + name + "_step;\n";
  });
  return text;
}

// Macros LOAD(i) and STORE(i, v) for element i of a line, whose place the text around them has computed.
std::string accesses(const FftForm& form) {
  const std::string load = form.before ? value_of(form.before, kBefore, "") : "from[base + (i) * in_step]";
  const std::string store = form.after ? value_of(form.after, kAfter, "(v)") : "(v)";
  return "#define LOAD(i) " +
         (form.checks_in
              ? "((i) < in_count ? " + load + " : " + (reads_real(form) ? "(real)0" : "(point)(0, 0)") + ")"
              : load) +
         "\n#define STORE(i, v) " + (form.checks_out ? "if ((i) < out_count) " : "") +
         "to[base + (i) * out_step] = " + store + "\n";
}

// Computes p, point i of a line.
std::string load_text(const FftForm& form) {
  switch (form.load) {
    case FftLoad::complex:
      return "p = LOAD(i);";
    case FftLoad::real:
      return "p.x = LOAD(i);";
    case FftLoad::pairs:
      return "p = (point)(LOAD(2 * i), LOAD(2 * i + 1));";
    case FftLoad::half_spectrum:
      return "point a = LOAD(i), b = LOAD(N - i);\n"
             "        if (i == 0) a.y = b.y = 0;\n"
             "        const point e = (point)(a.x + b.x, a.y - b.y), d = (point)(a.x - b.x, a.y + b.y);\n"
             "        const point w = half_twiddles[i], o = times(d, (point)(w.x, -w.y));\n"
             "        p = (point)(e.x - o.y, e.y + o.x);";
    default:
      return "const bool is_second = i > N / 2;\n"
             "        const long k = is_second ? N - i : i;\n"
             "        const point a = LOAD(k);\n"
             "        p = (point)(a.x, i == 0 ? 0 : is_second ? -a.y : a.y);";
  }
}

// Stores v, point i of a line.
std::string store_text(const FftForm& form) {
  switch (form.store) {
    case FftStore::complex:
    case FftStore::spectrum:
      return "STORE(i, v);";
    case FftStore::real:
      return "STORE(i, v.x);";
    default:
      return "STORE(2 * i, v.x); STORE(2 * i + 1, v.y);";
  }
}

// Lines lie beside each other if work-items go across lines, otherwise one behind the other. Gaps keep
// work-items out of each other's memory banks.
bool is_beside(const FftForm& form) {
  return form.lanes > 1 && form.loads_across && form.stores_across;
}
std::int64_t point_bytes(const FftForm& form) {
  return form.is_double ? 16 : 8;
}
// After each `every` points there is a gap of `gap` points.
struct Padding {
  std::int64_t every = 16, gap = 1;
};
bool is_power_of_two(std::int64_t value) {
  return (value & (value - 1)) == 0;
}
// A step writes runs of s points, whose beginnings are s * radix points apart. The gaps distribute the runs
// that are written at once over all banks.
Padding padding_of(const FftForm& form, std::int64_t s, int radix) {
  if (!is_power_of_two(s * radix)) return {};
  const std::int64_t banks = 128 / point_bytes(form);
  const std::int64_t at_once = is_beside(form) ? std::max<std::int64_t>(banks / form.lanes, 1) : banks;
  if (s >= at_once) return {std::int64_t{1} << 30, 0};
  return {std::max(s * radix, at_once), s};
}
// Points of a line with the gaps of each exchange.
std::int64_t padded(const FftForm& form) {
  std::int64_t s = 1, most = form.n;
  for (std::size_t k = 0; k < form.radices.size(); ++k) {
    const Padding padding = padding_of(form, s, form.radices[k]);
    most = std::max(most, form.n + (form.n - 1) / padding.every * padding.gap);
    s *= form.radices[k];
  }
  return most;
}
// From line to line. Work-items across lines then access different banks.
std::int64_t pitch_of(const FftForm& form) {
  const std::int64_t banks = 128 / point_bytes(form);
  const std::int64_t wanted = std::max<std::int64_t>(banks / form.lanes, 1);
  return padded(form) + (wanted + banks - padded(form) % banks) % banks;
}

// Elements of local memory from point to point of a line.
std::int64_t unit_of(const FftForm& form) {
  return is_beside(form) ? form.lanes : 1;
}
std::int64_t number_of(std::size_t value) {
  return static_cast<std::int64_t>(value);
}

// One step of a pass: each work-item has the points of some butterflies, `radix` points each.
struct Step {
  const FftForm& form;
  std::size_t number;
  std::int64_t s;         // product of the radices before
  std::int64_t twiddles;  // where its twiddle factors begin in the table

  [[nodiscard]] int radix() const { return form.radices[number]; }
  [[nodiscard]] bool is_first() const { return number == 0; }
  [[nodiscard]] bool is_last() const { return number + 1 == form.radices.size(); }
  [[nodiscard]] std::int64_t butterflies() const { return form.n / radix(); }
  [[nodiscard]] std::int64_t m() const { return butterflies() / s; }
  [[nodiscard]] std::int64_t rounds() const { return (butterflies() + form.threads - 1) / form.threads; }
  [[nodiscard]] std::string values() const { return "v" + text_of(static_cast<std::int64_t>(number)); }
  // Point j of the butterfly in this round.
  [[nodiscard]] std::string value() const { return values() + "[u * " + text_of(radix()) + " + j]"; }

  [[nodiscard]] std::string where() const {
    const bool is_across = is_first() ? form.loads_across
                           : is_last() && form.store != FftStore::spectrum
                               ? form.stores_across
                               : form.loads_across && form.stores_across;
    const std::string c = text_of(form.lanes), t = text_of(form.threads);
    return is_across ? "    const int lane = id % " + c + ", own = id / " + c + ";\n"
                     : "    const int lane = id / " + t + ", own = id % " + t + ";\n";
  }
  // The text for each butterfly b of the work-item, in a block of its own.
  [[nodiscard]] std::string each(const std::string& head, const std::string& body) const {
    const bool is_uneven = butterflies() % form.threads != 0;
    return "  {\n" + where() + head + "    #pragma unroll\n    for (int u = 0; u < " + text_of(rounds()) +
           "; ++u) {\n      const int b = own + u * " + text_of(form.threads) + ";\n" +
           (is_uneven ? "      if (b < " + text_of(butterflies()) + ") {\n" : "") + body +
           (is_uneven ? "      }\n" : "") + "    }\n  }\n";
  }
  [[nodiscard]] std::string loop(const std::string& body, int first = 0) const {
    return "      #pragma unroll\n      for (int j = " + text_of(first) + "; j < " + text_of(radix()) +
           "; ++j) " + body;
  }
  [[nodiscard]] Padding padding() const { return padding_of(form, s, radix()); }
  // Writes the points to local memory, and reads those that the step before wrote. With gaps at suitable
  // distances the place of each point is that of point 0 and a constant.
  [[nodiscard]] std::string write_memory() const {
    const std::string q = text_of(s), run = text_of(s * radix()), at = "AT" + text_of(number_of(number));
    const std::string block = "(uint)b % " + q + " + (uint)b / " + q + " * " + run;
    if (padding().gap != 0 && padding().every % (s * radix()) != 0)
      return each("", loop("memory[" + at + "(lane, " + block + " + " + q + " * j)] = " + value() + ";\n"));
    return each("", "      const int place = " + at + "(lane, " + block + ");\n" +
                        loop("memory[place + " + text_of(s * unit_of(form)) + " * j] = " + value() + ";\n"));
  }
  [[nodiscard]] std::string read_memory(const Step& before) const {
    const std::string at = "AT" + text_of(number_of(before.number));
    const auto [every, gap] = before.padding();
    const std::int64_t distance = butterflies();
    if (gap != 0 && distance % every != 0 && every % distance != 0)
      return each("",
                  loop(value() + " = memory[" + at + "(lane, (uint)b + " + text_of(distance) + " * j)];\n"));
    std::string offset =
        text_of((distance + (gap == 0 ? 0 : distance / every * gap)) * unit_of(form)) + " * j";
    if (gap != 0 && distance < every)
      offset += " + j / " + text_of(every / distance) + " * " + text_of(gap * unit_of(form));
    return each("", "      const int place = " + at + "(lane, (uint)b);\n" +
                        loop(value() + " = memory[place + " + offset + "];\n"));
  }
};

constexpr const char* kBarrier = "  barrier(CLK_LOCAL_MEM_FENCE);\n";

std::string load_points(const Step& step) {
  const FftForm& form = step.form;
  const std::string nb = text_of(step.butterflies());
  // Neighbouring points of contiguous lines need no multiplication.
  const std::string head = line_starts(form, true) +
                           "    const long jump = " + (form.is_unit_in ? "1" : "in_point * in_step") + ";\n" +
                           operand_starts(form, form.before, kBefore);
  const bool is_even = loads_evenly(form);
  const std::string places = is_even
                                 ? "      const long at = base + first * in_step + b * jump, step = " + nb +
                                       " * jump;\n" + even_places(form.before, kBefore, "in_point", nb)
                                 : "";
  const std::string element = form.before ? value_of(form.before, kBefore, "", true) : "from[at + j * step]";
  const std::string read =
      is_even ? (reads_real(form) ? "p.x = " : "p = ") + element + ";"
              : "const long i = first + (long)(b + " + nb + " * j) * in_point;\n        " + load_text(form);
  const std::string value = step.value();
  // One branch around all loads, so that they are in flight together.
  return step.each(head, places + "      if (exists) {\n" +
                             step.loop("{\n        point p = (point)(0, 0);\n        " + read + "\n        " +
                                       value + " = swaps_in ? p.yx : p;\n      }\n") +
                             "      } else {\n" + step.loop(value + " = (point)(0, 0);\n") + "      }\n");
}

// Points of the step before are exchanged among the work-items of a line.
std::string exchange(const Step& before, const Step& step) {
  const std::string text = before.write_memory() + kBarrier + step.read_memory(before);
  // The memory is written again.
  return step.is_last() && step.form.store != FftStore::spectrum ? text : text + kBarrier;
}

// Multiplies point j of a butterfly by power j of a twiddle factor: for each bit of j by the power that is
// this bit, which row(bit) reads. Reading fewer twiddle factors is faster than fewer products, and a sequence
// of products in place needs no registers for twiddle factors.
std::string multiply_by_powers(const Step& step, const std::function<std::string(int)>& row) {
  std::string text;
  for (int bit = 0; (1 << bit) < step.radix(); ++bit) {
    const std::string power = "power" + text_of(bit);
    text += "      const point " + power + " = " + row(bit) + ";\n" +
            step.loop("if ((j >> " + text_of(bit) + " & 1) != 0) " + step.value() + " = times(" +
                          step.value() + ", " + power + ");\n",
                      1);
  }
  return text;
}

std::string butterfly_text(const Step& step) {
  const std::string r = text_of(step.radix());
  std::string body = "      butterfly_" + r + "(" + step.values() + " + u * " + r + ");\n";
  if (step.m() > 1)
    body +=
        "      const uint p = (uint)b / " + text_of(step.s) + ";\n" + multiply_by_powers(step, [&](int bit) {
          return "twiddles[" + text_of(step.twiddles + bit * step.m()) + " + p]";
        });
  return step.each("", body);
}

std::string store_points(const Step& step) {
  const FftForm& form = step.form;
  const bool is_even = stores_evenly(form);
  std::string head = line_starts(form, false) +
                     "    const long jump = " + (form.is_unit_out ? "1" : "out_point * out_step") + ";\n" +
                     operand_starts(form, form.after, kAfter);
  std::string body, by_twiddle;
  if (form.twiddle_loop >= 0) {
    head += "    const number t = index" + text_of(form.twiddle_loop) +
            (form.twiddle_loop == 0 ? " + (number)lane" : "") + ";\n";
    const std::string product = "times(products[e & mask], products[(e >> shift) + mask + 1])";
    if (form.has_twiddle_table) {
      // Point b + s j: a twiddle factor of b, and powers of one that neighbouring lines read from
      // neighbouring places.
      body += "      const number e = t * (number)b;\n      const point own_twiddle = " + product + ";\n" +
              step.loop(step.value() + " = times(" + step.value() + ", own_twiddle);\n") +
              multiply_by_powers(
                  step, [](int bit) { return "twiddle_table[" + text_of(bit) + " * twiddle_stride + t]"; });
    } else {
      by_twiddle = "        const number e = t * (number)k;\n        v = times(v, " + product + ");\n";
    }
  }
  if (is_even)
    body += "      const long at = base + first * out_step + b * jump, step = " + text_of(step.s) +
            " * jump;\n" + even_places(form.after, kAfter, "out_point", text_of(step.s));
  const std::string point = form.store == FftStore::real ? "v.x" : "v";
  const std::string write =
      is_even
          ? "to[at + j * step] = " + (form.after ? value_of(form.after, kAfter, point, true) : point) + ";"
          : "const long i = first + (long)k * out_point;\n        " + store_text(form);
  body +=
      "      if (exists) {\n" + step.loop("{\n        const int k = b + " + text_of(step.s) +
                                          " * j;\n        point v = " + step.value() + ";\n" + by_twiddle +
                                          "        v *= scale;\n        if (swaps_out) v = v.yx;\n        " +
                                          write + "\n      }\n      }\n");
  return step.each(head, body);
}

std::string spectrum_text(const FftForm& form) {
  const std::string c = text_of(form.lanes), t = text_of(form.threads);
  std::string text = "  {\n";
  text += form.stores_across ? "    const int lane = id % " + c + ", own = id / " + c + ";\n"
                             : "    const int lane = id / " + t + ", own = id % " + t + ";\n";
  text += line_starts(form, false) + operand_starts(form, form.after, kAfter) +
          "    if (exists)\n      for (int k = own; k <= N; k += " + t + R"() {
        const point a = memory[AT_LAST(lane, k == N ? 0 : k)], b = memory[AT_LAST(lane, k == 0 ? 0 : N - k)];
        const point e = (point)(a.x + b.x, a.y - b.y), d = (point)(a.x - b.x, a.y + b.y);
        const point o = times(d, half_twiddles[k]);
        const point v = (point)(e.x + o.y, e.y - o.x) * ((real)0.5 * scale);
        const long i = k;
        )" +
          store_text(form) + "\n      }\n  }\n";
  return text;
}

// Macros AT0(lane, i), AT1(lane, i), ...: where point i of a line lies after each step.
std::string places(const FftForm& form) {
  std::string text;
  std::int64_t s = 1;
  for (std::size_t k = 0; k < form.radices.size(); ++k) {
    const Padding padding = padding_of(form, s, form.radices[k]);
    const std::string place = padding.gap == 0 ? "(i)"
                                               : "((i) + (uint)(i) / " + text_of(padding.every) + " * " +
                                                     text_of(padding.gap) + ")";
    text += "#define AT" + text_of(static_cast<std::int64_t>(k)) + "(lane, i) (" +
            (is_beside(form) ? place + " * " + text_of(form.lanes) + " + (lane)"
                             : "(lane) * " + text_of(pitch_of(form)) + " + " + place) +
            ")\n";
    s *= form.radices[k];
  }
  if (form.store == FftStore::spectrum)
    text += "#define AT_LAST AT" + text_of(static_cast<std::int64_t>(form.radices.size()) - 1) + "\n";
  return text;
}

std::string result_type(const FftExpression& from) {
  return type_name(from.expression->dtype(from.expression->outputs().front()));
}

// The functions of the expressions, after those that they call.
std::string definitions(const FftForm& form) {
  std::vector<std::string> helpers;
  std::string functions;
  const auto add = [&](const std::optional<FftExpression>& from, const char* name) {
    if (!from) return;
    for (std::string& helper : from->expression->helpers())
      if (std::find(helpers.begin(), helpers.end(), helper) == helpers.end())
        helpers.push_back(std::move(helper));
    functions += from->expression->function(name, false);
  };
  add(form.before, kBefore);
  add(form.after, kAfter);
  std::string text;
  for (const std::string& helper : helpers) text += helper;
  return text + functions;
}

}  // namespace

std::string FftExpression::key() const {
  const Expression::Key words = expression->key();
  return std::string(reinterpret_cast<const char*>(words.data()), words.size() * sizeof words[0]) + "/" +
         text_of(static_cast<std::int64_t>(point));
}

std::size_t FftForm::local_bytes() const {
  const std::int64_t count = (is_beside(*this) ? padded(*this) : pitch_of(*this)) * lanes;
  return static_cast<std::size_t>(count * point_bytes(*this));
}

std::string FftForm::key() const {
  std::string text = text_of(n) + (is_double ? "d" : "f");
  for (const int radix : radices) text += "_" + text_of(radix);
  for (const std::int64_t part : {std::int64_t{lanes}, std::int64_t{threads}, static_cast<std::int64_t>(load),
                                  static_cast<std::int64_t>(store), std::int64_t{loops},
                                  std::int64_t{twiddle_loop}, std::int64_t{registers}})
    text += "/" + text_of(part);
  for (const bool flag : {loads_across, stores_across, checks_in, checks_out, is_in_place, is_wide,
                          is_unit_in, is_unit_out, has_twiddle_table, has_tail})
    text += flag ? "1" : "0";
  if (!before && !after) return text;
  for (int d = 0; d < loops; ++d) text += "/" + text_of(batch[static_cast<std::size_t>(d)]);
  for (const std::optional<FftExpression>* const expression : {&before, &after})
    text += "/" + (*expression ? (*expression)->key() : std::string("none"));
  return text;
}

std::string emit_fft(const FftForm& form) {
  const std::string real = form.is_double ? "double" : "float";
  const bool writes_real = form.store == FftStore::real || form.store == FftStore::pairs;
  std::string text;
  if (form.is_double) text += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  text += definitions(form);
  text += "typedef " + real + " real;\ntypedef " + real + "2 point;\ntypedef " +
          (form.is_wide ? "ulong" : "uint") + " number;\n#define N " + text_of(form.n) + "\n";
  text += places(form);
  text += kBasics + fft_butterflies(form.radices, form.is_double) + accesses(form);
  // CUDA's compiler ignores a limit of registers if it knows the size of groups.
  text += form.registers != 0
              ? std::string("kernel void fft(")
              : "kernel __attribute__((reqd_work_group_size(" + text_of(form.group()) + ", 1, 1))) void fft(";
  if (!form.is_in_place && !form.before)
    text += "const global " + std::string(reads_real(form) ? "real" : "point") + " *from, ";
  text += "global " + (form.after ? result_type(*form.after) : std::string(writes_real ? "real" : "point")) +
          " *to, local point *memory, const global point *twiddles, const global point *half_twiddles, const "
          "global "
          "point *products, "
          "const global point *twiddle_table, "
          "long in_start, long in_step, long in_count, long in_point, long out_start, long out_step, "
          "long out_count, long out_point, ulong mask_, uint shift, ulong twiddle_stride_, uint swaps, real "
          "scale";
  for (int d = 0; d < form.loops; ++d) {
    const std::string n = text_of(d);
    text += ", ulong length" + n + ", long in_step" + n + ", long out_step" + n + ", long in_point" + n +
            ", long out_point" + n;
  }
  text += parameters(form.before, kBefore) + parameters(form.after, kAfter) +
          ") {\n  const uint id = get_local_id(0);\n";
  if (form.is_in_place) text += "  global point *from = to;\n";
  const std::string c = text_of(form.lanes);
  text +=
      "  const bool swaps_in = (swaps & 1) != 0, swaps_out = (swaps & 2) != 0;\n  const number mask = "
      "(number)mask_, twiddle_stride = (number)twiddle_stride_;\n  number group = get_group_id(0);\n  const "
      "number "
      "chunks = ((number)length0 + " +
      c + " - 1) / " + c + ", index0 = group % chunks * " + c + ";\n  group /= chunks;\n";
  for (int d = 1; d < form.loops; ++d) {
    const std::string n = text_of(d);
    text += "  const number index" + n + " = group % (number)length" + n + ";\n  group /= (number)length" +
            n + ";\n";
  }
  std::vector<Step> steps;
  std::int64_t s = 1, twiddles = 0;
  for (std::size_t number = 0; number < form.radices.size(); ++number) {
    const Step& step = steps.emplace_back(Step{form, number, s, twiddles});
    for (int j = 1; step.m() > 1 && j < step.radix(); j *= 2) twiddles += step.m();
    s *= step.radix();
    text += "  point " + step.values() + "[" + text_of(step.rounds() * step.radix()) + "];\n";
    text += number == 0 ? load_points(step) : exchange(steps[number - 1], step);
    text += butterfly_text(step);
  }
  const Step& last = steps.back();
  if (form.store == FftStore::spectrum) {
    text += last.write_memory() + kBarrier + spectrum_text(form);
  } else {
    text += store_points(last);
  }
  return text + "}\n";
}

}  // namespace quern::codegen
