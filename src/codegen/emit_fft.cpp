// SPDX-License-Identifier: MIT
// Emits the kernel of one pass of Fourier transforms: Stockham's algorithm, whose steps exchange points
// through local memory. Each work-item transforms a few points in registers in each step.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

#include "codegen/fft_form.hpp"

namespace quern::codegen {
namespace {

std::string text_of(double value, bool is_double) {
  std::array<char, 40> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific, is_double ? 17 : 9);
  return std::string(buffer.data(), end.ptr) + (is_double ? "" : "f");
}
std::string text_of(std::int64_t value) {
  return std::to_string(value);
}

constexpr const char* kBasics = R"(
inline point turn(point v, point w) { return (point)(v.x * w.x - v.y * w.y, v.x * w.y + v.y * w.x); }
)";

constexpr const char* kButterfly2 = R"(
inline void butterfly_2(point *v) {
  const point a = v[0];
  v[0] = a + v[1];
  v[1] = a - v[1];
}
)";
constexpr const char* kButterfly4 = R"(
inline void butterfly_4(point *v) {
  const point a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = v[1] - v[3];
  v[0] = a + c;
  v[1] = (point)(b.x + d.y, b.y - d.x);
  v[2] = a - c;
  v[3] = (point)(b.x - d.y, b.y + d.x);
}
)";

// A butterfly of a power of two by two halves: even and odd points.
std::string power_butterfly(int radix, bool is_double) {
  const int half = radix / 2;
  const std::string r = text_of(radix), h = text_of(half);
  std::string text = "inline void butterfly_" + r + "(point *v) {\n  point e[" + h + "], o[" + h + "];\n";
  for (int k = 0; k < half; ++k)
    text += "  e[" + text_of(k) + "] = v[" + text_of(2 * k) + "]; o[" + text_of(k) + "] = v[" +
            text_of(2 * k + 1) + "];\n";
  text += "  butterfly_" + h + "(e);\n  butterfly_" + h + "(o);\n";
  for (int k = 0; k < half; ++k) {
    const std::string n = text_of(k), o = "o[" + n + "]";
    const double angle = 2 * std::numbers::pi * k / radix;
    if (k == half / 2) {
      text += "  " + o + " = (point)(" + o + ".y, -" + o + ".x);\n";
    } else if (k > 0) {
      text += "  " + o + " = turn(" + o + ", (point)(" + text_of(std::cos(angle), is_double) + ", " +
              text_of(-std::sin(angle), is_double) + "));\n";
    }
    text += "  v[" + n + "] = e[" + n + "] + " + o + "; v[" + text_of(k + half) + "] = e[" + n + "] - " + o +
            ";\n";
  }
  return text + "}\n";
}

std::string odd_butterfly(int radix, bool is_double) {
  const int half = (radix - 1) / 2;
  const std::string r = text_of(radix), h = text_of(half);
  std::string text = "inline void butterfly_" + r + "(point *v) {\n  point a[" + h + "], b[" + h +
                     "], sum = v[0];\n  const point first = v[0];\n";
  for (int j = 1; j <= half; ++j) {
    const std::string at = text_of(j - 1), one = "v[" + text_of(j) + "]",
                      two = "v[" + text_of(radix - j) + "]";
    text += "  a[" + at + "] = " + one + " + " + two + "; b[" + at + "] = " + one + " - " + two +
            "; sum += a[" + at + "];\n";
  }
  text += "  v[0] = sum;\n";
  for (int k = 1; k <= half; ++k) {
    std::string real = "first", imaginary;
    for (int j = 1; j <= half; ++j) {
      const double angle = 2 * std::numbers::pi * (j * k % radix) / radix;
      real += " + " + text_of(std::cos(angle), is_double) + " * a[" + text_of(j - 1) + "]";
      imaginary +=
          (j > 1 ? " + " : "") + text_of(std::sin(angle), is_double) + " * b[" + text_of(j - 1) + "]";
    }
    text += "  {\n    const point t = " + real + ";\n    const point u = " + imaginary + ";\n    v[" +
            text_of(k) + "] = (point)(t.x + u.y, t.y - u.x);\n    v[" + text_of(radix - k) +
            "] = (point)(t.x - u.y, t.y + u.x);\n  }\n";
  }
  return text + "}\n";
}

std::string butterflies(const FftForm& form) {
  const auto has = [&](int radix) {
    return std::find(form.radices.begin(), form.radices.end(), radix) != form.radices.end();
  };
  std::string text;
  if (has(1)) text += "inline void butterfly_1(point *v) {}\n";
  if (has(2)) text += kButterfly2;
  if (has(4) || has(8) || has(16)) text += kButterfly4;
  if (has(8) || has(16)) text += power_butterfly(8, form.is_double);
  if (has(16)) text += power_butterfly(16, form.is_double);
  for (int radix = 3; radix < 64; radix += 2)
    if (has(radix)) text += odd_butterfly(radix, form.is_double);
  return text;
}

