// SPDX-License-Identifier: MIT
// Results of a search as text, CSV and JSON.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <utility>

#include "base/bounded_text.hpp"
#include "quern/error.hpp"
#include "quern/tune.hpp"
#include "tune/json.hpp"
#include "tune/search/time_text.hpp"

namespace quern {
namespace {

using tuning::Json;

constexpr std::size_t kMostErrorText = 300, kMostErrorInTable = 60;

std::vector<std::size_t> fastest_first(const TuneResult& result) {
  std::vector<std::size_t> order(result.candidates.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (result.best && (a == *result.best) != (b == *result.best)) return a == *result.best;
    return result.candidates[a].seconds() < result.candidates[b].seconds();
  });
  return order;
}

std::string first_line(const std::string& text) {
  const std::string line(beginning_of(text.substr(0, text.find('\n')), kMostErrorText));
  return line.size() == text.size() ? line : line + " ...";
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string number_text(double value) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

}  // namespace

const char* name_of(TuneStatus status) noexcept {
  switch (status) {
    case TuneStatus::measured:
      return "measured";
    case TuneStatus::hopeless:
      return "hopeless";
    case TuneStatus::not_prepared:
      return "not compiled";
    case TuneStatus::not_run:
      return "not run";
    case TuneStatus::wrong:
      return "wrong";
    case TuneStatus::not_measured:
      break;
  }
  return "not measured";
}

double TuneCandidate::seconds() const noexcept {
  return times.empty() || !is_valid() ? std::numeric_limits<double>::infinity()
                                      : *std::min_element(times.begin(), times.end());
}

const TuneCandidate& TuneResult::winner() const {
  if (best) return candidates[*best];
  std::string text = "tune: no configuration gave a right result";
  if (interrupted) text += " before the search was interrupted";
  std::size_t shown = 0;
  for (const TuneCandidate& candidate : candidates) {
    if (candidate.error.empty() || ++shown > 3) continue;
    text += "\n  (" + candidate.configuration.text() + ") " + name_of(candidate.status) + ": " +
            first_line(candidate.error);
  }
  throw Error(text);
}

double TuneResult::default_seconds() const noexcept {
  return candidates.empty() ? std::numeric_limits<double>::infinity() : candidates.front().seconds();
}

std::string TuneResult::table(std::size_t most) const {
  if (candidates.empty()) return "no candidates\n";
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> head;
  for (const auto& [name, value] : candidates.front().configuration.items()) head.push_back(name);
  for (const char* const name : {"time", "of best", "runs", "status"}) head.emplace_back(name);
  rows.push_back(std::move(head));
  const std::vector<std::size_t> order = fastest_first(*this);
  const double shortest = best ? candidates[*best].seconds() : 0;
  for (std::size_t i = 0; i < std::min(order.size(), most); ++i) {
    const TuneCandidate& one = candidates[order[i]];
    std::vector<std::string> row;
    for (const auto& [name, value] : one.configuration.items()) row.push_back(text_of(value));
    const bool has_time = std::isfinite(one.seconds());
    std::array<char, 32> ratio = {};
    if (has_time && shortest > 0) std::snprintf(ratio.data(), ratio.size(), "%.2f", one.seconds() / shortest);
    row.push_back(has_time ? tuning::time_text(one.seconds()) : "-");
    row.emplace_back(ratio.data());
    row.push_back(std::to_string(one.times.size()));
    row.push_back(
        std::string(order[i] == best ? "best" : name_of(one.status)) + (order[i] == 0 ? " (first)" : "") +
        (one.error.empty() ? ""
                           : ": " + std::string(beginning_of(first_line(one.error), kMostErrorInTable))));
    rows.push_back(std::move(row));
  }
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t c = 0; c + 1 < row.size(); ++c)
      text += std::string(widths[c] - row[c].size(), ' ') + row[c] + "  ";
    text += row.back() + "\n";
  }
  if (order.size() > most) text += "... and " + std::to_string(order.size() - most) + " more\n";
  return text;
}

std::string TuneResult::csv() const {
  std::string text;
  if (candidates.empty()) return text;
  for (const auto& [name, value] : candidates.front().configuration.items()) text += csv_field(name) + ",";
  text += "seconds,runs,status,found_at,error\n";
  for (const TuneCandidate& one : candidates) {
    for (const auto& [name, value] : one.configuration.items()) text += csv_field(text_of(value)) + ",";
    text += (std::isfinite(one.seconds()) ? number_text(one.seconds()) : "") + "," +
            std::to_string(one.times.size()) + "," + name_of(one.status) + "," + number_text(one.found_at) +
            "," + csv_field(first_line(one.error)) + "\n";
  }
  return text;
}

std::string TuneResult::json() const {
  const auto parameters = [](const TuneConfiguration& configuration) {
    Json::Object members;
    for (const auto& [name, value] : configuration.items())
      members.emplace_back(name, std::visit([](const auto& held) { return Json{held}; }, value));
    return Json{std::move(members)};
  };
  Json::List list;
  for (const TuneCandidate& one : candidates) {
    Json::List times;
    for (const double time : one.times) times.emplace_back(time);
    list.push_back({Json::Object{{"parameters", parameters(one.configuration)},
                                 {"status", {std::string(name_of(one.status))}},
                                 {"seconds", {one.seconds()}},
                                 {"times", {std::move(times)}},
                                 {"found_at", {one.found_at}},
                                 {"error", {one.error}}}});
  }
  return tuning::json_text(
      {Json::Object{{"title", {title}},
                    {"strategy", {std::string(name_of(strategy))}},
                    {"seed", {static_cast<std::int64_t>(seed)}},
                    {"space", {static_cast<std::int64_t>(space_size)}},
                    {"seconds", {seconds}},
                    {"interrupted", {interrupted}},
                    {"timed_out", {timed_out}},
                    {"best", best ? parameters(candidates[*best].configuration) : Json{nullptr}},
                    {"candidates", {std::move(list)}}}});
}

TunedResult TuneResult::result(TuneKey key, const Device& device) const {
  const TuneCandidate& one = winner();
  TunedResult kept;
  kept.key = std::move(key);
  kept.device = tuned_device(device.properties());
  kept.configuration = one.configuration;
  kept.seconds = one.seconds();
  kept.default_seconds = std::isfinite(default_seconds()) ? default_seconds() : 0;
  kept.evaluations = candidates.size();
  kept.strategy = name_of(strategy);
  kept.complete = !interrupted && !timed_out;
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts = {};
  std::array<char, 32> text = {};
  if (::gmtime_r(&now, &parts) != nullptr)
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  kept.date = text.data();
  return kept;
}

}  // namespace quern
