// SPDX-License-Identifier: MIT
// The lanes of a profile as SVG.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/svg_text.hpp"
#include "profile/lanes.hpp"
#include "quern/profile.hpp"

namespace quern {
namespace {

using svg::escaped, svg::number;

// The background is that of the page, so text and lines have a grey that is readable on white and on black.
constexpr const char* kText = "fill=\"#7a7a7a\"";
constexpr double kLabels = 150, kRight = 30, kTop = 30, kLane = 24, kBar = 18, kBottom = 10;

std::string text_at(double x, double y, const char* style, const std::string& text) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" " + style + ">" + escaped(text) + "</text>\n";
}

std::string time_text(double ns) {
  std::array<char, 32> text;
  const char* const units[] = {"ns", "us", "ms", "s"};
  std::size_t unit = 0;
  while (unit < 3 && ns >= 1000) ns /= 1000, ++unit;
  std::snprintf(text.data(), text.size(), "%.4g %s", ns, units[unit]);
  return text.data();
}

// A round step of which the span has five to ten.
double tick_step(double span) {
  const double power = std::pow(10, std::floor(std::log10(std::max(span, 1.0) / 5)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (span / (factor * power) <= 10) return factor * power;
  return 10 * power;
}

std::string description(const ProfileRecord& record) {
  std::string text =
      record.name + "\n" + name_of(record.kind) + ", " + time_text(static_cast<double>(record.duration()));
  if (record.bytes() != 0) text += ", " + std::to_string(record.bytes()) + " bytes";
  if (!record.line.empty()) text += "\n" + record.line;
  return record.failed ? text + "\nfailed" : text;
}

class Picture {
 public:
  Picture(std::span<const ProfileRecord> records, const std::vector<ProfileLane>& lanes, double width)
      : records_(records), lanes_(lanes), width_(width), span_(profile::span_of(records)) {}

  std::string text() {
    const double height = kTop + kLane * static_cast<double>(lanes_.size()) + kBottom;
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width_) + "\" height=\"" +
           number(height) + "\" viewBox=\"0 0 " + number(width_) + " " + number(height) +
           "\" font-family=\"sans-serif\" font-size=\"11\">\n";
    if (lanes_.empty()) {
      out_ += text_at(kRight, kTop - 10, kText, "nothing was recorded");
    } else {
      axis(height);
      for (std::size_t k = 0; k < lanes_.size(); ++k) lane(k);
      arrows();
    }
    return out_ + "</svg>\n";
  }

 private:
  [[nodiscard]] double x_of(std::int64_t time) const {
    const double whole = std::max(1.0, static_cast<double>(span_.end - span_.begin));
    return kLabels + (width_ - kLabels - kRight) * static_cast<double>(time - span_.begin) / whole;
  }
  [[nodiscard]] static double y_of(std::size_t lane) { return kTop + kLane * static_cast<double>(lane); }

  void axis(double height) {
    const auto whole = static_cast<double>(span_.end - span_.begin);
    const double step = tick_step(whole);
    for (double at = 0; at <= whole; at += step) {
      const std::string x = number(x_of(span_.begin + static_cast<std::int64_t>(at)));
      out_ += "<line x1=\"" + x + "\" y1=\"" + number(kTop - 6) + "\" x2=\"" + x + "\" y2=\"" +
              number(height - kBottom) + "\" stroke=\"#808080\" stroke-opacity=\"0.3\"/>\n";
      out_ += "<text x=\"" + x + "\" y=\"" + number(kTop - 12) + "\" text-anchor=\"middle\" " + kText + ">" +
              time_text(at) + "</text>\n";
    }
  }

  void lane(std::size_t number_of_lane) {
    const ProfileLane& lane = lanes_[number_of_lane];
    const double y = y_of(number_of_lane);
    out_ += text_at(6, y + kBar - 5, kText, lane.device + " " + lane.label);
    // Bars too narrow to be seen are drawn together, so that the picture stays small.
    constexpr double kNarrow = 0.5;
    for (std::size_t k = 0; k < lane.records.size();) {
      const ProfileRecord& first = records_[lane.records[k]];
      const double from = x_of(first.times.started);
      double to = x_of(first.times.ended);
      std::size_t next = k + 1;
      while (next < lane.records.size() && x_of(records_[lane.records[next]].times.ended) - from < kNarrow) {
        to = x_of(records_[lane.records[next]].times.ended);
        ++next;
      }
      const std::string what = next == k + 1
                                   ? description(first)
                                   : std::to_string(next - k) + " records, the first:\n" + description(first);
      bar(from, to, y, first, what);
      k = next;
    }
  }

  void bar(double from, double to, double y, const ProfileRecord& record, const std::string& what) {
    const double width = std::max(to - from, 0.4);
    out_ += "<rect x=\"" + number(from) + "\" y=\"" + number(y) + "\" width=\"" + number(width) +
            "\" height=\"" + number(kBar) + "\" fill=\"" + profile_colour(record) + "\"" +
            (record.failed ? " stroke=\"#ff0000\" stroke-width=\"2\"" : "") + "><title>" + escaped(what) +
            "</title></rect>\n";
    constexpr double kCharacter = 6;
    const auto fits = static_cast<std::size_t>(std::max(0.0, (width - 6) / kCharacter));
    if (fits < 3) return;
    const std::string name = record.name.size() <= fits ? record.name : record.name.substr(0, fits - 1) + ".";
    const bool is_wait = record.kind == ProfileKind::queue_wait || record.kind == ProfileKind::host_wait;
    out_ += text_at(
        from + 3, y + kBar - 5,
        is_wait ? "fill=\"#444444\" pointer-events=\"none\"" : "fill=\"#ffffff\" pointer-events=\"none\"",
        name);
  }

  // From the operation that is waited for to the one that waits.
  void arrows() {
    constexpr std::size_t kMost = 500;
    std::vector<std::size_t> lane_of(records_.size(), 0);
    for (std::size_t k = 0; k < lanes_.size(); ++k)
      for (const std::size_t index : lanes_[k].records) lane_of[index] = k;
    std::size_t drawn = 0;
    for (std::size_t k = 0; k < records_.size() && drawn < kMost; ++k) {
      if (!records_[k].has_times || records_[k].kind == ProfileKind::host_wait) continue;
      for (const std::size_t source : records_[k].waits_for) {
        if (!records_[source].has_times) continue;
        const bool is_down = lane_of[source] < lane_of[k];
        out_ += "<line x1=\"" + number(x_of(records_[source].times.ended)) + "\" y1=\"" +
                number(y_of(lane_of[source]) + (is_down ? kBar : 0)) + "\" x2=\"" +
                number(x_of(records_[k].times.started)) + "\" y2=\"" +
                number(y_of(lane_of[k]) + (is_down ? 0 : kBar)) +
                "\" stroke=\"#808080\" stroke-width=\"0.8\"/>\n";
        ++drawn;
      }
    }
  }

  std::span<const ProfileRecord> records_;
  const std::vector<ProfileLane>& lanes_;
  double width_;
  profile::Span span_;
  std::string out_;
};

}  // namespace

std::string Profile::svg(unsigned width) const {
  constexpr unsigned kNarrowest = 300;
  const std::vector<ProfileRecord> all = records();
  const std::vector<ProfileLane> lanes = profile::lanes_of(all);
  return Picture(all, lanes, std::max(width, kNarrowest)).text();
}

}  // namespace quern