bool reads_real(const FftForm& form) {
  return form.load == FftLoad::real || form.load == FftLoad::pairs;
}

// Element i of a line, or zero behind its end.
std::string element(const FftForm& form, const std::string& number) {
  const std::string read = "from[base + (" + number + ") * in_step]";
  if (!form.checks_in) return read;
  return "((" + number + ") < in_count ? " + read + " : " + (reads_real(form) ? "(real)0" : "(point)(0, 0)") +
         ")";
}

// Whether each point is one element at equal distances, so that no number of a point is needed.
bool loads_evenly(const FftForm& form) {
  return !form.checks_in && (form.load == FftLoad::complex || form.load == FftLoad::real);
}
bool stores_evenly(const FftForm& form) {
  return !form.checks_out && (form.store == FftStore::complex || form.store == FftStore::real);
}

std::string load_function(const FftForm& form) {
  std::string text =
      "inline point load_point(const global " + std::string(reads_real(form) ? "real" : "point") +
      " *from, const global point *half_turns, long base, long i, long in_step, long in_count) {\n";
  if (form.is_in_place) text.replace(text.find("const global"), 12, "global");
  switch (form.load) {
    case FftLoad::complex:
      text += "  return " + element(form, "i") + ";\n";
      break;
    case FftLoad::real:
      text += "  return (point)(" + element(form, "i") + ", 0);\n";
      break;
    case FftLoad::pairs:
      text += "  return (point)(" + element(form, "2 * i") + ", " + element(form, "2 * i + 1") + ");\n";
      break;
    case FftLoad::half_spectrum:
      text += "  point a = " + element(form, "i") + ", b = " + element(form, "N - i") +
              ";\n  if (i == 0) a.y = b.y = 0;\n  const point e = (point)(a.x + b.x, a.y - b.y), d = "
              "(point)(a.x - "
              "b.x, a.y + b.y);\n  const point w = half_turns[i];\n  const point o = turn(d, (point)(w.x, "
              "-w.y));\n  return (point)(e.x - o.y, e.y + o.x);\n";
      break;
    case FftLoad::odd_spectrum:
      text +=
          "  const bool is_second = i > N / 2;\n  const long k = is_second ? N - i : i;\n  const point a = " +
          element(form, "k") + ";\n  return (point)(a.x, i == 0 ? 0 : is_second ? -a.y : a.y);\n";
      break;
  }
  return text + "}\n";
}

std::string store_text(const FftForm& form) {
  std::string text;
  switch (form.store) {
    case FftStore::complex:
    case FftStore::spectrum:
      text = "to[out_base + i * out_step] = v;";
      break;
    case FftStore::real:
      text = "to[out_base + i * out_step] = v.x;";
      break;
    case FftStore::pairs:
      text = "to[out_base + 2 * i * out_step] = v.x; to[out_base + (2 * i + 1) * out_step] = v.y;";
      break;
  }
  return form.checks_out ? "if (i < out_count) { " + text + " }" : text;
}

