// SPDX-License-Identifier: MIT
// A search as SVG: the times in its order, and by the values of each parameter.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/bounded_text.hpp"
#include "base/svg_text.hpp"
#include "quern/tune.hpp"
#include "tune/search/time_text.hpp"

namespace quern {
namespace {

using svg::escaped, svg::number;

constexpr double kLeft = 70, kRight = 20, kTop = 40, kHeight = 220, kGap = 60, kSmall = 130;
constexpr const char *kDot = "#7a8ea8", *kBest = "#d1495b", *kHopeless = "#c9d3de", *kLine = "#1f6f8b";

class Picture {
 public:
  Picture(const TuneResult& result, double width) : result_(result), width_(width) {
    low_ = std::numeric_limits<double>::infinity();
    high_ = 0;
    for (const TuneCandidate& one : result.candidates) {
      const double seconds = one.seconds();
      if (!std::isfinite(seconds) || seconds <= 0) continue;
      low_ = std::min(low_, seconds);
      high_ = std::max(high_, seconds);
    }
    if (!(high_ > 0)) low_ = 1e-6, high_ = 1e-3;
    if (high_ < 1.2 * low_) high_ = 1.2 * low_;
  }

  std::string text() {
    const std::size_t count =
        result_.candidates.empty() ? 0 : result_.candidates.front().configuration.items().size();
    const auto columns = std::max<std::size_t>(1, std::min<std::size_t>(count, 3));
    const std::size_t rows = (count + columns - 1) / columns;
    const double height = kTop + kHeight + 30 + static_cast<double>(rows) * (kSmall + kGap) + 10;
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width_) + "\" height=\"" +
           number(height) + "\" viewBox=\"0 0 " + number(width_) + " " + number(height) +
           "\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" "
           "fill=\"#ffffff\"/>\n";
    const std::string best =
        result_.best ? ", best " + tuning::time_text(result_.candidates[*result_.best].seconds()) + ": " +
                           result_.candidates[*result_.best].configuration.text()
                     : "";
    write(kLeft, 18, "",
          (result_.title.empty() ? "search" : result_.title) + ", " + name_of(result_.strategy) + ", " +
              std::to_string(result_.candidates.size()) + " candidates" + best);
    draw_order();
    for (std::size_t p = 0; p < count; ++p) {
      const double share = (width_ - kRight) / static_cast<double>(columns);
      draw_parameter(p, static_cast<double>(p % columns) * share,
                     kTop + kHeight + 30 + static_cast<double>(p / columns) * (kSmall + kGap) + 20, share);
    }
    return out_ + "</svg>\n";
  }

 private:
  void write(double x, double y, const char* style, const std::string& text) {
    out_ +=
        "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" " + style + ">" + escaped(text) + "</text>\n";
  }
  // Times are drawn by their logarithms.
  [[nodiscard]] double height_of(double seconds, double top, double height) const {
    return top + height * (1 - std::log(seconds / low_) / std::log(high_ / low_));
  }
  void frame(double left, double top, double width, double height) {
    out_ += "<path d=\"M" + number(left) + " " + number(top) + "V" + number(top + height) + "H" +
            number(left + width) + "\" fill=\"none\" stroke=\"#888888\"/>\n";
    const char* const end = "text-anchor=\"end\" fill=\"#444444\"";
    write(left - 6, top + 4, end, tuning::time_text(high_));
    write(left - 6, top + height + 4, end, tuning::time_text(low_));
  }
  void dot(double x, double y, std::size_t index) {
    const TuneCandidate& one = result_.candidates[index];
    const bool is_best = result_.best == index;
    out_ += "<circle cx=\"" + number(x) + "\" cy=\"" + number(y) + "\" r=\"" + (is_best ? "5" : "3") +
            "\" fill=\"" +
            (is_best                              ? kBest
             : one.status == TuneStatus::hopeless ? kHopeless
                                                  : kDot) +
            "\"><title>" + escaped(one.configuration.text() + "\n" + tuning::time_text(one.seconds())) +
            "</title></circle>\n";
  }

  void draw_order() {
    const double width = width_ - kLeft - kRight;
    frame(kLeft, kTop, width, kHeight);
    const auto x_of = [&](std::size_t i) {
      return kLeft + width * (static_cast<double>(i) + 0.5) / static_cast<double>(result_.candidates.size());
    };
    double best = std::numeric_limits<double>::infinity();
    std::string line;
    for (std::size_t i = 0; i < result_.candidates.size(); ++i) {
      const TuneCandidate& one = result_.candidates[i];
      const double x = x_of(i), seconds = one.seconds();
      if (!std::isfinite(seconds)) {
        if (!one.error.empty())
          out_ += "<path d=\"M" + number(x - 3) + " " + number(kTop - 3) +
                  "l6 6m0 -6l-6 6\" stroke=\"#999999\"><title>" +
                  escaped(one.configuration.text() + "\n" + std::string(beginning_of(one.error, 200))) +
                  "</title></path>\n";
        continue;
      }
      if (seconds < best) {
        if (std::isfinite(best)) line += "H" + number(x);
        line += (line.empty() ? "M" + number(x) + " " : "V") + number(height_of(seconds, kTop, kHeight));
        best = seconds;
      }
      dot(x, height_of(seconds, kTop, kHeight), i);
    }
    if (!line.empty())
      out_ += "<path d=\"" + line + "H" + number(kLeft + width) + "\" fill=\"none\" stroke=\"" + kLine +
              "\" stroke-width=\"1.5\"/>\n";
    write(kLeft + width, kTop + kHeight + 16, "text-anchor=\"end\" fill=\"#444444\"",
          "candidates in the order of the search; the line is the best so far");
  }

  void draw_parameter(std::size_t p, double left, double top, double share) {
    const double width = share - kLeft - 10;
    std::vector<TuneValue> values;
    for (const TuneCandidate& one : result_.candidates) values.push_back(one.configuration.items()[p].second);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    frame(left + kLeft, top, width, kSmall);
    const auto x_of = [&](std::size_t v) {
      return left + kLeft + width * (static_cast<double>(v) + 0.5) / static_cast<double>(values.size());
    };
    for (std::size_t i = 0; i < result_.candidates.size(); ++i) {
      const TuneCandidate& one = result_.candidates[i];
      if (!std::isfinite(one.seconds())) continue;
      const auto found = std::lower_bound(values.begin(), values.end(), one.configuration.items()[p].second);
      dot(x_of(static_cast<std::size_t>(found - values.begin())), height_of(one.seconds(), top, kSmall), i);
    }
    const std::size_t step = std::max<std::size_t>(1, values.size() / 8);
    for (std::size_t v = 0; v < values.size(); v += step)
      write(x_of(v), top + kSmall + 14, "text-anchor=\"middle\" fill=\"#444444\"", text_of(values[v]));
    write(left + kLeft + width / 2, top + kSmall + 28, "text-anchor=\"middle\"",
          result_.candidates.front().configuration.items()[p].first);
  }

  const TuneResult& result_;
  double width_, low_ = 0, high_ = 0;
  std::string out_;
};

}  // namespace

std::string TuneResult::svg(unsigned width) const {
  return Picture(*this, std::max(width, 300U)).text();
}

}  // namespace quern