// One step: reads `radix` points NB apart for each butterfly, from global memory in the first step, and
// writes to local memory, or to global memory in the last step.
std::string step_text(const FftForm& form, std::size_t number, std::int64_t s) {
  const int radix = form.radices[number];
  const bool is_first = number == 0, is_last = number + 1 == form.radices.size();
  const std::int64_t butterflies = form.n / radix, m = butterflies / s;
  const std::int64_t rounds = (butterflies + form.threads - 1) / form.threads;
  const bool is_uneven = butterflies % form.threads != 0;
  const bool is_across = is_first ? form.loads_across
                         : is_last && form.store != FftStore::spectrum
                             ? form.stores_across
                             : form.loads_across && form.stores_across;
  const std::string r = text_of(radix), c = text_of(form.lanes), t = text_of(form.threads);
  std::string text = "  {\n";
  text += is_across ? "    const int lane = id % " + c + ", own = id / " + c + ";\n"
                    : "    const int lane = id / " + t + ", own = id % " + t + ";\n";
  text += "    point values[" + text_of(rounds * radix) + "];\n";
  const auto each = [&](const std::string& body) {
    return "    #pragma unroll\n    for (int u = 0; u < " + text_of(rounds) +
           "; ++u) {\n      const int b = own + u * " + t + ";\n" +
           (is_uneven ? "      if (b < " + text_of(butterflies) + ") {\n" : "") + body +
           (is_uneven ? "      }\n" : "") + "    }\n";
  };
  const std::string loop = "      #pragma unroll\n      for (int j = 0; j < " + r + "; ++j)";
  if (is_first) {
    text +=
        "    const long base = in_base + lane * in_lane, first = in_first + lane * in_lane_point;\n    const "
        "bool "
        "exists = lane < lanes;\n";
    const std::string head =
        loads_evenly(form)
            ? "      const long at = base + first * in_step + b * in_jump, step = " + text_of(butterflies) +
                  " * in_jump;\n"
            : "";
    const std::string read = !loads_evenly(form)
                                 ? "load_point(from, half_turns, base, first + (long)(b + " +
                                       text_of(butterflies) + " * j) * in_point, in_step, in_count)"
                             : reads_real(form) ? "(point)(from[at + j * step], 0)"
                                                : "from[at + j * step]";
    text += each(head + loop + " {\n        point p = (point)(0, 0);\n        if (exists) p = " + read +
                 ";\n        values[u * " + r + " + j] = swaps_in ? p.yx : p;\n      }\n");
  } else {
    text +=
        each(loop + " values[u * " + r + " + j] = memory[AT(lane, b + " + text_of(butterflies) + " * j)];\n");
    if (!is_last || form.store == FftStore::spectrum) text += "    barrier(CLK_LOCAL_MEM_FENCE);\n";
  }
  std::string body = "      butterfly_" + r + "(values + u * " + r + ");\n";
  if (m > 1)
    body += "      const int p = b / " + text_of(s) + ";\n      #pragma unroll\n      for (int j = 1; j < " +
            r + "; ++j) values[u * " + r + " + j] = turn(values[u * " + r + " + j], turns[p * j * " +
            text_of(s) + "]);\n";
  if (is_last && form.store != FftStore::spectrum) {
    const std::string turned =
        form.turn_loop < 0
            ? ""
            : "        const number e = t * (number)k;\n        v = turn(v, turn(products[e & mask], "
              "products[(e >> shift) + mask + 1]));\n";
    const std::string write =
        stores_evenly(form)
            ? "to[at + j * step] = " + std::string(form.store == FftStore::real ? "v.x;" : "v;")
            : "const long i = out_first + (long)k * out_point;\n        " + store_text(form);
    body += "      if (lane < lanes) {\n";
    if (stores_evenly(form))
      body += "      const long at = out_base + out_first * out_step + b * out_jump, step = " + text_of(s) +
              " * out_jump;\n";
    body += loop + " {\n        const int k = b + " + text_of(s) + " * j;\n        point v = values[u * " +
            r + " + j];\n" + turned + "        v *= scale;\n        if (swaps_out) v = v.yx;\n        " +
            write + "\n      }\n      }\n";
    text +=
        "    const long out_base = out_start + lane * out_lane, out_first = out_point_start + lane * "
        "out_lane_point;\n";
    if (form.turn_loop >= 0)
      text += "    const number t = turn_index" + std::string(form.turn_loop == 0 ? " + (number)lane" : "") +
              ";\n";
  } else {
    body += loop + " memory[AT(lane, b % " + text_of(s) + " + " + text_of(s) + " * (" + r + " * (b / " +
            text_of(s) + ") + j))] = values[u * " + r + " + j];\n";
  }
  text += each(body);
  if (!is_last || form.store == FftStore::spectrum) text += "    barrier(CLK_LOCAL_MEM_FENCE);\n";
  return text + "  }\n";
}

std::string spectrum_text(const FftForm& form) {
  const std::string c = text_of(form.lanes), t = text_of(form.threads);
  std::string text = "  {\n";
  text += form.stores_across ? "    const int lane = id % " + c + ", own = id / " + c + ";\n"
                             : "    const int lane = id / " + t + ", own = id % " + t + ";\n";
  text += R"(    const long out_base = out_start + lane * out_lane;
    if (lane < lanes)
      for (int k = own; k <= N; k += )" +
          t + R"() {
        const point a = memory[AT(lane, k == N ? 0 : k)], b = memory[AT(lane, k == 0 ? 0 : N - k)];
        const point e = (point)(a.x + b.x, a.y - b.y), d = (point)(a.x - b.x, a.y + b.y);
        const point o = turn(d, half_turns[k]);
        const point v = (point)(e.x + o.y, e.y - o.x) * ((real)0.5 * scale);
        const long i = k;
        )" +
          store_text(form) + "\n      }\n  }\n";
  return text;
}

}  // namespace

std::string FftForm::key() const {
  std::string text = text_of(n) + (is_double ? "d" : "f");
  for (const int radix : radices) text += "_" + text_of(radix);
  for (const std::int64_t part :
       {std::int64_t{lanes}, std::int64_t{threads}, static_cast<std::int64_t>(load),
        static_cast<std::int64_t>(store), std::int64_t{loops}, std::int64_t{turn_loop}})
    text += "/" + text_of(part);
  for (const bool flag :
       {loads_across, stores_across, checks_in, checks_out, is_in_place, is_wide, is_unit_in, is_unit_out})
    text += flag ? "1" : "0";
  return text;
}

std::string emit_fft(const FftForm& form) {
  const std::string real = form.is_double ? "double" : "float";
  const bool writes_real = form.store == FftStore::real || form.store == FftStore::pairs;
  std::string text = "#pragma OPENCL FP_CONTRACT ON\n";
  if (form.is_double) text += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  text += "typedef " + real + " real;\ntypedef " + real + "2 point;\ntypedef " +
          (form.is_wide ? "ulong" : "uint") + " number;\n#define N " + text_of(form.n) + "\n";
  // Lines lie beside each other if work-items go across lines, otherwise one behind the other. Gaps keep
  // work-items out of each other's memory banks.
  std::int64_t size = form.n * form.lanes;
  if (form.lanes > 1 && form.loads_across && form.stores_across) {
    text += "#define AT(lane, i) ((i) * " + text_of(form.lanes) + " + (lane))\n";
  } else {
    const std::int64_t pitch = (form.n + form.n / 16) | 1;
    size = pitch * form.lanes;
    text += "#define AT(lane, i) ((lane) * " + text_of(pitch) + " + (i) + ((i) >> 4))\n";
  }
  text += kBasics + butterflies(form) + load_function(form);
  text += "kernel __attribute__((reqd_work_group_size(" + text_of(form.group()) + ", 1, 1))) void fft(";
  if (!form.is_in_place)
    text += "const global " + std::string(reads_real(form) ? "real" : "point") + " *from, ";
  text += "global " + std::string(writes_real ? "real" : "point") +
          " *to, const global point *turns, const global point *half_turns, const global point *products, "
          "long in_start, long in_step, long in_count, long in_point, long out_begin, long out_step, "
          "long out_count, long out_point, ulong mask_, uint shift, uint swaps, real scale";
  for (int d = 0; d < form.loops; ++d) {
    const std::string n = text_of(d);
    text += ", ulong length" + n + ", long in_step" + n + ", long out_step" + n + ", long in_point" + n +
            ", long out_point" + n;
  }
  text += ") {\n  local point memory[" + text_of(size) + "];\n  const int id = get_local_id(0);\n";
  if (form.is_in_place) text += "  global point *from = to;\n";
  const std::string c = text_of(form.lanes);
  text +=
      "  const bool swaps_in = (swaps & 1) != 0, swaps_out = (swaps & 2) != 0;\n  const number mask = "
      "(number)mask_;\n  number group = get_group_id(0), turn_index = 0;\n  const number chunks = "
      "((number)length0 + " +
      c + " - 1) / " + c + ";\n  const long index0 = (long)(group % chunks) * " + c +
      ";\n  group /= chunks;\n  const int lanes = (int)min((long)" + c +
      ", (long)length0 - index0);\n  long in_base = in_start + index0 * in_step0, out_start = out_begin + "
      "index0 * "
      "out_step0;\n  long in_first = index0 * in_point0, out_point_start = index0 * out_point0;\n";
  if (form.turn_loop == 0) text += "  turn_index = (number)index0;\n";
  for (int d = 1; d < form.loops; ++d) {
    const std::string n = text_of(d), i = "index" + n;
    text += "  const long " + i + " = (long)(group % (number)length" + n + ");\n  group /= (number)length" +
            n + ";\n  in_base += " + i + " * in_step" + n + ";\n  out_start += " + i + " * out_step" + n +
            ";\n  in_first += " + i + " * in_point" + n + ";\n  out_point_start += " + i + " * out_point" +
            n + ";\n";
    if (form.turn_loop == d) text += "  turn_index = (number)" + i + ";\n";
  }
  // Neighbouring points of contiguous lines need no multiplication.
  text += "  const long in_jump = " + std::string(form.is_unit_in ? "1" : "in_point * in_step") +
          ", out_jump = " + (form.is_unit_out ? "1" : "out_point * out_step") + ";\n";
  text +=
      "  const long in_lane = in_step0, in_lane_point = in_point0, out_lane = out_step0, out_lane_point = "
      "out_point0;\n";
  std::int64_t s = 1;
  for (std::size_t number = 0; number < form.radices.size(); ++number) {
    text += step_text(form, number, s);
    s *= form.radices[number];
  }
  if (form.store == FftStore::spectrum) text += spectrum_text(form);
  return text + "}\n";
}

}  // namespace quern::codegen
